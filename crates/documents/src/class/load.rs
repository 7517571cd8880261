//! Finds a class for an operation: one row, parsed once per text.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::OpCx;

use super::compile::Compiled;
use super::declare::declare;
use super::offered::DocClass;
use crate::codes::NCLASS;

pub(crate) static GET_CLASS: Sql = Sql::new("doc_class.get", "SELECT compiled FROM doc_class WHERE class = ?1");

/// Texts that were parsed already. Always right, because the text itself is the key.
#[derive(Default)]
struct Memo(Mutex<BTreeMap<String, Arc<Compiled>>>);

const MEMO_MAX: usize = 1_024;

/// The class of that name, for an operation.
///
/// # Errors
/// `NCLASS`.
pub(crate) fn load(tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: &str) -> OpResult<Arc<Compiled>> {
    let row = tx.query_one(&GET_CLASS, args![class])?;
    if let Some(known) = row.map(|row| of_text(cx, row.text(0))).transpose()?
        && !is_outdated(cx, &known)
    {
        return Ok(known);
    }
    let offered = cx.home.offered::<DocClass>().find(|offered| offered.name == class);
    let offered = offered.ok_or_else(|| unknown(class))?;
    declare(tx, cx, &offered.decl())?;
    of_text(cx, &text(tx, class)?)
}

/// Whether the program brings a newer declaration along.
fn is_outdated(cx: &OpCx<'_>, known: &Compiled) -> bool {
    let newer = |offered: &DocClass| offered.name == known.decl.class && offered.revision > known.decl.revision;
    cx.home.offered::<DocClass>().any(newer)
}

fn of_text(cx: &OpCx<'_>, text: &str) -> OpResult<Arc<Compiled>> {
    let memo = cx.home.memory::<Memo>();
    let mut known = memo.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(compiled) = known.get(text) {
        return Ok(compiled.clone());
    }
    let compiled = Arc::new(parse(text)?);
    if known.len() >= MEMO_MAX {
        known.clear();
    }
    known.insert(text.to_owned(), compiled.clone());
    Ok(compiled)
}

/// The class of that name, for a query.
///
/// # Errors
/// `NCLASS`.
pub(crate) fn load_in(tx: &mut dyn Tx, class: &str) -> OpResult<Compiled> {
    parse(&text(tx, class)?)
}

fn text(tx: &mut dyn Tx, class: &str) -> OpResult<String> {
    let row = tx.query_one(&GET_CLASS, args![class])?;
    Ok(row.ok_or_else(|| unknown(class))?.text(0).to_owned())
}

fn unknown(class: &str) -> OpError {
    OpError::new(NCLASS, format!("no class of documents `{class}`: declare it first"))
}

pub(crate) fn parse(text: &str) -> OpResult<Compiled> {
    serde_json::from_str(text).map_err(|error| OpError::new(codes::BDETECTED, format!("a class's row: {error}")))
}
