//! What was measured, in one form for all scenarios.

use std::fs::OpenOptions;
use std::io::Write as _;

use serde::{Deserialize, Serialize};

use crate::contest::median;

/// Names the file that figures are added to, a line each; without it nothing is kept.
pub const FILE_VARIABLE: &str = "FASTNESS_BENCH_FIGURES";

/// In what something is measured, and whether more of it is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    PerSecond,
    MebibytesPerSecond,
    Microseconds,
    Milliseconds,
    Seconds,
    Bytes,
    Kibibytes,
    Mebibytes,
    Percent,
}

impl Unit {
    /// Whether more is better.
    pub fn is_rate(self) -> bool {
        matches!(self, Self::PerSecond | Self::MebibytesPerSecond | Self::Percent)
    }

    fn word(self) -> &'static str {
        match self {
            Self::PerSecond => "/s",
            Self::MebibytesPerSecond => " MiB/s",
            Self::Microseconds => " µs",
            Self::Milliseconds => " ms",
            Self::Seconds => " s",
            Self::Bytes => " B",
            Self::Kibibytes => " KiB",
            Self::Mebibytes => " MiB",
            Self::Percent => " %",
        }
    }

    /// A value with its unit.
    pub fn text(self, value: f64) -> String {
        format!("{}{}", self.bare(value), self.word())
    }

    /// A value alone: three digits of it, and separators in large ones.
    pub fn bare(self, value: f64) -> String {
        match value.abs() {
            size if size >= 1_000.0 => grouped(value),
            size if size >= 100.0 => format!("{value:.0}"),
            size if size >= 10.0 => format!("{value:.1}"),
            _ => format!("{value:.2}"),
        }
    }
}

fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{sign}{text}")
}

/// What one side came to, round by round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    pub name: String,
    pub rounds: Vec<f64>,
}

impl Measured {
    pub fn median(&self) -> f64 {
        median(&self.rounds)
    }

    /// The lowest and the highest round.
    pub fn spread(&self) -> (f64, f64) {
        self.rounds.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)))
    }
}

/// One thing that was measured of us, and of others in the same run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub what: String,
    pub unit: Unit,
    /// The first is ours, and the one that others are compared with.
    pub sides: Vec<Measured>,
    pub goal: Option<f64>,
}

impl Figure {
    pub fn new(what: impl Into<String>, unit: Unit) -> Self {
        Self { what: what.into(), unit, sides: vec![], goal: None }
    }

    /// What a side came to; one without any round is left out.
    pub fn side(mut self, name: impl Into<String>, rounds: &[f64]) -> Self {
        let rounds: Vec<f64> = rounds.iter().copied().filter(|value| value.is_finite()).collect();
        if !rounds.is_empty() {
            self.sides.push(Measured { name: name.into(), rounds });
        }
        self
    }

    /// At least this of a rate, at most this of anything else.
    pub fn goal(self, goal: f64) -> Self {
        Self { goal: Some(goal), ..self }
    }

    /// Whether ours is as it should be.
    pub fn is_reached(&self) -> Option<bool> {
        let (goal, ours) = (self.goal?, self.sides.first()?.median());
        Some(if self.unit.is_rate() { ours >= goal } else { ours <= goal })
    }

    /// How many times better ours is than this side.
    pub fn factor(&self, side: &Measured) -> Option<f64> {
        let (ours, theirs) = (self.sides.first()?.median(), side.median());
        let factor = if self.unit.is_rate() { ours / theirs } else { theirs / ours };
        factor.is_finite().then_some(factor)
    }

    /// Adds it to the file of the report, if there is to be one.
    pub fn tell(&self) {
        let Ok(path) = std::env::var(FILE_VARIABLE) else { return };
        let line = serde_json::to_string(self).unwrap_or_default() + "\n";
        let told = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(line.as_bytes()));
        if let Err(error) = told {
            eprintln!("bench: {path}: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_better_when_higher_and_times_when_lower() {
        let figure = |unit| Figure::new("x", unit).side("ours", &[10.0, 20.0, 12.0]).side("theirs", &[24.0]).goal(12.0);
        let (rate, time) = (figure(Unit::PerSecond), figure(Unit::Seconds));
        assert_eq!((rate.factor(&rate.sides[1]), rate.is_reached()), (Some(0.5), Some(true)));
        assert_eq!((time.factor(&time.sides[1]), time.is_reached()), (Some(2.0), Some(true)));
        assert_eq!(figure(Unit::Seconds).goal(11.0).is_reached(), Some(false));
        assert_eq!(rate.sides[0].spread(), (10.0, 20.0));
    }

    #[test]
    fn values_have_three_digits_and_their_unit() {
        assert_eq!(Unit::PerSecond.text(1_234_567.2), "1,234,567/s");
        assert_eq!(Unit::Milliseconds.text(12.34), "12.3 ms");
        assert_eq!(Unit::Seconds.text(0.456), "0.46 s");
        assert_eq!(Unit::Bytes.text(-1_000.0), "-1,000 B");
    }
}
