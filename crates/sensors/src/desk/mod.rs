//! The way of signals to their judgement, and what is kept in memory of sensors.
//!
//! - `memory`: sensors as they are written, with what came since and changed nothing;
//! - `ticket`: whoever brought signals is told when all of theirs are settled.
//!
//! A signal that says what is known already, of a sensor with nothing on its way and a durable sign of life that is young enough, is
//! settled here (SEN-5). All others wait in one line; one operation at a time takes the front of it, so that the signals of a
//! sensor are judged one after the other in the order in which they came. When the store does not take them, all that wait are told so,
//! those behind too: if one of them went on, a later signal could be judged before an earlier one that is brought again. When our
//! own code fails over them, each is judged alone, and the one that it fails over is rejected with the reason: it holds up nobody.
//!
//! Memory is believed only where this node alone works on the data, and only what COMMIT confirmed gets there.

mod memory;
mod ticket;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, codes};
use kernel::counters::Field;
use kernel::{Caller, Kernel, Namespace, OpCx, Reply};

use crate::ear::{LEVEL_EVERY_MS, Listened, TRUST_MS};
use crate::id::SensorId;
use crate::judging::{Item, JUDGE, Judge, Judged, Outcome, SIGNALS, SensorRow};
use crate::limits::{JUDGED_MAX, REASON_MAX, WAITING_LEVEL, WAITING_MAX};
use memory::Sensors;
pub use ticket::Settled;
use ticket::Ticket;

/// For so long after signals were sent away nobody says that we listen. Longer than the word before that holds: until it is over, the ear
/// runs on by it.
const REFUSED_MS: u64 = TRUST_MS.unsigned_abs() + LEVEL_EVERY_MS;

/// The desk of a namespace.
#[derive(Default)]
pub struct Desk(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    sensors: Sensors,
    /// Sensors with something on its way, and how much; memory says nothing of them now.
    held: HashMap<SensorId, u32>,
    waiting: VecDeque<Waiting>,
    /// Whether an operation has the front of the line.
    busy: bool,
    /// So many at the front are judged one by one, because together they failed.
    one_by_one: usize,
    /// When signals were last sent away, by how long the process ran.
    refused_ms: Option<u64>,
    /// How many requests had been sent away before they came here when somebody last asked.
    sent_away: u64,
    /// Whether somebody looks for silent sensors.
    sweeping: bool,
    clock: Option<Clock>,
}

struct Waiting {
    item: Item,
    ticket: Arc<Ticket>,
    place: usize,
}

/// The listening time that the last commit saw, and when that was in this process.
#[derive(Clone, Copy)]
struct Clock {
    listened: Listened,
    ran_ms: u64,
}

impl Clock {
    /// About what it is now; a backlog makes it stand still, and then this runs ahead by seconds until the next commit.
    fn at(self, ran_ms: u64) -> Listened {
        self.listened.plus_ms(i64::try_from(ran_ms.saturating_sub(self.ran_ms)).unwrap_or(0))
    }
}

/// Takes what came in, in the order in which it came; `done` is told what became of each, once all of it is settled.
pub fn take(kernel: &Kernel, ns: &Arc<Namespace>, items: Vec<Item>, done: Settled) {
    let desk = ns.home.memory::<Desk>();
    let ticket = Ticket::new(items.len(), done);
    let settled = desk.lock().enter(kernel, ns, items, &ticket);
    count_same(kernel, ns, settled.len());
    ticket.settle_all(settled);
    turn(kernel, ns, &desk);
}

/// Lets the next operation have the front of the line, unless one has it.
fn turn(kernel: &Kernel, ns: &Arc<Namespace>, desk: &Arc<Desk>) {
    let Some(front) = desk.lock().front() else { return };
    let alone = ns.is_alone(kernel);
    let ran_ms = kernel.env().clock.ran_ms();
    let input = Judge { items: front.iter().map(|waiting| waiting.item.clone()).collect(), alone, ran_ms };
    let (again, home, at) = (kernel.clone(), ns.clone(), desk.clone());
    let done = move |reply: OpResult<Reply<Judged>>| {
        at.settle(front, reply.map(|reply| reply.out.outcomes), again.env().clock.ran_ms());
        turn(&again, &home, &at);
    };
    kernel.call(ns, &JUDGE, kernel.request(Caller::server("sensors")), input, Box::new(done));
}

/// Whether an error is a mistake of ours, which comes again with the same signal.
fn is_ours(error: &OpError) -> bool {
    [codes::BDETECTED, codes::BPANIC, codes::TBUDGET].contains(&error.code)
}

/// Signals that memory settled are counted here, in memory too.
fn count_same(kernel: &Kernel, ns: &Namespace, many: usize) {
    if many > 0 {
        let counts = [(Field::Processed, i64::try_from(many).unwrap_or(i64::MAX))];
        ns.watched.counters.add_all(SIGNALS, "same", &counts, kernel.env().clock.wall());
    }
}

impl Inner {
    /// Settles what memory can tell, and puts the rest into the line.
    fn enter(
        &mut self,
        kernel: &Kernel,
        ns: &Namespace,
        items: Vec<Item>,
        ticket: &Arc<Ticket>,
    ) -> Vec<(usize, OpResult<Outcome>)> {
        if self.waiting.len() + items.len() > WAITING_MAX {
            self.refused_ms = Some(kernel.env().clock.ran_ms());
            let busy = OpError::before_start(codes::XBUSY, "too many signals wait for their judgement");
            return (0..items.len()).map(|place| (place, Err(busy.clone()))).collect();
        }
        let believed = ns.is_alone(kernel).then_some(self.clock).flatten();
        let now = believed.map(|clock| clock.at(kernel.env().clock.ran_ms()));
        let mut settled = vec![];
        for (place, item) in items.into_iter().enumerate() {
            match now.and_then(|now| self.known(&item, now)) {
                Some(outcome) => settled.push((place, Ok(outcome))),
                None if mutants::on(Mutant::SensorTakenEarly) => {
                    settled.push((place, Ok(Outcome::Same)));
                    self.wait(item, Ticket::new(1, Box::new(|_| {})), 0);
                }
                None => self.wait(item, ticket.clone(), place),
            }
        }
        settled
    }

    /// What memory can tell of a signal.
    fn known(&mut self, item: &Item, now: Listened) -> Option<Outcome> {
        let Item::Signal { signal, .. } = item else { return None };
        let on_its_way = self.held.contains_key(&signal.sensor) && !mutants::on(Mutant::SensorInFlightIgnored);
        if on_its_way { None } else { self.sensors.settle(signal, now) }
    }

    fn wait(&mut self, item: Item, ticket: Arc<Ticket>, place: usize) {
        if let Item::Signal { signal, .. } = &item {
            *self.held.entry(signal.sensor).or_default() += 1;
        }
        self.waiting.push_back(Waiting { item, ticket, place });
    }

    fn front(&mut self) -> Option<Vec<Waiting>> {
        if self.busy || self.waiting.is_empty() {
            return None;
        }
        self.busy = true;
        let most = if self.one_by_one > 0 { 1 } else { JUDGED_MAX };
        self.one_by_one = self.one_by_one.saturating_sub(1);
        let many = self.waiting.len().min(most);
        let mut front: Vec<Waiting> = self.waiting.drain(..many).collect();
        self.bring_along(&mut front);
        Some(front)
    }

    /// What only memory knows goes along with the first signal of each sensor, as it is known now: given to a later one, or when
    /// it came, it would push out what earlier ones brought.
    fn bring_along(&self, front: &mut [Waiting]) {
        let mut brought = BTreeSet::new();
        for waiting in front {
            if let Item::Signal { signal, known } = &mut waiting.item {
                let is_first = brought.insert(signal.sensor);
                *known = is_first.then(|| self.sensors.beyond_written(signal.sensor)).flatten();
            }
        }
    }

    /// What the operation did not get to goes back to the front.
    fn judged(&mut self, mut front: Vec<Waiting>, outcomes: Vec<Outcome>) -> Vec<(Waiting, OpResult<Outcome>)> {
        self.give_back(front.split_off(outcomes.len()));
        self.leave(&front);
        front.into_iter().zip(outcomes.into_iter().map(Ok)).collect()
    }

    /// The store did not take them.
    fn not_taken(
        &mut self,
        mut front: Vec<Waiting>,
        error: &OpError,
        ran_ms: u64,
    ) -> Vec<(Waiting, OpResult<Outcome>)> {
        front.extend(self.waiting.drain(..));
        (self.one_by_one, self.refused_ms) = (0, Some(ran_ms));
        self.leave(&front);
        front.into_iter().map(|waiting| (waiting, Err(error.clone()))).collect()
    }

    /// We failed over them: each is tried alone, and one that is alone is rejected.
    fn failed_over(&mut self, mut front: Vec<Waiting>, error: &OpError) -> Vec<(Waiting, OpResult<Outcome>)> {
        match &mut front[..] {
            [Waiting { item: Item::Rejected { .. }, .. }] => {
                return front.into_iter().map(|waiting| (waiting, Err(error.clone()))).collect();
            }
            [Waiting { item: item @ Item::Signal { .. }, .. }] => {
                let Item::Signal { signal, .. } = &*item else { unreachable!("matched above") };
                let (sensor, body) = (signal.sensor, format!("{signal:?}"));
                let reason = crate::judging::clean(&format!("our own fault: {error}"), REASON_MAX);
                tracing::error!(%sensor, %error, "a signal cannot be judged and is rejected");
                *item = Item::Rejected { source: "desk", reason, body };
                self.let_go(sensor);
                self.one_by_one += 1;
            }
            many => self.one_by_one = many.len(),
        }
        self.give_back(front);
        vec![]
    }

    fn give_back(&mut self, front: Vec<Waiting>) {
        front.into_iter().rev().for_each(|waiting| self.waiting.push_front(waiting));
    }

    fn leave(&mut self, front: &[Waiting]) {
        for waiting in front {
            if let Item::Signal { signal, .. } = &waiting.item {
                self.let_go(signal.sensor);
            }
        }
    }

    fn let_go(&mut self, sensor: SensorId) {
        if let Some(many) = self.held.get_mut(&sensor) {
            *many -= 1;
            if *many == 0 {
                self.held.remove(&sensor);
            }
        }
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what became of the front of the line.
    fn settle(&self, front: Vec<Waiting>, judged: OpResult<Vec<Outcome>>, ran_ms: u64) {
        let mut inner = self.lock();
        inner.busy = false;
        let told = match judged {
            Ok(outcomes) => inner.judged(front, outcomes),
            Err(error) if is_ours(&error) => inner.failed_over(front, &error),
            Err(error) => inner.not_taken(front, &error, ran_ms),
        };
        drop(inner);
        told.into_iter().for_each(|(waiting, outcome)| waiting.ticket.settle(waiting.place, outcome));
    }

    /// What COMMIT confirmed of these sensors.
    pub(crate) fn know(&self, (now, ran_ms): (Listened, u64), sensors: &BTreeMap<SensorId, SensorRow>) {
        let mut inner = self.lock();
        inner.clock = Some(Clock { listened: now, ran_ms });
        for sensor in sensors.values() {
            inner.sensors.know(sensor, now);
        }
    }

    /// Knows nothing of these sensors any more.
    pub(crate) fn forget<'a>(&self, sensors: impl Iterator<Item = &'a SensorId>) {
        let mut inner = self.lock();
        sensors.for_each(|sensor| inner.sensors.forget(*sensor));
    }

    /// Memory settles no signal of these until they are let go; tells what it heard of each. Those with a signal on its way are left
    /// out.
    pub(crate) fn hold(&self, sensors: &[SensorId]) -> Vec<(SensorId, Option<Listened>)> {
        let mut inner = self.lock();
        let idle: Vec<SensorId> = sensors.iter().copied().filter(|sensor| !inner.held.contains_key(sensor)).collect();
        let hold = |sensor: SensorId| {
            inner.held.insert(sensor, 1);
            (sensor, inner.sensors.seen(sensor))
        };
        idle.into_iter().map(hold).collect()
    }

    /// Whether nobody looks for silent sensors yet; from now on somebody does.
    pub(crate) fn begin_sweep(&self) -> bool {
        !std::mem::replace(&mut self.lock().sweeping, true)
    }

    /// The end of a look.
    pub(crate) fn end_sweep(&self) {
        self.lock().sweeping = false;
    }

    /// The end of a hold.
    pub(crate) fn let_go(&self, sensors: &[SensorId]) {
        let mut inner = self.lock();
        sensors.iter().for_each(|sensor| inner.let_go(*sensor));
    }

    /// Whether signals are being judged now.
    pub(crate) fn is_judging(&self) -> bool {
        self.lock().busy
    }

    /// Signals were sent away.
    pub(crate) fn refuse(&self, ran_ms: u64) {
        self.lock().refused_ms = Some(ran_ms);
    }

    /// Whether nothing was sent away for a while, and few signals wait: only then may who says nothing be silent (SEN-6).
    pub(crate) fn is_level(&self, ran_ms: u64, sent_away: u64) -> bool {
        let mut inner = self.lock();
        if std::mem::replace(&mut inner.sent_away, sent_away) != sent_away {
            inner.refused_ms = Some(ran_ms);
        }
        let refused = inner.refused_ms.is_some_and(|at| ran_ms < at + REFUSED_MS);
        !refused && inner.waiting.len() <= WAITING_LEVEL
    }

    /// Sensors that are kept in memory.
    #[must_use]
    pub fn sensors_kept(&self) -> usize {
        self.lock().sensors.len()
    }

    /// Signals that wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }
}

/// Memory knows nothing of a sensor any more, once the operation that changes it has ended.
pub(crate) fn forget_when_settled(cx: &mut OpCx<'_>, id: SensorId) {
    let desk = cx.home.memory::<Desk>();
    cx.fx.when_settled(move |_| desk.forget([id].iter()));
}
