//! Rolls an upload back: nothing changed, its seats are free, whoever waits is woken (FLD-6).

use base::{OpResult, Tx};
use kernel::{Op, OpCx};

use super::upload::{self, directory_of};
use crate::form::OfUpload;

/// Rolls an upload back; one that is gone already is no error.
pub static RELEASE: Op<OfUpload, ()> =
    Op::new("folders.release", release).keyed(|input| crate::key_of(directory_of(&input.upload))).ending();

fn release(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &OfUpload) -> OpResult<()> {
    upload::end(tx, cx, &input.upload)
}
