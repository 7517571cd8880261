//! The tasks of a process as one picture (WFL-23): at the left who laid out whom and who waits for whom, at the right when each waited and
//! was worked on. A task is one line; many that are alike are one line together, so that a picture of ten thousand tasks is as short as
//! one of a hundred.

mod axis;
mod draw;
mod lanes;
mod layout;
mod span;

pub(super) use draw::{Picture, legend};
pub(super) use layout::Layout;
pub(super) use span::Marks;
