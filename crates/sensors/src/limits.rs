//! Numbers that bound the service.

/// Signals in one request (api.md).
pub const SIGNALS_MAX: usize = 10_000;
/// Bytes of one request with signals.
pub const SIGNALS_BYTES_MAX: usize = 4 << 20;
/// Bytes of one message with a signal.
pub const SIGNAL_BYTES_MAX: usize = 64 << 10;
/// Signals that one operation judges.
pub const JUDGED_MAX: usize = 200;
/// Notifications that one operation makes, after which it leaves the rest to the next.
pub const TOLD_MAX: usize = 300;
/// Signals that may wait for their judgement.
pub const WAITING_MAX: usize = 100_000;
/// Signals that may wait while we still say that we listen.
pub const WAITING_LEVEL: usize = WAITING_MAX / 2;
/// Clients that one sensor may have.
pub const CLIENTS_PER_SENSOR_MAX: usize = 100;
/// Bytes of an address.
pub const ADDRESS_MAX: usize = 500;
/// Silence after which a sensor is lost, if nothing else is said.
pub const SILENCE_S: u32 = 3_600;
/// Shortest and longest silence.
pub const SILENCE_RANGE_S: std::ops::RangeInclusive<u32> = 10..=31_536_000;
/// A sign of life is durable to within this part of the silence (SEN-5).
pub const DURABLE_PART: i64 = 60;
/// How far ahead of our calendar a signal's time may be to count; beyond that the order of arrival does.
pub const AHEAD_MS: i64 = 300_000;
/// No clock is wrong by so much, a hundred years: such a time is none.
pub const AHEAD_MAX_MS: i64 = 3_155_760_000_000;
/// Bytes of a signal's id.
pub const SIGNAL_ID_MAX: usize = 255;
/// Unknown sensors, and rejected signals, that are remembered.
pub const REMEMBERED_MAX: i64 = 10_000;
/// Bytes of the reason for which a signal was rejected.
pub const REASON_MAX: usize = 300;
/// Bytes of a rejected signal that are remembered.
pub const REJECTED_BYTES_MAX: usize = 1_024;
/// Sensors that are looked at for silence in one operation.
pub const SWEPT_MAX: usize = 200;
/// Clients in one namespace.
pub const CLIENTS_MAX: i64 = 100_000;
/// Bytes of a client's URL.
pub const URL_MAX: usize = 2_048;
/// Bytes of a client's name.
pub const CLIENT_NAME_MAX: usize = 255;
/// Most sensors lost at once from which on a client may want to be told of them together.
pub const GROUP_LOST_MAX: u32 = 200;
/// How long the secret before still signs after a rotation, in listening time of the store.
pub const ROTATION_MS: i64 = 86_400_000;
/// Rows that one page of a list looks at.
pub const LOOKED_AT_MAX: usize = 2_000;
/// Notices that are counted for a client; beyond that there are at least so many.
pub const COUNTED_MAX: i64 = 1_000;
