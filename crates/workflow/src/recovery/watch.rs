//! Keeps looking: for decisions whose time passed, many times a second; for graphs and processes, every few seconds, beginning one longest
//! poll after the start, so that queues are known to be polled (WFL-13).
//!
//! What cannot be read or repaired now changes nothing and is looked at again after a pause that grows (WFL-11).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use base::{OpResult, codes};
use kernel::rounds::{Watcher, every, every_after};
use kernel::{Caller, Kernel, Namespace, Op, Reply};

use super::LostGraphs;
use super::look::{FAILED, Failed, Found, LOOK, Look, PUT_OFF, Whose};
use super::repair::{RECOVER, REPAIR, Repair};
use super::{ANY_OVERDUE, OVERDUE};
use crate::actors::ALARM_UNPOLLED;
use crate::retention::FORGET_NOW;

/// How often decisions are looked at.
const DECISIONS_EVERY_MS: u64 = 250;
/// How often graphs and processes are.
const PROCESSES_EVERY_MS: u64 = 5_000;
/// How often queues that nobody polls are.
const ALARMS_EVERY_MS: u64 = 60_000;
/// The longest poll.
const LONGEST_POLL_MS: u64 = 60_000;
/// The first pause after trouble, and the longest.
const PAUSE_MS: (i64, i64) = (5_000, 3_600_000);

/// The longest pause if nothing at all could be looked at: everybody waits for that.
const LOOK_PAUSE_MS: i64 = 60_000;

/// Looks at processes leave something to a look at graphs only where one was carried out within this time,
const LEFT_AFTER_MS: u64 = 60_000;
/// and where those are not behind for so long.
const LEFT_MS: u64 = 300_000;

/// Keeps looking until it is dropped.
pub struct Watch {
    _looks: Arc<Looks>,
}

struct Looks {
    kernel: Kernel,
    /// How often each process of a namespace could not be examined, one after the other; and, by its name, a look could not be made.
    failures: Mutex<BTreeMap<(String, String), u32>>,
    /// Namespaces in which somebody looks at this moment, or keeps a pause, so that no look overtakes another.
    busy: Mutex<BTreeMap<(String, Part), u64>>,
    /// How it stands with the graphs of each namespace.
    graphs: Mutex<BTreeMap<String, Graphs>>,
}

/// How it stands with looks at graphs.
#[derive(Debug, Clone, Copy)]
struct Graphs {
    /// When one was carried out last.
    looked_ms: u64,
    /// Since when there are more than one look takes.
    behind_ms: Option<u64>,
}

impl Graphs {
    /// Whether what is left to them is looked at soon.
    fn are_gone_through(self, now_ms: u64) -> bool {
        now_ms < self.looked_ms + LEFT_AFTER_MS && self.behind_ms.is_none_or(|since| now_ms < since + LEFT_MS)
    }
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Decisions whose time passed.
    Decisions,
    /// Graphs or processes whose time passed.
    Of(Whose),
}

impl Part {
    /// Under this its failures are counted.
    fn name(self) -> String {
        format!("{self:?}")
    }
}

impl Watcher for Looks {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

impl Watch {
    /// Starts looking.
    #[must_use]
    pub fn start(kernel: &Kernel) -> Self {
        let looks = Looks::of(kernel);
        every(&looks, ALARMS_EVERY_MS, |looks, ns| looks.call(ns, &ALARM_UNPOLLED));
        kernel.namespaces().iter().filter(|ns| ns.works()).for_each(|ns| looks.call(ns, &FORGET_NOW));
        every(&looks, DECISIONS_EVERY_MS, |looks, ns| looks.decisions(ns));
        every_after(&looks, LONGEST_POLL_MS, PROCESSES_EVERY_MS, |looks, ns| looks.look(ns, Whose::Graphs));
        every_after(&looks, LONGEST_POLL_MS, PROCESSES_EVERY_MS, |looks, ns| {
            looks.recover_lost(ns);
            looks.look(ns, Whose::Processes);
        });
        Self { _looks: looks }
    }
}

fn request(kernel: &Kernel) -> kernel::Request {
    kernel.request(Caller::server("workflow"))
}

impl Looks {
    fn of(kernel: &Kernel) -> Arc<Self> {
        let (failures, busy, graphs) = (Mutex::default(), Mutex::default(), Mutex::default());
        Arc::new(Self { kernel: kernel.clone(), failures, busy, graphs })
    }

    /// What fails is done again with the next round.
    fn call(&self, ns: &Namespace, op: &'static Op<(), ()>) {
        self.kernel.call(ns, op, request(&self.kernel), (), Box::new(|_| {}));
    }

    /// Whether there are any is asked first: that costs the writer nothing.
    fn decisions(self: &Arc<Self>, ns: &Arc<Namespace>) {
        if !self.may_look(ns, Part::Decisions, 0) {
            return;
        }
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let told = move |due: OpResult<bool>| {
            let Some(looks) = weak.upgrade() else { return };
            match due {
                Ok(due) => {
                    looks.went_well(&namespace, Part::Decisions);
                    due.then(|| looks.overdue(&namespace));
                }
                Err(error) => looks.pause(&namespace, Part::Decisions, &error),
            }
        };
        self.kernel.read(ns, &ANY_OVERDUE, (), Box::new(told));
    }

    fn overdue(self: &Arc<Self>, ns: &Arc<Namespace>) {
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let done = move |more: OpResult<Reply<bool>>| {
            if let (Some(looks), Ok(more)) = (weak.upgrade(), more)
                && more.out
            {
                looks.overdue(&namespace);
            }
        };
        self.kernel.call(ns, &OVERDUE, request(&self.kernel), (), Box::new(done));
    }

    /// What somebody found to be lost is looked at now.
    fn recover_lost(self: &Arc<Self>, ns: &Arc<Namespace>) {
        for process in ns.home.memory::<LostGraphs>().take() {
            let done = self.when_repaired(ns, process.clone(), None);
            self.kernel.call(ns, &RECOVER, request(&self.kernel), process, done);
        }
    }

    fn look(self: &Arc<Self>, ns: &Arc<Namespace>, whose: Whose) {
        // Should no answer ever come, somebody looks again.
        if self.may_look(ns, Part::Of(whose), LONGEST_POLL_MS) {
            self.look_and_wait(ns, whose, 0);
        }
    }

    /// Looking costs the writer nothing; what it finds is carried out once the pause is over.
    fn look_and_wait(self: &Arc<Self>, ns: &Arc<Namespace>, whose: Whose, pause_until_ms: u64) {
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let told = move |found: OpResult<Found>| {
            let Some(looks) = weak.upgrade() else { return };
            match found {
                Ok(found) => looks.after_pause(pause_until_ms, move |looks| looks.carry_out(&namespace, whose, found)),
                Err(error) => looks.pause(&namespace, Part::Of(whose), &error),
            }
        };
        let (now_ms, wall) = (self.kernel.env().clock.ran_ms(), self.kernel.env().clock.wall());
        let leaves = lock(&self.graphs).get(&ns.name).is_some_and(|graphs| graphs.are_gone_through(now_ms));
        self.kernel.read(ns, &LOOK, Look { whose, wall, leaves }, Box::new(told));
    }

    /// Graphs were looked at, and perhaps there are more.
    fn graphs_were_looked_at(&self, ns: &Namespace, more: bool) {
        let looked_ms = self.kernel.env().clock.ran_ms();
        let mut graphs = lock(&self.graphs);
        let since = graphs.get(&ns.name).and_then(|before| before.behind_ms).unwrap_or(looked_ms);
        graphs.insert(ns.name.clone(), Graphs { looked_ms, behind_ms: more.then_some(since) });
    }

    fn after_pause(self: &Arc<Self>, until_ms: u64, then: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let left_ms = until_ms.saturating_sub(self.kernel.env().clock.ran_ms());
        if left_ms == 0 {
            return then(self);
        }
        let weak = Arc::downgrade(self);
        let later = move || {
            if let Some(looks) = weak.upgrade() {
                then(&looks);
            }
        };
        self.kernel.env().timers.after(left_ms, Box::new(later));
    }

    /// Nobody looks there now, and no pause is to be kept; from now on somebody does, for so long at most.
    fn may_look(&self, ns: &Namespace, part: Part, busy_ms: u64) -> bool {
        let (now, mut busy) = (self.kernel.env().clock.ran_ms(), lock(&self.busy));
        let until = busy.entry((ns.name.clone(), part)).or_default();
        let may = *until <= now;
        if may {
            *until = now + busy_ms;
        }
        may
    }

    fn free(&self, ns: &Namespace, part: Part, pause_ms: u64) {
        let until = self.kernel.env().clock.ran_ms() + pause_ms;
        lock(&self.busy).insert((ns.name.clone(), part), until);
    }

    /// Something could be read.
    fn went_well(&self, ns: &Namespace, part: Part) {
        lock(&self.failures).remove(&(ns.name.clone(), part.name()));
    }

    /// Nothing could be read: nothing changes, and somebody looks again after a pause.
    fn pause(&self, ns: &Namespace, part: Part, error: &base::OpError) {
        let pause_ms = self.failed_again(ns, &part.name()).min(LOOK_PAUSE_MS);
        tracing::warn!(namespace = %ns.name, ?part, %error, pause_ms, "nothing could be looked at");
        self.free(ns, part, u64::try_from(pause_ms).unwrap_or(0));
        let told = Failed { process: String::new(), error: error.message.clone(), pause_ms };
        self.kernel.call(ns, &FAILED, request(&self.kernel), told, Box::new(|_| {}));
    }

    /// All that a look found is asked for at once, so that it is committed together.
    fn carry_out(self: &Arc<Self>, ns: &Arc<Namespace>, whose: Whose, found: Found) {
        self.went_well(ns, Part::Of(whose));
        if whose == Whose::Graphs {
            self.graphs_were_looked_at(ns, found.more);
        }
        let round = Round::begin(self, ns, whose, &found);
        for process in found.ill {
            let done = self.when_repaired(ns, process.clone(), Some(round.clone()));
            self.kernel.call(ns, &RECOVER, request(&self.kernel), process, done);
        }
        for examined in found.large {
            let done = self.when_repaired(ns, examined.process.id.clone(), Some(round.clone()));
            self.kernel.call(ns, &REPAIR, request(&self.kernel), examined, done);
        }
        for (process, error) in found.failed {
            self.put_off(ns, process, error);
        }
        let has_any = !found.well.is_empty();
        let done = move |answer: OpResult<Reply<()>>| round.ended(answer.is_ok() && has_any);
        self.kernel.call(ns, &PUT_OFF, request(&self.kernel), found.well, Box::new(done));
    }

    /// Where there is more the next look follows at once, and is carried out after a pause as long as the work took: live work has the
    /// writer for at least as long. Where nothing could be done it waits for the next round.
    fn go_on(self: &Arc<Self>, round: &Round) {
        if !round.more || !round.went_well.load(Ordering::Relaxed) {
            return self.free(&round.ns, Part::Of(round.whose), 0);
        }
        let now_ms = self.kernel.env().clock.ran_ms();
        let pause_ms = now_ms.saturating_sub(round.began_ms).max(1);
        self.free(&round.ns, Part::Of(round.whose), pause_ms.saturating_add(LONGEST_POLL_MS));
        self.look_and_wait(&round.ns, round.whose, now_ms + pause_ms);
    }

    fn when_repaired(
        self: &Arc<Self>,
        ns: &Arc<Namespace>,
        process: String,
        round: Option<Arc<Round>>,
    ) -> kernel::Done<Repair> {
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        Box::new(move |answer: OpResult<Reply<Repair>>| {
            let Some(looks) = weak.upgrade() else { return };
            round.iter().for_each(|round| round.ended(answer.is_ok()));
            match answer {
                Ok(_) => drop(lock(&looks.failures).remove(&(namespace.name.clone(), process))),
                // The store is busy or away: nothing changed, and the next look finds it again.
                Err(error) if error.code == codes::CSERIAL || error.code == codes::XBUSY => {}
                Err(error) => looks.put_off(&namespace, process, error.message),
            }
        })
    }

    fn put_off(&self, ns: &Namespace, process: String, error: String) {
        let pause_ms = self.failed_again(ns, &process);
        tracing::warn!(namespace = %ns.name, process, error, pause_ms, "a process could not be examined");
        let failed = Failed { process, error, pause_ms };
        self.kernel.call(ns, &FAILED, request(&self.kernel), failed, Box::new(|_| {}));
    }

    /// One more failure in a row; the pause that follows.
    fn failed_again(&self, ns: &Namespace, process: &str) -> i64 {
        let mut failures = lock(&self.failures);
        let many = failures.entry((ns.name.clone(), process.to_owned())).or_default();
        *many = many.saturating_add(1);
        pause_ms(*many)
    }
}

/// What one look found, until all of it is carried out.
struct Round {
    looks: Weak<Looks>,
    ns: Arc<Namespace>,
    whose: Whose,
    began_ms: u64,
    /// There is more than was found.
    more: bool,
    /// Answers that are still to come.
    open: AtomicUsize,
    /// Something was done: the next look finds others.
    went_well: AtomicBool,
}

impl Round {
    fn begin(looks: &Arc<Looks>, ns: &Arc<Namespace>, whose: Whose, found: &Found) -> Arc<Self> {
        Arc::new(Self {
            looks: Arc::downgrade(looks),
            ns: ns.clone(),
            whose,
            began_ms: looks.kernel.env().clock.ran_ms(),
            more: found.more,
            open: AtomicUsize::new(found.ill.len() + found.large.len() + 1),
            went_well: AtomicBool::new(false),
        })
    }

    /// One of its answers came.
    fn ended(&self, well: bool) {
        self.went_well.fetch_or(well, Ordering::Relaxed);
        if self.open.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.looks.upgrade().iter().for_each(|looks| looks.go_on(self));
        }
    }
}

/// The pause after so many failures in a row.
fn pause_ms(failures: u32) -> i64 {
    let (first, most) = PAUSE_MS;
    first.saturating_mul(1 << failures.saturating_sub(1).min(20)).min(most)
}

/// Whole between any two steps.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use base::{Sql, Value};
    use kernel::Op;
    use testbed::World;

    use super::*;
    use crate::process::START;

    #[test]
    fn wfl_11_pauses_grow_and_end() {
        let pauses: Vec<i64> = [1, 2, 3, 10, 11, u32::MAX].into_iter().map(pause_ms).collect();
        assert_eq!(pauses, [5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000]);
    }

    static JOURNAL: Sql = Sql::new("test.journal", "SELECT COUNT(*) FROM journal WHERE kind = 'workflow-recovery'");
    static STATES: Sql = Sql::new("test.states", "SELECT state, first, recovery FROM wfl_process ORDER BY id");
    static DUE: Sql = Sql::new("test.due", "UPDATE wfl_process SET recovery = 0 WHERE id = ?1");
    static NOW: kernel::Query<(), i64> = kernel::Query::new("test.now", |tx, ()| Ok(tx.heard().0));
    static CUT: Op<String, u64> = Op::new("test.due", |tx, _, id| Ok(tx.execute(&DUE, &[Value::from(id)])?));

    #[test]
    fn wfl_11_what_cannot_be_examined_changes_nothing_but_its_time_and_is_told() {
        let world = World::of(&[&crate::SERVICE]);
        let looks = Looks::of(&world.kernel);
        let start = serde_json::from_str(r#"{"type": "test", "start": {"actor": "a#1"}}"#).unwrap();
        let id = world.call(&START, start).unwrap().out.process_id;
        for (place, pause_ms) in [(1, 5_000), (2, 10_000), (3, 20_000)] {
            assert_eq!(world.call(&CUT, id.clone()).unwrap().out, 1);
            let now = world.read(&NOW, ()).unwrap();
            looks.put_off(&world.main(), id.clone(), "it cannot be read".into());
            let row = world.rows(&STATES).remove(0);
            assert_eq!((row.text(0), row.int(1), row.int(2)), ("ACTIVE", 1, now + pause_ms));
            assert_eq!(world.count(&JOURNAL), place);
        }
        let repaired = looks.when_repaired(&world.main(), id.clone(), None);
        world.kernel.call(&world.main(), &RECOVER, world.request(), id, repaired);
        assert!(lock(&looks.failures).is_empty(), "the next trouble is the first again");
    }

    #[test]
    fn wfl_14_processes_are_left_to_looks_at_graphs_only_while_those_come_and_get_on() {
        let world = World::of(&[&crate::SERVICE]);
        let (looks, ns) = (Looks::of(&world.kernel), world.main());
        let leaves = || {
            let now_ms = world.kernel.env().clock.ran_ms();
            lock(&looks.graphs).get(&ns.name).is_some_and(|graphs| graphs.are_gone_through(now_ms))
        };
        assert!(!leaves(), "there was none yet");
        looks.graphs_were_looked_at(&ns, false);
        world.pass_ms(LEFT_AFTER_MS - 1);
        assert!(leaves());
        world.pass_ms(1);
        assert!(!leaves(), "none came for a minute");
        for _ in 0..10 {
            looks.graphs_were_looked_at(&ns, true);
            assert!(leaves());
            world.pass_ms(LEFT_MS / 10);
        }
        looks.graphs_were_looked_at(&ns, true);
        assert!(!leaves(), "they come, and do not get to the end");
        looks.graphs_were_looked_at(&ns, false);
        assert!(leaves());
    }

    #[test]
    fn wfl_11_while_the_store_cannot_be_read_nothing_changes_and_pauses_grow() {
        static EVERYTHING: Sql =
            Sql::new("test.everything", "SELECT id, state, changed, recovery FROM wfl_process ORDER BY id");
        let world = World::of(&[&crate::SERVICE]);
        let looks = Looks::of(&world.kernel);
        let start = serde_json::from_str(r#"{"type": "test", "start": {"actor": "a#1"}}"#).unwrap();
        world.call(&START, start).unwrap();
        let (before, away) = (world.rows(&EVERYTHING), base::OpError::new(codes::XBUSY, "it is away"));
        for part in [Part::Decisions, Part::Of(Whose::Graphs), Part::Of(Whose::Processes)] {
            for pause_ms in [5_000, 10_000, 20_000, 40_000, 60_000, 60_000] {
                assert!(looks.may_look(&world.main(), part, 0), "{part:?}");
                let told = world.count(&JOURNAL);
                looks.pause(&world.main(), part, &away);
                assert_eq!(world.count(&JOURNAL), told + 1);
                world.pass_ms(pause_ms - 1);
                assert!(!looks.may_look(&world.main(), part, 0), "{part:?} after {pause_ms} ms");
                world.pass_ms(1);
            }
            looks.went_well(&world.main(), part);
        }
        assert_eq!(world.rows(&EVERYTHING), before);
        assert_eq!(
            looks.failed_again(&world.main(), &Part::Decisions.name()),
            5_000,
            "the next trouble is the first again"
        );
    }
}
