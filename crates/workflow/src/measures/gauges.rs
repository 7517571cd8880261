//! How much there is, measured again and again: what waits for each actor and for how long, processes by state, jobs that run.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use base::{OpResult, Sql, Tx, args};
use kernel::rounds::{Watcher, every};
use kernel::{Home, Kernel, Namespace, Query};

use super::tally::seconds;
use crate::actors::{ACTORS, ActorsOf};
use crate::figures;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&RUNNING];

/// How often.
const EVERY_MS: u64 = 15_000;
/// Actors that are shown each by itself.
const ACTORS_MAX: u32 = 100;

static RUNNING: Sql = Sql::new(
    "wfl_job.count_running",
    "SELECT COUNT(*) FROM (SELECT number FROM wfl_job WHERE state = 'RUNNING' ORDER BY priority, number LIMIT 10000) AS counted",
);

static MEASURE: Query<(), Measured> = Query::at_home("workflow.measure", |tx, home, ()| measure(tx, home));

/// What is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Measured {
    active: i64,
    broken: i64,
    jobs: i64,
    actors: Vec<Waiting>,
}

/// What waits for an actor.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Waiting {
    actor: String,
    tasks: i64,
    oldest_ms: i64,
}

/// Measures until it is dropped.
pub struct Measures {
    _meter: Arc<Meter>,
}

struct Meter {
    kernel: Kernel,
    /// Namespaces and actors of which something was shown: one that is gone has nothing that waits.
    shown: Mutex<BTreeSet<(String, String)>>,
}

impl Watcher for Meter {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

impl Measures {
    /// Begins.
    #[must_use]
    pub fn start(kernel: &Kernel) -> Self {
        describe();
        let meter = Arc::new(Meter { kernel: kernel.clone(), shown: Mutex::default() });
        every(&meter, EVERY_MS, |meter, ns| meter.look(ns));
        Self { _meter: meter }
    }
}

impl Meter {
    fn look(self: &Arc<Self>, ns: &Arc<Namespace>) {
        let (weak, namespace) = (Arc::downgrade(self), ns.name.clone());
        let told = move |found: OpResult<Measured>| {
            if let (Some(meter), Ok(found)) = (weak.upgrade(), found) {
                meter.show(&namespace, &found);
            }
        };
        self.kernel.read(ns, &MEASURE, (), Box::new(told));
    }

    fn show(&self, namespace: &str, found: &Measured) {
        for (state, count) in [("active", found.active), ("broken", found.broken)] {
            metrics::gauge!("fastness_workflow_processes", "namespace" => namespace.to_owned(), "state" => state)
                .set(number(count));
        }
        metrics::gauge!("fastness_workflow_jobs_running", "namespace" => namespace.to_owned()).set(number(found.jobs));
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = |known: &&(String, String)| {
            known.0 == namespace && found.actors.iter().all(|waiting| waiting.actor != known.1)
        };
        for (_, actor) in shown.iter().filter(gone) {
            show_waiting(namespace, &Waiting { actor: actor.clone(), tasks: 0, oldest_ms: 0 });
        }
        for waiting in &found.actors {
            show_waiting(namespace, waiting);
            shown.insert((namespace.to_owned(), waiting.actor.clone()));
        }
    }
}

fn show_waiting(namespace: &str, waiting: &Waiting) {
    let labels = || [("namespace", namespace.to_owned()), ("actor", waiting.actor.clone())];
    metrics::gauge!("fastness_workflow_waiting", &labels()).set(number(waiting.tasks));
    metrics::gauge!("fastness_workflow_oldest_waiting_seconds", &labels()).set(seconds(waiting.oldest_ms));
}

fn measure(tx: &mut dyn Tx, home: &Home) -> OpResult<Measured> {
    let page = ActorsOf { after: None, limit: ACTORS_MAX };
    let waiting = |actor: crate::actors::ActorView| Waiting {
        actor: actor.settings.actor,
        tasks: actor.waiting,
        oldest_ms: actor.oldest_waiting_ms.unwrap_or(0),
    };
    Ok(Measured {
        actors: ACTORS.run_in(tx, home, &page)?.into_iter().map(waiting).collect(),
        active: figures::of_state(tx, "ACTIVE")?,
        broken: figures::of_state(tx, "BROKEN")?,
        jobs: tx.query_one(&RUNNING, args![])?.map_or(0, |row| row.int(0)),
    })
}

fn number(count: i64) -> f64 {
    f64::from(i32::try_from(count).unwrap_or(i32::MAX))
}

fn describe() {
    metrics::describe_counter!("fastness_workflow_processes_total", "Processes by what became of them");
    metrics::describe_counter!("fastness_workflow_tasks_total", "Tasks by what became of them");
    metrics::describe_counter!(
        "fastness_workflow_timeouts_total",
        "Tasks whose worker was silent, or whose time was over"
    );
    metrics::describe_counter!("fastness_workflow_recovered_total", "Repairs by their source");
    metrics::describe_counter!("fastness_workflow_polls_total", "Polls by whether they found work");
    metrics::describe_histogram!("fastness_workflow_wait_seconds", "From when a task may be taken to when it is");
    metrics::describe_histogram!("fastness_workflow_work_seconds", "From when a task is taken to its result");
    metrics::describe_histogram!("fastness_workflow_process_seconds", "From the start of a process to its end");
    metrics::describe_gauge!("fastness_workflow_processes", "Processes by state; counting ends at 10,000");
    metrics::describe_gauge!("fastness_workflow_jobs_running", "Jobs of operators that run");
    metrics::describe_gauge!("fastness_workflow_waiting", "Tasks that wait, by actor; counting ends at 10,000 a queue");
    metrics::describe_gauge!("fastness_workflow_oldest_waiting_seconds", "For how long the oldest waits, by actor");
}

#[cfg(test)]
mod tests {
    use testbed::World;

    use super::*;
    use crate::process::START;

    #[test]
    fn wfl_22_what_waits_is_measured_by_actor() {
        let world = World::of(&[&crate::SERVICE]);
        for actor in ["a#1", "a#1", "b#1"] {
            let start = format!(r#"{{"type": "test", "start": {{"actor": "{actor}"}}}}"#);
            world.call(&START, serde_json::from_str(&start).unwrap()).unwrap();
        }
        world.pass_ms(5_000);
        let found = world.read(&MEASURE, ()).unwrap();
        let waits = |actor: &str, tasks| Waiting { actor: actor.into(), tasks, oldest_ms: 5_000 };
        let expected = Measured { active: 3, broken: 0, jobs: 0, actors: vec![waits("a#1", 2), waits("b#1", 1)] };
        assert_eq!(found, expected);
    }
}
