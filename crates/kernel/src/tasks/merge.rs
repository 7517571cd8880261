//! A walk along several indexes at once, in the order of the ids: what people made is found among any number of chores.

use std::collections::VecDeque;

use base::{Id, StoreResult, Tx, Value};

use super::list::Order;
use super::walk::{Seen, Ways, along};

/// Tasks that are read of one source at once.
const PORTION: usize = 25;

/// One index, walked along.
pub(super) struct Source {
    ways: &'static Ways,
    entered_by: Vec<Value<'static>>,
    place: Option<Id>,
    ahead: VecDeque<Seen>,
    is_over: bool,
}

impl Source {
    pub(super) fn new(ways: &'static Ways, entered_by: Vec<Value<'static>>, place: Option<Id>) -> Self {
        Self { ways, entered_by, place, ahead: VecDeque::new(), is_over: false }
    }

    fn first(&mut self, tx: &mut dyn Tx, order: Order) -> StoreResult<Option<Id>> {
        if self.ahead.is_empty() && !self.is_over {
            let read = along(tx, self.ways, &self.entered_by, (order, self.place, PORTION))?;
            self.is_over = read.len() < PORTION;
            self.place = read.last().map(|seen| seen.id).or(self.place);
            self.ahead = read.into();
        }
        Ok(self.ahead.front().map(|seen| seen.id))
    }
}

/// The next tasks of all sources, each once.
pub(super) fn next(tx: &mut dyn Tx, sources: &mut [Source], order: Order, size: usize) -> StoreResult<Vec<Seen>> {
    let mut merged: Vec<Seen> = vec![];
    while merged.len() < size {
        let mut firsts = vec![];
        for source in sources.iter_mut() {
            firsts.push(source.first(tx, order)?);
        }
        let next = match order {
            Order::Oldest => firsts.iter().flatten().min(),
            Order::Newest => firsts.iter().flatten().max(),
        };
        let Some(next) = next.copied() else { break };
        let of_next = sources.iter_mut().zip(&firsts).filter(|(_, first)| **first == Some(next));
        let mut same: Vec<Seen> = of_next.filter_map(|(source, _)| source.ahead.pop_front()).collect();
        merged.extend(same.pop());
    }
    Ok(merged)
}
