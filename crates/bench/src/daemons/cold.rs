//! Ten thousand small files appear in A: until B has all of them.

use std::time::Instant;

use anyhow::Result;

use super::content::{Arrival, Tree, check_same};
use super::side::{Kind, Side, carried, settle};
use super::table::{Figure, Unit};
use super::{FILES, sent};

pub const TREE: Tree = Tree { files: FILES, bytes: 4_096, seed: 1 };

pub fn run(_: Kind, side: &mut dyn Side) -> Result<Vec<Figure>> {
    settle(side)?;
    let seconds = appear(side, TREE, "tree")?;
    let after_ms = save_one(side)?;
    let passed = settle(side)?;
    let mut figures =
        vec![Figure::new("10,000 × 4 KiB appear in A, until B has them", Unit::Seconds, seconds).goal(8.0)];
    figures.push(Figure::new("a small file that is saved right then, until B has it", Unit::Milliseconds, after_ms));
    figures.extend(sent("", passed, None));
    Ok(figures)
}

/// Whether a side that has just carried much takes notice of what comes next.
fn save_one(side: &mut dyn Side) -> Result<f64> {
    let (a, b) = (side.places().a.join("next.txt"), side.places().b.join("next.txt"));
    let begun = Instant::now();
    std::fs::write(a, "next")?;
    let is_there = || Ok(std::fs::read(&b).is_ok_and(|held| held == b"next"));
    Ok(carried(side, begun, "what was saved next is in B", is_there)? * 1e3)
}

/// A tree is written beside A and moved into it, so that all of it appears at once; seconds until B has it.
pub fn appear(side: &mut dyn Side, tree: Tree, name: &str) -> Result<f64> {
    let prepared = side.places().aside(name);
    tree.write(&prepared)?;
    let (a, b) = (side.places().a.join(name), side.places().b.join(name));
    let mut arrival = Arrival::new(tree, &b);
    let begun = Instant::now();
    std::fs::rename(&prepared, &a)?;
    let seconds = carried(side, begun, "all files are in B", || arrival.is_whole())?;
    check_same(&a, &b)?;
    Ok(seconds)
}
