//! What was (SEN-11): accepted data, and each try to tell a client. One interface whether it lies in the store or in ClickHouse.
//!
//! Rows are always written to the store first, in the commit that they belong to. With an [`Archive`] configured they move on from
//! there in batches (`outbox/`), so whoever reads asks the store and then the archive, in this order: a row on its way is seen in at
//! least one of them, and of one that is seen in both only one is shown. Turning the archive on moves what is there already; turning
//! it off leaves what was moved where it is.
//!
//! - [`read()`], [`tries()`]: for routes and pages; - `store`: the queries; - [`Archive`]: the seam; - [`ClickHouse`]: the real one.

mod archive;
mod clickhouse;
mod merge;
mod place;
mod question;
mod read;
mod row;
pub(crate) mod store;

pub use archive::{Archive, ArchiveError, Archived, Archives, Batch};
#[doc(hidden)]
pub use clickhouse::count_rows;
pub use clickhouse::{ClickHouse, InvalidUrl};
pub use place::{InvalidPlace, Place};
pub use question::{Question, Tries, Which};
pub use read::{read, tries};
pub use row::{HistoryRow, TryRow};
