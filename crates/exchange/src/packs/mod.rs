//! Packs (EXC-8): where bodies are in blobs, the texts of messages that are done lie in blobs of some hundred each, on a disk or in S3, where
//! every node finds them.
//!
//! A text stays in the store as long as its message can be given on: no call of a device or a database ever waits for the blobs. What comes
//! to rest (log, error, unknown, and nobody holds it) is due for the packer after a while, so that others join it (`packer`: decide and settle in
//! transactions). Texts are joined and uploaded outside of them (`work`), and once they are durable there, one commit gives the pack its
//! row and its reference, and takes the texts out of the store (`keep`). While the blobs are away, texts stay in the store.
//!
//! Invariants: a text is in the store, in a file or in a pack, and only what is at rest is in a pack; a pack is referred to as long as one text of it is
//! wanted. What is cut between upload and commit leaves bytes that nobody refers to, which the kernel sweeps.

mod adopt;
mod keep;
mod let_go;
mod packer;
mod places;
mod read;
mod work;

pub use packer::PACKER_OP;
pub use places::Packs;
pub use work::{PACK, perform};

pub(crate) use adopt::{ADOPT, adopt, forget_adoption, is_adopted};
pub(crate) use let_go::let_go;
pub(crate) use packer::{ALERT, PACKER, wake};
pub(crate) use read::{Packed, Unread, find};

use base::{Sha, Sql};
use kernel::blobs::Owner;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &adopt::IS_ADOPTED,
    &adopt::SET_ADOPTED,
    &adopt::FORGET_ADOPTED,
    &adopt::RESTING,
    &adopt::MAKE_DUE,
    &keep::TAKE_IN,
    &keep::DROP_BODIES,
    &keep::LET_BE,
    &let_go::DROP,
    &let_go::ANY_OF,
    &packer::DUE,
    &packer::ANY_DUE,
    &packer::OLDEST_DUE,
    &packer::TRIED,
    &read::GET,
];

/// Who refers to a pack.
fn owner(id: &str) -> Owner<'_> {
    Owner { kind: "exchange.pack", id }
}

/// The hash that a row has.
fn sha_of(text: &str) -> base::OpResult<Sha> {
    let wrong = |_| base::OpError::new(base::codes::BDETECTED, format!("`{text}` is no pack"));
    text.parse().map_err(wrong)
}
