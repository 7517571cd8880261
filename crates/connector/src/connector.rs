//! Carries out what [`next`] decides: against the server, and against the database.

use std::collections::BTreeSet;
use std::mem::discriminant;
use std::sync::Arc;
use std::time::Duration;

use client::exchange::{Message, Status};
use client::{Client, ClientError, Request, Retry, jittered, pause};

use crate::database::{Database, Work, Worked};
use crate::desk::Desk;
use crate::engine::{ErrorKind, SqlError};
use crate::learn::is_away;
use crate::next::{Blame, CommitFailure, Doing, End, Facts, Heard, MarkerSeen, Word, next};
use crate::outcome::{Report, Round};
use crate::settings::Settings;
use crate::start::{Less, Unanswered};
use crate::suspects::Suspects;
use crate::world;

/// How long the other side of a call may say nothing.
const CALL: Duration = Duration::from_secs(20);
/// How long one try of a start may take while its messages come: two of them are clearly less than a process may take to be prepared.
pub(crate) const START_MAX: Duration = Duration::from_secs(200);
/// The same of a prepare, whose database waits: with what is repeated, shorter than a transaction may be idle.
const PREPARE_TRY: Duration = Duration::from_secs(100);
/// Pauses before the same is tried again: the first, and the longest.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// One database at one server.
pub struct Connector {
    pub(crate) client: Client,
    pub(crate) settings: Arc<Settings>,
    pub(crate) desk: Desk,
    /// A start without an answer: the same again gives the same process.
    pub(crate) unanswered: Option<Unanswered>,
    /// Less is asked for, where more did not arrive.
    pub(crate) less: Option<Less>,
    /// Messages that a process failed over.
    pub(crate) suspects: Suspects,
    /// Rows that are no replies stand in the way: what is wrong with those that people were told of.
    told: BTreeSet<String>,
    /// Those that they are to be told of.
    untold: Vec<String>,
    /// Processes of ours of which nobody knows yet.
    pub(crate) doubtful: Vec<String>,
}

/// The process that is under way.
#[derive(Default)]
pub(crate) struct Course {
    pub(crate) process: String,
    /// Messages that are processed.
    pub(crate) taken: Vec<Message>,
    pub(crate) left_out: usize,
    pub(crate) worked: Worked,
    /// The server was away when the last prepare was tried, or somebody had given its process up: that says nothing of its messages.
    pub(crate) is_blameless: bool,
}

impl Connector {
    /// A connector that calls by this client, whose key is one of the database.
    #[must_use]
    pub fn new(client: Client, settings: Settings) -> Self {
        let settings = Arc::new(settings);
        // What is repeated, and how long, is decided here and not in the client.
        let client = client.with_retry(Retry { attempts: 1, patience: CALL, ..Retry::default() });
        let desk = Desk::new(Arc::clone(&settings));
        Self {
            client,
            settings,
            desk,
            unanswered: None,
            less: None,
            suspects: Suspects::default(),
            told: BTreeSet::new(),
            untold: vec![],
            doubtful: vec![],
        }
    }

    /// The same with another patience for a server that says nothing.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        let client = self.client.with_retry(Retry { attempts: 1, patience, ..Retry::default() });
        Self { client, ..self }
    }

    /// Settles what earlier rounds left open, and takes one process from its start to its end.
    pub async fn round(&mut self) -> Round {
        let mut round = Round { settled: vec![], open: vec![], trouble: vec![], report: Report::new(End::Idle) };
        // A database that is away is no reason to take messages.
        let ready = self.desk.ask(|database| database.ready().map_err(|error| error.text)).await;
        if let Err(error) = ready.and_then(|ready| ready) {
            round.report.ended = End::Stopped(format!("the database is not ready: {error}"));
            return round;
        }
        self.settle_earlier(&mut round).await;
        round.report = self.process().await;
        round.trouble.append(&mut self.untold);
        match round.report.ended {
            End::Busy => self.confirm_committed(&mut round).await,
            End::Idle => self.forget_markers().await,
            _ => {}
        }
        round
    }

    /// Only when no process of this database is active, and none is unknown after that: whatever calendars say, nobody needs the markers.
    async fn forget_markers(&mut self) {
        let unresolved = self.client.unresolved_processes(&self.settings.database).await;
        if self.doubtful.is_empty() && unresolved.is_ok_and(|unresolved| unresolved.is_empty()) {
            let _ = self.desk.ask(|database| database.forget_old_markers()).await;
        }
    }

    async fn process(&mut self) -> Report {
        let (mut course, mut doing) = (Course::default(), Doing::Start { tries: 1 });
        let (mut since_ms, mut repeats) = (world::now_ms(), 0);
        loop {
            let heard = self.perform(&doing, &mut course).await;
            let facts = self.facts(&course, since_ms);
            self.learn(&doing, &heard, &course);
            let following = next(doing.clone(), heard, facts);
            match following {
                Doing::End(ended) => return self.report(course, ended),
                ref following if discriminant(following) == discriminant(&doing) => {
                    pause(jittered(PAUSE.saturating_mul(1 << repeats.min(5)).min(PAUSE_MAX))).await;
                    repeats += 1;
                }
                _ => (since_ms, repeats) = (world::now_ms(), 0),
            }
            doing = following;
        }
    }

    fn facts(&self, course: &Course, since_ms: u64) -> Facts {
        let (failed, refused) = self.suspects.failures(&course.taken);
        let since_ms = world::now_ms().saturating_sub(since_ms);
        Facts { since_ms, messages: course.taken.len(), failed, refused }
    }

    async fn perform(&mut self, doing: &Doing, course: &mut Course) -> Heard {
        let process = course.process.clone();
        match doing {
            Doing::Start { .. } => self.start(course).await,
            Doing::Narrow => {
                let ids: Vec<&str> = course.taken.iter().map(|message| message.id.as_str()).collect();
                heard(self.client.narrow_process(&process, &ids).await)
            }
            Doing::SetAside { .. } => {
                // All of them are left out, so that what is behind them comes first next time.
                heard(self.client.narrow_process(&process, &[]).await)
            }
            Doing::Work { blame } => self.work(course, blame.clone()).await,
            Doing::Prepare { .. } => self.prepare(course).await,
            Doing::Commit => self.commit().await,
            Doing::LookForMarker { .. } => Heard::Marker(self.marker(&process).await),
            Doing::RollBack { .. } => {
                // One that does not answer is abandoned, with its transaction.
                let _ = self.desk.ask(|database| database.roll_back()).await;
                Heard::RolledBack
            }
            Doing::CommitCall => heard(self.client.commit_process(&process).await),
            Doing::RollbackCall { error, blamed } => {
                // Of a process that may go well the next time nobody is told.
                let tells = *blamed && self.settings.tell_senders;
                heard(self.client.rollback_process(&process, error, tells).await)
            }
            Doing::InterruptCall { error } => heard(self.client.interrupt_process(&process, error).await),
            Doing::End(_) => Heard::RolledBack,
        }
    }

    async fn work(&mut self, course: &mut Course, mut blame: Blame) -> Heard {
        // What stood in the way before does so again.
        blame.is_careful |= !self.told.is_empty();
        blame.of.extend(self.suspects.blame(&course.taken));
        let work = Work { process: course.process.clone(), messages: course.taken.clone(), blame };
        let is_patient = self.suspects.is_patient();
        match self.desk.ask(move |database| worked(database, &work, is_patient)).await {
            Ok(Ok(worked)) if !worked.bad.is_empty() => Heard::BadReplies(worked.bad),
            Ok(Ok(worked)) => {
                self.note(&worked.left_alone);
                course.worked = worked;
                Heard::Worked
            }
            Ok(Err(failure)) => failure,
            Err(error) => Heard::WorkFailed(error),
        }
    }

    async fn prepare(&self, course: &mut Course) -> Heard {
        let Worked { results, replies, .. } = &course.worked;
        let client = self.client.clone().while_it_flows(PREPARE_TRY);
        let answer = client.prepare_process(&course.process, results, replies).await;
        course.is_blameless = match &answer {
            Ok(Status::Cancelled) => self.was_given_up(&course.process).await,
            Ok(Status::Ok | Status::Idle | Status::Busy) => false,
            Err(error) => is_away(error),
        };
        heard(answer)
    }

    /// Whether somebody gave a process up: a person, or another connector of the database, which lost its own and cannot tell them apart.
    async fn was_given_up(&self, process: &str) -> bool {
        let shown = self.client.call(Request::new("GET", &["exchange", "processes", process])).await;
        shown.is_ok_and(|shown| shown.value["outcome"] == "interrupted")
    }

    async fn commit(&mut self) -> Heard {
        match self.desk.ask(|database| database.commit()).await {
            Ok(Ok(())) => Heard::Committed,
            Ok(Err(CommitFailure::Broken(error))) if !self.suspects.is_patient() => {
                Heard::CommitFailed(CommitFailure::Unclear(error))
            }
            Ok(Err(failure)) => Heard::CommitFailed(failure),
            Err(error) => Heard::CommitFailed(CommitFailure::Unclear(error)),
        }
    }

    /// A database that cannot be asked has not answered no.
    pub(crate) async fn marker(&mut self, process: &str) -> MarkerSeen {
        let process = process.to_owned();
        let seen = self.desk.ask(move |database| database.marker(&process)).await;
        seen.ok().and_then(Result::ok).unwrap_or(MarkerSeen::Open)
    }

    /// Tells people once of each row that is left alone, as long as there are some.
    fn note(&mut self, left_alone: &[String]) {
        if left_alone.is_empty() {
            self.told.clear();
        }
        for error in left_alone {
            if self.told.insert(error.clone()) {
                self.untold.push(format!("a row is no reply, and is left alone: {error}"));
            }
        }
    }

    fn report(&mut self, course: Course, ended: End) -> Report {
        if matches!(ended, End::InDoubt(_)) {
            self.doubtful.push(course.process.clone());
        }
        let mut report = Report::new(ended);
        report.process = Some(course.process).filter(|process| !process.is_empty());
        report.left_out = course.left_out;
        if matches!(report.ended, End::Committed | End::Unconfirmed(_) | End::InDoubt(_)) {
            report.count(&course.worked.results, course.worked.replies.len());
        }
        report
    }
}

/// What comes of the work; without a transaction no message is to blame, behind somebody's lock, or with a full disk, for a while.
fn worked(database: &mut Database, work: &Work, is_patient: bool) -> Result<Worked, Heard> {
    database.open(&work.process).map_err(|error| Heard::Hindered(error.text))?;
    let failure = |SqlError { kind, text, .. }| match kind {
        ErrorKind::Locked | ErrorKind::Machine if is_patient => Heard::Hindered(text),
        ErrorKind::Locked | ErrorKind::Machine | ErrorKind::Duplicate | ErrorKind::Lost | ErrorKind::Wrong => {
            Heard::WorkFailed(text)
        }
    };
    database.go_through(work).map_err(failure)
}

fn heard(answer: Result<Status, ClientError>) -> Heard {
    Heard::Word(word(answer))
}

/// What an answer says.
pub(crate) fn word(answer: Result<Status, ClientError>) -> Word {
    match answer {
        Ok(Status::Ok) => Word::Ok,
        Ok(Status::Cancelled) => Word::Cancelled,
        Ok(Status::Idle | Status::Busy) => Word::Silence("a word that answers something else".into()),
        Err(error) => failed(error),
    }
}

/// A refusal will be the same again; everything else may pass.
pub(crate) fn failed(error: ClientError) -> Word {
    let text = error.to_string();
    match error {
        ClientError::Api(told) if told.status >= 500 || told.status == 429 || told.is_unknown() => Word::Silence(text),
        ClientError::Api(_) | ClientError::Invalid(_) => Word::Refused(text),
        ClientError::Unreachable { .. } | ClientError::Unreadable { .. } | ClientError::Replica(_) => {
            Word::Silence(text)
        }
    }
}
