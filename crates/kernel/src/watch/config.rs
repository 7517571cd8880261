//! What an operator may set of alerts, journal and counters.

use crate::alerts::AlertSettings;

const DAY_MS: i64 = 86_400_000;

/// What an operator may set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchConfig {
    /// Name of this node, the same at every start: its counters are rows of this name.
    pub node: String,
    /// Pace and channels of alerts where a namespace has none of its own.
    pub alerts: AlertSettings,
    /// How long journal lines are kept, in listening time.
    pub journal_kept_ms: i64,
    /// How long a counter is kept after it was last raised, in listening time.
    pub counters_kept_ms: i64,
    /// How long the minutes of charts are kept, in listening time.
    pub minutes_kept_ms: i64,
    /// How often what is kept in memory goes to the store: what a crash may cost counters.
    pub round_ms: u64,
}

impl Default for WatchConfig {
    fn default() -> Self {
        Self {
            node: "node".into(),
            alerts: AlertSettings::default(),
            journal_kept_ms: 90 * DAY_MS,
            counters_kept_ms: 90 * DAY_MS,
            minutes_kept_ms: 7 * DAY_MS,
            round_ms: 1_000,
        }
    }
}
