//! Numbers that bound everything (KER-34, KER-8). Defaults; those an operator may change are configuration keys.

/// Cycles of an operation before its error is final (KER-7).
pub const OP_ATTEMPTS_MAX: u32 = 3;
/// Time limit of an operation with all its cycles and its waiting (KER-7).
pub const OP_TIME_MS: u64 = 10_000;
/// Rows that one operation may read or write. Far above what a usual one takes: everything of a legal size must fit, for what
/// does not is refused for ever (a process of 10,000 tasks is ended in one operation).
pub const OP_ROWS_MAX: usize = 100_000;
/// Rows that one portion of longer work aims at, so that the others wait a few milliseconds.
pub const PORTION_ROWS: usize = 5_000;
/// Steps of the engine's machine that one operation may take: about 0.4 s, but the same on every machine.
pub const OP_STEPS_MAX: u64 = 60_000_000;
/// Documents that one operation may hold writable (KER-8).
pub const OP_DOCUMENTS_MAX: usize = 32;
/// Effects that one operation may leave.
pub const OP_EFFECTS_MAX: usize = 2_000;
/// Largest stored answer of an idempotent request in bytes; larger ones are rebuilt (KER-10).
pub const ANSWER_STORED_MAX: usize = 64 << 10;
/// How long the answer of an idempotent request is kept (KER-10).
pub const REQUEST_KEPT_MS: i64 = 86_400_000;
/// Longest Idempotency-Key.
pub const IDEMPOTENCY_KEY_MAX: usize = 255;
/// How far a caller's operation time may run ahead of our clock (KER-10).
pub const OP_TIME_AHEAD_MS: i64 = 2_000;
/// How old a caller's operation time may be (KER-10).
pub const OP_TIME_OLD_MS: i64 = 86_400_000;
/// Jobs that may wait for one store (KER-45).
pub const QUEUE_MAX: usize = 8_192;
/// Operations in one commit.
pub const BATCH_MAX: usize = 512;
/// Time after which a batch is closed, in microseconds.
pub const BATCH_US: u64 = 5_000;
/// Longest read of the read pool, in microseconds: a reader that stays pins the WAL.
pub const READ_US: u64 = 10_000_000;
/// JSON body in bytes.
pub const BODY_MAX: usize = 1 << 20;
/// Headers of a request.
pub const HEADERS_MAX: usize = 100;
/// Headers of a request in bytes, request line included.
pub const HEADERS_BYTES_MAX: usize = 64 * 1024;
/// Items of a list page.
pub const PAGE_MAX: u32 = 1_000;
/// A short name or label.
pub const NAME_MAX: usize = 255;
/// Bytes of one blob; also the most that an operator may allow, because the digests of its pieces are one row.
pub const BLOB_MAX: u64 = 2 << 30;
/// Bytes of a blob that are read and compared with their digest at once; the digests of a largest blob take 64 KiB.
pub const BLOB_PIECE: usize = 1 << 20;
/// How long a blob is kept after its last reference, or after its upload if nothing ever referred to it (KER-26).
pub const BLOB_GRACE_MS: i64 = 86_400_000;
/// A put that comes later than so long after its bytes got their name is refused; the delay below is never shorter.
pub const BLOB_PUT_WITHIN_MS: i64 = 30_000;
/// How long after the first pass of the collection the second one comes, and how long bytes without a row are left alone.
pub const BLOB_DELAY_MS: i64 = 3_600_000;
