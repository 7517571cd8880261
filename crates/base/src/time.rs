//! Three times that are never mixed (KER-5). Two live here; the third, the version, is a [`crate::Stamp`]. What lives in memory
//! alone and is never stored counts the time that its process ran, [`Ran`].
//!
//! Each is its own type, so that a lease cannot be compared with a calendar date by accident.

use serde::{Deserialize, Serialize};

/// Calendar time: milliseconds since 1970 in UTC. It may jump. For cron, `start_at` and display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Wall(pub i64);

/// Time during which the store was listening, in milliseconds: it stands still while we are down or stopped.
/// For leases, timeouts and silence: nothing expires because *we* were away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Heard(pub i64);

/// Time that this process ran, in milliseconds: begins anew with each start and is never stored. For what lives in memory
/// alone, such as a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ran(pub u64);

impl Wall {
    /// `2016-07-14T22:30:45.697Z`.
    #[must_use]
    pub fn rfc3339(self) -> String {
        crate::rfc3339::text(self)
    }

    /// The moment of an RFC 3339 text, with any offset; `None` for every other text.
    #[must_use]
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        crate::rfc3339::parse(text)
    }

    /// The moment `ms` milliseconds later.
    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }
}

impl Heard {
    /// The moment `ms` milliseconds of listening later.
    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }
}

impl Ran {
    /// The moment `ms` milliseconds of running later.
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// How many milliseconds passed since an earlier moment.
    #[must_use]
    pub const fn since_ms(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
