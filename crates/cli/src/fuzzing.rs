//! Doors for the fuzz targets: what people type, and what is shown of what others wrote.

use crate::output::escaped as shown;
use crate::{input, services};

/// Reads a text as each of the things that people type.
///
/// # Panics
/// One of them is refused without a reason.
pub fn reads_typed(text: &str) {
    let results = [
        input::moment(text).map(drop),
        input::duration_ms(text).map(drop),
        input::json(text).map(drop),
        services::documents::reads_typed(text),
    ];
    assert!(results.iter().all(|result| result.as_ref().err().is_none_or(|reason| !reason.is_empty())));
}

/// What a terminal is given of a text.
#[must_use]
pub fn escaped(text: &str) -> String {
    shown(text)
}
