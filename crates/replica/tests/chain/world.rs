//! One reference and its copies: the first asks the reference, each other one the copy before it, and sometimes any of them
//! the reference itself.

use std::cell::RefCell;

use proptest::prelude::*;
use replica::{Ahead, DocCopy, Held, Upgrade};

use super::history::{Reference, State};
use super::judge::{self, Reached};

const COPIES: usize = 4;
const KEYS: u8 = 6;

/// What may happen.
#[derive(Debug, Clone)]
pub enum Step {
    Put(u8, u8),
    DeleteItem(u8),
    Delete,
    Create,
    Pass(u8),
    BackUp,
    Restore,
    /// A copy asks the one before it; the first one the reference.
    Sync(usize),
    /// A copy asks the reference.
    SyncDirectly(usize),
    /// A copy moves its `dt` so many hundredths of the way to its version.
    Advance(usize, u8),
}

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        24 => (0..KEYS, any::<u8>()).prop_map(|(key, number)| Step::Put(key, number)),
        14 => (0..KEYS).prop_map(Step::DeleteItem),
        1 => Just(Step::Delete),
        2 => Just(Step::Create),
        5 => (0..12u8).prop_map(Step::Pass),
        4 => Just(Step::BackUp),
        4 => Just(Step::Restore),
        24 => (0..COPIES).prop_map(Step::Sync),
        8 => (0..COPIES).prop_map(Step::SyncDirectly),
        5 => (0..COPIES, 0..=100u8).prop_map(|(copy, part)| Step::Advance(copy, part)),
    ];
    prop::collection::vec(step, 1..120)
}

/// A copy, and at which step of the reference's history its content was true.
#[derive(Clone)]
struct Copy {
    content: Option<DocCopy>,
    epoch: u32,
    step: usize,
}

pub struct World<'a> {
    reference: Reference,
    copies: Vec<Copy>,
    reached: &'a RefCell<Reached>,
}

impl<'a> World<'a> {
    pub fn new(reached: &'a RefCell<Reached>) -> Self {
        let copies = vec![Copy { content: None, epoch: 1, step: 0 }; COPIES];
        let mut reference = Reference::new();
        reference.create();
        Self { reference, copies, reached }
    }

    pub fn play(&mut self, step: Step) {
        match step {
            Step::Put(key, number) => self.reference.put(key, number),
            Step::DeleteItem(key) => self.reference.delete_item(key),
            Step::Delete => self.reference.delete(),
            Step::Create => self.reference.create(),
            Step::Pass(days) => self.reference.pass(days),
            Step::BackUp => self.reference.back_up(),
            Step::Restore => self.reference.restore(),
            Step::Sync(0) => self.sync_directly(0),
            Step::Sync(copy) => self.sync_from_copy(copy),
            Step::SyncDirectly(copy) => self.sync_directly(copy),
            Step::Advance(copy, part) => self.advance(copy, part),
        }
    }

    /// At the end everybody asks, in the order of the chain, and everybody is level with the reference.
    pub fn settle(&mut self) {
        self.sync_directly(0);
        (1..COPIES).for_each(|copy| self.sync_from_copy(copy));
        let truth = self.reference.at(self.reference.step());
        self.copies.iter().for_each(|copy| judge::equal(copy.content.as_ref(), truth));
        for copy in 0..COPIES {
            assert_eq!(self.ask(copy, self.reference.as_source().as_ref(), true), Ok(None), "level at the end");
        }
    }

    fn sync_directly(&mut self, copy: usize) {
        let source =
            Copy { content: self.reference.as_source(), epoch: self.reference.epoch, step: self.reference.step() };
        self.sync(copy, &source, DocCopy::upgrade_for);
    }

    fn sync_from_copy(&mut self, copy: usize) {
        let source = self.copies[copy - 1].clone();
        let asker = &self.copies[copy];
        if source.epoch == asker.epoch && source.step < asker.step {
            return self.sync_from_behind(copy, &source);
        }
        if source.epoch >= asker.epoch {
            self.reached.borrow_mut().count("answered by a copy", true);
            self.sync(copy, &source, DocCopy::relay_for);
        }
    }

    /// The source lags more than the asker: whatever it says, the asker never goes back.
    fn sync_from_behind(&mut self, copy: usize, source: &Copy) {
        // That nothing is there has no version: `client::Replica` remembers which life is over.
        let Some(content) = &source.content else { return };
        let held = self.held(copy);
        match content.relay_for(&held, true) {
            Err(Ahead { .. }) => self.reached.borrow_mut().count("refused by a source that lags more", true),
            Ok(None) => assert_eq!((held.v, held.ct), (content.head.v, content.head.ct)),
            // The asker holds nothing, because the document was deleted meanwhile; it may learn an older state.
            Ok(Some(_)) => assert_eq!(held.v, 0),
        }
    }

    fn sync(&mut self, copy: usize, source: &Copy, answer: Answerer) {
        let same_epoch = self.copies[copy].epoch == source.epoch;
        let answer = match &source.content {
            Some(content) => answer(content, &self.held(copy), same_epoch).expect("the source is not behind"),
            None => self.copies[copy].content.as_ref().map(|_| Upgrade::deleted("C", "1")),
        };
        self.judge_answer(copy, source, same_epoch, answer.as_ref());
        let asker = &mut self.copies[copy];
        if let Some(answer) = over_the_wire(answer) {
            asker.content = DocCopy::apply(asker.content.take(), answer).expect("it was made for this copy");
        }
        (asker.epoch, asker.step) = (source.epoch, source.step);
        judge::equal(asker.content.as_ref(), self.reference.at(source.step));
    }

    fn judge_answer(&self, copy: usize, source: &Copy, same_epoch: bool, answer: Option<&Upgrade>) {
        let before = self.reference.at(self.copies[copy].step);
        let after = self.reference.at(source.step);
        let source_dt = source.content.as_ref().map_or(0, |content| content.head.dt);
        match after {
            Some(after) if !same_epoch => judge::whole(answer, after, source_dt),
            _ => judge::smallest(answer, before, after, source_dt),
        }
        self.count(same_epoch, before, after, answer);
        let is_moved = answer.is_some() && after.is_some_and(|after| source_dt > after.dt);
        self.reached.borrow_mut().count("answered by a source that had moved its dt", is_moved);
    }

    fn count(&self, same_epoch: bool, before: Option<&State>, after: Option<&State>, answer: Option<&Upgrade>) {
        let mut reached = self.reached.borrow_mut();
        let case = match answer {
            None => "level",
            Some(answer) if answer.v == 0 => "deleted",
            Some(answer) if answer.full => "full",
            Some(answer) if answer.keys.is_some() => "changes and keys",
            Some(_) => "changes",
        };
        reached.count(case, true);
        let (Some(before), Some(after)) = (before, after) else { return };
        reached.count("full for a new life", same_epoch && before.ct != after.ct);
        reached.count("full for a new epoch", !same_epoch);
        let is_twice = !same_epoch && (before.v, before.ct) == (after.v, after.ct) && before.items != after.items;
        reached.count("full for a version that was given out twice", is_twice);
        let is_dropped = answer.is_some_and(|answer| judge::drops_by_keys(answer, before));
        reached.count("told by keys alone that an item is gone", is_dropped);
    }

    fn ask(&self, copy: usize, source: Option<&DocCopy>, same_epoch: bool) -> Result<Option<Upgrade>, Ahead> {
        source.map_or(Ok(None), |source| source.upgrade_for(&self.held(copy), same_epoch))
    }

    fn held(&self, copy: usize) -> Held {
        self.copies[copy].content.as_ref().map_or(Held::nothing("C", "1"), DocCopy::held)
    }

    fn advance(&mut self, copy: usize, part: u8) {
        if let Some(content) = &mut self.copies[copy].content {
            let way = (content.head.v - content.head.dt).max(0);
            content.advance(content.head.dt + way * i64::from(part) / 100);
        }
        let copy = &self.copies[copy];
        judge::equal(copy.content.as_ref(), self.reference.at(copy.step));
    }
}

type Answerer = fn(&DocCopy, &Held, bool) -> Result<Option<Upgrade>, Ahead>;

/// As it arrives: written and read again.
fn over_the_wire(answer: Option<Upgrade>) -> Option<Upgrade> {
    let answer = answer?;
    let text = serde_json::to_string(&answer).expect("an upgrade has JSON");
    let read: Upgrade = serde_json::from_str(&text).expect("what was written is read");
    assert_eq!(read, answer, "{text}");
    Some(read)
}
