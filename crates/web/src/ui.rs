//! The look of every page: one frame, one style sheet, one small script, nothing from elsewhere.
//!
//! [`parts`] are what pages are made of, [`form`] what people can do, [`chart`] and [`band`] what they see over time, [`text`] the words in
//! three languages. `/console/_components` shows them all.

mod assets;
pub mod band;
pub mod chart;
mod docs;
mod example;
pub mod form;
mod frame;
pub mod moment;
pub mod parts;
mod schema;
mod status;
pub mod text;

pub(crate) use assets::{script, style};
pub(crate) use docs::docs_page;
pub use form::{Field, Form, Kind};
pub use frame::{Frame, Head, Theme, page};
pub use parts::{Column, Holds, Row, Stat, Tone};
pub(crate) use status::status_page;
pub use text::{Counted, Language, Text};
