//! Doors for the fuzz targets: readers of what others wrote that nobody else may call.

pub use crate::outbound::reads_target;
pub use crate::redis::reads_reply;
