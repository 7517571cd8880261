//! The report as Markdown.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::figure::{Figure, Measured};
use super::plot::is_drawn;

/// What came of a scenario.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Section {
    pub name: String,
    pub title: String,
    /// What it measures, of whom, and what each side promises about durability.
    pub about: String,
    /// When it began, and how busy the machine was.
    pub moment: String,
    /// Which build of ours it was.
    pub built: String,
    /// What it was measured on.
    #[serde(default)]
    pub machine: String,
    pub figures: Vec<Figure>,
    /// What it printed, line by line.
    pub printed: Vec<String>,
    /// Why it is not whole.
    pub failed: Option<String>,
    pub seconds: f64,
}

impl Section {
    /// Lines that say what could not be run, and why.
    fn missing(&self) -> impl Iterator<Item = &str> {
        self.printed
            .iter()
            .map(|line| line.trim())
            .filter(|line| line.contains("not run, ") || line.contains("left out, "))
    }

    /// The disk's own sync times while it ran: the first and the last of what it asked.
    fn syncs(&self) -> String {
        let all: Vec<&str> = self.printed.iter().filter_map(|line| line.strip_prefix("disk: ")).collect();
        match all.as_slice() {
            [] => "not asked".to_owned(),
            [one] => (*one).to_owned(),
            [first, .., last] => format!("{first} at the beginning, {last} at the end"),
        }
    }

    /// The name of its picture.
    pub fn picture(&self) -> String {
        format!("{}.svg", self.name)
    }
}

/// Where the pictures lie, as seen from the page.
#[derive(Clone, Copy)]
pub enum Pictures {
    /// With the page and with what scenarios printed.
    Beside,
    /// In the documents' folder of pictures.
    Below,
}

/// The folder of what scenarios came to and of their pictures, in that of the documents.
pub const FOLDER: &str = "benchmarks";

impl Pictures {
    fn path(self, picture: &str) -> String {
        match self {
            Self::Beside => picture.to_owned(),
            Self::Below => format!("{FOLDER}/{picture}"),
        }
    }
}

type Pairs = [(&'static str, String)];

/// What a reader must know before the first figure.
const ABOUT: &str = "\
Every figure is the median of its rounds `[lowest – highest]`. Our work and a peer's take turns, round after round, on the same machine, the same disk and the
same minutes, so that the factors count more than the figures; figures of scenarios that were measured on different machines tell nothing of each other. *Ours is better by* is how many times as much of a rate, or as little of a time or a size; below
1 the peer is ahead. Dashed lines in plots are goals. Durability is said for each scenario; the disk's own sync time stands beside each.

Made by the program itself; what limits us where a goal is missed, what was tried, and earlier runs are in [Notes on benchmarks](benchmarks-notes.md).

```sh not-run: takes more than an hour and a machine that nobody else uses
sudo apt install syncthing rsync unison nodejs npm python3-pip redis-server binutils
cargo build --release --locked -p fastness -p bench
cargo xtask services run -- target/release/bench all --docs docs
```

";

/// The whole report, with the titles of what is not in it.
pub fn page(pictures: Pictures, versions: &Pairs, sections: &[Section], absent: &[&str]) -> String {
    let mut text = format!("# Benchmarks\n\n{ABOUT}");
    text.push_str(&machines(sections));
    // Writing into a text does not fail.
    let _ = writeln!(text, "| measured with | |\n|---|---|");
    for (name, value) in versions {
        let _ = writeln!(text, "| {name} | {} |", cell(value));
    }
    text.push('\n');
    if !absent.is_empty() {
        let absent = absent.join("; ");
        let _ = writeln!(text, "**Not in it yet:** {absent}. Earlier figures of these are in the notes.\n");
    }
    text.push_str(&goals(sections));
    for section in sections {
        add(&mut text, section, pictures);
    }
    text.trim_end().to_owned() + "\n"
}

/// Each machine with what was measured on it: scenarios are measured anew one by one, and not always on the same.
fn machines(sections: &[Section]) -> String {
    let mut text = String::from("| measured on | |\n|---|---|\n");
    let mut told: Vec<&str> = vec![];
    for Section { machine, .. } in sections {
        if told.contains(&machine.as_str()) {
            continue;
        }
        told.push(machine);
        let same = sections.iter().filter(|section| section.machine == *machine);
        let names: Vec<&str> = same.map(|section| section.name.as_str()).collect();
        let _ = writeln!(text, "| {} | {} |", cell(machine), names.join(", "));
    }
    text.push('\n');
    text
}

/// Every goal at one glance.
fn goals(sections: &[Section]) -> String {
    let mut text = String::from("## Goals\n\n| | goal | ours | |\n|---|---|---|---|\n");
    for section in sections {
        for figure in &section.figures {
            let (Some(goal), Some(ours), Some(reached)) = (figure.goal, figure.sides.first(), figure.is_reached())
            else {
                continue;
            };
            let (word, goal) = (if reached { "reached" } else { "**missed**" }, figure.unit.text(goal));
            let (name, what) = (&section.name, cell(&figure.what));
            let _ = writeln!(text, "| {name}: {what} | {goal} | {} | {word} |", told(figure, ours));
        }
    }
    text.push('\n');
    text
}

fn add(text: &mut String, section: &Section, pictures: Pictures) {
    let _ = writeln!(text, "## {}\n\n{}\n", section.title, section.about);
    if let Some(failed) = &section.failed {
        let _ = writeln!(text, "**It did not come to its end:** {}\n", cell(failed));
    }
    let printed = match pictures {
        Pictures::Beside => format!("; all that it printed: [{name}.txt]({name}.txt)", name = section.name),
        Pictures::Below => String::new(),
    };
    let Section { moment, built, machine, seconds, .. } = section;
    let _ = writeln!(text, "{moment}; {built}; {}; {seconds:.0} s; {}{printed}.\n", cell(machine), section.syncs());
    let missing: Vec<String> = section.missing().map(|line| format!("- {}\n", cell(line))).collect();
    if !missing.is_empty() {
        let _ = writeln!(text, "{}", missing.concat());
    }
    if section.figures.iter().any(is_drawn) {
        let _ = writeln!(text, "![{}]({})\n", section.title, pictures.path(&section.picture()));
    }
    table(text, &section.figures);
}

/// One line for each side of each figure; what is measured stands before the first.
fn table(text: &mut String, figures: &[Figure]) {
    text.push_str("| | side | median [lowest – highest] | ours is better by |\n|---|---|---|---|\n");
    for figure in figures {
        for (place, side) in figure.sides.iter().enumerate() {
            let what = if place == 0 { cell(&figure.what) } else { String::new() };
            let factor = figure.factor(side).filter(|_| place > 0);
            let factor = factor.map(|factor| format!("{factor:.2} ×")).unwrap_or_default();
            let _ = writeln!(text, "| {what} | {} | {} | {factor} |", cell(&side.name), told(figure, side));
        }
    }
    text.push('\n');
}

fn told(figure: &Figure, side: &Measured) -> String {
    let ((low, high), middle) = (side.spread(), figure.unit.text(side.median()));
    if side.rounds.len() < 2 {
        return middle;
    }
    format!("{middle} [{} – {}]", figure.unit.bare(low), figure.unit.bare(high))
}

/// Whatever it is, it stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::super::figure::Unit;
    use super::*;

    fn section() -> Section {
        let figure = Figure::new("messages in", Unit::PerSecond)
            .side("ours", &[90.0, 110.0, 95.0])
            .side("NATS", &[50.0])
            .goal(100.0);
        let printed = [
            "disk: fdatasync p50 140 µs, p99 300 µs",
            "disk: fdatasync p50 1 µs, p99 1 µs",
            "RabbitMQ: not run, no | broker",
            "disk: fdatasync p50 150 µs, p99 310 µs",
        ];
        Section {
            name: "exchange".into(),
            title: "Exchange (EXC-26)".into(),
            about: "Messages.".into(),
            moment: "2026-11-18 12:00 UTC, load 0.10".into(),
            built: "Fastness 0.1.0 (release build) abc".into(),
            machine: "EPYC, 2 cores".into(),
            figures: vec![figure],
            printed: printed.map(str::to_owned).into(),
            failed: Some("exit code 1".into()),
            seconds: 3.0,
        }
    }

    #[test]
    fn a_report_says_what_was_measured_what_was_missed_and_what_could_not_be_run() {
        let elsewhere =
            |name: &str| Section { name: name.into(), machine: "Xeon, 2 cores".into(), ..Section::default() };
        let sections = [section(), elsewhere("start"), elsewhere("nodes")];
        let page = page(Pictures::Below, &[("Fastness", "0.1.0".into())], &sections, &["Tasks", "Folders"]);
        for said in [
            "| EPYC, 2 cores | exchange |",
            "| Xeon, 2 cores | start, nodes |",
            "**Not in it yet:** Tasks; Folders. Earlier",
            "| Fastness | 0.1.0 |",
            "| exchange: messages in | 100/s | 95.0/s [90.0 – 110] | **missed** |",
            "**It did not come to its end:** exit code 1",
            "2026-11-18 12:00 UTC, load 0.10; Fastness 0.1.0 (release build) abc; EPYC, 2 cores; 3 s; fdatasync p50 140 µs, p99 300 µs at the beginning, fdatasync p50 150 µs, p99 310 µs at the end.",
            "- RabbitMQ: not run, no \\| broker",
            "![Exchange (EXC-26)](benchmarks/exchange.svg)",
            "| messages in | ours | 95.0/s [90.0 – 110] |  |",
            "|  | NATS | 50.0/s | 1.90 × |",
        ] {
            assert!(page.contains(said), "no `{said}` in\n{page}");
        }
    }
}
