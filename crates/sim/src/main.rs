//! The command line of the simulator.
//!
//! Everything is in the library, so that tests can run seeds and mutants too. Exit codes: 0 nothing found, 1 a seed
//! failed or a mutant was not found, 2 wrong use.

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sim::{Failure, Options, Report, mutants, run, shrink};

const USAGE: &str =
    "usage: sim [--seed N] [--seeds COUNT] [--minutes N] [--events N] [--print] [--shrink] [--mutants] [--mutant NAME]

  --seed N        run this seed (default: from the clock)
  --seeds COUNT   run so many seeds, counting up
  --minutes N     run seeds for so long
  --events N      events of the safety phase of each seed (default 1000)
  --print         print every line of the trace
  --shrink        after a failure, look for the fewest events that still fail
  --mutants       switch on every deliberate bug in turn; each must be found
  --mutant NAME   switch on one of them

examples:
  cargo run --release -p sim -- --seed 7          one seed; prints the hash of its trace
  cargo run --release -p sim -- --minutes 480     a night
";

struct Wish {
    options: Options,
    seeds: u64,
    until: Option<Instant>,
    shrink: bool,
    all_mutants: bool,
    mutant: Option<String>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let wish = match parse(&args) {
        Ok(wish) => wish,
        Err(wrong) => {
            eprintln!("sim: {wrong}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if wish.all_mutants {
        return mutants::find_all(&mut |line| println!("{line}")).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    if let Some(name) = &wish.mutant
        && !mutants::switch_by_name(name)
    {
        eprintln!("sim: no mutant `{name}`; there are: {}", mutants::names().join(", "));
        return ExitCode::from(2);
    }
    run_seeds(&wish)
}

fn parse(args: &[String]) -> Result<Wish, String> {
    let options = Options { seed: seed_of_the_clock(), events: 1_000, print: false };
    let mut wish = Wish { options, seeds: 1, until: None, shrink: false, all_mutants: false, mutant: None };
    let mut args = args.iter();
    while let Some(word) = args.next() {
        let mut number = || {
            let value = args.next().ok_or_else(|| format!("{word} needs a number"))?;
            value.parse::<u64>().map_err(|_| format!("{word}: `{value}` is not a number"))
        };
        match word.as_str() {
            "--seed" => wish.options.seed = number()?,
            "--seeds" => wish.seeds = number()?,
            "--events" => wish.options.events = number()?,
            "--minutes" => wish.until = Some(Instant::now() + Duration::from_secs(60 * number()?)),
            "--print" => wish.options.print = true,
            "--shrink" => wish.shrink = true,
            "--mutants" => wish.all_mutants = true,
            "--mutant" => wish.mutant = Some(args.next().ok_or("--mutant needs a name")?.clone()),
            other => return Err(format!("unknown word `{other}`")),
        }
    }
    Ok(wish)
}

/// A seed that nobody ran before, most likely.
fn seed_of_the_clock() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |time| u64::try_from(time.as_millis() % 1_000_000_000_000).unwrap_or(1))
}

fn run_seeds(wish: &Wish) -> ExitCode {
    let begun = Instant::now();
    let mut total = Report::default();
    let mut seeds = 0;
    while wish.until.map_or(seeds < wish.seeds, |until| Instant::now() < until) {
        let options = Options { seed: wish.options.seed + seeds, ..wish.options.clone() };
        match run(&options) {
            Ok(report) => total.add(&report),
            Err(failure) => return failed(wish, &options, &failure),
        }
        seeds += 1;
    }
    let hours = total.simulated_us as f64 / 3.6e9;
    let rate = hours * 3600.0 / begun.elapsed().as_secs_f64();
    println!(
        "{seeds} seeds from {}: {} events, {hours:.1} simulated hours, {} acknowledged, {} lives, trace {:016x}; {rate:.0} simulated hours per hour",
        wish.options.seed, total.events, total.acknowledged, total.lives, total.hash
    );
    println!("{seeds} passed, 0 failed");
    ExitCode::SUCCESS
}

fn failed(wish: &Wish, options: &Options, failure: &Failure) -> ExitCode {
    let events = if wish.shrink { shrink::fewest_events(options, failure) } else { options.events };
    let mutant = wish.mutant.as_ref().map(|name| format!(" --mutant {name}")).unwrap_or_default();
    println!("seed {} failed after {} events\n\n{}", options.seed, failure.events, failure.last);
    println!("{}\n", failure.message);
    println!("repeat it: cargo run --release -p sim -- --seed {} --events {events}{mutant} --print", options.seed);
    ExitCode::FAILURE
}
