//! Declares a class, or declares it anew: what is indexed then is filled in, what no more is drops out, both by tasks.

use std::collections::BTreeMap;

use base::limits::OP_ROWS_MAX;
use base::{ContentionKey, Keys, OpError, OpResult, Sql, Stamp, Tx, args, codes};
use kernel::{Op, OpCx, Query};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::compile::{Compiled, Field, check_together, sources, wanted};
use super::decl::ClassDecl;
use super::load::parse;
use crate::codes::ACLASS;
use crate::index;
use crate::limits::CLASSES_MAX;

/// Declares a class of documents.
pub static DECLARE: Op<ClassDecl, Declared> = Op::new("doc.declare", run).keyed(|_| keys());

/// All classes of a namespace.
pub static LIST_CLASSES: Query<(), Vec<Compiled>> = Query::new("doc.classes", |tx, ()| all(tx));

/// What became of a declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Declared {
    /// The class.
    pub class: String,
    /// Indexes that are being filled, as `item.field`; searches by them are refused until they are.
    pub filling: Vec<String>,
}

pub(crate) static ALL_CLASSES: Sql =
    Sql::new("doc_class.all", "SELECT compiled FROM doc_class ORDER BY class LIMIT 1000");
pub(crate) static PUT_CLASS: Sql = Sql::new(
    "doc_class.put",
    "INSERT INTO doc_class (class, compiled, version) VALUES (?1, ?2, ?3) \
     ON CONFLICT (class) DO UPDATE SET compiled = ?2, version = ?3",
);
pub(crate) static ALL_FIELDS: Sql =
    Sql::new("doc_field.newest", "SELECT number FROM doc_field ORDER BY number DESC LIMIT 1");
pub(crate) static INSERT_FIELD: Sql = Sql::new(
    "doc_field.insert",
    "INSERT INTO doc_field (number, class, item, field, kind, state, looked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
);
pub(crate) static SET_FIELD_STATE: Sql =
    Sql::new("doc_field.set_state", "UPDATE doc_field SET state = ?2 WHERE number = ?1");

/// What declarations do not overlap with.
pub(super) fn keys() -> Keys {
    Keys::of(vec![ContentionKey::of("doc_class", "")])
}

fn run(tx: &mut dyn Tx, cx: &mut OpCx<'_>, decl: &ClassDecl) -> OpResult<Declared> {
    declare(tx, cx, decl)
}

/// Declares a class within another operation. The same declaration again changes nothing.
///
/// # Errors
/// `ACLASS` with what is wrong with it.
pub fn declare(tx: &mut dyn Tx, cx: &mut OpCx<'_>, decl: &ClassDecl) -> OpResult<Declared> {
    decl.check()?;
    let before: BTreeMap<String, Compiled> = all(tx)?.into_iter().map(|c| (c.decl.class.clone(), c)).collect();
    let mut decls: BTreeMap<String, ClassDecl> = before.iter().map(|(k, c)| (k.clone(), c.decl.clone())).collect();
    decls.insert(decl.class.clone(), decl.clone());
    if decls.len() > CLASSES_MAX {
        return Err(OpError::new(ACLASS, format!("{} classes, at most {CLASSES_MAX}", decls.len())));
    }
    check_together(&decls)?;
    check_kept(tx, before.get(&decl.class), decl)?;
    let mut numbers = tx.query_one(&ALL_FIELDS, args![])?.map_or(0, |row| row.int(0));
    let mut filling = vec![];
    for each in decls.values() {
        let fields = renumbered(wanted(each, &decls), before.get(&each.class), &mut numbers);
        let compiled = Compiled { decl: each.clone(), fields, sources: sources(&each.class, &decls) };
        if before.get(&each.class) != Some(&compiled) {
            let unfilled = put(tx, cx, before.get(&each.class), &compiled)?;
            filling.extend(unfilled.into_iter().filter(|_| each.class == decl.class));
        }
    }
    Ok(Declared { class: decl.class.clone(), filling })
}

/// A field that stays keeps its number; another one, or one of another type, gets a new one.
fn renumbered(wanted: Vec<Field>, before: Option<&Compiled>, numbers: &mut i64) -> Vec<Field> {
    let known = |field: &Field| {
        let same = |old: &&Field| {
            (&old.item, &old.field, old.kind, old.list) == (&field.item, &field.field, field.kind, field.list)
        };
        before.and_then(|before| before.fields.iter().find(same)).cloned()
    };
    let mut number = |field: Field| {
        known(&field).unwrap_or_else(|| {
            *numbers += 1;
            // The first declaration finds no documents.
            Field { number: *numbers, ready: before.is_none(), ..field }
        })
    };
    wanted.into_iter().map(&mut number).collect()
}

/// What documents hold already stays what it is.
fn check_kept(tx: &mut dyn Tx, before: Option<&Compiled>, decl: &ClassDecl) -> OpResult<()> {
    let Some(before) = before else { return Ok(()) };
    for (name, old) in &before.decl.items {
        let new = decl.items.get(name);
        let same = new.is_some_and(|new| new.singleton == old.singleton && new.raw == old.raw);
        if !same && tx.query_one(&index::ANY_ITEM, args![&decl.class, name])?.is_some() {
            let what = if new.is_some() { "changed between singleton, keyed, raw and JSON" } else { "taken out" };
            let text = format!("item class {name} of {} cannot be {what}: there are documents with it", decl.class);
            return Err(OpError::new(ACLASS, text));
        }
    }
    Ok(())
}

fn put(tx: &mut dyn Tx, cx: &mut OpCx<'_>, before: Option<&Compiled>, after: &Compiled) -> OpResult<Vec<String>> {
    let class = &after.decl.class;
    let old: Vec<i64> = before.iter().flat_map(|before| before.fields.iter().map(|field| field.number)).collect();
    let mut filling = vec![];
    for field in after.fields.iter().filter(|field| !old.contains(&field.number)) {
        let state = if field.ready { "ready" } else { "filling" };
        let row = args![field.number, class, &field.item, &field.field, field.kind.word(), state];
        tx.write(&INSERT_FIELD, row)?;
        if !field.ready {
            filling.push(format!("{}.{}", field.item, field.field));
            let task = index::fill_task(cx.id(), class, field.number);
            cx.fx.task(task);
        }
    }
    let kept = |number: &i64| after.fields.iter().any(|field| field.number == *number);
    for number in old.into_iter().filter(|number| !kept(number)) {
        tx.write(&SET_FIELD_STATE, args![number, "dropping"])?;
        let task = index::drop_task(cx.id(), class, number);
        cx.fx.task(task);
    }
    put_compiled(tx, cx, after)?;
    cx.fx.journal("document.class", class, "declared");
    Ok(filling)
}

/// Writes what is known of a class.
pub(crate) fn put_compiled(tx: &mut dyn Tx, cx: &OpCx<'_>, compiled: &Compiled) -> OpResult<()> {
    let text = serde_json::to_string(compiled).map_err(|error| OpError::new(codes::BDETECTED, error.to_string()))?;
    // Not the operation's stamp: that is taken when all documents were seen, and this may come before.
    Ok(tx.write(&PUT_CLASS, args![&compiled.decl.class, text, Stamp::from_wall(cx.wall)])?)
}

/// All classes of a namespace.
pub(super) fn all(tx: &mut dyn Tx) -> OpResult<Vec<Compiled>> {
    tx.query(&ALL_CLASSES, args![], OP_ROWS_MAX)?.iter().map(|row| parse(row.text(0))).collect()
}
