//! Rounds one after the other: cases in shuffled turns, worlds that are renewed, and the figures in the end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Error, Result, anyhow};

use crate::check::Violation;
use crate::leftovers;
use crate::report::Report;
use crate::rng::Rng;
use crate::round::{Case, Passed, play};
use crate::world::{Ground, World};

/// Rounds after which a world is read to the ground and makes way.
const ROUNDS_OF_A_WORLD: u32 = 8;

/// What to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The server.
    pub program: PathBuf,
    /// How many rounds.
    pub rounds: u64,
    /// What decides all chance.
    pub seed: u64,
    /// What may strike.
    pub cases: Vec<Case>,
    /// A promise that the server breaks on purpose.
    pub mutant: Option<String>,
    /// A disk that forgets also forgets the folders of the first start, unless they were synced.
    pub strict_names: bool,
    /// Ends with the first failure.
    pub until_first: bool,
}

/// Runs the rounds and tells of each.
///
/// # Errors
/// There is nothing to run.
pub fn run(options: &Options, tell: &mut dyn FnMut(&str)) -> Result<Report> {
    leftovers::sweep()?;
    let mut run = Run { options, rng: Rng::new(options.seed), worlds: BTreeMap::new(), report: Report::default() };
    let mut turn = vec![];
    for number in 1..=options.rounds {
        if turn.is_empty() {
            turn = shuffled(&options.cases, &mut run.rng);
        }
        let case = turn.pop().ok_or_else(|| anyhow!("no fault can strike this engine"))?;
        run.round(number, case, tell);
        if options.until_first && run.report.failed() > 0 {
            run.worlds.clear();
            return Ok(run.report);
        }
    }
    run.close_all(tell);
    Ok(run.report)
}

fn shuffled(cases: &[Case], rng: &mut Rng) -> Vec<Case> {
    let mut drawn: Vec<(u64, Case)> = cases.iter().map(|case| (rng.number(), *case)).collect();
    drawn.sort_unstable();
    drawn.into_iter().map(|(_, case)| case).collect()
}

struct Run<'a> {
    options: &'a Options,
    rng: Rng,
    worlds: BTreeMap<Ground, World>,
    report: Report,
}

impl Run<'_> {
    fn round(&mut self, number: u64, case: Case, tell: &mut dyn FnMut(&str)) {
        let mut rng = self.rng.fork();
        match self.play(case, &mut rng) {
            Ok(passed) => {
                tell(&line(number, case, &passed));
                self.report.add(case, &passed);
                self.renew(number, case, tell);
            }
            Err((world, error)) => self.fail(number, case, world.as_deref(), &error, tell),
        }
    }

    /// A world that failed is not used again.
    fn play(&mut self, case: Case, rng: &mut Rng) -> Result<Passed, (Option<Box<World>>, Error)> {
        let ground =
            case.fault.ground(case.engine.into()).ok_or_else(|| (None, anyhow!("{} cannot be", case.name())))?;
        let mut world = match self.worlds.remove(&ground) {
            Some(world) => world,
            None => self.new_world(ground).map_err(|error| (None, error))?,
        };
        match play(&mut world, case.fault, rng) {
            Ok(passed) => {
                world.rounds += 1;
                self.worlds.insert(ground, world);
                Ok(passed)
            }
            Err(error) => Err((Some(Box::new(world)), error)),
        }
    }

    fn new_world(&self, ground: Ground) -> Result<World> {
        let Options { program, mutant, strict_names, .. } = self.options;
        World::new(ground, program, mutant.as_deref(), *strict_names)
    }

    /// Closes the case's world if it is old.
    fn renew(&mut self, number: u64, case: Case, tell: &mut dyn FnMut(&str)) {
        let ground = case.fault.ground(case.engine.into());
        let old =
            ground.filter(|ground| self.worlds.get(ground).is_some_and(|world| world.rounds >= ROUNDS_OF_A_WORLD));
        if let Some(ground) = old {
            self.close(ground, number, tell);
        }
    }

    fn close_all(&mut self, tell: &mut dyn FnMut(&str)) {
        let grounds: Vec<Ground> = self.worlds.keys().copied().collect();
        grounds.into_iter().for_each(|ground| self.close(ground, self.options.rounds, tell));
    }

    fn close(&mut self, ground: Ground, number: u64, tell: &mut dyn FnMut(&str)) {
        let Some(world) = self.worlds.remove(&ground) else { return };
        let begun = Instant::now();
        match world.close() {
            Ok(()) => self.report.closed += 1,
            Err(error) => {
                tell(&format!("after round {number}: the store of {ground:?} read without the server: {error:#}"));
                self.report.fail(error.is::<Violation>());
            }
        }
        self.report.closing += begun.elapsed();
    }

    fn fail(&mut self, number: u64, case: Case, world: Option<&World>, error: &Error, tell: &mut dyn FnMut(&str)) {
        self.report.fail(error.is::<Violation>());
        tell(&format!("round {number:>4}  {:<26} FAILED: {error:#}", case.name()));
        // A mutant is expected to be found: nobody wants to know more.
        let unexpected = world.filter(|_| self.options.mutant.is_none());
        let saved = unexpected.map(|world| world.save(&format!("{}-{number}", self.options.seed)));
        if let Some(Ok(folder)) = saved {
            tell(&format!("            what clients were told and what is there: {}", folder.display()));
        }
        let (seed, only) = (self.options.seed, case.fault.name());
        let strict = if self.options.strict_names { "" } else { " --lenient-names" };
        tell(&format!(
            "            repeat: cargo xtask kill --rounds {number} --seed {seed}{strict}, or --only {only}"
        ));
    }
}

fn line(number: u64, case: Case, passed: &Passed) -> String {
    let Passed { clients, counts, struck, ready, took } = passed;
    format!(
        "round {number:>4}  {:<26} {clients:>2} clients {:>5} acked {:>4} refused {:>4} put off {:>4} unknown  \
         struck {:>3}  ready {:>5} ms (bound {} s)  {:>5.1} s  {}",
        case.name(),
        counts.acked,
        counts.refused,
        counts.put_off,
        counts.unknown,
        struck.times,
        ready.as_millis(),
        case.fault.bound().as_secs(),
        took.as_secs_f64(),
        struck.note,
    )
    .trim_end()
    .to_owned()
}

/// The middle of some times, and the longest.
#[must_use]
pub fn middle_and_longest(times: &[Duration]) -> (Duration, Duration) {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    (middle, sorted.last().copied().unwrap_or_default())
}
