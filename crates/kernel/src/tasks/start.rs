//! When a new task starts.

use base::Wall;

use super::cron::Cron;

/// When a task starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// At the next due moment of its cron text, or at once.
    #[default]
    Now,
    /// So many milliseconds later.
    After(i64),
    /// At this calendar moment, which somebody chose: whatever the calendar does meanwhile, it is kept.
    At(Wall),
}

impl Start {
    /// The calendar moment.
    pub(super) fn at(self, cron: Option<&Cron>, now: Wall) -> Wall {
        match self {
            Self::Now => cron.map_or(now, |cron| cron.next_after(now)),
            Self::After(ms) => now.plus_ms(ms),
            Self::At(at) => at,
        }
    }

    /// How much later than now, unless the moment itself was chosen.
    pub(super) fn pause_ms(self, cron: Option<&Cron>, now: Wall) -> Option<i64> {
        match self {
            Self::Now | Self::After(_) => Some(self.at(cron, now).0 - now.0),
            Self::At(_) => None,
        }
    }
}
