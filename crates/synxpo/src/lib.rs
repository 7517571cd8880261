//! What devices and the server of folders agree on: the messages of the stream, what a name may be, and how lists of chunks are cut.
//!
//! Pure: no I/O, and nothing of either side in it. Used by the server (`folders`), by the daemon (`folder-agent`) and by whoever
//! writes another client.

pub mod names;
pub mod segments;
pub mod wire;
