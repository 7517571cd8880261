//! Makes an upload's seats last: its client was heard.

use base::{OpResult, Tx};
use kernel::{Op, OpCx};

use super::ask::lease;
use super::upload::{self, Upload, directory_of};
use crate::form::OfUpload;

/// Makes an upload's seats last from now; `NUPLOAD` if it lapsed.
pub static RENEW: Op<OfUpload, ()> =
    Op::new("folders.renew", renew).keyed(|input| crate::key_of(directory_of(&input.upload))).ending();

fn renew(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &OfUpload) -> OpResult<()> {
    let upload = Upload::get(tx, cx.heard, &input.upload)?;
    upload::renew(tx, &upload.id, cx.heard.plus_ms(lease(input.lease_ms)).max(upload.until))
}
