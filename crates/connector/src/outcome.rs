//! What a round came to, for whoever watches.

use std::fmt;

use client::exchange::{MessageResult, Processed};

pub use crate::next::End as Ended;

/// One process from its start to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its id, if one was started.
    pub process: Option<String>,
    /// Processed well.
    pub processed: usize,
    /// Left for another time because of locks.
    pub deadlocks: usize,
    /// Found wrong.
    pub incorrect: usize,
    /// Not taken, because nothing here knows their type.
    pub left_out: usize,
    /// Replies.
    pub replies: usize,
    /// How it ended.
    pub ended: Ended,
}

/// Everything of one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Earlier processes that were settled by their markers, and whether they were committed.
    pub settled: Vec<(String, bool)>,
    /// Earlier processes whose transactions may still be open.
    pub open: Vec<String>,
    /// What went wrong beside the process of this round.
    pub trouble: Vec<String>,
    /// The process of this round.
    pub report: Report,
}

impl Report {
    pub(crate) fn new(ended: Ended) -> Self {
        Self { process: None, processed: 0, deadlocks: 0, incorrect: 0, left_out: 0, replies: 0, ended }
    }

    pub(crate) fn count(&mut self, results: &[MessageResult], replies: usize) {
        let many = |status| results.iter().filter(|result| result.status == status).count();
        self.processed = many(Processed::Processed);
        self.deadlocks = many(Processed::ProcessedDeadlock);
        self.incorrect = many(Processed::ProcessedIncorrect);
        self.replies = replies;
    }

    /// Whether a person should look.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        !matches!(self.ended, Ended::Idle | Ended::Busy | Ended::Committed)
    }

    /// Whether the next process may begin at once: there may be more where messages were done. What only waited for others' locks would
    /// wait again.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.ended == Ended::Committed && self.processed + self.incorrect > 0
    }

    /// The word for programs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.ended {
            Ended::Idle => "idle",
            Ended::Busy => "busy",
            Ended::Committed => "committed",
            Ended::Unconfirmed(_) => "unconfirmed",
            Ended::RolledBack(_) => "rolled-back",
            Ended::Stopped(_) => "stopped",
            Ended::InDoubt(_) => "in-doubt",
        }
    }

    /// Why it ended so, if that needs a reason.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match &self.ended {
            Ended::Idle | Ended::Busy | Ended::Committed => None,
            Ended::Unconfirmed(why) | Ended::RolledBack(why) | Ended::Stopped(why) | Ended::InDoubt(why) => Some(why),
        }
    }
}

/// One line.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.process {
            Some(process) => write!(f, "process {process} {}: ", self.word())?,
            None => write!(f, "{}", self.word())?,
        }
        if self.process.is_some() {
            let Self { processed, deadlocks, incorrect, left_out, replies, .. } = self;
            write!(
                f,
                "{processed} processed, {deadlocks} deadlocks, {incorrect} incorrect, {left_out} left out, {replies} replies"
            )?;
        }
        self.reason().map_or(Ok(()), |why| write!(f, "; {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_25_after_messages_that_only_waited_there_is_a_pause() {
        let goes_on = |processed, deadlocks, incorrect, ended| {
            Report { processed, deadlocks, incorrect, ..Report::new(ended) }.goes_on()
        };
        assert!(goes_on(1, 1, 0, Ended::Committed) && goes_on(0, 1, 1, Ended::Committed));
        assert!(
            !goes_on(0, 2, 0, Ended::Committed),
            "a statement that never ends in time must not be tried without a pause"
        );
        assert!(!goes_on(1, 0, 0, Ended::Unconfirmed("no".into())) && !goes_on(0, 0, 0, Ended::Idle));
    }
}
