//! What is known of one person's account and sessions: what must be, what must not be, and what nobody can say.

use std::collections::BTreeSet;

use kernel::Role;
use kernel::accounts::session::{IDLE_MS, hash};

/// A use is noted a little later than it is answered, at most so much.
const NOTED_LATE_MS: i64 = 60_000;

/// An account as its row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) role: Role,
    pub(super) password: String,
    pub(super) blocked: bool,
}

/// Whether a session works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It was opened, and nothing ended it.
    Works,
    /// It is being opened or ended.
    Doubtful,
    /// It was ended, when the process had run so long.
    Ended { ran_ms: u64 },
}

/// What is stored of a token; nothing to read.
#[derive(Clone)]
struct Hash([u8; 32]);

impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// A session.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) token: String,
    hash: Hash,
    fate: Fate,
    /// So long it lives also if nobody uses it.
    lives_until: i64,
    /// It was not used later.
    used_until: i64,
}

/// What is known.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// As it was acknowledged last.
    pub(super) account: Option<Account>,
    /// As it may be, because somebody asked for it.
    pub(super) wanted: Option<Option<Account>>,
    pub(super) sessions: Vec<Session>,
    /// Passwords that were replaced.
    pub(super) replaced: Vec<String>,
}

impl Known {
    /// The password with which one can log in.
    pub(super) fn password(&self) -> Option<String> {
        self.account.as_ref().filter(|account| !account.blocked).map(|account| account.password.clone())
    }

    /// Somebody asks for the account to become so.
    pub(super) fn want(&mut self, wanted: Option<Account>) {
        if ends_sessions(self.account.as_ref(), wanted.as_ref()) {
            let works = |session: &&mut Session| session.fate == Fate::Works;
            self.sessions.iter_mut().filter(works).for_each(|session| session.fate = Fate::Doubtful);
        }
        self.wanted = Some(wanted);
    }

    /// It became so.
    pub(super) fn became(&mut self, ran_ms: u64) {
        let Some(wanted) = self.wanted.take() else { return };
        if ends_sessions(self.account.as_ref(), wanted.as_ref()) {
            self.sessions.iter_mut().for_each(|session| session.end(ran_ms));
        }
        let old = std::mem::replace(&mut self.account, wanted);
        let kept = |account: &Account| self.account.as_ref().is_some_and(|now| now.password == account.password);
        self.replaced.extend(old.filter(|account| !kept(account)).map(|account| account.password));
    }

    /// Somebody opens a session.
    pub(super) fn opens(&mut self, token: &str, heard: i64) {
        self.sessions.push(Session {
            token: token.to_owned(),
            hash: Hash(hash(token)),
            fate: Fate::Doubtful,
            lives_until: heard + IDLE_MS,
            used_until: heard,
        });
    }

    pub(super) fn session(&mut self, token: &str) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|session| session.token == token)
    }

    /// Compares with the account that is there.
    ///
    /// # Errors
    /// It is another one.
    pub(super) fn check_account(&self, name: &str, there: Option<&Account>) -> Result<(), String> {
        let wanted = self.wanted.as_ref().is_some_and(|wanted| wanted.as_ref() == there);
        if wanted || there == self.account.as_ref() {
            return Ok(());
        }
        Err(format!("account {name} is {there:?}, and should be {:?} or {:?}", self.account, self.wanted))
    }

    /// Compares with the sessions that are valid at this moment.
    ///
    /// # Errors
    /// One that should work does not, or the other way round.
    pub(super) fn check_sessions(&self, name: &str, valid: &BTreeSet<Vec<u8>>, heard: i64) -> Result<(), String> {
        for session in &self.sessions {
            match (session.should_work(heard), valid.contains(session.hash.0.as_slice())) {
                (Some(true), false) => return Err(format!("{} of {name} does not work: {session:?}", session.token)),
                (Some(false), true) => {
                    return Err(format!("{} of {name} works, but has ended: {session:?}", session.token));
                }
                (Some(true) | None, true) | (Some(false) | None, false) => {}
            }
        }
        Ok(())
    }
}

impl Session {
    /// It was opened, not later than now.
    pub(super) fn opened(&mut self, heard: i64) {
        (self.fate, self.used_until) = (Fate::Works, heard);
    }

    /// It may have been used until now.
    pub(super) fn used(&mut self, heard: i64) {
        self.used_until = self.used_until.max(heard);
    }

    /// Somebody ends it.
    pub(super) fn doubt(&mut self) {
        if self.fate == Fate::Works {
            self.fate = Fate::Doubtful;
        }
    }

    /// It has ended.
    pub(super) fn end(&mut self, ran_ms: u64) {
        if !matches!(self.fate, Fate::Ended { .. }) {
            self.fate = Fate::Ended { ran_ms };
        }
    }

    /// Whether it works at this moment, if anybody can say.
    pub(super) fn should_work(&self, heard: i64) -> Option<bool> {
        match self.fate {
            Fate::Ended { .. } => Some(false),
            Fate::Works if heard < self.lives_until => Some(true),
            Fate::Works if heard > self.used_until + IDLE_MS + NOTED_LATE_MS => Some(false),
            Fate::Works | Fate::Doubtful => None,
        }
    }

    /// Whether it ended so long ago that every node has heard of it.
    pub(super) fn ended_before(&self, moment_ms: u64) -> bool {
        matches!(self.fate, Fate::Ended { ran_ms } if ran_ms < moment_ms)
    }
}

/// A change of the password, a block and the removal end all sessions.
fn ends_sessions(from: Option<&Account>, to: Option<&Account>) -> bool {
    match (from, to) {
        (Some(from), Some(to)) => from.password != to.password || to.blocked,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(password: &str, blocked: bool) -> Account {
        Account { role: Role::Reader, password: password.into(), blocked }
    }

    fn logged_in() -> Known {
        let mut known = Known::default();
        known.want(Some(account("old", false)));
        known.became(0);
        known.opens("token", 100);
        known.session("token").unwrap().opened(110);
        known
    }

    fn check(known: &Known, works: bool, heard: i64) -> Result<(), String> {
        let valid = if works { BTreeSet::from([hash("token").to_vec()]) } else { BTreeSet::new() };
        known.check_sessions("somebody", &valid, heard)
    }

    #[test]
    fn ker_33_the_judge_knows_how_long_a_session_lives() {
        let known = logged_in();
        assert!(check(&known, true, 200).is_ok() && check(&known, false, 200).is_err());
        let (doubtful, over) = (100 + IDLE_MS, 111 + IDLE_MS + NOTED_LATE_MS);
        assert!(check(&known, true, doubtful).is_ok() && check(&known, false, doubtful).is_ok());
        assert!(check(&known, true, over).is_err() && check(&known, false, over).is_ok());
    }

    #[test]
    fn ker_32_the_judge_knows_what_ends_sessions() {
        for end in [Some(account("new", false)), Some(account("old", true)), None] {
            let mut known = logged_in();
            known.want(end);
            assert!(check(&known, true, 200).is_ok() && check(&known, false, 200).is_ok(), "nobody can say yet");
            known.became(5);
            assert!(check(&known, true, 200).is_err(), "{:?}", known.account);
        }
        let mut turned = logged_in();
        turned.want(Some(Account { role: Role::Operator, ..account("old", false) }));
        turned.became(5);
        assert!(check(&turned, false, 200).is_err(), "another role ends none");
    }

    #[test]
    fn ker_32_the_judge_knows_the_account() {
        let mut known = logged_in();
        assert!(known.check_account("somebody", None).is_err());
        known.want(Some(account("new", false)));
        assert!(known.check_account("somebody", Some(&account("new", false))).is_ok());
        known.became(5);
        assert!(known.check_account("somebody", Some(&account("old", false))).is_err());
        assert_eq!(known.replaced, ["old"]);
    }
}
