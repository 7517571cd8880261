//! Runs the scenarios one after the other and writes the report.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::figure::{FILE_VARIABLE, Figure};
use super::machine::{machine, versions};
use super::page::{Section, page};
use super::plot::svg;

/// A scenario of this program.
struct Scenario {
    name: &'static str,
    about: &'static str,
    /// Its options for a short pass.
    quick: &'static [&'static str],
}

const SHORT: &[&str] = &["--seconds", "0.3", "--rounds", "1"];

const SCENARIOS: [Scenario; 12] = [
    Scenario {
        name: "start",
        about: "From the start of the program until `/readyz` is 200, on an empty store and on one that is there, and the size of the program. Every write of the start is durable.",
        quick: &["--rounds", "3"],
    },
    Scenario {
        name: "kernel",
        about: "Durable operations. Ours with SQLite: `synchronous=FULL`, write-ahead log, many operations to a commit. The others do the same SQL, one commit at a time and by a hand-written group commit; all sync before they answer.",
        quick: SHORT,
    },
    Scenario {
        name: "overload",
        about: "Goodput over HTTP when ten times more is asked than is taken. Every change is durable.",
        quick: SHORT,
    },
    Scenario {
        name: "tasks",
        about: "Tasks from enqueue to done. Ours and graphile-worker and pg-boss sync each commit (`synchronous_commit=on`); BullMQ's Redis syncs every write (`appendfsync always`).",
        quick: &["--seconds", "0.3", "--rounds", "1", "--only", "4 workers"],
    },
    Scenario {
        name: "documents",
        about: "Documents over HTTP. Ours: `synchronous=FULL`. PocketBase as it comes acknowledges before its file is synced (`synchronous=NORMAL`); the second one syncs each commit as ours does. pouchdb-server as it comes.",
        quick: &["--seconds", "0.3", "--rounds", "1", "--only", "commits"],
    },
    Scenario {
        name: "sensors",
        about: "Signals, memory of a million sensors, notifications. A signal is acknowledged after its commit (`synchronous=FULL`); the bare consumer only acknowledges.",
        quick: &["--seconds", "0.3", "--rounds", "1", "--only", "HTTP"],
    },
    Scenario {
        name: "exchange",
        about: "Messages in, and through the whole cycle. Acknowledged when on the disk, by all: ours after its commit, RabbitMQ's quorum queue by a publisher's confirm, NATS JetStream with `sync_interval: always`.",
        quick: &["--rounds", "1", "--only", "messages"],
    },
    Scenario {
        name: "workflow",
        about: "Processes from start to result; each step is durable before the next begins, on every side: ours on SQLite, Restate with its synced log, DBOS on PostgreSQL.",
        quick: &["--rounds", "1", "--only", "processes"],
    },
    Scenario {
        name: "folders",
        about: "From folder A to folder B with the real daemons. Ours is on the server's disk before B hears of it; Syncthing syncs at B; rsync syncs only with `--fsync`; unison syncs nothing.",
        quick: &["--rounds", "1", "--only", "rename,save"],
    },
    Scenario {
        name: "folders-server",
        about: "The server of folders alone, over gRPC; every commit is durable before it is answered.",
        quick: &["--seconds", "0.3", "--rounds", "1", "--only", "commits"],
    },
    Scenario {
        name: "nodes",
        about: "One, two and three nodes over one PostgreSQL (`synchronous_commit=on`), each held to a share of a core.",
        quick: SHORT,
    },
    Scenario {
        name: "console",
        about: "Every page of the console with 100,000 rows behind it, and with none. Reads only.",
        quick: SHORT,
    },
];

/// As the command line says.
struct Options {
    quick: bool,
    out: PathBuf,
    /// Scenarios; none: all.
    only: Vec<String>,
}

impl Options {
    fn read(words: &[&str]) -> Result<Self> {
        let mut options = Self { quick: false, out: "target/bench-report".into(), only: vec![] };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match *word {
                "--quick" => options.quick = true,
                "--out" => options.out = value()?.into(),
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                other => bail!("unknown option {other}; --quick, --out FOLDER, --only {}", names().join(",")),
            }
        }
        let unknown = options.only.iter().find(|only| !names().contains(&only.as_str()));
        ensure!(unknown.is_none(), "no scenario is called {unknown:?}; there are {}", names().join(", "));
        Ok(options)
    }
}

fn names() -> Vec<&'static str> {
    SCENARIOS.iter().map(|scenario| scenario.name).collect()
}

/// Runs all that is wanted. A scenario that fails is in the report, and the others still run.
pub fn run(words: &[&str]) -> Result<()> {
    let options = Options::read(words)?;
    fs::create_dir_all(&options.out)?;
    let (machine, versions) = (machine(&options.out), versions());
    let wanted =
        |scenario: &&Scenario| options.only.is_empty() || options.only.iter().any(|only| only == scenario.name);
    let mut sections = vec![];
    for scenario in SCENARIOS.iter().filter(wanted) {
        println!("== {}", scenario.name);
        sections.push(section(scenario, &options)?);
        // What is there so far: hours may have passed when something ends the whole.
        write(&options, &page(&format!("bench all {}", words.join(" ")), &machine, &versions, &sections), &sections)?;
    }
    println!("report: {}", options.out.join("report.md").display());
    let failed: Vec<&str> =
        sections.iter().filter(|section| section.failed.is_some()).map(|section| section.name).collect();
    ensure!(failed.is_empty(), "these did not come to their end: {}", failed.join(", "));
    Ok(())
}

fn section(scenario: &Scenario, options: &Options) -> Result<Section> {
    let figures = options.out.join(format!("{}.jsonl", scenario.name));
    let _ = fs::remove_file(&figures);
    let begun = Instant::now();
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(scenario.name).args(if options.quick { scenario.quick } else { &[] });
    let (printed, failed) = watch(command.env(FILE_VARIABLE, std::path::absolute(&figures)?))?;
    let figures = read(&figures)?;
    let nothing = (figures.is_empty() && failed.is_none()).then(|| "it told no figures".to_owned());
    Ok(Section {
        name: scenario.name,
        about: scenario.about,
        figures,
        printed,
        failed: failed.or(nothing),
        seconds: begun.elapsed().as_secs_f64(),
    })
}

/// Shows what it prints, and keeps it; what it says on the other output, its own words before others, is why it failed.
fn watch(command: &mut Command) -> Result<(Vec<String>, Option<String>)> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let errors = child.stderr.take().context("its errors")?;
    let errors = std::thread::spawn(move || {
        let mut last = String::new();
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            eprintln!("{line}");
            // What this program says itself; a trace behind it tells a reader of the report nothing.
            if last.is_empty() || line.starts_with("bench: ") || !last.starts_with("bench: ") {
                last = line;
            }
        }
        last
    });
    let mut printed = vec![];
    for line in BufReader::new(child.stdout.take().context("its output")?).lines() {
        let line = line?;
        println!("{line}");
        printed.push(line);
    }
    let (status, last) = (child.wait()?, errors.join().unwrap_or_default());
    let failed = (!status.success()).then(|| format!("{status}; {last}"));
    Ok((printed, failed))
}

fn read(path: &Path) -> Result<Vec<Figure>> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn write(options: &Options, page: &str, sections: &[Section]) -> Result<()> {
    for section in sections {
        fs::write(options.out.join(format!("{}.txt", section.name)), section.printed.join("\n") + "\n")?;
        for (place, figure) in section.figures.iter().enumerate() {
            fs::write(options.out.join(section.picture(place)), svg(figure))?;
        }
    }
    Ok(fs::write(options.out.join("report.md"), page)?)
}
