//! The task that brings copies level with their source: `doc.copy`.
//!
//! One cycle is one transaction: it reads what the source items hold now, finds copies by the index of their keys, and updates
//! those that are behind, in at most 32 documents under one new version. The next cycle goes on where it left off. Copies that
//! are added meanwhile are level from the start. Whatever its parameter says, the task only brings copies level.

use std::collections::BTreeSet;

use base::limits::OP_DOCUMENTS_MAX;
use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Row, Sql, Tx, args, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow};
use replica::ItemKey;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Told;
use super::source::{Copied, Source};
use crate::class::{self, KEY_FIELD};
use crate::codes::NCLASS;
use crate::doc::{Doc, DocSet};

/// Brings copies level.
pub(crate) const CARRY: TaskDef = TaskDef::new("doc.copy", carry);

/// Copies that are looked at in one cycle.
const LOOKS_MAX: usize = 400;
/// Copies that are asked for at once.
const PAGE: usize = 100;
/// Until an index of keys that is being filled is looked at again.
const FILLING_MS: i64 = 2_000;

/// The copies of an item by the index of their keys: document, version, ord, whether it is there.
pub(crate) static TARGETS: Sql = Sql::new(
    "doc_text.targets",
    "SELECT t.id, i.version, i.ord, CASE WHEN i.content IS NULL THEN 0 ELSE 1 END FROM doc_text t \
     JOIN doc_item i ON i.class = ?4 AND i.id = t.id AND i.item = ?5 AND i.key = t.key \
     WHERE t.field = ?1 AND t.value = ?2 AND t.id > ?3 ORDER BY t.id LIMIT ?6",
);

/// Where the task is: which item, which class it is copied to, after which document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    item: usize,
    class: usize,
    after: String,
}

/// What one cycle has done.
#[derive(Default)]
struct Cycle {
    docs: DocSet,
    held: BTreeSet<(String, String)>,
    looks: usize,
}

/// How far a step came.
enum Step {
    /// All copies in documents of that class are level.
    Level,
    /// Those up to this document are.
    UpTo(String),
    /// The index cannot tell yet.
    Filling,
}

fn carry(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let told: Told = parse(&task.param)?;
    let place = task.checkpoint.as_deref().map(parse).transpose()?.unwrap_or_default();
    let mut cycle = Cycle::default();
    let plan = cycle.run(tx, cx, &told, place)?;
    cycle.docs.save(tx, cx)?;
    Ok(plan)
}

fn parse<T: DeserializeOwned>(text: &str) -> OpResult<T> {
    serde_json::from_str(text).map_err(|error| OpError::new(codes::ABODY, format!("{}: {error}", CARRY.op)))
}

impl Cycle {
    fn run(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, told: &Told, mut place: Place) -> OpResult<Plan> {
        let class = class::load(tx, cx, &told.class)?;
        while let Some((item, key)) = told.items.get(place.item) {
            let decl = class.decl.items.get(item);
            let Some((decl, to)) = decl.and_then(|decl| Some((decl, decl.copy_to.get(place.class)?))) else {
                place = Place { item: place.item + 1, ..Place::default() };
                continue;
            };
            if self.is_full() {
                return Ok(Plan::Checkpoint(serde_json::json!(place).to_string()));
            }
            let source = Source::read(tx, cx, (&told.class, &told.id), &ItemKey::new(item, key), told.stamp)?;
            let at = ItemKey::new(item, &decl.copy_key(key, &told.id));
            place = match self.step(tx, cx, &source, (to, &at), &place.after)? {
                Step::Level => Place { class: place.class + 1, after: String::new(), ..place },
                Step::UpTo(after) => Place { after, ..place },
                Step::Filling => return Ok(Plan::Later(cx.wall.plus_ms(FILLING_MS))),
            };
        }
        Ok(Plan::Done)
    }

    fn is_full(&self) -> bool {
        self.looks >= LOOKS_MAX || self.held.len() >= OP_DOCUMENTS_MAX
    }

    /// One page of copies of one item in documents of class `to`.
    fn step(
        &mut self,
        tx: &mut dyn Tx,
        cx: &mut OpCx<'_>,
        source: &Source,
        (to, at): (&str, &ItemKey),
        after: &str,
    ) -> OpResult<Step> {
        self.looks += 1;
        let class = match class::load(tx, cx, to) {
            // It is copied there once there is such a class.
            Err(error) if error.code == NCLASS => return Ok(Step::Level),
            loaded => loaded?,
        };
        let Some(index) = class.fields_of(&at.c).find(|field| field.field == KEY_FIELD) else { return Ok(Step::Level) };
        if !index.ready {
            return Ok(Step::Filling);
        }
        let limit = i64::try_from(PAGE).unwrap_or(i64::MAX);
        let page = tx.query(&TARGETS, args![index.number, &at.k, after, to, &at.c, limit], PAGE)?;
        let mut done = after;
        for row in &page {
            if is_behind(row, source) && !self.bring_level(tx, cx, source, (to, row.text(0)), at)? {
                return Ok(Step::UpTo(done.to_owned()));
            }
            done = row.text(0);
        }
        self.looks += page.len();
        Ok(if page.len() < PAGE { Step::Level } else { Step::UpTo(done.to_owned()) })
    }

    /// Brings one copy level; `false` if the cycle holds as many documents as it may.
    fn bring_level(
        &mut self,
        tx: &mut dyn Tx,
        cx: &mut OpCx<'_>,
        source: &Source,
        (class, id): (&str, &str),
        at: &ItemKey,
    ) -> OpResult<bool> {
        let key = (class.to_owned(), id.to_owned());
        if !self.held.contains(&key) && self.held.len() >= OP_DOCUMENTS_MAX {
            return Ok(false);
        }
        self.held.insert(key);
        apply(self.docs.at(tx, cx, class, id)?, source, at)?;
        Ok(true)
    }
}

/// Only a copy that is there is updated: one that was deleted stays deleted.
fn is_behind(row: &Row, source: &Source) -> bool {
    let copy = Copied { version: row.int(1), ord: row.int(2) };
    let is_there = row.int(3) == 1 || mutants::on(Mutant::CopyRevived);
    is_there && (source.is_ahead_of(copy) || mutants::on(Mutant::CopyOrderIgnored))
}

fn apply(doc: &mut Doc, source: &Source, at: &ItemKey) -> OpResult<()> {
    match source {
        Source::There { content, origin } => doc.put(&at.c, &at.k, content.clone(), Some(origin.clone())),
        Source::Gone { origin } => doc.delete_copy(&at.c, &at.k, Some(origin.clone())),
    }
}
