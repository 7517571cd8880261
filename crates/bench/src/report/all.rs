//! Runs the scenarios one after the other and writes the report.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::figure::{FILE_VARIABLE, Figure};
use super::machine::{built, machine, moment, versions};
use super::page::{FOLDER, Pictures, Section, page};
use super::plot::svg;

/// A scenario of this program.
struct Scenario {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// Its options where its own are more than the report needs.
    full: &'static [&'static str],
    /// Its options for a short pass.
    quick: &'static [&'static str],
}

const SHORT: &[&str] = &["--seconds", "0.3", "--rounds", "1"];

const SCENARIOS: [Scenario; 12] = [
    Scenario {
        name: "start",
        title: "Start, and size",
        about: "From the start of the program until `/readyz` is 200, on an empty store and on one that is there, and the size of the program. Every write of the start is durable.",
        full: &[],
        quick: &["--rounds", "3"],
    },
    Scenario {
        name: "kernel",
        title: "Kernel: durable operations",
        about: "Durable operations. Ours with SQLite: `synchronous=FULL`, write-ahead log, many operations to a commit. The others do the same SQL, one commit at a time and by a hand-written group commit; all sync before they answer.",
        full: &[],
        quick: SHORT,
    },
    Scenario {
        name: "overload",
        title: "Overload over HTTP (KER-45)",
        about: "Goodput over HTTP when ten times more is asked than is taken. Every change is durable.",
        full: &[],
        quick: SHORT,
    },
    Scenario {
        name: "tasks",
        title: "Tasks (KER-14 to KER-23)",
        about: "Tasks from enqueue to done. Ours and graphile-worker and pg-boss sync each commit (`synchronous_commit=on`); BullMQ's Redis syncs every write (`appendfsync always`).",
        full: &[],
        quick: &["--seconds", "0.3", "--rounds", "1", "--only", "4 workers"],
    },
    Scenario {
        name: "documents",
        title: "Documents (DOC-17)",
        about: "Documents over HTTP. Ours: `synchronous=FULL`. PocketBase as it comes acknowledges before its file is synced (`synchronous=NORMAL`); the second one syncs each commit as ours does. pouchdb-server as it comes.",
        full: &[],
        quick: &["--seconds", "0.3", "--rounds", "1", "--only", "commits"],
    },
    Scenario {
        name: "sensors",
        title: "Sensors (SEN-15)",
        about: "Signals, memory of a million sensors, notifications. A signal is acknowledged after its commit (`synchronous=FULL`); the bare consumer only acknowledges.",
        full: &[],
        quick: &["--seconds", "0.3", "--rounds", "1", "--only", "HTTP"],
    },
    Scenario {
        name: "exchange",
        title: "Exchange (EXC-26)",
        about: "Messages in, and through the whole cycle. Acknowledged when on the disk, by all: ours after its commit, RabbitMQ's quorum queue by a publisher's confirm, NATS JetStream with `sync_interval: always`.",
        full: &[],
        quick: &["--rounds", "1", "--only", "messages"],
    },
    Scenario {
        name: "workflow",
        title: "Workflow (WFL-31)",
        about: "Processes from start to result; each step is durable before the next begins, on every side: ours on SQLite, Restate with its synced log, DBOS on PostgreSQL.",
        full: &[],
        quick: &["--rounds", "1", "--only", "processes"],
    },
    Scenario {
        name: "folders",
        title: "Folders: from A to B (FLD-27)",
        about: "From folder A to folder B with the real daemons. Ours is on the server's disk before B hears of it; Syncthing syncs at B; rsync syncs only with `--fsync`; unison syncs nothing.",
        // Its three rounds are an hour.
        full: &["--rounds", "2"],
        quick: &["--rounds", "1", "--only", "rename,save"],
    },
    Scenario {
        name: "folders-server",
        title: "Folders: the server",
        about: "The server of folders alone, over gRPC; every commit is durable before it is answered.",
        full: &[],
        quick: &["--seconds", "0.3", "--rounds", "1", "--only", "commits"],
    },
    Scenario {
        name: "nodes",
        title: "Nodes over one PostgreSQL (KER-23)",
        about: "One, two and three nodes over one PostgreSQL (`synchronous_commit=on`), each held to a share of a core.",
        full: &[],
        quick: SHORT,
    },
    Scenario {
        name: "console",
        title: "Pages of the console",
        about: "Every page of the console with 100,000 rows behind it, and with none, on both engines. Reads only.",
        // Each of 63 pages, empty and full, on two engines: 252 times this.
        full: &["--seconds", "0.5"],
        quick: SHORT,
    },
];

/// As the command line says.
struct Options {
    quick: bool,
    /// What came to its end in the folder of the report is not run again.
    resume: bool,
    out: PathBuf,
    /// The folder of documents that the report is put into as well.
    docs: Option<PathBuf>,
    /// Rounds of every scenario, in place of its own.
    rounds: Option<usize>,
    /// Scenarios; none: all.
    only: Vec<String>,
}

impl Options {
    fn read(words: &[&str]) -> Result<Self> {
        let mut options = Self {
            quick: false,
            resume: false,
            out: "target/bench-report".into(),
            docs: None,
            rounds: None,
            only: vec![],
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match *word {
                "--quick" => options.quick = true,
                "--resume" => options.resume = true,
                "--out" => options.out = value()?.into(),
                "--docs" => options.docs = Some(value()?.into()),
                "--rounds" => options.rounds = Some(value()?.parse().context("--rounds takes a number")?),
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                other => {
                    bail!(
                        "unknown option {other}; --quick, --resume, --rounds N, --out FOLDER, --docs FOLDER, --only {}",
                        names()
                    )
                }
            }
        }
        let unknown = options.only.iter().find(|only| SCENARIOS.iter().all(|scenario| scenario.name != *only));
        ensure!(unknown.is_none(), "no scenario is called {unknown:?}; there are {}", names());
        Ok(options)
    }

    /// Where what came of scenarios is kept, so that one can be measured anew and the others stay: with the documents, if there are any.
    fn kept(&self) -> PathBuf {
        self.docs.as_ref().map_or_else(|| self.out.clone(), |docs| docs.join(FOLDER))
    }

    /// What a scenario is started with.
    fn words(&self, scenario: &Scenario) -> Vec<String> {
        let own = if self.quick { scenario.quick } else { scenario.full };
        let mut words: Vec<String> = own.iter().map(|word| (*word).to_owned()).collect();
        let Some(rounds) = self.rounds.map(|rounds| rounds.to_string()) else { return words };
        match words.iter().position(|word| word == "--rounds") {
            Some(place) => words[place + 1] = rounds,
            None => words.extend(["--rounds".to_owned(), rounds]),
        }
        words
    }

    fn wants(&self, scenario: &Scenario) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == scenario.name)
    }
}

fn names() -> String {
    SCENARIOS.map(|scenario| scenario.name).join(",")
}

/// Runs all that is wanted. A scenario that fails is in the report, and the others still run.
pub fn run(words: &[&str]) -> Result<()> {
    let options = Options::read(words)?;
    fs::create_dir_all(&options.out)?;
    fs::create_dir_all(options.kept())?;
    let versions = versions();
    let mut sections = vec![];
    for scenario in &SCENARIOS {
        let Some(section) = settled(scenario, &options)? else { continue };
        sections.push(section);
        // What is there so far: hours may have passed when something ends the whole.
        let absent = absent(&sections);
        write(&options, |pictures| page(pictures, &versions, &sections, &absent), &sections)?;
    }
    println!("report: {}", options.out.join("report.md").display());
    let failed: Vec<&str> =
        sections.iter().filter(|section| section.failed.is_some()).map(|section| section.name.as_str()).collect();
    ensure!(failed.is_empty(), "these did not come to their end: {}", failed.join(", "));
    Ok(())
}

/// Titles of scenarios of which nothing is known.
fn absent(sections: &[Section]) -> Vec<&'static str> {
    let is_there = |scenario: &&Scenario| sections.iter().any(|section| section.name == scenario.name);
    SCENARIOS.iter().filter(|scenario| !is_there(scenario)).map(|scenario| scenario.title).collect()
}

/// What came of a scenario, now or before; nothing if it is not wanted and never ran.
fn settled(scenario: &Scenario, options: &Options) -> Result<Option<Section>> {
    let file = options.kept().join(format!("{}.json", scenario.name));
    let kept = kept(&file)?;
    if !options.wants(scenario) || (options.resume && kept.as_ref().is_some_and(|kept| kept.failed.is_none())) {
        return Ok(kept);
    }
    println!("== {}", scenario.name);
    let section = section(scenario, options)?;
    fs::write(file, serde_json::to_string_pretty(&section)?)?;
    Ok(Some(section))
}

fn kept(file: &Path) -> Result<Option<Section>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(serde_json::from_str(&text).with_context(|| file.display().to_string())?)),
        Err(_) => Ok(None),
    }
}

fn section(scenario: &Scenario, options: &Options) -> Result<Section> {
    let figures = options.out.join(format!("{}.jsonl", scenario.name));
    let _ = fs::remove_file(&figures);
    let (begun, moment) = (Instant::now(), moment());
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(scenario.name).args(options.words(scenario));
    let (printed, failed) = watch(command.env(FILE_VARIABLE, std::path::absolute(&figures)?))?;
    let figures = read(&figures)?;
    let nothing = (figures.is_empty() && failed.is_none()).then(|| "it told no figures".to_owned());
    Ok(Section {
        name: scenario.name.into(),
        title: scenario.title.into(),
        about: scenario.about.into(),
        moment,
        built: built(),
        machine: machine(&options.out),
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

/// The report beside what it was made from, and as a document with its pictures where that is wished.
fn write(options: &Options, page: impl Fn(Pictures) -> String, sections: &[Section]) -> Result<()> {
    for section in sections {
        fs::write(options.out.join(format!("{}.txt", section.name)), section.printed.join("\n") + "\n")?;
    }
    draw(&options.out, sections)?;
    fs::write(options.out.join("report.md"), page(Pictures::Beside))?;
    if let Some(docs) = &options.docs {
        draw(&docs.join(FOLDER), sections)?;
        fs::write(docs.join("benchmarks.md"), page(Pictures::Below))?;
    }
    Ok(())
}

fn draw(folder: &Path, sections: &[Section]) -> Result<()> {
    for section in sections {
        if let Some(picture) = svg(&section.title, &section.figures) {
            fs::write(folder.join(section.picture()), picture)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_to_its_end_is_kept_and_what_failed_runs_again() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_str().unwrap();
        let options = Options::read(&["--resume", "--out", out, "--only", "start"]).unwrap();
        let section = |name: &str, failed: Option<&str>| Section {
            name: name.into(),
            failed: failed.map(str::to_owned),
            ..Section::default()
        };
        for section in [section("start", None), section("kernel", Some("exit code 1"))] {
            fs::write(folder.path().join(format!("{}.json", section.name)), serde_json::to_string(&section).unwrap())
                .unwrap();
        }
        let failed_of = |name: &str| {
            let scenario = SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap();
            settled(scenario, &options).unwrap().map(|section| section.failed)
        };
        assert_eq!(failed_of("start"), Some(None));
        assert_eq!(failed_of("kernel"), Some(Some("exit code 1".into())), "not wanted now: it stays as it was");
        assert_eq!(failed_of("tasks"), None, "neither wanted nor there");
        let docs = Options::read(&["--docs", out]).unwrap();
        assert_eq!(docs.kept(), folder.path().join(FOLDER), "with the documents, where the next clone finds them");
    }

    #[test]
    fn rounds_that_are_asked_for_stand_in_place_of_a_scenarios_own() {
        let words = |words: &[&str], name: &str| {
            let scenario = SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap();
            Options::read(words).unwrap().words(scenario).join(" ")
        };
        assert_eq!(words(&["--rounds", "5"], "kernel"), "--rounds 5");
        assert_eq!(words(&["--rounds", "5"], "folders"), "--rounds 5");
        assert_eq!(words(&["--rounds", "5", "--quick"], "start"), "--rounds 5");
        assert_eq!(words(&["--quick"], "start"), "--rounds 3");
    }

    #[test]
    fn options_that_nobody_knows_are_refused_by_name() {
        for words in [&["--fast"][..], &["--only", "kernels"], &["--out"], &["--rounds", "many"]] {
            let told = Options::read(words).err().map(|error| error.to_string());
            assert!(told.as_deref().is_some_and(|told| told.contains(words[0]) || told.contains(words[1])), "{told:?}");
        }
    }
}
