//! One small file after another is saved in A: how long until B has it. For rsync and unison a run is started for every save.

use std::fs;
use std::time::Instant;

use anyhow::Result;

use super::content::Noise;
use super::side::{Kind, Side, carried, settle};
use super::table::{Figure, Unit};

const BYTES: usize = 1_000;

pub fn run(kind: Kind, side: &mut dyn Side) -> Result<Vec<Figure>> {
    settle(side)?;
    let mut figures = vec![];
    for (nth, what) in (0_u64..).zip(["a new file", "one that was there"]) {
        let waits_ms = saves(side, kind.saves(), nth)?;
        let at = |hundredth: usize| waits_ms[(waits_ms.len() * hundredth / 100).min(waits_ms.len() - 1)];
        figures
            .push(Figure::new(format!("{what} is saved, until B has it: p50"), Unit::Milliseconds, at(50)).goal(50.0));
        figures.push(Figure::new(format!("{what}: p95"), Unit::Milliseconds, at(95)).goal(150.0));
        settle(side)?;
    }
    Ok(figures)
}

/// Each begins when the one before is there; sorted.
fn saves(side: &mut dyn Side, count: usize, nth: u64) -> Result<Vec<f64>> {
    let mut waits_ms = vec![];
    for number in 0..count {
        let bytes = Noise::new(1_000 * (nth + 1) + number as u64).bytes(BYTES);
        let name = format!("saved-{number:03}.txt");
        let (a, b) = (side.places().a.join(&name), side.places().b.join(&name));
        let begun = Instant::now();
        fs::write(&a, &bytes)?;
        let is_there = || Ok(fs::read(&b).is_ok_and(|held| held == bytes));
        waits_ms.push(carried(side, begun, "what was saved is in B", is_there)? * 1e3);
    }
    waits_ms.sort_by(f64::total_cmp);
    Ok(waits_ms)
}
