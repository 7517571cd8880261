//! Calendar time as text, for answers and pages.

use base::Wall;

/// `2016-07-14T22:30:45.697Z`.
#[must_use]
pub fn rfc3339(wall: Wall) -> String {
    wall.rfc3339()
}
