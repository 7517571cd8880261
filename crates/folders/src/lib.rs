//! Folders: directories that devices keep in step over one stream each.
//!
//! - `seat`: who may write a file, and who waits for it (FLD-5, FLD-6);
//! - `answer`: what a change is answered that somebody asks for (FLD-5, FLD-10).
//!
//! - `form`: what sessions and operations say to each other.
//!
//! The first two are pure, and are what `tests/model` searches exhaustively together with clients that fall silent, lose their connections and
//! their answers. Deliberately not here yet: the store and the content.
//!
//! - `stream`: the protocol, one session per client; `wire`: its messages.

mod answer;
pub mod form;
pub mod names;
pub mod plan;
mod seat;
pub mod stream;
pub mod wire;

pub use answer::{Answer, Change, Known, answer};
pub use seat::{Seat, Status};

/// Under this the changes of a directory and of its seats are called out.
#[must_use]
pub fn topic(directory: &str) -> kernel::Topic {
    kernel::Topic::of(&format!("folders.{directory}"))
}
