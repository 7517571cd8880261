//! The folder that holds ten thousand files gets another name.

use std::time::Instant;

use anyhow::Result;

use super::cold::{TREE, appear};
use super::content::{Arrival, check_same};
use super::sent;
use super::side::{Kind, Side, carried, settle};
use super::table::{Figure, Unit};

pub fn run(_: Kind, side: &mut dyn Side) -> Result<Vec<Figure>> {
    appear(side, TREE, "tree")?;
    settle(side)?;
    let (a, b) = (side.places().a.clone(), side.places().b.clone());
    let (old, new) = (b.join("tree"), b.join("renamed"));
    let mut arrival = Arrival::new(TREE, &new);
    let begun = Instant::now();
    std::fs::rename(a.join("tree"), a.join("renamed"))?;
    let is_there = || Ok(arrival.is_whole()? && !old.exists());
    let seconds = carried(side, begun, "the folder has its new name in B", is_there)?;
    check_same(&a.join("renamed"), &new)?;
    let passed = settle(side)?;
    let mut figures =
        vec![Figure::new("a folder with 10,000 files is renamed, until B has it so", Unit::Seconds, seconds).goal(0.5)];
    figures.extend(sent("", passed, Some(16.0)));
    Ok(figures)
}
