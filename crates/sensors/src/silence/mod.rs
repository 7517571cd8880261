//! Who fell silent (SEN-6, SEN-13).
//!
//! Every few seconds the sensors whose time is over are found by an index. What memory heard of them since their last durable sign of
//! life counts; while that is being decided memory settles none of their signals, so that no sign of life is overlooked. One that
//! said nothing is lost: its clients are told once, and its next signal restores it.

mod group;
mod sweep;
mod watch;

pub(crate) use sweep::{EXTEND, LOSE};
pub use sweep::{SWEEP, Sweep, Swept};
pub(crate) use watch::{ANY_WATCHED, DUE_ROWS};
pub use watch::{LOOK_EVERY_MS, SilenceWatch, look};
