//! One run of a worker: what is in work, what is to be brought, and what is on its way. One loop changes all of it.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::super::calls::Workflow;
use super::super::failure::Failure;
use super::super::handler::Arguments;
use super::super::plan::Outcome;
use super::super::task::millis;
use super::super::wire::{Beat, Brought, Given, Pass, Poll, Verdict};
use super::super::work::Work;
use super::deliver::{Batch, Delivery, deliver, is_final, refusal};
use super::tick::{OnItsWay, at, ended};
use super::{Event, POLL_MAX, Served, Worker};
use crate::chance::{jittered, new_key, now_ms, pause};
use crate::error::ClientError;
use crate::retry::Retry;

/// Pauses while the server is away, the first and the longest.
const AWAY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// A heartbeat that was not heard is said again after so long at most.
const BEAT_AGAIN_MS: u64 = 1_000;
/// No task is said to be worked on more often: a third of the shortest time that an actor may have.
const BEAT_MS_MIN: u64 = 30;
/// Results that wait to be brought before nothing more is taken.
const UNBROUGHT_MAX: usize = 1_000;
/// How long the last word may take.
const LAST_WORD: Duration = Duration::from_secs(5);

type Done = Result<Outcome, Failure>;
/// Whether each of these tasks is still whose it was.
type Heard = (Vec<Pass>, Result<Vec<bool>, ClientError>);

pub(super) struct Shift {
    worker: Worker,
    workflow: Workflow,
    running: JoinSet<Done>,
    held: BTreeMap<Id, Held>,
    /// Results that are in no batch yet.
    outbox: Vec<Brought>,
    /// Batches that have to be brought once more, or alone.
    again: VecDeque<Batch>,
    polling: OnItsWay<Result<Vec<Given>, ClientError>>,
    /// The poll whose answer is not there yet, and its key.
    asked: Option<(Poll, String)>,
    releasing: OnItsWay<Delivery>,
    /// Results that are on their way.
    on_their_way: usize,
    beating: OnItsWay<Heard>,
    /// How often the server was not there, one after the other.
    away: u32,
    /// When what is in work has to have ended.
    until_ms: Option<u64>,
    served: Served,
    refused: Option<ClientError>,
}

/// A task in work.
struct Held {
    pass: Pass,
    /// How often something has to be heard.
    every_ms: u64,
    beat_at_ms: u64,
    abort: AbortHandle,
    is_lost: bool,
}

/// What happened.
enum News {
    Polled(Result<Vec<Given>, ClientError>),
    Ended(Result<(Id, Done), JoinError>),
    Delivered(Delivery),
    Beaten(Vec<Pass>, Result<Vec<bool>, ClientError>),
    BeatDue,
    Stop,
    TimeIsUp,
}

impl Shift {
    pub(super) fn new(worker: Worker) -> Self {
        // A release is repeated until its outcome is known: nobody else can bring that result.
        let patient = Retry { attempts: u32::MAX, pause_max: AWAY.1, ..worker.client.retry };
        let workflow = worker.client.clone().with_retry(patient).workflow();
        Self {
            worker,
            workflow,
            running: JoinSet::new(),
            held: BTreeMap::new(),
            outbox: vec![],
            again: VecDeque::new(),
            polling: None,
            asked: None,
            releasing: None,
            on_their_way: 0,
            beating: None,
            away: 0,
            until_ms: None,
            served: Served::default(),
            refused: None,
        }
    }

    pub(super) async fn run(mut self, mut stop: Pin<&mut impl Future<Output = ()>>) -> Result<Served, ClientError> {
        while !self.is_over() {
            self.begin_calls();
            match self.news(&mut stop).await {
                News::Polled(polled) => self.take(polled),
                News::Ended(ended) => self.end(ended),
                News::Delivered(delivery) => self.delivered(delivery),
                News::Beaten(passes, heard) => self.beaten(&passes, heard),
                News::BeatDue => {}
                News::Stop => self.stop(),
                News::TimeIsUp => break,
            }
        }
        self.hand_back().await;
        self.refused.map_or(Ok(self.served), Err)
    }

    async fn news(&mut self, stop: &mut Pin<&mut impl Future<Output = ()>>) -> News {
        let (is_open, beat_at, until) = (self.until_ms.is_none(), self.beat_at(), self.until_ms);
        tokio::select! {
            delivery = ended(&mut self.releasing) => News::Delivered(delivery),
            Some(done) = self.running.join_next_with_id() => News::Ended(done),
            polled = ended(&mut self.polling) => News::Polled(polled),
            (passes, heard) = ended(&mut self.beating) => News::Beaten(passes, heard),
            () = at(beat_at) => News::BeatDue,
            () = stop, if is_open => News::Stop,
            () = at(until) => News::TimeIsUp,
        }
    }

    fn is_over(&self) -> bool {
        let nothing_to_bring = self.outbox.is_empty() && self.again.is_empty() && self.releasing.is_none();
        self.until_ms.is_some() && self.running.is_empty() && nothing_to_bring
    }

    /// The poll that waits is given up; what may have been given out meanwhile is asked for in the end.
    fn stop(&mut self) {
        self.until_ms.get_or_insert(now_ms() + millis(self.worker.grace));
        self.polling = None;
    }

    // ---- calls ------------------------------------------------------------------------------------------------------

    fn begin_calls(&mut self) {
        if self.releasing.is_none()
            && let Some(batch) = self.next_batch()
        {
            self.on_their_way = batch.results.len();
            let (workflow, wait) = (self.workflow.clone(), self.away_pause());
            self.releasing = Some(Box::pin(async move {
                pause(jittered(wait)).await;
                deliver(workflow, batch).await
            }));
        }
        if self.beating.is_none() {
            self.begin_beat();
        }
        let free = self.worker.concurrency.saturating_sub(self.running.len()).min(POLL_MAX);
        if self.polling.is_none() && self.until_ms.is_none() && free > 0 && self.outbox.len() < UNBROUGHT_MAX {
            self.begin_poll(free);
        }
    }

    fn next_batch(&mut self) -> Option<Batch> {
        if let Some(batch) = self.again.pop_front() {
            return Some(batch);
        }
        (!self.outbox.is_empty()).then(|| Batch::first_of(&mut self.outbox))
    }

    fn begin_poll(&mut self, max: usize) {
        // One that was not answered is repeated as it was: what was given out then is given again.
        let asked = self.asked.take().unwrap_or_else(|| (self.worker.poll(max), new_key()));
        let (poll, key) = self.asked.insert(asked).clone();
        let (workflow, wait) = (self.workflow.clone(), self.away_pause());
        self.polling = Some(Box::pin(async move {
            pause(jittered(wait)).await;
            workflow.poll(&poll, &key).await
        }));
    }

    fn away_pause(&self) -> Duration {
        let times = self.away.checked_sub(1).map(|more| 1_u32 << more.min(10));
        times.map_or(Duration::ZERO, |times| (AWAY.0 * times).min(AWAY.1))
    }

    fn beat_at(&self) -> Option<u64> {
        let open = self.held.values().filter(|held| !held.is_lost);
        open.map(|held| held.beat_at_ms).min().filter(|_| self.beating.is_none())
    }

    /// All that are due within a quarter of their time go together.
    fn begin_beat(&mut self) {
        let now = now_ms();
        if self.beat_at().is_none_or(|at_ms| at_ms > now) {
            return;
        }
        let due: Vec<&Held> =
            self.held.values().filter(|held| !held.is_lost && held.is_due(now)).take(POLL_MAX).collect();
        let passes: Vec<Pass> = due.iter().map(|held| held.pass.clone()).collect();
        let patience =
            Duration::from_millis(due.iter().map(|held| held.every_ms).min().unwrap_or(0).max(BEAT_AGAIN_MS));
        let (workflow, beats) = (self.workflow.clone(), passes.iter().map(Beat::of).collect::<Vec<_>>());
        self.beating = Some(Box::pin(async move { (passes, workflow.beat(&beats, patience).await) }));
    }

    // ---- news -------------------------------------------------------------------------------------------------------

    fn take(&mut self, polled: Result<Vec<Given>, ClientError>) {
        match polled {
            Ok(tasks) => {
                (self.away, self.asked) = (0, None);
                tasks.into_iter().for_each(|given| self.begin(given));
            }
            Err(error) if is_final(&error) => {
                (self.refused, self.asked) = (Some(error), None);
                self.stop();
            }
            Err(error) => {
                self.away += 1;
                self.tell(Event::Away { reason: &error.to_string() });
            }
        }
    }

    fn begin(&mut self, given: Given) {
        self.tell(Event::Given { task_id: &given.pass.task_id, attempt: given.pass.attempt });
        let work = Work::of(&given, &self.workflow);
        let unknown = Failure::new("UnknownMethod", format!("{} has no method `{}`", self.worker.actor, given.method));
        let function = self.worker.functions.get(&given.method).cloned().ok_or(unknown);
        let arguments = Arguments::new(given.args, work);
        // Within the task, so that a function that panics before it first waits is caught too.
        let abort = self.running.spawn(async move { function?(arguments).await });
        // Of a task that is given again little time may be left: the next time is a whole one.
        let every_ms = (given.timeout_ms / 3).max(BEAT_MS_MIN);
        let held =
            Held { pass: given.pass, every_ms, beat_at_ms: now_ms() + every_ms, abort: abort.clone(), is_lost: false };
        self.held.insert(abort.id(), held);
    }

    fn end(&mut self, ended: Result<(Id, Done), JoinError>) {
        let (id, done) = match ended {
            Ok((id, done)) => (id, done),
            Err(error) => (error.id(), Err(panicked(error))),
        };
        let Some(held) = self.held.remove(&id) else { return };
        if held.is_lost {
            self.served.lost += 1;
            return self.tell(Event::Lost { task_id: &held.pass.task_id });
        }
        self.outbox.push(match done.and_then(Outcome::written) {
            Ok((value, tasks)) => Brought { pass: held.pass, value: Some(value), error: None, tasks },
            Err(failure) => Brought::error(held.pass, failure),
        });
    }

    fn beaten(&mut self, passes: &[Pass], heard: Result<Vec<bool>, ClientError>) {
        let now = now_ms();
        let heard = heard.inspect_err(|error| self.tell(Event::Away { reason: &error.to_string() })).ok();
        if heard.is_some() {
            self.tell(Event::Beaten { tasks: passes.len() });
        }
        for held in self.held.values_mut() {
            let Some(place) = passes.iter().position(|pass| *pass == held.pass) else { continue };
            match heard.as_ref().map(|heard| heard[place]) {
                Some(true) => held.beat_at_ms = now + held.every_ms,
                None => held.beat_at_ms = now + held.every_ms.min(BEAT_AGAIN_MS),
                Some(false) => {
                    held.is_lost = true;
                    held.abort.abort();
                }
            }
        }
    }

    fn delivered(&mut self, delivery: Delivery) {
        self.on_their_way = 0;
        match delivery {
            Delivery::Told(told) => {
                self.away = 0;
                self.tell(Event::Released { results: told.len() });
                told.iter().for_each(|(result, verdict)| self.count(result, verdict));
            }
            Delivery::Unknown(batch, error) => {
                self.away += 1;
                self.tell(Event::Away { reason: &error.to_string() });
                self.again.push_front(batch);
            }
            Delivery::Refused(results, error) => self.bring_alone(results, &error),
        }
    }

    fn count(&mut self, result: &Brought, verdict: &Verdict) {
        if verdict.accepted {
            self.served.done += 1;
            return;
        }
        self.served.lost += 1;
        let reason = verdict.reason.as_deref().unwrap_or_default();
        self.tell(Event::Refused { task_id: &result.pass.task_id, reason });
    }

    /// One of them is at fault: each goes alone, and the one that cannot be taken becomes an error.
    fn bring_alone(&mut self, results: Vec<Brought>, error: &ClientError) {
        let reason = error.to_string();
        match results.as_slice() {
            [one] if one.error.is_some() => {
                self.served.lost += 1;
                self.tell(Event::Refused { task_id: &one.pass.task_id, reason: &reason });
            }
            [one] => self.again.push_back(Batch::of(vec![refusal(one, Some(&reason))])),
            _ => self.again.extend(results.into_iter().map(|result| Batch::of(vec![result]))),
        }
    }

    /// What did not end in time is somebody else's at once: its time is over in a moment.
    async fn hand_back(&mut self) {
        self.running.abort_all();
        let open: Vec<Pass> = self.held.values().filter(|held| !held.is_lost).map(|held| held.pass.clone()).collect();
        let open = open.into_iter().chain(self.given_unheard().await);
        let beats: Vec<Beat> = open.map(|pass| Beat { extend_ms: Some(1), ..Beat::of(&pass) }).collect();
        let again: usize = self.again.iter().map(|batch| batch.results.len()).sum();
        self.served.not_brought = (self.outbox.len() + again + self.on_their_way) as u64;
        for beats in beats.chunks(POLL_MAX) {
            if self.workflow.beat(beats, LAST_WORD).await.is_ok() {
                self.served.handed_back += beats.len() as u64;
            }
        }
    }

    /// What the poll was given that was given up.
    async fn given_unheard(&self) -> Vec<Pass> {
        let Some((poll, key)) = &self.asked else { return vec![] };
        let poll = Poll { wait_ms: 0, ..poll.clone() };
        let given = self.workflow.poll(&poll, key).await.unwrap_or_default();
        given.into_iter().map(|given| given.pass).collect()
    }

    fn tell(&self, event: Event<'_>) {
        (self.worker.tell)(event);
    }
}

impl Held {
    /// Also those that are due soon: one call says it of all.
    fn is_due(&self, now_ms: u64) -> bool {
        self.beat_at_ms <= now_ms + self.every_ms / 4
    }
}

fn panicked(error: JoinError) -> Failure {
    let Ok(panic) = error.try_into_panic() else { return Failure::new("Cancelled", "the function was cancelled") };
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    Failure::new("Panic", text.unwrap_or_else(|| "the function panicked".to_owned()))
}
