//! Figures of one scenario, as a table in Markdown: medians, spread, and how many times ours each peer took.

use std::fmt::Write as _;

use crate::contest::median;
use crate::report;

/// In what something is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Seconds,
    Milliseconds,
    Kibibytes,
    Mebibytes,
    Bytes,
}

impl Unit {
    fn of_report(self) -> report::Unit {
        match self {
            Self::Seconds => report::Unit::Seconds,
            Self::Milliseconds => report::Unit::Milliseconds,
            Self::Kibibytes => report::Unit::Kibibytes,
            Self::Mebibytes => report::Unit::Mebibytes,
            Self::Bytes => report::Unit::Bytes,
        }
    }

    fn text(self, value: f64) -> String {
        match self {
            Self::Seconds => format!("{value:.2} s"),
            Self::Milliseconds => format!("{value:.1} ms"),
            Self::Kibibytes if value >= 10_240.0 => format!("{:.1} MiB", value / 1024.0),
            Self::Kibibytes => format!("{value:.1} KiB"),
            Self::Mebibytes => format!("{value:.0} MiB"),
            Self::Bytes => format!("{value:.0} B"),
        }
    }
}

/// One thing that was measured.
#[derive(Debug, Clone)]
pub struct Figure {
    pub name: String,
    pub unit: Unit,
    pub value: f64,
    /// At most this.
    pub goal: Option<f64>,
}

impl Figure {
    pub fn new(name: impl Into<String>, unit: Unit, value: f64) -> Self {
        Self { name: name.into(), unit, value, goal: None }
    }

    /// For whoever watches the run.
    pub fn told(&self) -> String {
        format!("{} {}", self.name, self.unit.text(self.value))
    }

    pub fn goal(mut self, at_most: f64) -> Self {
        self.goal = Some(at_most);
        self
    }
}

/// All figures of a side, round after round.
pub struct Column {
    pub name: &'static str,
    pub figures: Vec<Figure>,
    /// Why it was left out.
    pub failed: bool,
}

impl Column {
    fn of(&self, name: &str) -> Vec<f64> {
        self.figures.iter().filter(|figure| figure.name == name).map(|figure| figure.value).collect()
    }
}

/// Rows as figures of the report.
pub fn tell(scenario: &str, columns: &[Column]) {
    for row in rows(columns) {
        let told = report::Figure::new(format!("{scenario}: {}", row.name), row.unit.of_report());
        let told = columns.iter().fold(told, |told, column| told.side(column.name, &column.of(&row.name)));
        row.goal.map_or(told.clone(), |goal| told.goal(goal)).tell();
    }
}

/// One figure of each name, in the order in which they were told.
fn rows(columns: &[Column]) -> Vec<&Figure> {
    let mut rows: Vec<&Figure> = vec![];
    for figure in columns.iter().flat_map(|column| &column.figures) {
        if !rows.iter().any(|row| row.name == figure.name) {
            rows.push(figure);
        }
    }
    rows
}

/// The table; the first column is the one that the others are compared with, and whose goals they are.
pub fn table(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let mut text = format!("| | goal | {} |\n|---|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    for row in rows(columns) {
        let goal = row.goal.map(|goal| row.unit.text(goal)).unwrap_or_default();
        let first = columns.first().map(|column| median(&column.of(&row.name)));
        let cells: Vec<String> =
            columns.iter().enumerate().map(|(place, column)| cell(column, row, first.filter(|_| place > 0))).collect();
        // Writing into a text does not fail.
        let _ = writeln!(text, "| {} | {goal} | {} |", row.name, cells.join(" | "));
    }
    text
}

/// `first` is what it is compared with; none: it is the first, and its goals count.
fn cell(column: &Column, row: &Figure, first: Option<f64>) -> String {
    let values = column.of(&row.name);
    if values.is_empty() {
        return if column.failed { "not reached".to_owned() } else { "–".to_owned() };
    }
    let (low, high) =
        values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    let middle = median(&values);
    let spread = format!("{} [{} – {}]", row.unit.text(middle), bare(row.unit, low), bare(row.unit, high));
    let spread = if values.len() == 1 { row.unit.text(middle) } else { spread };
    match first {
        Some(first) if first > 0.0 => format!("{spread} ({:.2}×)", middle / first),
        Some(_) => spread,
        None if row.goal.is_some_and(|goal| middle > goal) => format!("**{spread}**"),
        None => spread,
    }
}

/// Without its unit.
fn bare(unit: Unit, value: f64) -> String {
    let text = unit.text(value);
    text.split_once(' ').map_or(text.clone(), |(number, _)| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_medians_their_spread_and_how_many_times_ours_a_peer_took() {
        let of = |values: &[f64]| {
            values.iter().map(|value| Figure::new("cold", Unit::Seconds, *value).goal(8.0)).collect::<Vec<_>>()
        };
        let columns = [
            Column { name: "ours", figures: of(&[10.0, 9.0, 11.0]), failed: false },
            Column { name: "rsync", figures: of(&[5.0]), failed: false },
            Column { name: "unison", figures: vec![], failed: true },
        ];
        let wanted = "| | goal | ours | rsync | unison |\n|---|---|---|---|---|\n\
                      | cold | 8.00 s | **10.00 s [9.00 – 11.00]** | 5.00 s (0.50×) | not reached |\n";
        assert_eq!(table(&columns), wanted);
        let nothing = [
            Column { name: "ours", figures: of(&[0.0]), failed: false },
            Column { name: "rsync", figures: of(&[9.0]), failed: false },
        ];
        assert!(table(&nothing).ends_with("| 0.00 s | 9.00 s |\n"), "{}", table(&nothing));
    }
}
