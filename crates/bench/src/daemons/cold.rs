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
    let passed = settle(side)?;
    let mut figures =
        vec![Figure::new("10,000 × 4 KiB appear in A, until B has them", Unit::Seconds, seconds).goal(8.0)];
    figures.extend(sent("", passed, None));
    Ok(figures)
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
