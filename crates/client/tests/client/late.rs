//! Answers that cross each other, and documents that were left meanwhile.

use client::Replica;
use client::replica::{Ask, ReplicaError};
use replica::{Head, Held};

use crate::source::Source;

struct Crossing {
    source: Source,
    replica: Replica,
}

impl Crossing {
    fn new() -> Self {
        let mut replica = Replica::in_memory();
        replica.follow("C", "00000", None).unwrap();
        Self { source: Source::with(1), replica }
    }

    fn ask(&self) -> Ask {
        self.replica.asks().unwrap().remove(0)
    }

    fn sync(&mut self) {
        let ask = self.ask();
        self.replica.take(&ask, self.source.answer(&ask)).unwrap();
    }

    fn head(&self) -> Head {
        self.replica.document("C", "00000").unwrap().map_or(Head::NOTHING, |copy| copy.head)
    }
}

#[test]
fn doc_9_an_answer_that_was_overtaken_is_left_out() {
    let mut crossing = Crossing::new();
    crossing.sync();
    crossing.source.put("00000", "k", 1);
    let ask = crossing.ask();
    let slow = crossing.source.answer(&ask);
    crossing.source.put("00000", "other", 2);
    crossing.sync();
    let ahead = crossing.head();
    assert_eq!(crossing.replica.take(&ask, slow).unwrap().outdated, 1);
    assert_eq!(crossing.head(), ahead);
}

#[test]
fn doc_9_an_answer_that_leads_further_is_taken_from_an_earlier_state_too() {
    let mut crossing = Crossing::new();
    crossing.sync();
    let early = crossing.ask();
    crossing.source.put("00000", "k", 1);
    crossing.sync();
    crossing.source.put("00000", "other", 2);
    let answer = crossing.source.answer(&early);
    assert_eq!(crossing.replica.take(&early, answer).unwrap().changed.len(), 1);
    let copy = crossing.replica.document("C", "00000").unwrap();
    assert_eq!(copy.as_ref(), crossing.source.documents.get("00000"));
}

#[test]
fn doc_9_a_life_that_is_over_does_not_come_back_with_a_late_answer() {
    let mut crossing = Crossing::new();
    let first = crossing.ask();
    let slow = crossing.source.answer(&first);
    crossing.sync();
    crossing.source.delete("00000");
    crossing.sync();
    assert_eq!(crossing.head(), Head::NOTHING);
    assert_eq!(crossing.replica.take(&first, slow).unwrap().outdated, 1);
    assert_eq!(crossing.head(), Head::NOTHING);
    crossing.source.put("00000", "k", 3);
    crossing.sync();
    assert_eq!(crossing.head(), crossing.source.documents["00000"].head, "a new life is welcome");
}

#[test]
fn doc_9_the_end_of_an_earlier_life_does_not_end_a_later_one() {
    let mut crossing = Crossing::new();
    crossing.sync();
    let ask = crossing.ask();
    crossing.source.delete("00000");
    let slow = crossing.source.answer(&ask);
    crossing.source.put("00000", "k", 3);
    crossing.sync();
    assert_eq!(crossing.replica.take(&ask, slow).unwrap().outdated, 1);
    assert_eq!(crossing.head(), crossing.source.documents["00000"].head);
}

#[test]
fn doc_9_what_is_not_followed_any_more_is_not_brought_back() {
    let mut crossing = Crossing::new();
    let ask = crossing.ask();
    crossing.replica.unfollow("C", "00000").unwrap();
    let answer = crossing.source.answer(&ask);
    assert_eq!(crossing.replica.take(&ask, answer).unwrap().outdated, 1);
    assert_eq!(crossing.replica.held().unwrap(), []);
    let missing = crossing.replica.start_again("C", "00000");
    assert!(matches!(missing, Err(ReplicaError::NotFollowed { .. })));
}

#[test]
fn doc_9_a_document_can_be_started_again() {
    let mut crossing = Crossing::new();
    crossing.sync();
    crossing.replica.start_again("C", "00000").unwrap();
    assert_eq!(crossing.replica.held().unwrap(), [Held::nothing("C", "00000")]);
    crossing.sync();
    assert_eq!(crossing.head(), crossing.source.documents["00000"].head);
}

#[test]
fn doc_8_an_operation_is_asked_about_only_what_is_followed_and_of_the_current_epoch() {
    let mut crossing = Crossing::new();
    crossing.sync();
    let ask = crossing.replica.ask_about([("C", "00000"), ("C", "00000"), ("C", "other")]).unwrap();
    assert_eq!(ask, crossing.ask());
}

#[test]
fn doc_11_answers_of_a_source_that_goes_on_may_cross_those_of_calls() {
    let mut crossing = Crossing::new();
    let mut stream = crossing.ask();
    let mut push = |crossing: &mut Crossing| {
        let answer = crossing.source.answer(&stream);
        (stream.step(&answer), answer)
    };
    let (asked, answer) = push(&mut crossing);
    assert_eq!(crossing.replica.take(&asked, answer).unwrap().changed.len(), 1);
    crossing.source.put("00000", "k", 1);
    crossing.sync();
    let (asked, answer) = push(&mut crossing);
    assert_eq!(crossing.replica.take(&asked, answer).unwrap().outdated, 1, "a call brought it already");
    for number in 2..5 {
        crossing.source.put("00000", "k", number);
        let (asked, answer) = push(&mut crossing);
        assert_eq!(crossing.replica.take(&asked, answer).unwrap().changed.len(), 1);
    }
    crossing.source.delete("00000");
    let (asked, answer) = push(&mut crossing);
    crossing.replica.take(&asked, answer).unwrap();
    crossing.source.put("00000", "k", 9);
    let (asked, answer) = push(&mut crossing);
    crossing.replica.take(&asked, answer).unwrap();
    let copy = crossing.replica.document("C", "00000").unwrap();
    assert_eq!(copy.as_ref(), crossing.source.documents.get("00000"), "a new life");
}
