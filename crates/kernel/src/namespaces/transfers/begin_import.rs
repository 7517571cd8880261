//! Begins an import: the archive is there and was checked; from the commit on there is a namespace that is being created, and whoever keeps
//! the namespaces of its node makes the archive its store before anybody opens it.

use base::{OpError, OpResult, Tx, args, codes};

use super::super::create_namespace::{CreateNamespace, check_count, keys, wished};
use super::super::row::{self, word_of};
use super::row::{Kind, Transfer, get, put};
use super::state::TransferState;
use crate::cx::OpCx;
use crate::op::Op;

/// Begins an import into a name that is free; a repeat with the same archive goes on.
pub static BEGIN_IMPORT: Op<BeginImport, Transfer> = Op::new("namespace.import", begin_import).keyed(|_| keys());

/// What to import.
#[derive(Debug, Clone)]
pub struct BeginImport {
    /// The namespace that is to be.
    pub wish: CreateNamespace,
    /// The archive, by its digest: under this name it lies on this node.
    pub archive: String,
}

fn begin_import(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &BeginImport) -> OpResult<Transfer> {
    let wished = wished(cx, &input.wish)?;
    if !row::insert(tx, &wished)? {
        return same(tx, input);
    }
    check_count(tx, &input.wish.rules)?;
    let transfer = Transfer {
        name: wished.name.clone(),
        id: cx.id().to_string(),
        kind: Kind::Import,
        state: TransferState::Arriving,
        place: wished.place.clone(),
        from: None,
        to: wished.engine,
        to_url: wished.url.clone(),
        node: wished.home.clone(),
        resume: None,
        cancelled: false,
        attempts: 0,
        note: String::new(),
        archive: Some(input.archive.clone()),
        rows: None,
        digest: None,
        started_at: cx.wall.0,
        ended_at: None,
        version: cx.stamp().number(),
    };
    put(tx, &transfer)?;
    cx.fx.journal("namespace.importing", &wished.name, format!("on {} in {}", word_of(wished.engine), wished.place));
    Ok(transfer)
}

/// The same archive on its way, or arrived, is not imported twice; anything else of that name is in the way.
fn same(tx: &mut dyn Tx, input: &BeginImport) -> OpResult<Transfer> {
    let name = &input.wish.name;
    let there = get(tx, name)?.filter(|transfer| !transfer.state.is_final());
    match there.filter(|transfer| transfer.archive.as_deref() == Some(input.archive.as_str())) {
        Some(transfer) => Ok(transfer),
        None => {
            let removing = tx.query_one(&row::GET, args![name])?.is_some_and(|row| row.text(6) == "removing");
            let code = if removing { codes::OREMOVING } else { codes::ANAMESPACE };
            Err(OpError::new(code, format!("there is a namespace `{name}` already")))
        }
    }
}
