//! A transfer goes on by one event: its row and the namespace's change in one commit. The switch is nothing but this.

use base::{OpResult, Sql, Stamp, Tx, args};

use super::super::create_namespace::keys;
use super::super::row::{self, NamespaceRow, word_of};
use super::super::state::State;
use super::row::{Transfer, get, namespace_of, update};
use super::state::{Event, TransferState, next};
use crate::cx::OpCx;
use crate::op::Op;

/// Bytes of a reason that are kept.
const NOTE_MAX: usize = 1_000;

/// Says what happened to a transfer, and gives it as it is then. A late word, about another one or another state, changes nothing.
pub static STEP_TRANSFER: Op<StepTransfer, Option<Transfer>> =
    Op::new("namespace.step_transfer", step_transfer).keyed(|_| keys()).ending();

/// What happened.
#[derive(Debug, Clone)]
pub struct StepTransfer {
    /// Of which namespace.
    pub name: String,
    /// To which transfer.
    pub id: String,
    /// In which state.
    pub state: TransferState,
    /// What.
    pub event: Event,
}

pub(in super::super) static SWITCH: Sql =
    Sql::new("namespace.switch", "UPDATE namespace SET engine = ?2, url = ?3, home = ?4 WHERE name = ?1");

fn step_transfer(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &StepTransfer) -> OpResult<Option<Transfer>> {
    let Some(transfer) = get(tx, &input.name)? else { return Ok(None) };
    if transfer.id != input.id || transfer.state != input.state {
        return Ok(Some(transfer));
    }
    let unchanged = transfer.clone();
    Ok(Some(take(tx, cx, transfer, &input.event)?.unwrap_or(unchanged)))
}

/// The transfer after an event; nothing if the event has no place in its state.
pub(super) fn take(tx: &mut dyn Tx, cx: &mut OpCx<'_>, before: Transfer, event: &Event) -> OpResult<Option<Transfer>> {
    let counted = counted(before, event);
    let Some(state) = next(counted.state, event, counted.attempts, counted.cancelled) else { return Ok(None) };
    cx.saw(Stamp::new(counted.version).expect("a version that we wrote"));
    let namespace = namespace_of(tx, &counted)?;
    namespace.iter().for_each(|row| cx.saw(row.stamp()));
    let mut after = Transfer { version: cx.stamp().number(), ..counted.clone() };
    if state != counted.state {
        turn(tx, &mut after, state, namespace)?;
        tell(cx, &after);
    }
    after.ended_at = state.is_final().then_some(cx.wall.0);
    update(tx, &after)?;
    Ok(Some(after))
}

/// What an event leaves in the row, whatever follows.
fn counted(before: Transfer, event: &Event) -> Transfer {
    match event {
        Event::Began => Transfer { attempts: before.attempts + 1, ..before },
        Event::Failed { reason } => Transfer { note: reason.chars().take(NOTE_MAX).collect(), ..before },
        Event::Matched { rows, digest } => {
            Transfer { rows: Some(*rows), digest: Some(digest.clone()), note: String::new(), ..before }
        }
        Event::Arrived { rows } => Transfer { rows: Some(*rows), note: String::new(), ..before },
        Event::Cancelled => Transfer { cancelled: true, ..before },
        Event::Copied | Event::KeptAside | Event::Reopened => before,
    }
}

/// The namespace turns with its transfer.
fn turn(tx: &mut dyn Tx, after: &mut Transfer, state: TransferState, row: Option<NamespaceRow>) -> OpResult<()> {
    use TransferState as S;
    after.state = state;
    let Some(row) = row else { return Ok(()) };
    match state {
        S::Closing => {
            after.resume = Some(row.state);
            stand(tx, after, row, State::Moving)
        }
        S::Switched => {
            let url = after.to_url.as_ref().map(|url| url.0.as_str());
            tx.write(&SWITCH, args![&row.name, word_of(after.to), url, &after.node])?;
            reopen(tx, after, row)
        }
        // An import that is given up takes its namespace with it; a move was given back before it ended.
        S::Failed | S::Cancelled if row.state == State::Creating => stand(tx, after, row, State::Removing),
        S::Copying | S::Failed | S::Cancelled if row.state == State::Moving => reopen(tx, after, row),
        S::Copying | S::Reopening | S::Arriving | S::Done | S::Failed | S::Cancelled => Ok(()),
    }
}

fn reopen(tx: &mut dyn Tx, after: &Transfer, row: NamespaceRow) -> OpResult<()> {
    stand(tx, after, row, after.resume.unwrap_or(State::Open))
}

fn stand(tx: &mut dyn Tx, after: &Transfer, row: NamespaceRow, state: State) -> OpResult<()> {
    row::update(tx, &NamespaceRow { state, version: after.version, ..row })
}

fn tell(cx: &mut OpCx<'_>, after: &Transfer) {
    let (kind, word) = (after.kind.word(), after.state.word());
    let rows = after.rows.map(|rows| format!(", {rows} rows")).unwrap_or_default();
    let note = if after.note.is_empty() { String::new() } else { format!(": {}", after.note) };
    cx.fx.journal("namespace.transfer", &after.name, format!("its {kind} is {word}{rows}{note}"));
}
