//! A graph as it is kept.

use std::collections::BTreeMap;

use base::{Heard, OpError, OpResult, codes};
use serde::{Deserialize, Serialize};

use super::numbers::{runs, set};
use super::{Graph, Item};

type Runs = Vec<(i64, i64)>;

#[derive(Serialize, Deserialize)]
struct Kept {
    next: i64,
    /// Runs of tasks that are ready since the same time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ready: Vec<(i64, i64, i64)>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    waits: BTreeMap<i64, Runs>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    broken: Runs,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    done: Runs,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    same: BTreeMap<i64, i64>,
}

impl Graph {
    /// As it is kept.
    #[must_use]
    pub fn text(&self) -> String {
        let broken = self.open.iter().filter(|(_, item)| item.broken).map(|(number, _)| *number);
        let waiting = self.open.iter().filter(|(_, item)| item.ready.is_none());
        let kept = Kept {
            next: self.next,
            ready: ready(&self.open),
            waits: waiting.map(|(number, item)| (*number, runs(item.waits.iter().copied()))).collect(),
            broken: runs(broken),
            done: runs(self.done.iter().copied()),
            same: self.same.clone(),
        };
        serde_json::to_string(&kept).unwrap_or_default()
    }

    /// The graph of a kept text.
    ///
    /// # Errors
    /// `BDETECTED`: it is none.
    pub fn read(text: &str) -> OpResult<Self> {
        let damaged =
            |error: serde_json::Error| OpError::new(codes::BDETECTED, format!("a graph cannot be read: {error}"));
        let kept: Kept = serde_json::from_str(text).map_err(damaged)?;
        let mut open = BTreeMap::new();
        for (first, last, since) in &kept.ready {
            let item = Item { ready: Some(Heard(*since)), ..Item::default() };
            open.extend((*first..=*last).map(|number| (number, item.clone())));
        }
        for (number, waits) in &kept.waits {
            open.insert(*number, Item { waits: set(waits), ..Item::default() });
        }
        for number in set(&kept.broken) {
            open.entry(number).or_default().broken = true;
        }
        Ok(Self { next: kept.next, open, done: set(&kept.done), same: kept.same })
    }
}

fn ready(open: &BTreeMap<i64, Item>) -> Vec<(i64, i64, i64)> {
    let mut runs: Vec<(i64, i64, i64)> = vec![];
    for (number, since) in open.iter().filter_map(|(number, item)| item.ready.map(|since| (*number, since.0))) {
        match runs.last_mut() {
            Some((_, last, at)) if *last + 1 == number && *at == since => *last = number,
            _ => runs.push((number, number, since)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::Ended;
    use super::*;

    #[test]
    fn wfl_5_a_graph_is_kept_as_a_short_text() {
        let mut graph = Graph::of_start(1, Heard(10));
        for number in 2..=1_001 {
            graph.lay_out(number, &[].into());
        }
        graph.lay_out(1_002, &(2..=1_001).collect());
        graph.finish(1, Ended::As(1_002)).unwrap();
        graph.ripen(Heard(20));
        graph.break_off(7);
        graph.finish(500, Ended::Itself).unwrap();
        let text = graph.text();
        assert!(text.len() < 200, "{text}");
        assert_eq!(Graph::read(&text), Ok(graph));
        assert_eq!(Graph::read("{").unwrap_err().code, codes::BDETECTED);
    }
}
