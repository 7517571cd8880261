//! The daemon as a program: a folder of this machine, a connection, time.
//!
//! The machine (`agent`) has a thread of its own, for it waits for the disk; the connection lives in the program's runtime. What is to be sent is
//! taken from the machine only as fast as the connection takes it, so that memory stays flat however large a file is.

mod backups;
mod connection;
mod home;
mod keep;
mod line;
mod world;

pub use backups::{Kept, bring_back, kept};
pub use connection::{Address, create_directory};
pub use home::{Home, Link, LinkError};
pub use keep::{Keeper, Offline, Progress, keep};
#[doc(hidden)]
pub use line::messages;
pub use world::{device_name, new_uuid};
