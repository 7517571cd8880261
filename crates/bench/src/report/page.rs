//! The report as Markdown.

use std::fmt::Write as _;

use super::figure::{Figure, Measured};

/// What came of a scenario.
pub struct Section {
    pub name: &'static str,
    /// What it measures, of whom, and what each side promises about durability.
    pub about: &'static str,
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

    /// The disk's own sync times while it ran.
    fn syncs(&self) -> Vec<&str> {
        self.printed.iter().filter_map(|line| line.strip_prefix("disk: ")).collect()
    }

    /// The name of the picture of a figure.
    pub fn picture(&self, place: usize) -> String {
        format!("{}-{:02}.svg", self.name, place + 1)
    }
}

type Pairs = [(&'static str, String)];

/// The whole report.
pub fn page(command: &str, machine: &Pairs, versions: &Pairs, sections: &[Section]) -> String {
    let mut text = format!(
        "# Benchmarks\n\nMade by `{command}`. Each figure is the median of its rounds [lowest – highest]; sides take turns in every round.\n\n"
    );
    let pairs = |text: &mut String, title: &str, pairs: &Pairs| {
        // Writing into a text does not fail.
        let _ = writeln!(text, "| {title} | |\n|---|---|");
        for (name, value) in pairs {
            let _ = writeln!(text, "| {name} | {} |", cell(value));
        }
        text.push('\n');
    };
    pairs(&mut text, "machine", machine);
    pairs(&mut text, "versions", versions);
    text.push_str(&goals(sections));
    for section in sections {
        add(&mut text, section);
    }
    text
}

/// Every goal at one glance.
fn goals(sections: &[Section]) -> String {
    let mut text = String::from("## Goals\n\n| | goal | ours | |\n|---|---|---|---|\n");
    for section in sections {
        for figure in section.figures.iter().filter(|figure| figure.goal.is_some()) {
            let (Some(goal), Some(ours), Some(reached)) = (figure.goal, figure.sides.first(), figure.is_reached())
            else {
                continue;
            };
            let word = if reached { "reached" } else { "**missed**" };
            let goal = figure.unit.text(goal);
            let _ = writeln!(
                text,
                "| {}: {} | {goal} | {} | {word} |",
                section.name,
                cell(&figure.what),
                told(figure, ours)
            );
        }
    }
    text.push('\n');
    text
}

fn add(text: &mut String, section: &Section) {
    let _ = writeln!(text, "## {}\n\n{}\n", section.name, section.about);
    if let Some(failed) = &section.failed {
        let _ = writeln!(text, "**It did not come to its end:** {}\n", cell(failed));
    }
    for line in section.missing() {
        let _ = writeln!(text, "- {}", cell(line));
    }
    let syncs = section.syncs().join("; then ");
    let _ = writeln!(
        text,
        "\n{:.0} s; disk: {}; all that it printed: [{name}.txt]({name}.txt)\n",
        section.seconds,
        if syncs.is_empty() { "not asked" } else { &syncs },
        name = section.name
    );
    for (place, figure) in section.figures.iter().enumerate() {
        let _ = writeln!(text, "![{}]({})\n", cell(&figure.what), section.picture(place));
        let _ = writeln!(text, "| {} | median [spread] | ours is better by |\n|---|---|---|", cell(&figure.what));
        for (place, side) in figure.sides.iter().enumerate() {
            let factor =
                figure.factor(side).filter(|_| place > 0).map(|factor| format!("{factor:.2} ×")).unwrap_or_default();
            let _ = writeln!(text, "| {} | {} | {factor} |", cell(&side.name), told(figure, side));
        }
        text.push('\n');
    }
}

fn told(figure: &Figure, side: &Measured) -> String {
    let ((low, high), middle) = (side.spread(), figure.unit.text(side.median()));
    if side.rounds.len() < 2 {
        return middle;
    }
    format!("{middle} [{} – {}] of {}", figure.unit.bare(low), figure.unit.bare(high), side.rounds.len())
}

/// Whatever it is, it stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::super::figure::Unit;
    use super::*;

    #[test]
    fn a_report_says_what_was_measured_what_was_missed_and_what_could_not_be_run() {
        let figure = Figure::new("messages in", Unit::PerSecond)
            .side("ours", &[90.0, 110.0, 95.0])
            .side("NATS", &[50.0])
            .goal(100.0);
        let printed =
            ["RabbitMQ: not run, no | broker", "disk: fdatasync p50 140 µs, p99 300 µs"].map(str::to_owned).into();
        let section = Section {
            name: "exchange",
            about: "Messages.",
            figures: vec![figure],
            printed,
            failed: Some("exit code 1".into()),
            seconds: 3.0,
        };
        let page = page("bench all", &[("cores", "2".into())], &[("Fastness", "0.1.0".into())], &[section]);
        for said in [
            "| cores | 2 |",
            "| exchange: messages in | 100/s | 95.0/s [90.0 – 110] of 3 | **missed** |",
            "**It did not come to its end:** exit code 1",
            "- RabbitMQ: not run, no \\| broker",
            "disk: fdatasync p50 140 µs, p99 300 µs",
            "![messages in](exchange-01.svg)",
            "| NATS | 50.0/s | 1.90 × |",
        ] {
            assert!(page.contains(said), "no `{said}` in\n{page}");
        }
    }
}
