//! Moments as pages show them.

use base::Stamp;

/// When a version was made, in RFC 3339. Versions are the clock, raised where several came in one millisecond.
pub(super) fn moment(version: i64) -> String {
    Stamp::new(version).map(|stamp| web::rfc3339(stamp.to_wall())).unwrap_or_default()
}
