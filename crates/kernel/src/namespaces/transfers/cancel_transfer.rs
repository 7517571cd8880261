//! Takes a transfer back: the namespace stays where it was, or does not come into being. Once the new side serves it is too late.

use base::{OpError, OpResult, Tx, codes};

use super::super::create_namespace::keys;
use super::row::{Transfer, busy, get};
use super::state::Event;
use super::step_transfer::take;
use crate::cx::OpCx;
use crate::op::Op;

/// Takes a transfer back; one that is on its way back goes on.
pub static CANCEL_TRANSFER: Op<CancelTransfer, Transfer> =
    Op::new("namespace.cancel_transfer", cancel_transfer).keyed(|_| keys()).ending();

/// Which.
#[derive(Debug, Clone)]
pub struct CancelTransfer {
    /// Of which namespace.
    pub name: String,
}

fn cancel_transfer(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &CancelTransfer) -> OpResult<Transfer> {
    let none = || OpError::new(codes::NTRANSFER, format!("no transfer of namespace `{}` is under way", input.name));
    let transfer = get(tx, &input.name)?.filter(|transfer| !transfer.state.is_final()).ok_or_else(none)?;
    let too_late = busy(&transfer).with("the new side serves already: it cannot be taken back any more".to_owned());
    take(tx, cx, transfer, &Event::Cancelled)?.ok_or(too_late)
}
