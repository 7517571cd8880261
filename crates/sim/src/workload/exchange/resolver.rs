//! Whoever finds out what became of processes whose outcome is unknown (EXC-20): by the marker in the database, at any time; or, where
//! databases write none, a person, once no connector is at it any more.

use exchange::process::{RESOLVE, Resolve};

use super::cuts::Step;
use super::erp::Connector;
use super::judge;
use super::known::Known;
use super::line::{Heard, Line};
use crate::sim::{Asker, News, Sim};

/// The resolver: what it wants said of which process.
pub(super) struct Resolver {
    line: Line,
    open: Option<Resolve>,
}

impl Resolver {
    pub(super) fn new(line: Line) -> Self {
        Self { line, open: None }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.open.is_none()
    }

    pub(super) fn act(&mut self, asker: Asker, connectors: &[Connector], known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) {
            return;
        }
        self.line.give_up(known, sim);
        if self.open.is_none() {
            self.open = self.find(connectors, known, sim);
        }
        match self.open.clone() {
            Some(input) => self.line.ask(Step::Resolve, &RESOLVE, input, None, known, sim),
            None => {
                let pause_us = if known.calm { 2_000_000 } else { sim.rng.within(5_000_000, 60_000_000) };
                self.line.rest(pause_us, sim);
            }
        }
    }

    fn find(&self, connectors: &[Connector], known: &mut Known, sim: &Sim) -> Option<Resolve> {
        let unknown = sim.look(judge::unknown).and_then(Result::ok).unwrap_or_default();
        let is_free = |process: &str| known.marker || !connectors.iter().any(|connector| connector.has(process));
        let (process, db) = unknown.into_iter().find(|(process, _)| is_free(process))?;
        let committed = known.books[Known::database(&db)?].outcome(&process);
        Some(Resolve { process, committed })
    }

    pub(super) fn hear(&mut self, asker: Asker, news: News, known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) || !self.line.is_open() {
            return;
        }
        match self.line.heard(news, known, sim) {
            Heard::Said(_) => {
                known.answers += 1;
                known.settled.extend(self.open.take().map(|resolve| resolve.process));
            }
            // The database told it meanwhile; that it told the same is seen at the end.
            Heard::Refused(error) if error.code.name == "APROCESS" => self.open = None,
            Heard::Refused(error) => known.wrong(format!("resolve was refused: {error:?}")),
            Heard::Nothing => {}
        }
        let pause_us = sim.rng.within(100_000, 2_000_000);
        self.line.rest(pause_us, sim);
    }
}
