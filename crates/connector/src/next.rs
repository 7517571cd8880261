//! What is done after what was heard (EXC-25). Pure: no network, no database, no clock.
//!
//! start → [narrow] → work → prepare → commit in the database → commit call. The ways off it:
//!
//! | after | heard | then |
//! |---|---|---|
//! | start, narrow | no answer, or anything but `OK` | stop; `BUSY` is tried again after a random pause |
//! | work | the database hindered all of it (a lock, no transaction, a full disk) | roll back, interrupt; after many times as if it failed |
//! | work | the database failed | roll back, interrupt; of several each is then taken alone |
//! | | a single message, for the second time | roll back, leave it out: others come first |
//! | work | replies that are none | roll back; the same again, with rows that stood there before left alone |
//! | | again, and they name messages | roll back; the same again, with those messages reported as incorrect |
//! | | again, and they name none | roll back; a single message is then reported as incorrect, several are taken one by one |
//! | prepare | no answer | again within [`PREPARE_MS`], then roll back and the rollback call |
//! | prepare | `CANCELLED` | roll back, the rollback call |
//! | | after either, unless the server is away or somebody gave the process up | of several each is then taken alone; the second time a single message is left out of the next process |
//! | prepare | a refusal | roll back; a single message is then reported as incorrect, of several none is |
//! | commit | failed, what was written is wrong | the rollback call; of several each is then taken alone |
//! | | a single message, for the second time | the rollback call; from the next process on it is reported as incorrect |
//! | commit | failed for another reason | the rollback call; the second time a single message is left out of the next process |
//! | commit | nobody knows | the marker tells; while it does not, neither call is made. If it was the disk, no message is to blame |
//! | commit call | no answer | again, until there is one |

use std::collections::BTreeMap;

/// How long prepare is repeated.
pub const PREPARE_MS: u64 = 60_000;
/// How long the rollback call is repeated; then the server's own time for a process ends it.
pub const ROLLBACK_MS: u64 = 60_000;
/// How long a marker that may still be written is looked for at once; a later round looks again.
pub const MARKER_MS: u64 = 60_000;
/// How often a message fails alone before others come first, or before it is to blame.
pub const FAILURES_MAX: u32 = 2;
/// How often a start is tried while another process of the database is active.
pub const STARTS_MAX: u32 = 5;

/// What is under way; the next thing that is heard is about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doing {
    /// The start call, for the so-manieth time.
    Start {
        /// 1 at first.
        tries: u32,
    },
    /// The call that says which messages are processed.
    Narrow,
    /// The same where none is: all but one are left out, so that they are offered after others and hold nobody up.
    SetAside {
        /// Why the process is given up then.
        error: String,
    },
    /// Messages are processed in a transaction. Those with a blame are not, but are reported as incorrect because of it.
    Work {
        /// Who is to blame.
        blame: Blame,
    },
    /// The prepare call.
    Prepare {
        /// Whether the message was blamed before: it is not again.
        blamed: bool,
    },
    /// The transaction is committed.
    Commit,
    /// Whether it was, is looked up.
    LookForMarker {
        /// Of the commit.
        error: String,
        /// Its messages may be why it failed.
        blames: bool,
    },
    /// The transaction is rolled back.
    RollBack {
        /// What follows it.
        then: After,
        /// Why.
        error: String,
    },
    /// The call that says that the database committed.
    CommitCall,
    /// The call that says that it did not.
    RollbackCall {
        /// Why.
        error: String,
        /// Its only message is to blame: its sender may be told.
        blamed: bool,
    },
    /// The call that gives the process up before its prepare.
    InterruptCall {
        /// Why.
        error: String,
    },
    /// Nothing more.
    End(End),
}

/// Which messages are to blame for what went wrong with replies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blame {
    /// All of them, and why.
    pub all: Option<String>,
    /// These, by their ids, and why.
    pub of: BTreeMap<String, String>,
    /// Replies that stand there before a message is processed are nobody's fault: what is none of them is left alone.
    pub is_careful: bool,
}

impl Blame {
    /// Why a message is to blame, if it is.
    #[must_use]
    pub fn reason(&self, id: &str) -> Option<&str> {
        self.of.get(id).or(self.all.as_ref()).map(String::as_str)
    }

    /// Whether somebody is.
    #[must_use]
    pub fn is_somebody(&self) -> bool {
        self.all.is_some() || !self.of.is_empty()
    }
}

/// A row of the user's that is no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadReply {
    /// The message of this process that it says to answer.
    pub answers: Option<String>,
    /// What is wrong with it.
    pub error: String,
}

/// What follows a rollback in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// The process may be prepared.
    RollbackCall,
    /// It is not.
    InterruptCall,
    /// It is not, and the next ones have one message each, until the one at fault is found.
    OneByOne,
    /// It is not, and its message lets others go first.
    SetAside,
    /// The same again, with somebody blamed.
    WorkAgain(Blame),
}

/// How a round ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Nothing waits.
    Idle,
    /// Another process of this database is active.
    Busy,
    /// Committed, and the server knows.
    Committed,
    /// Committed, but the server does not take it; it asks for the outcome later.
    Unconfirmed(String),
    /// Not committed, and nothing was changed.
    RolledBack(String),
    /// Nothing was begun.
    Stopped(String),
    /// Whether it was committed is not known yet; a later round finds out.
    InDoubt(String),
}

/// What a call was answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// `OK`.
    Ok,
    /// `CANCELLED`.
    Cancelled,
    /// The server refused the call, and will again.
    Refused(String),
    /// No answer, or one that says nothing.
    Silence(String),
}

/// How a commit failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitFailure {
    /// The database did not commit, because what was written is wrong.
    Refused(String),
    /// It did not, because of something else: a lock, a connection that was gone before.
    Undone(String),
    /// It may have.
    Unclear(String),
    /// It may have, and its disk is why: no message's fault.
    Broken(String),
}

/// What the marker of a process says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerSeen {
    /// Committed.
    Present,
    /// Not committed, and no transaction is left that could.
    Absent,
    /// Its transaction may still be open.
    Open,
}

/// What was heard of that which was under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// Nothing waits.
    Idle,
    /// Another process is active.
    Busy,
    /// Messages came.
    Started {
        /// Those that are processed.
        taken: usize,
        /// Why others are not, if there are some.
        left_out: Option<String>,
    },
    /// An answer, or none.
    Word(Word),
    /// All messages have a result.
    Worked,
    /// Messages were processed, but these rows are no replies. At least one.
    BadReplies(Vec<BadReply>),
    /// The database could not begin, or somebody else, or its disk, was in the way: no message's fault. Nothing of it stays.
    Hindered(String),
    /// The database failed over the messages; nothing of it stays.
    WorkFailed(String),
    /// The transaction is committed.
    Committed,
    /// Or not.
    CommitFailed(CommitFailure),
    /// The transaction is rolled back, or its connection is gone, which is the same.
    RolledBack,
    /// What the marker says.
    Marker(MarkerSeen),
}

/// How long this kind of thing has been tried, and how many messages there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Milliseconds since the first try of what is under way.
    pub since_ms: u64,
    /// Messages that are processed.
    pub messages: usize,
    /// How often the only one of them failed alone before.
    pub failed: u32,
    /// How often its commit was refused before.
    pub refused: u32,
}

/// What is done next. The same as before means: after a pause, again.
///
/// # Panics
/// If something is heard that cannot be about what was under way: a bug of whoever carries it out.
#[must_use]
pub fn next(doing: Doing, heard: Heard, facts: Facts) -> Doing {
    match (doing, heard) {
        (Doing::Start { tries }, heard) => after_start(tries, heard),
        (Doing::Narrow, Heard::Word(word)) => after_narrow(word),
        // Whatever is said to it: nothing is processed.
        (Doing::SetAside { error }, Heard::Word(_)) => Doing::InterruptCall { error },
        (Doing::Work { blame }, Heard::Worked) => Doing::Prepare { blamed: blame.is_somebody() },
        (Doing::Work { blame }, Heard::BadReplies(bad)) => after_bad_replies(blame, &bad, facts),
        (Doing::Work { .. }, Heard::Hindered(error)) => Doing::RollBack { then: After::InterruptCall, error },
        (Doing::Work { .. }, Heard::WorkFailed(error)) => Doing::RollBack { then: after_failed_work(facts), error },
        (Doing::Prepare { blamed }, Heard::Word(word)) => after_prepare(blamed, word, facts),
        (Doing::Commit, Heard::Committed) => Doing::CommitCall,
        (Doing::Commit, Heard::CommitFailed(failure)) => after_failed_commit(failure, facts),
        (Doing::LookForMarker { error, blames }, Heard::Marker(seen)) => after_marker(error, blames, seen, facts),
        (Doing::RollBack { then, error }, Heard::RolledBack) => after_rollback(then, error),
        (Doing::CommitCall, Heard::Word(word)) => after_commit_call(word),
        (Doing::RollbackCall { error, blamed }, Heard::Word(word)) => after_rollback_call(error, blamed, word, facts),
        // Whether it is heard or not: the server's own time for a process ends it too.
        (Doing::InterruptCall { error }, Heard::Word(_)) => Doing::End(End::RolledBack(error)),
        (doing, heard) => unreachable!("{heard:?} while {doing:?}"),
    }
}

fn after_start(tries: u32, heard: Heard) -> Doing {
    match heard {
        Heard::Idle => Doing::End(End::Idle),
        Heard::Busy if tries < STARTS_MAX => Doing::Start { tries: tries + 1 },
        Heard::Busy => Doing::End(End::Busy),
        Heard::Started { left_out: None, .. } => Doing::Work { blame: Blame::default() },
        Heard::Started { taken: 0, left_out: Some(error) } => Doing::SetAside { error },
        Heard::Started { left_out: Some(_), .. } => Doing::Narrow,
        Heard::Word(word) => Doing::End(End::Stopped(format!("start: {}", said(&word)))),
        other => unreachable!("{other:?} after a start"),
    }
}

fn after_narrow(word: Word) -> Doing {
    match word {
        Word::Ok => Doing::Work { blame: Blame::default() },
        Word::Cancelled | Word::Refused(_) | Word::Silence(_) => {
            Doing::End(End::Stopped(format!("narrow: {}", said(&word))))
        }
    }
}

/// Of several nobody knows whose fault it is; a single one may have been unlucky once.
fn after_failed_work(facts: Facts) -> After {
    match facts.messages {
        1 if facts.failed + 1 >= FAILURES_MAX => After::SetAside,
        0 | 1 => After::InterruptCall,
        _ => After::OneByOne,
    }
}

/// Who is to blame is so from the next process on: results of this one are told already.
fn after_failed_commit(failure: CommitFailure, facts: Facts) -> Doing {
    match failure {
        CommitFailure::Refused(error) => {
            let blamed = facts.messages == 1 && facts.refused + 1 == FAILURES_MAX;
            Doing::RollbackCall { error, blamed }
        }
        CommitFailure::Undone(error) => Doing::RollbackCall { error, blamed: false },
        CommitFailure::Unclear(error) => Doing::LookForMarker { error, blames: true },
        CommitFailure::Broken(error) => Doing::LookForMarker { error, blames: false },
    }
}

/// The first time it is found out which of them stood there before. What then comes anew is a message's doing.
fn after_bad_replies(mut blame: Blame, bad: &[BadReply], facts: Facts) -> Doing {
    let first = bad.first().map_or("", |bad| bad.error.as_str());
    let error = format!("the reply cannot be sent: {first}");
    if !std::mem::replace(&mut blame.is_careful, true) {
        return Doing::RollBack { then: After::WorkAgain(blame), error };
    }
    let known = blame.of.len();
    for BadReply { answers, error } in bad {
        if let Some(id) = answers {
            blame.of.entry(id.clone()).or_insert_with(|| format!("the reply cannot be sent: {error}"));
        }
    }
    if blame.of.len() > known {
        return Doing::RollBack { then: After::WorkAgain(blame), error };
    }
    if facts.messages == 1 && blame.all.is_none() {
        blame.all = Some(error.clone());
        return Doing::RollBack { then: After::WorkAgain(blame), error };
    }
    Doing::RollBack { then: After::OneByOne, error }
}

fn after_prepare(blamed: bool, word: Word, facts: Facts) -> Doing {
    let error = format!("prepare: {}", said(&word));
    match word {
        Word::Ok => Doing::Commit,
        Word::Silence(_) if facts.since_ms < PREPARE_MS => Doing::Prepare { blamed },
        Word::Silence(_) | Word::Cancelled => Doing::RollBack { then: After::RollbackCall, error },
        Word::Refused(_) if facts.messages == 1 && !blamed => {
            let blame = Blame { all: Some(error.clone()), ..Blame::default() };
            Doing::RollBack { then: After::WorkAgain(blame), error }
        }
        Word::Refused(_) => Doing::RollBack { then: After::InterruptCall, error },
    }
}

fn after_marker(error: String, blames: bool, seen: MarkerSeen, facts: Facts) -> Doing {
    match seen {
        MarkerSeen::Present => Doing::CommitCall,
        MarkerSeen::Absent => Doing::RollbackCall { error, blamed: false },
        MarkerSeen::Open if facts.since_ms < MARKER_MS => Doing::LookForMarker { error, blames },
        MarkerSeen::Open => Doing::End(End::InDoubt(error)),
    }
}

fn after_rollback(then: After, error: String) -> Doing {
    match then {
        After::RollbackCall => Doing::RollbackCall { error, blamed: false },
        After::SetAside => Doing::SetAside { error },
        After::InterruptCall | After::OneByOne => Doing::InterruptCall { error },
        After::WorkAgain(blame) => Doing::Work { blame },
    }
}

fn after_commit_call(word: Word) -> Doing {
    match word {
        Word::Ok => Doing::End(End::Committed),
        Word::Silence(_) => Doing::CommitCall,
        Word::Cancelled | Word::Refused(_) => Doing::End(End::Unconfirmed(format!("commit: {}", said(&word)))),
    }
}

fn after_rollback_call(error: String, blamed: bool, word: Word, facts: Facts) -> Doing {
    match word {
        Word::Silence(_) if facts.since_ms < ROLLBACK_MS => Doing::RollbackCall { error, blamed },
        Word::Ok | Word::Cancelled | Word::Refused(_) | Word::Silence(_) => Doing::End(End::RolledBack(error)),
    }
}

fn said(word: &Word) -> String {
    match word {
        Word::Ok => "the server says OK".into(),
        Word::Cancelled => "the server says CANCELLED".into(),
        Word::Refused(why) => format!("the server refused: {why}"),
        Word::Silence(why) => format!("no answer: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: Facts = Facts { since_ms: 0, messages: 3, failed: 0, refused: 0 };
    const LATE: Facts = Facts { since_ms: PREPARE_MS, ..EARLY };
    const ONE: Facts = Facts { messages: 1, ..EARLY };

    fn silence() -> Heard {
        Heard::Word(Word::Silence("cut".into()))
    }

    fn refused() -> Heard {
        Heard::Word(Word::Refused("no".into()))
    }

    const CANCELLED: Heard = Heard::Word(Word::Cancelled);
    const OK: Heard = Heard::Word(Word::Ok);

    /// All that is done when this is heard, one after the other.
    fn walk(heard: Vec<Heard>) -> Vec<Doing> {
        let mut all = vec![Doing::Start { tries: 1 }];
        for one in heard {
            let doing = all.last().cloned().unwrap();
            all.push(next(doing, one, EARLY));
        }
        all
    }

    fn started(taken: usize, others: usize) -> Heard {
        Heard::Started { taken, left_out: (others > 0).then(|| "of no known type".into()) }
    }

    #[test]
    fn exc_25_the_straight_way() {
        let way = walk(vec![started(3, 0), Heard::Worked, OK, Heard::Committed, OK]);
        let expected = [
            Doing::Start { tries: 1 },
            Doing::Work { blame: Blame::default() },
            Doing::Prepare { blamed: false },
            Doing::Commit,
            Doing::CommitCall,
            Doing::End(End::Committed),
        ];
        assert_eq!(way, expected);
        assert_eq!(walk(vec![started(1, 2), OK])[1..], [Doing::Narrow, Doing::Work { blame: Blame::default() }]);
    }

    #[test]
    fn exc_25_messages_that_nobody_knows_hold_nobody_up() {
        let several = walk(vec![started(0, 2), OK, OK]);
        assert!(matches!(several[1], Doing::SetAside { .. }), "left out: offered after those that never were");
        assert!(
            matches!(several[2], Doing::InterruptCall { .. }) && matches!(several[3], Doing::End(End::RolledBack(_)))
        );
        assert!(matches!(walk(vec![started(0, 1)])[1], Doing::SetAside { .. }), "one alone too");
    }

    #[test]
    fn exc_25_anything_but_ok_to_start_or_narrow_stops() {
        assert_eq!(walk(vec![Heard::Idle])[1], Doing::End(End::Idle));
        for heard in [silence(), refused(), CANCELLED] {
            assert!(matches!(walk(vec![heard.clone()])[1], Doing::End(End::Stopped(_))), "start: {heard:?}");
            assert!(matches!(walk(vec![started(1, 1), heard.clone()])[2], Doing::End(End::Stopped(_))), "{heard:?}");
        }
    }

    #[test]
    fn exc_25_busy_is_tried_again_and_not_for_ever() {
        let way = walk(vec![Heard::Busy; STARTS_MAX as usize]);
        assert_eq!(way[1], Doing::Start { tries: 2 });
        assert_eq!(way.last(), Some(&Doing::End(End::Busy)));
        assert_eq!(way.len(), STARTS_MAX as usize + 1);
    }

    #[test]
    fn exc_25_prepare_is_repeated_for_a_minute_and_then_rolled_back() {
        let prepare = Doing::Prepare { blamed: false };
        assert_eq!(next(prepare.clone(), silence(), Facts { since_ms: PREPARE_MS - 1, ..EARLY }), prepare);
        for (heard, facts) in [(silence(), LATE), (CANCELLED, EARLY)] {
            let Doing::RollBack { then, error } = next(prepare.clone(), heard.clone(), facts) else {
                panic!("{heard:?}")
            };
            assert_eq!(then, After::RollbackCall, "{heard:?}");
            let call = next(Doing::RollBack { then, error: error.clone() }, Heard::RolledBack, facts);
            assert_eq!(call, Doing::RollbackCall { error: error.clone(), blamed: false });
            assert_eq!(next(call, OK, facts), Doing::End(End::RolledBack(error)));
        }
    }

    #[test]
    fn exc_25_a_refused_reply_blames_a_single_message_once() {
        let one = ONE;
        let refuse = |blamed, facts| next(Doing::Prepare { blamed }, refused(), facts);
        assert!(
            matches!(refuse(false, EARLY), Doing::RollBack { then: After::InterruptCall, .. }),
            "nobody knows whose"
        );
        assert!(matches!(refuse(true, one), Doing::RollBack { then: After::InterruptCall, .. }), "not twice");
        let again = rolled_back(refuse(false, one), one);
        let Doing::Work { blame } = &again else { panic!("{again:?}") };
        assert!(blame.reason("any").is_some_and(|why| why.contains("the server refused: no")), "{blame:?}");
        assert_eq!(next(again, Heard::Worked, one), Doing::Prepare { blamed: true });
    }

    /// What follows once the database is rolled back.
    fn rolled_back(doing: Doing, facts: Facts) -> Doing {
        assert!(matches!(doing, Doing::RollBack { .. }), "{doing:?}");
        next(doing, Heard::RolledBack, facts)
    }

    fn bad(answers: &[Option<&str>]) -> Heard {
        let bad = |id: &Option<&str>| BadReply { answers: id.map(str::to_owned), error: "no JSON".into() };
        Heard::BadReplies(answers.iter().map(bad).collect())
    }

    fn blame(doing: &Doing) -> Blame {
        let Doing::Work { blame } = doing else { panic!("{doing:?}") };
        blame.clone()
    }

    #[test]
    fn exc_25_a_reply_that_is_none_blames_the_message_that_it_answers() {
        let work = Doing::Work { blame: Blame::default() };
        let again = rolled_back(next(work, bad(&[Some("a")]), EARLY), EARLY);
        assert_eq!(blame(&again), Blame { is_careful: true, ..Blame::default() }, "it may have stood there before");
        let blamed = rolled_back(next(again, bad(&[Some("a"), None]), EARLY), EARLY);
        let who = blame(&blamed);
        assert!(who.reason("a").is_some_and(|why| why.contains("no JSON")) && who.reason("b").is_none(), "{who:?}");
        let more = rolled_back(next(blamed, bad(&[Some("b")]), EARLY), EARLY);
        assert!(blame(&more).reason("a").is_some() && blame(&more).reason("b").is_some());
        assert_eq!(next(more, Heard::Worked, EARLY), Doing::Prepare { blamed: true });
    }

    #[test]
    fn exc_25_a_reply_that_is_none_and_answers_nobody_is_looked_for_one_by_one() {
        let one = ONE;
        let careful = || Doing::Work { blame: Blame { is_careful: true, ..Blame::default() } };
        let several = next(careful(), bad(&[None]), EARLY);
        assert!(matches!(&several, Doing::RollBack { then: After::OneByOne, .. }), "{several:?}");
        assert!(matches!(rolled_back(several, EARLY), Doing::InterruptCall { .. }));
        let alone = rolled_back(next(careful(), bad(&[None]), one), one);
        assert!(blame(&alone).reason("any").is_some_and(|why| why.contains("no JSON")));
    }

    #[test]
    fn exc_25_bad_replies_come_to_an_end_whatever_they_say() {
        for answers in [vec![Some("a")], vec![None], vec![Some("a"), Some("b"), Some("c")], vec![None, Some("c")]] {
            for messages in [1, 3] {
                let (mut doing, facts) = (Doing::Work { blame: Blame::default() }, Facts { messages, ..EARLY });
                for _ in 0..8 {
                    doing = match doing {
                        Doing::Work { .. } => next(doing, bad(&answers), facts),
                        Doing::RollBack { .. } => next(doing, Heard::RolledBack, facts),
                        other => other,
                    };
                }
                assert!(matches!(doing, Doing::InterruptCall { .. }), "{answers:?} of {messages}: {doing:?}");
            }
        }
    }

    #[test]
    fn exc_25_a_database_that_fails_at_work_gives_the_process_up() {
        let failed = next(Doing::Work { blame: Blame::default() }, Heard::WorkFailed("gone".into()), ONE);
        assert_eq!(failed, Doing::RollBack { then: After::InterruptCall, error: "gone".into() });
        let call = next(failed, Heard::RolledBack, EARLY);
        assert_eq!(call, Doing::InterruptCall { error: "gone".into() });
        for heard in [OK, CANCELLED, refused(), silence()] {
            assert_eq!(next(call.clone(), heard, EARLY), Doing::End(End::RolledBack("gone".into())));
        }
    }

    #[test]
    fn exc_25_a_message_that_makes_the_database_fail_is_found_and_left_out() {
        let fail = |facts| {
            let failed = next(Doing::Work { blame: Blame::default() }, Heard::WorkFailed("gone".into()), facts);
            let Doing::RollBack { then, .. } = &failed else { panic!("{failed:?}") };
            (then.clone(), rolled_back(failed, facts))
        };
        let interrupt = Doing::InterruptCall { error: "gone".into() };
        assert_eq!(fail(EARLY), (After::OneByOne, interrupt.clone()), "of several nobody knows which");
        assert_eq!(fail(ONE), (After::InterruptCall, interrupt), "it may have been unlucky");
        let aside = Doing::SetAside { error: "gone".into() };
        assert_eq!(fail(Facts { failed: 1, ..ONE }), (After::SetAside, aside.clone()));
        assert_eq!(fail(Facts { failed: 7, ..ONE }), (After::SetAside, aside), "and each time after it");
    }

    #[test]
    fn exc_25_a_hindered_database_is_no_messages_fault() {
        for facts in [EARLY, ONE, Facts { failed: 7, ..ONE }] {
            let hindered = next(Doing::Work { blame: Blame::default() }, Heard::Hindered("locked".into()), facts);
            assert_eq!(hindered, Doing::RollBack { then: After::InterruptCall, error: "locked".into() });
        }
    }

    #[test]
    fn exc_25_a_failed_commit_is_told_with_its_error_and_blamed_once() {
        let fail = |failure: fn(String) -> CommitFailure, facts| {
            let failed = next(Doing::Commit, Heard::CommitFailed(failure("check".into())), facts);
            let Doing::RollbackCall { error, blamed } = failed else { panic!("{failed:?}") };
            assert_eq!(error, "check");
            blamed
        };
        let before = |refused| Facts { refused, ..ONE };
        assert_eq!(
            [EARLY, before(0), before(1), before(2)].map(|facts| fail(CommitFailure::Refused, facts)),
            [false, false, true, false]
        );
        assert!(!fail(CommitFailure::Undone, before(1)), "nobody knows whose fault it is");
    }

    #[test]
    fn exc_20_a_commit_of_which_nobody_knows_is_looked_up_and_never_guessed() {
        let look = next(Doing::Commit, Heard::CommitFailed(CommitFailure::Unclear("cut".into())), EARLY);
        assert_eq!(look, Doing::LookForMarker { error: "cut".into(), blames: true });
        let seen = |seen, facts| next(look.clone(), Heard::Marker(seen), facts);
        assert_eq!(seen(MarkerSeen::Present, EARLY), Doing::CommitCall);
        assert_eq!(seen(MarkerSeen::Absent, EARLY), Doing::RollbackCall { error: "cut".into(), blamed: false });
        assert_eq!(seen(MarkerSeen::Open, EARLY), look, "an open transaction may still commit");
        assert_eq!(seen(MarkerSeen::Open, LATE), Doing::End(End::InDoubt("cut".into())));
        let broken = next(Doing::Commit, Heard::CommitFailed(CommitFailure::Broken("full".into())), EARLY);
        assert_eq!(broken, Doing::LookForMarker { error: "full".into(), blames: false });
    }

    #[test]
    fn exc_25_the_commit_call_is_repeated_until_answered() {
        assert_eq!(next(Doing::CommitCall, silence(), Facts { since_ms: u64::MAX, ..EARLY }), Doing::CommitCall);
        for heard in [CANCELLED, refused()] {
            assert!(matches!(next(Doing::CommitCall, heard, EARLY), Doing::End(End::Unconfirmed(_))));
        }
    }

    #[test]
    fn exc_25_the_rollback_call_is_repeated_for_a_minute() {
        let call = Doing::RollbackCall { error: "e".into(), blamed: true };
        assert_eq!(next(call.clone(), silence(), EARLY), call);
        assert_eq!(next(call.clone(), silence(), LATE), Doing::End(End::RolledBack("e".into())));
        assert_eq!(next(call, CANCELLED, EARLY), Doing::End(End::RolledBack("e".into())));
    }
}
