//! Fills an index that was declared when there were documents already, in portions.
//!
//! Every commit since the declaration keeps the index for the items that it changes, so that the filling may come to them before
//! or after. It reads an item and writes its entries in one serial transaction; a commit that changes the item meanwhile comes
//! wholly before or wholly after that.

use std::collections::BTreeSet;

use base::{OpError, OpResult, Row, Sql, Tx, args, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow};
use serde::{Deserialize, Serialize};

use super::maintain::{INSERT_VALUE, row, values_in};
use super::progress::{GET_FIELD, looked_at};
use super::room::{check_room, may_have_many};
use crate::class::{Compiled, Field, KEY_FIELD, SET_FIELD_STATE, load_in, put_compiled};
use crate::content::parse;
use crate::doc::{GET_HEAD, head_of};

pub(crate) const FILL: TaskDef = TaskDef::new("doc.fill", plan).queue(2);

/// Rows that one cycle looks at, of whatever item class: what must be passed over costs time too.
const ROWS: usize = 500;
/// Characters of contents that one cycle reads, unless one item alone has more.
const CHARACTERS: i64 = 1 << 20;
/// Entries that one cycle writes, unless one item alone has more.
const ENTRIES: usize = 2_000;

/// The next rows, with the lengths of those contents that count.
pub(crate) static PORTION: Sql = Sql::new(
    "doc_item.portion",
    "SELECT id, item, key, CAST(CASE WHEN item = ?2 AND content IS NOT NULL THEN LENGTH(content) ELSE 0 END AS BIGINT) \
     FROM doc_item WHERE class = ?1 AND (id, item, key) > (?3, ?4, ?5) ORDER BY id, item, key LIMIT ?6",
);
pub(crate) static CONTENTS: Sql = Sql::new(
    "doc_item.contents",
    "SELECT id, item, key, raw, content FROM doc_item WHERE class = ?1 AND item = ?2 AND content IS NOT NULL \
     AND (id, item, key) > (?3, ?4, ?5) AND (id, item, key) <= (?6, ?7, ?8) ORDER BY id, item, key",
);
pub(crate) static LOOKED_AT: Sql =
    Sql::new("doc_field.looked_at", "UPDATE doc_field SET looked_at = looked_at + ?2 WHERE number = ?1");

/// How far the filling is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Walked {
    /// The last row that was looked at.
    last: Place,
    /// Items whose value does not fit the index.
    misfits: i64,
    /// The document of the first of them.
    example: Option<String>,
}

/// The key of a row within its class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    id: String,
    item: String,
    key: String,
}

impl Place {
    fn of(row: &Row) -> Self {
        Self { id: row.text(0).to_owned(), item: row.text(1).to_owned(), key: row.text(2).to_owned() }
    }
}

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let number = super::number_of(task)?;
    let Some(class) = wanted(tx, number)? else { return Ok(Plan::Done) };
    let Some(field) = class.fields.iter().find(|field| field.number == number) else { return Ok(Plan::Done) };
    let mut walked: Walked = match &task.checkpoint {
        Some(text) => serde_json::from_str(text).map_err(|error| unreadable(task, &error))?,
        None => Walked::default(),
    };
    let looked = portion(tx, &class, field, &mut walked)?;
    if looked == 0 {
        return finish(tx, cx, class.clone(), field, &walked);
    }
    tx.write(&LOOKED_AT, args![number, looked])?;
    let checkpoint = serde_json::to_string(&walked).map_err(|error| unreadable(task, &error))?;
    Ok(Plan::Checkpoint(checkpoint))
}

/// The class whose index this is, if it is still to be filled: it may have been declared anew meanwhile.
fn wanted(tx: &mut dyn Tx, number: i64) -> OpResult<Option<Compiled>> {
    let row = tx.query_one(&GET_FIELD, args![number])?;
    let class = row.filter(|row| row.text(2) == "filling").map(|row| row.text(0).to_owned());
    class.map(|class| load_in(tx, &class)).transpose()
}

/// Looks at the next rows and moves on; tells how many there were.
fn portion(tx: &mut dyn Tx, class: &Compiled, field: &Field, walked: &mut Walked) -> OpResult<i64> {
    let Place { id, item, key } = walked.last.clone();
    let name = &class.decl.class;
    let limit = i64::try_from(ROWS).unwrap_or(i64::MAX);
    let rows = tx.query(&PORTION, args![name, &field.item, &id, &item, &key, limit], ROWS)?;
    let Some(end) = rows.get(within(&rows)).map(Place::of) else { return Ok(0) };
    let range = args![name, &field.item, &id, &item, &key, &end.id, &end.item, &end.key];
    let contents = tx.query(&CONTENTS, range, ROWS)?;
    walked.last = end;
    let (mut entries, mut grown) = (0, BTreeSet::new());
    for (at, content) in contents.iter().enumerate() {
        entries += fill_item(tx, field, content, walked)?;
        grown.insert(content.text(0));
        if entries > ENTRIES && at + 1 < contents.len() {
            walked.last = Place::of(content);
            break;
        }
    }
    // Copies are carried by their keys: these have room of their own.
    if field.field != KEY_FIELD {
        check_room_of(tx, class, &grown)?;
    }
    let looked = rows.iter().take_while(|row| Place::of(row) != walked.last).count() + 1;
    Ok(i64::try_from(looked).unwrap_or(i64::MAX))
}

/// A document that would hold more than can be taken out at once is filled no further: the filling waits, and its alert names it.
fn check_room_of(tx: &mut dyn Tx, class: &Compiled, ids: &BTreeSet<&str>) -> OpResult<()> {
    if !may_have_many(class) {
        return Ok(());
    }
    let sets: Vec<_> = ids.iter().map(|id| args![&class.decl.class, *id].to_vec()).collect();
    let heads = tx.query_each(&GET_HEAD, &sets)?;
    for (id, row) in ids.iter().zip(&heads) {
        let Some(head) = row.as_ref().map(|row| head_of(row, 0)) else { continue };
        check_room(tx, class, id, head.live, head.v1)?;
    }
    Ok(())
}

/// The last row of those whose contents are read together.
fn within(rows: &[Row]) -> usize {
    let mut characters = 0;
    let fits = rows.iter().take_while(|row| {
        characters += row.int(3);
        characters <= CHARACTERS
    });
    fits.count().saturating_sub(1)
}

/// Writes the entries of one item; tells how many.
fn fill_item(tx: &mut dyn Tx, field: &Field, item: &Row, walked: &mut Walked) -> OpResult<usize> {
    let (id, key, raw, content) = (item.text(0), item.text(2), item.int(3) == 1, item.text(4));
    let json = if raw { None } else { Some(parse(content)?) };
    let Ok(values) = values_in(field, key, json.as_ref()) else {
        walked.misfits += 1;
        walked.example.get_or_insert_with(|| id.to_owned());
        return Ok(0);
    };
    for value in &values {
        tx.write(&INSERT_VALUE[field.kind as usize], &row(field, value, id, key))?;
    }
    Ok(values.len())
}

/// Nothing is left: searches may use it.
fn finish(tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: Compiled, field: &Field, walked: &Walked) -> OpResult<Plan> {
    let (number, looked_at) = (field.number, looked_at(tx, field.number)?);
    let ready = |each: Field| Field { ready: each.ready || each.number == number, ..each };
    let class = Compiled { fields: class.fields.into_iter().map(ready).collect(), ..class };
    tx.write(&SET_FIELD_STATE, args![number, "ready"])?;
    put_compiled(tx, cx, &class)?;
    let misfits = match &walked.example {
        Some(example) => {
            format!(
                ", {} have a value there that does not fit and are not found by it, as in {example}",
                walked.misfits
            )
        }
        None => String::new(),
    };
    let subject = format!("{} {}.{}", class.decl.class, field.item, field.field);
    cx.fx.journal("document.index", subject, format!("filled: {looked_at} items looked at{misfits}"));
    Ok(Plan::Done)
}

fn unreadable(task: &TaskRow, error: &serde_json::Error) -> OpError {
    OpError::new(codes::BDETECTED, format!("checkpoint of task {}: {error}", task.id))
}
