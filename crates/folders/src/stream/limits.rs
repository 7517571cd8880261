//! Bounds of one connection, each with its reason.

use super::answers::Fault;

/// From VERSION_INCREASE_ALLOW to the first FILE_WRITE.
pub const FIRST_WRITE_MS: u64 = 10_000;
/// Between two pieces of an upload.
pub const GAP_MS: u64 = 30_000;
/// Bytes of a piece: the text's 1 MB, in the larger of its two meanings.
pub const CHUNK_MAX: usize = 1 << 20;
/// Directories that one connection hears of.
pub const SUBSCRIPTIONS_MAX: usize = 1_000;

/// Directories that a connection has to do with, subscribed or not.
pub(super) const DIRECTORIES_MAX: usize = 2 * SUBSCRIPTIONS_MAX;
/// A seat outlives the client's longest silence by a little, and a node that died by no more.
pub(super) const FIRST_LEASE_MS: i64 = 15_000;
/// The same while pieces come.
pub(super) const LEASE_MS: i64 = 45_000;
/// Pieces come by the hundred: their seats are renewed at most so often.
pub(super) const RENEW_MS: u64 = 5_000;
/// Whoever drips bytes holds a seat that others wait for: from here on an upload must have brought [`RATE_MIN`] on average.
pub(super) const RATE_AFTER_MS: u64 = 120_000;
/// Bytes a second.
pub(super) const RATE_MIN: u64 = 1_024;
/// The longest upload, however quick.
pub(super) const UPLOAD_MAX_MS: u64 = 12 * 3_600_000;
/// Files of one ASK_VERSION_INCREASE.
pub(super) const ASKED_MAX: usize = 20_000;
/// Files of one operation: a larger group is taken in parts.
pub(super) const PART_MAX: usize = 400;
/// Groups that are asked for or written at once.
pub(super) const GROUPS_MAX: usize = 16;
/// Groups that came to nothing and are remembered, so that what still comes for them is known.
pub(super) const BROKEN_MAX: usize = 16;
/// Chunks of one message.
pub(super) const LISTED_MAX: usize = 5_000;
/// Chunks of one file.
pub(super) const FILE_CHUNKS_MAX: usize = 1 << 20;
/// Files of one page of versions.
pub(super) const PAGE_FILES: usize = 500;
/// Files that are looked for at once.
pub(super) const SOUGHT_MAX: usize = 1_000;
/// Parts of one file that are asked for at once.
pub(super) const RANGES_MAX: usize = 1_000;
/// Requests for versions or contents that wait for their turn.
pub(super) const REQUESTS_MAX: usize = 64;
/// Bytes that are fetched or on their way to the client at once.
pub(super) const WINDOW_BYTES: usize = 4 << 20;
/// Pieces of a download that are fetched at once.
pub(super) const WINDOW_PIECES: usize = 32;
/// Files of a download that are prepared at once.
pub(super) const WINDOW_FILES: usize = 16;
/// Versions beyond what was told as a whole, and tries, that are remembered.
pub(super) const REMEMBERED_MAX: usize = 10_000;
/// Wake-ups may be lost: each directory is looked at so often anyway.
pub(super) const LOOK_MS: u64 = 30_000;
/// After a look that failed.
pub(super) const LOOK_AGAIN_MS: u64 = 1_000;
/// Whoever waits is told at most so often: a busy directory must not make it ask in a circle.
pub(super) const TOLD_MS: u64 = 500;
/// Bytes of a path, of a name of a client or a device.
pub(super) const PATH_MAX: usize = 4_096;
const TEXT_MAX: usize = 200;

/// A text that is stored beside every change.
pub(super) fn short_text<'a>(what: &str, text: &'a str) -> Result<&'a str, Fault> {
    let is_good = (1..=TEXT_MAX).contains(&text.len()) && !text.chars().any(char::is_control);
    if is_good { Ok(text) } else { Err(Fault::invalid(&format!("{what} has 1 to {TEXT_MAX} bytes, none of control"))) }
}
