//! The harness: sides of one contest run in turn, round after round; the first is the one that others are compared with.

use std::time::Duration;

use anyhow::Result;

use crate::report::{Figure, Unit};

/// How long and how often.
pub struct Effort {
    /// Time of one side in one round.
    pub side: Duration,
    /// Rounds.
    pub rounds: usize,
    /// Only contests whose name contains this.
    pub only: String,
}

/// One side: gives its rate in operations per second.
pub struct Side<'a> {
    pub name: &'static str,
    pub run: Box<dyn FnMut(Duration) -> Result<f64> + 'a>,
}

impl<'a> Side<'a> {
    pub fn new(name: &'static str, run: impl FnMut(Duration) -> Result<f64> + 'a) -> Self {
        Self { name, run: Box::new(run) }
    }
}

/// Runs the sides alternating and prints a line for each.
pub fn contest(effort: &Effort, name: &str, mut sides: Vec<Side<'_>>) -> Result<()> {
    if !name.contains(&effort.only) {
        return Ok(());
    }
    let mut rates = vec![Vec::new(); sides.len()];
    for _ in 0..effort.rounds {
        for (side, rates) in sides.iter_mut().zip(&mut rates) {
            rates.push((side.run)(effort.side)?);
        }
    }
    println!("\n{name}");
    let told = sides
        .iter()
        .zip(&rates)
        .fold(Figure::new(name, Unit::PerSecond), |told, (side, rates)| told.side(side.name, rates));
    told.tell();
    let ours = median(&rates[0]);
    for (side, rates) in sides.iter().zip(&rates) {
        print_side(side.name, rates, ours);
    }
    Ok(())
}

fn print_side(name: &str, rates: &[f64], ours: f64) {
    let (low, high) = rates.iter().fold((f64::MAX, 0f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
    let middle = median(rates);
    println!("  {name:<44} {middle:>10.0}/s  [{low:.0} – {high:.0}]   ours is {:>6.2} × this", ours / middle);
}

/// The middle of some figures.
pub fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
