//! Workers that die with a task in their hands, or hang and bring its result when it is late.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::WORK_TIMEOUT;
use super::hands::Hands;
use crate::check::violation;
use crate::machine::Machine;
use crate::rng::Rng;

/// Workers at a time; whoever dies is followed by a new one.
const WORKERS: usize = 6;
/// A process is started so often: workers are free when it is.
const PACE: Duration = Duration::from_millis(15);
/// Everything is done within this time.
const PATIENCE: Duration = Duration::from_secs(120);
/// Type of the processes, and name of their actor.
const KIND: &str = "drill";

/// What the deaths came to.
pub(super) struct Died {
    /// From each death to the task being in work again.
    pub(super) waits: Vec<Duration>,
    pub(super) hung: usize,
}

/// What all workers know.
#[derive(Default)]
struct Books {
    /// When somebody was last heard of at a task.
    deaths: BTreeMap<String, Instant>,
    waits: Vec<Duration>,
    /// Tasks of those that hang.
    hung: Vec<Value>,
    done: usize,
}

struct Drill<'a> {
    machine: &'a Machine,
    deaths: usize,
    books: Mutex<Books>,
    until: Instant,
}

/// Each task is lost with its first worker, and done by the next.
pub(super) fn run(machine: &Machine, deaths: usize, rng: &mut Rng) -> Result<Died> {
    let mut starter = Hands::new(machine, "starter");
    let rules = json!({ "work_timeout_ms": u64::try_from(WORK_TIMEOUT.as_millis())? });
    starter.call("PATCH", &format!("actors/{KIND}%231"), &rules)?;
    let drill = Drill { machine, deaths, books: Mutex::default(), until: Instant::now() + PATIENCE };
    thread::scope(|scope| -> Result<()> {
        let worker = |number: usize, rng: Rng| drill.work(number, rng);
        let workers: Vec<_> = (0..WORKERS).map(|number| (number, rng.fork())).collect();
        let workers: Vec<_> =
            workers.into_iter().map(|(number, rng)| scope.spawn(move || worker(number, rng))).collect();
        for number in 0..deaths {
            starter.start(KIND, number)?;
            thread::sleep(PACE); // tidy: sleep — deaths are spread, as they are in life
        }
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| violation("a worker panicked"))?)
    })?;
    let books = drill.books.into_inner().unwrap_or_else(PoisonError::into_inner);
    // What comes late does not count: the task ended before.
    let counted = starter.release(&books.hung, &("value", json!("late")))?;
    ensure!(counted == 0, violation(format!("{counted} late results counted")));
    Ok(Died { waits: books.waits, hung: books.hung.len() })
}

impl Drill<'_> {
    fn work(&self, number: usize, mut rng: Rng) -> Result<()> {
        let mut hands = Hands::new(self.machine, &format!("worker {number}"));
        while self.books(|books| books.done) < self.deaths {
            ensure!(Instant::now() < self.until, violation("tasks of dead workers are not done"));
            for task in hands.poll(KIND, 1)? {
                if task["attempt"] == 1 {
                    self.die(&mut hands, &task, &mut rng)?;
                } else {
                    self.finish(&mut hands, &task)?;
                }
            }
        }
        Ok(())
    }

    /// Some say once more that they are at it; some hang and keep their connection, the others lose it.
    fn die(&self, hands: &mut Hands<'_>, task: &Value, rng: &mut Rng) -> Result<()> {
        if rng.percent(30) {
            hands.beat(task)?;
        }
        let (id, hangs) = (id_of(task)?, rng.percent(50));
        self.books(|books| {
            books.deaths.insert(id, Instant::now());
            books.hung.extend(hangs.then(|| task.clone()));
        });
        if !hangs {
            hands.die();
        }
        Ok(())
    }

    fn finish(&self, hands: &mut Hands<'_>, task: &Value) -> Result<()> {
        let (id, now) = (id_of(task)?, Instant::now());
        let counted = hands.release(std::slice::from_ref(task), &("value", json!("done")))?;
        ensure!(counted == 1, violation(format!("the result of {id} did not count")));
        self.books(|books| {
            let died = books.deaths.get(&id).copied().unwrap_or(now);
            books.waits.push(now - died);
            books.done += 1;
        });
        Ok(())
    }

    fn books<T>(&self, work: impl FnOnce(&mut Books) -> T) -> T {
        work(&mut self.books.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn id_of(task: &Value) -> Result<String> {
    task["task_id"].as_str().map(str::to_owned).context("a task id")
}
