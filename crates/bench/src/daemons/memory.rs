//! Memory of every process with ten thousand files, and what further ones take.

use anyhow::Result;

use super::FILES;
use super::cold::appear;
use super::content::Tree;
use super::side::{Kind, Side, settle};
use super::table::{Figure, Unit};

/// Files that come later.
const FURTHER: usize = 40_000;
const MIB: f64 = 1_048_576.0;

pub fn run(_: Kind, side: &mut dyn Side) -> Result<Vec<Figure>> {
    appear(side, Tree { files: FILES, bytes: 16, seed: 5 }, "first")?;
    settle(side)?;
    let mut figures = seen(side, "10,000 files just came", Some(150.0))?;
    side.restart()?;
    settle(side)?;
    let before = resident(side)?;
    figures.extend(seen(side, "10,000 files, started again", Some(150.0))?);
    appear(side, Tree { files: FURTHER, bytes: 16, seed: 6 }, "further")?;
    settle(side)?;
    figures.extend(seen(side, "50,000 files just came", None)?);
    side.restart()?;
    settle(side)?;
    for ((name, now_mib), (_, before_mib)) in resident(side)?.into_iter().zip(before) {
        let bytes = (now_mib - before_mib) * MIB / FURTHER as f64;
        figures.push(Figure::new(format!("{name}: a further file, started again"), Unit::Bytes, bytes).goal(400.0));
    }
    Ok(figures)
}

fn resident(side: &dyn Side) -> Result<Vec<(&'static str, f64)>> {
    side.processes().iter().map(|process| Ok((process.name, process.memory()?.resident_mib))).collect()
}

fn seen(side: &dyn Side, when: &str, goal_mib: Option<f64>) -> Result<Vec<Figure>> {
    let mut figures = vec![];
    let most = |name: &str, mib| {
        let figure = Figure::new(format!("{name}: {when}, at most"), Unit::Mebibytes, mib);
        goal_mib.map_or(figure.clone(), |goal| figure.goal(goal))
    };
    for process in side.processes() {
        let (memory, name) = (process.memory()?, process.name);
        let figure = |what: &str, mib| Figure::new(format!("{name}: {when}, {what}"), Unit::Mebibytes, mib);
        figures.push(most(name, memory.highest_mib));
        figures.push(figure("resident", memory.resident_mib));
        figures.push(figure("by its share", process.proportional_mib()?));
    }
    figures.extend(side.ended().into_iter().map(|(name, mib)| most(name, mib)));
    Ok(figures)
}
