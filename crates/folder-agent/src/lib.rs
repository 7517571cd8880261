//! The daemon of folders: keeps a folder of this machine in step with a directory of the server.
//!
//! - `model`: what a file is, on each of the three trees; `plan`: what follows from three trees, pure;
//! - `disk`: the folder on this machine, as a trait; real below `disk/real`, simulated below `disk/memory`; `watch`: what changes there;
//! - `ignore`: what is not kept in step; `chunks`: how contents are cut;
//! - `state`: what the daemon remembers, in a SQLite file of its own;
//! - `agent`: the daemon itself, a machine that is given events and says what is to be sent: no clock, no chance, no threads;
//! - `run`: the machine with a real folder, a connection and time.
//!
//! What always holds: nothing is removed or replaced on this disk before a copy of it lies in the backups; nothing is removed because it is
//! missing from an answer; what is sent is what was set aside, never the living file; a file that changed since it was planned on is not
//! touched.

pub mod agent;
pub mod chunks;
pub mod disk;
pub mod ignore;
pub mod model;
pub mod plan;
pub mod run;
pub mod state;
pub mod watch;
