//! Blobs: bytes stored once per namespace by SHA-256, counted per reference, collected in two passes (KER-26).
//!
//! Large bytes never pass through the writer. They are streamed to their place ([`Upload`]), and only when they are whole and
//! durable there, an operation ([`put`]) writes their row. Operations of services refer to a blob by its hash ([`refer`],
//! [`unrefer`]); a hash without a row is refused with `NBLOB`.
//!
//! # Why nothing is ever lost
//!
//! Every upload has a name of its own, used once. All decisions about a name are made in serial transactions, and only these
//! four exist:
//!
//! 1. *Put* gives the row of a hash a name whose bytes are durable. If the row has bytes already, the new name is doomed at
//!    once. A put that comes later than 30 s after the bytes got their name (in the store's listening time) is refused, and so
//!    is a name that is doomed: the caller uploads again.
//! 2. *Mark* (first pass): nothing referred to the row for the grace time. A reference or a put takes the mark away.
//! 3. *Collect* (second pass, a delay later): a row that is still marked goes, and its name is doomed in the same commit.
//! 4. *Sweep*: bytes without a row (an upload that never came to its put) become a candidate, and after the delay are doomed.
//!
//! Bytes are removed only after their doom is committed, outside of any transaction, as often as needed; then the doom is
//! forgotten. A sweep dooms no name before the delay since it was first seen is over, and the delay is longer than a put may
//! take: so no put comes after the doom of its name, also where that is forgotten already. A row never has a doomed name, doom
//! is never taken back, and a removal that comes late, twice or from a node long thought dead meets a name that nobody uses. A crash between any two steps leaves: staged bytes (gone at the next
//! start), bytes without a row (swept), or doomed names (removed by the next run). A put that comes at any moment of a
//! collection either finds the row and saves it, or makes a new one with bytes of its own.
//!
//! What is read is compared with its digest piece by piece before anybody sees it; bytes that are damaged or missing are
//! never served: the row is closed for new references, an alert is opened, and an upload of the same hash heals it.
//!
//! Deliberately not here: small bodies as rows. One way for all sizes is simpler, and files of 64 KiB are not slow.

mod check;
mod collect;
mod damage;
mod find;
mod garbage;
mod held;
mod put;
mod read;
mod refs;
mod rule;
mod sweep;
mod upload;
mod usage;
mod work;

use base::{Migration, OpError, Sql, codes};

use crate::service::{Invariant, ServiceDef, StuckDef};

pub use collect::{COLLECT, MARK};
pub use damage::{Damaged, REPORT_DAMAGE};
pub use find::{FIND_BLOB, NOW, find};
pub use held::held;
pub use put::{PUT_BLOB, PutBlob};
pub use read::{BlobInfo, ReadFault};
pub use refs::{Owner, refer, size, unrefer};
pub use rule::{Rule, SET_RULE};
pub use sweep::SWEEP;
pub use upload::{Stored, Upload, store_all};
pub use usage::{USAGE, Usage};
pub use work::{LIST, READ, REMOVE, perform, read_bytes, read_call};

/// Blobs.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "blobs",
    migrations: &[Migration { service: "blobs", version: 1, text: include_str!("../../migrations/blobs_0001.sql") }],
    statements: STATEMENTS,
    tasks: &[MARK, COLLECT, SWEEP],
    invariants: &[
        Invariant {
            name: "every reference has its blob, and no blob that is referred to waits for its end",
            check: check::references,
        },
        Invariant { name: "the bytes of no blob are doomed", check: check::dooms },
        Invariant { name: "what is stored is counted", check: check::usage },
    ],
    stuck: &[StuckDef { what: "blob_garbage", find: check::stuck }],
    ..ServiceDef::EMPTY
};

const STATEMENTS: &[&Sql] = &[
    &put::INSERT,
    &put::EXISTING,
    &put::REVIVE,
    &put::HEAL,
    &refs::STATE,
    &refs::ADD,
    &refs::USED,
    &refs::DROP,
    &refs::ANY,
    &refs::UNUSED,
    &refs::SIZE,
    &find::BY_SHA,
    &held::HELD,
    &damage::CLOSE,
    &garbage::STATE,
    &garbage::DOOM,
    &garbage::CLAIM,
    &garbage::SUSPECT,
    &garbage::DOOM_SUSPECTS,
    &garbage::DOOMED,
    &garbage::FORGET,
    &collect::MARK_SOME,
    &collect::MARKED,
    &collect::DELETE,
    &collect::DELETE_ANYWAY,
    &sweep::HAS_ROW,
    &rule::GET,
    &rule::SET,
    &usage::ADD,
    &usage::SUM,
    &check::LOST,
    &check::FORGOTTEN,
    &check::DOOMED_ROWS,
    &check::SIZES,
    &check::OVERDUE,
];

/// The refusal of a hash that is not stored.
fn not_stored(sha: base::Sha) -> OpError {
    OpError::new(codes::NBLOB, format!("no blob {sha} is stored, upload it first"))
}
