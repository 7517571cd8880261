//! `bench folders` (FLD-27): from folder A by the server to folder B with the real programs, and in the same run Syncthing, rsync and unison.
//!
//! Every side starts anew for every scenario and round, in turn. What is dialled is a proxy that counts, on every side alike. A side that does
//! not get there in time is told of and left out of that scenario.

mod child;
mod cold;
mod content;
mod large;
mod memory;
mod options;
mod ours;
mod rename;
mod rescan;
mod rsync;
mod save;
mod side;
mod syncthing;
mod syncthing_config;
mod table;
mod unison;
mod wait;
mod wire;

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use tokio::runtime::{Builder, Runtime};

use crate::disk::print_sync_time;
use child::output_of;
use options::Options;
use side::{Kind, Side};
use table::{Column, Figure, Unit, table};
use wire::Passed;

/// Files of the trees.
const FILES: usize = 10_000;

type Run = fn(Kind, &mut dyn Side) -> Result<Vec<Figure>>;

struct Scenario {
    name: &'static str,
    run: Run,
    /// Who takes part; those that differ in one thing only where it shows.
    sides: &'static [Kind],
}

const SCENARIOS: [Scenario; 6] = [
    Scenario { name: "cold", run: cold::run, sides: &Kind::ALL },
    Scenario { name: "rescan", run: rescan::run, sides: &PLAIN },
    Scenario { name: "rename", run: rename::run, sides: &PLAIN },
    Scenario {
        name: "large",
        run: large::run,
        sides: &[Kind::Ours, Kind::Syncthing, Kind::Rsync, Kind::RsyncFsync, Kind::Unison],
    },
    Scenario { name: "save", run: save::run, sides: &Kind::ALL },
    Scenario { name: "memory", run: memory::run, sides: &PLAIN },
];
const PLAIN: [Kind; 4] = [Kind::Ours, Kind::Syncthing, Kind::Rsync, Kind::Unison];

fn names() -> Vec<&'static str> {
    SCENARIOS.iter().map(|scenario| scenario.name).collect()
}

/// Runs the scenarios that the words name.
pub fn run(words: &[&str]) -> Result<()> {
    let options = Options::read(words)?;
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    let here = present(&options);
    print_sync_time(&folder)?;
    for scenario in SCENARIOS.iter().filter(|scenario| options.has_scenario(scenario.name)) {
        let kinds: Vec<Kind> = here.iter().copied().filter(|kind| scenario.sides.contains(kind)).collect();
        let columns = rounds(scenario, &kinds, &runtime, &folder, options.rounds);
        println!("\nfolders: {}\n\n{}", scenario.name, table(&columns));
        table::tell(scenario.name, &columns);
        print_sync_time(&folder)?;
    }
    Ok(())
}

fn rounds(scenario: &Scenario, kinds: &[Kind], runtime: &Runtime, folder: &Path, rounds: usize) -> Vec<Column> {
    let column = |kind: &Kind| Column { name: kind.name(), figures: vec![], failed: false };
    let mut columns: Vec<Column> = kinds.iter().map(column).collect();
    for round in 0..rounds {
        for (kind, column) in kinds.iter().zip(&mut columns).filter(|(_, column)| !column.failed) {
            let home = folder.join(format!("{}-{round}-{}", scenario.name, column.name.replace([' ', ','], "")));
            let measured = kind.start(runtime, &home).and_then(|mut side| (scenario.run)(*kind, side.as_mut()));
            match measured {
                Ok(figures) => column.add(scenario.name, round, figures),
                Err(error) => column.fail(scenario.name, &error),
            }
            // Small files stay until the end: a file system without a journal looks for room among all that was removed lately, and whoever comes
            // next would pay for it. A folder that stays is in the way of nobody, and goes with the one above it.
            if scenario.name == "large" {
                let _ = std::fs::remove_dir_all(&home);
            }
        }
    }
    columns
}

impl Column {
    fn add(&mut self, scenario: &str, round: usize, figures: Vec<Figure>) {
        let told: Vec<String> = figures.iter().map(Figure::told).collect();
        println!("  {scenario} {} {}: {}", round + 1, self.name, told.join("; "));
        self.figures.extend(figures);
    }

    fn fail(&mut self, scenario: &str, error: &anyhow::Error) {
        println!("  {scenario} {}: left out, {error:#}", self.name);
        self.failed = true;
    }
}

/// Sides that are wanted and installed, with their versions.
fn present(options: &Options) -> Vec<Kind> {
    let mut programs: Vec<&str> =
        Kind::ALL.into_iter().filter(|kind| options.has_side(*kind)).map(Kind::word).collect();
    programs.dedup();
    programs.retain(|program| *program == Kind::Ours.word() || is_installed(program));
    Kind::ALL.into_iter().filter(|kind| programs.contains(&kind.word())).collect()
}

fn is_installed(program: &str) -> bool {
    let flag = if program == "unison" { "-version" } else { "--version" };
    let version = output_of(Command::new(program).arg(flag));
    match &version {
        Ok(version) => println!("{}", version.lines().next().unwrap_or(program)),
        Err(_) => println!("{program}: not run, it is not installed (`apt-get install {program}`)"),
    }
    version.is_ok()
}

/// What passed, each way. A goal is one of what each end sends or gets.
fn sent(what: &str, passed: Passed, goal_kib: Option<f64>) -> Vec<Figure> {
    let Passed { a_sends, a_gets, b_gets, b_sends } = passed;
    let ways = [("A sends", a_sends), ("A gets", a_gets), ("B gets", b_gets), ("B sends", b_sends)];
    let what = if what.is_empty() { String::new() } else { format!("{what}: ") };
    let figure = |(way, bytes): (&str, u64)| {
        let figure = Figure::new(format!("{what}{way}"), Unit::Kibibytes, bytes as f64 / 1024.0);
        goal_kib.map_or(figure.clone(), |goal| figure.goal(goal))
    };
    ways.into_iter().map(figure).collect()
}
