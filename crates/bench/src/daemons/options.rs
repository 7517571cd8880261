//! What is measured, of whom, and how often.

use anyhow::{Result, bail, ensure};

use super::side::Kind;

/// As the command line says.
pub struct Options {
    pub rounds: usize,
    /// Scenarios; none: all.
    only: Vec<String>,
    /// Sides; none: all.
    sides: Vec<String>,
}

impl Options {
    pub fn read(words: &[&str]) -> Result<Self> {
        let mut options = Self { rounds: 3, only: vec![], sides: vec![] };
        let list = |value: &str| value.split(',').map(str::to_owned).collect::<Vec<_>>();
        for pair in words.chunks(2) {
            match pair {
                ["--rounds", value] => options.rounds = value.parse()?,
                ["--only", value] => options.only = list(value),
                ["--sides", value] => options.sides = list(value),
                other => bail!(
                    "unknown option {other:?}; --rounds N, --only {:?}, --sides ours,syncthing,rsync,unison",
                    super::names()
                ),
            }
        }
        let is_known = |name: &String| super::names().contains(&name.as_str());
        ensure!(options.only.iter().all(is_known), "--only takes {:?}", super::names());
        let is_side = |name: &String| Kind::ALL.iter().any(|kind| kind.word() == name);
        ensure!(options.sides.iter().all(is_side), "--sides takes ours, syncthing, rsync and unison");
        Ok(options)
    }

    pub fn has_scenario(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    pub fn has_side(&self, kind: Kind) -> bool {
        self.sides.is_empty() || self.sides.iter().any(|side| side == kind.word())
    }
}
