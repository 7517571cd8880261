//! The reference document, written without the code under test: its life, its purges, its backups.

use std::collections::BTreeMap;

use replica::{Content, CopiedItem, DocCopy, Head, ItemKey};
use serde_json::json;

/// Steps of the clock in a day: few, so that purges come often.
const DAY: i64 = 3;
/// How far back tombstones are kept, in days.
const KEPT_DAYS: i64 = 8;

/// An item of the model: its content as a number; `None` for a tombstone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub v: i64,
    pub number: Option<u8>,
}

/// One state of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub v: i64,
    pub ct: i64,
    pub dt: i64,
    pub items: BTreeMap<u8, Cell>,
}

/// The reference with everything that it ever was.
pub struct Reference {
    clock: i64,
    pub epoch: u32,
    now: Option<State>,
    /// State of every step, oldest first.
    past: Vec<Option<State>>,
    backup: Option<(i64, Option<State>)>,
}

impl Reference {
    pub fn new() -> Self {
        Self { clock: 100, epoch: 1, now: None, past: vec![None], backup: None }
    }

    /// The step that is true now.
    pub fn step(&self) -> usize {
        self.past.len() - 1
    }

    /// What was true at a step.
    pub fn at(&self, step: usize) -> Option<&State> {
        self.past[step].as_ref()
    }

    pub fn put(&mut self, key: u8, number: u8) {
        self.modify(|state, v| {
            state.items.insert(key, Cell { v, number: Some(number) });
        });
    }

    pub fn delete_item(&mut self, key: u8) {
        self.modify(|state, v| {
            if let Some(cell) = state.items.get_mut(&key).filter(|cell| cell.number.is_some()) {
                *cell = Cell { v, number: None };
            }
        });
    }

    pub fn delete(&mut self) {
        self.clock += 1;
        self.now = None;
        self.remember();
    }

    /// Creates it, or deletes it and creates it again at once.
    pub fn create(&mut self) {
        self.clock += 1;
        self.now = Some(State { v: self.clock, ct: self.clock, dt: 0, items: BTreeMap::new() });
        self.remember();
    }

    pub fn pass(&mut self, days: u8) {
        self.clock += i64::from(days) * DAY;
    }

    pub fn back_up(&mut self) {
        self.backup = Some((self.clock, self.now.clone()));
    }

    /// Puts the backup back, with the clock of then: versions are given out twice.
    pub fn restore(&mut self) {
        if let Some((clock, state)) = self.backup.clone() {
            (self.clock, self.now) = (clock, state);
            self.epoch += 1;
            self.remember();
        }
    }

    /// The reference as a source of answers.
    pub fn as_source(&self) -> Option<DocCopy> {
        self.now.as_ref().map(State::as_copy)
    }

    fn modify(&mut self, change: impl FnOnce(&mut State, i64)) {
        let Some(state) = &mut self.now else { return };
        self.clock += 1;
        change(state, self.clock);
        state.v = self.clock;
        state.dt = state.dt.max(self.clock - KEPT_DAYS * DAY);
        let dt = state.dt;
        state.items.retain(|_, cell| cell.number.is_some() || cell.v >= dt);
        self.remember();
    }

    fn remember(&mut self) {
        self.past.push(self.now.clone());
    }
}

impl State {
    fn as_copy(&self) -> DocCopy {
        let mut copy = DocCopy::empty("C", "1", Head { v: self.v, ct: self.ct, dt: self.dt });
        copy.items = self.items.iter().map(|(key, cell)| (item_key(*key), cell.as_item())).collect();
        copy
    }
}

impl Cell {
    pub fn as_item(self) -> CopiedItem {
        let content = self.number.map(content);
        CopiedItem { v: self.v, vop: if content.is_some() { self.v } else { 0 }, content }
    }
}

/// The first key is a singleton's.
pub fn item_key(key: u8) -> ItemKey {
    if key == 0 { ItemKey::new("S", "") } else { ItemKey::new("I", &key.to_string()) }
}

fn content(number: u8) -> Content {
    if number.is_multiple_of(2) { Content::Json(json!({ "number": number })) } else { Content::Raw(number.to_string()) }
}
