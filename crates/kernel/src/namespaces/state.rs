//! What a namespace lets through in each state: a table without a database (KER-2).

use base::{Code, OpError, OpResult, Wall, codes};
use serde::{Deserialize, Serialize};

use crate::request::Caller;

/// Longest time that a client is told to stay away at once: a reopening may come early.
const STAY_AWAY_S_MAX: i64 = 3_600;

/// The state of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Its store is being made.
    Creating,
    /// It takes everything.
    Open,
    /// It takes reads.
    ReadOnly,
    /// It takes nothing but administrators.
    Closed,
    /// Its store is on its way to another engine, for the last and short part of it: nobody is let in.
    Moving,
    /// Its store is being set aside.
    Removing,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 6] = [Self::Creating, Self::Open, Self::ReadOnly, Self::Closed, Self::Moving, Self::Removing];

    /// The word used in tables and answers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Creating => "creating",
            Self::Open => "open",
            Self::ReadOnly => "read-only",
            Self::Closed => "closed",
            Self::Moving => "moving",
            Self::Removing => "removing",
        }
    }

    /// The state of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// What a request is refused with. Administrators of the administrators' namespace (`everywhere`) pass, but not into a
    /// store that goes away. While it is being created its store is not there, which says enough by itself.
    const fn refusal(self, everywhere: bool, changes: bool) -> Option<Code> {
        match (self, everywhere, changes) {
            (Self::Removing, _, _) => Some(codes::OREMOVING),
            (Self::Moving, _, _) => Some(codes::OMOVING),
            (Self::Closed, false, _) => Some(codes::OCLOSED),
            (Self::ReadOnly, false, true) => Some(codes::OREADONLY),
            (Self::Creating | Self::Open, _, _)
            | (Self::ReadOnly, _, false)
            | (Self::Closed | Self::ReadOnly, true, _) => None,
        }
    }
}

/// How a namespace stands now on this node, as its row last said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its state.
    pub state: State,
    /// What people are told while it is not open.
    pub message: String,
    /// When it is expected to be open again.
    pub reopens_at: Option<Wall>,
    /// Requests in flight, if it has a limit of its own.
    pub requests_max: Option<u32>,
    /// Where its files are: a name that no later life of the namespace has. Empty where it is the namespace's own.
    pub place: String,
    /// Whether it is only there to try things in; the same for its whole life.
    pub temporary: bool,
}

impl Standing {
    /// Open to everybody, with no limit of its own.
    pub const OPEN: Self = Self {
        state: State::Open,
        message: String::new(),
        reopens_at: None,
        requests_max: None,
        place: String::new(),
        temporary: false,
    };

    /// Whether a request of `caller` is let through; `changes` if it is not a mere read.
    ///
    /// # Errors
    /// `OCLOSED`, `OREADONLY` or `OREMOVING`, with the message and the expected reopening.
    pub fn check(&self, caller: &Caller, changes: bool, now: Wall) -> OpResult<()> {
        let Some(code) = self.state.refusal(caller.everywhere, changes) else { return Ok(()) };
        let message = if self.message.is_empty() { self.usual_message() } else { self.message.clone() };
        let refused = OpError::before_start(code, message);
        let Some(reopens_at) = self.reopens_at else { return Err(refused) };
        let left_s = (reopens_at.0 - now.0).div_euclid(1_000) + 1;
        let retry_after_s = u32::try_from(left_s.clamp(1, STAY_AWAY_S_MAX)).ok();
        let reopens = base::Stamp::from_wall(reopens_at);
        Err(OpError {
            retry_after_s,
            ..refused.with(format!("expected to reopen at {reopens} (yyMMddHHmmssSSS, UTC)"))
        })
    }

    /// Whether its tasks run.
    #[must_use]
    pub fn works(&self) -> bool {
        self.state == State::Open
    }

    fn usual_message(&self) -> String {
        format!(
            "the namespace is {}",
            match self.state {
                State::Creating => "being created",
                State::Open => "open",
                State::ReadOnly => "read-only, changes are refused",
                State::Closed => "closed",
                State::Moving => "being moved to another engine, and opens again in a short while",
                State::Removing => "being removed",
            }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(state: State, everywhere: bool, changes: bool) -> &'static str {
        state.refusal(everywhere, changes).map_or("", |code| code.name)
    }

    #[test]
    fn ker_2_what_each_state_lets_through() {
        // Columns: a tenant reads, a tenant changes, an administrator reads, an administrator changes.
        for (state, wanted) in [
            (State::Creating, ["", "", "", ""]),
            (State::Open, ["", "", "", ""]),
            (State::ReadOnly, ["", "OREADONLY", "", ""]),
            (State::Closed, ["OCLOSED", "OCLOSED", "", ""]),
            (State::Moving, ["OMOVING"; 4]),
            (State::Removing, ["OREMOVING"; 4]),
        ] {
            let now = [(false, false), (false, true), (true, false), (true, true)];
            assert_eq!(now.map(|(everywhere, changes)| told(state, everywhere, changes)), wanted, "{state:?}");
            assert_eq!(Standing { state, ..Standing::OPEN }.works(), state == State::Open, "{state:?}");
            assert_eq!(State::from_word(state.word()), Some(state));
        }
    }

    #[test]
    fn ker_2_a_closed_namespace_says_why_and_when_to_come_again() {
        const REOPENS: i64 = 1_468_535_445_697;
        let closed = Standing {
            state: State::Closed,
            message: "moving house".into(),
            reopens_at: Some(Wall(REOPENS)),
            ..Standing::OPEN
        };
        let tenant = Caller::public();
        let refused = closed.check(&tenant, false, Wall(REOPENS - 60_000)).unwrap_err();
        assert_eq!((refused.code, refused.retry_after_s), (codes::OCLOSED, Some(61)));
        assert!(refused.message == "moving house" && refused.detail[0].contains("160714223045697"), "{refused:?}");
        assert_eq!(closed.check(&tenant, false, Wall(REOPENS + 60_000)).unwrap_err().retry_after_s, Some(1));
        assert_eq!(closed.check(&tenant, false, Wall(0)).unwrap_err().retry_after_s, Some(3_600));
        assert!(closed.check(&Caller::server("x"), true, Wall(0)).is_ok());
    }
}
