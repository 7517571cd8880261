//! A replica as a source: it answers as the reference would, or refuses.

use client::Replica;
use client::replica::{Ask, Refusal, Relayed};
use replica::Held;
use serde_json::json;

use crate::source::Source;

fn synced(source: &Source, ids: &[&str]) -> Replica {
    let mut replica = Replica::in_memory();
    ids.iter().for_each(|id| replica.follow("C", id, None).unwrap());
    sync(&mut replica, source);
    replica
}

fn sync(replica: &mut Replica, source: &Source) {
    for ask in replica.asks().unwrap() {
        replica.take(&ask, source.answer(&ask)).unwrap();
    }
}

/// `last` asks `middle` once.
fn relay(middle: &Replica, last: &mut Replica) -> Vec<Refusal> {
    let ask = last.asks().unwrap().remove(0);
    let relayed = middle.answer(&ask).unwrap().unwrap();
    last.take(&relayed.answered(&ask), relayed.answer.clone()).unwrap();
    relayed.refused.iter().map(|refused| refused.why).collect()
}

#[test]
fn doc_9_a_replica_that_was_never_answered_is_no_source() {
    let mut replica = Replica::in_memory();
    replica.follow("C", "1", None).unwrap();
    assert_eq!(replica.answer(&Ask::default()).unwrap(), None);
}

#[test]
fn doc_9_what_a_replica_cannot_know_it_refuses_and_answers_the_rest() {
    let source = Source::with(3);
    let mut middle = synced(&source, &["00000", "00001"]);
    middle.follow("C", "00002", None).unwrap();
    let filtered = Held { filter: Some(json!(1)), ..Held::nothing("C", "00001") };
    let syncs = vec![Held::nothing("C", "00000"), filtered, Held::nothing("C", "00002"), Held::nothing("C", "x")];
    let ask = Ask { syncs, epoch: Some("1-a".into()) };
    let Relayed { answer, refused } = middle.answer(&ask).unwrap().unwrap();
    assert_eq!(answer.syncs.iter().map(|upgrade| upgrade.id.as_str()).collect::<Vec<_>>(), ["00000"]);
    let refused: Vec<_> = refused.iter().map(|refused| (refused.id.as_str(), refused.why)).collect();
    let expected = [("00001", Refusal::OtherFilter), ("00002", Refusal::Unknown), ("x", Refusal::NotFollowed)];
    assert_eq!(refused, expected);
}

#[test]
fn doc_9_a_source_that_lags_more_takes_nobody_back() {
    let mut source = Source::with(1);
    let middle = synced(&source, &["00000"]);
    let mut last = synced(&source, &["00000"]);
    source.put("00000", "k", 1);
    sync(&mut last, &source);
    assert_eq!(relay(&middle, &mut last), [Refusal::Ahead], "a later version");
    source.delete("00000");
    source.put("00000", "k", 2);
    sync(&mut last, &source);
    assert_eq!(relay(&middle, &mut last), [Refusal::Ahead], "a later life");
    assert_eq!(last.document("C", "00000").unwrap().as_ref(), source.documents.get("00000"));
}

#[test]
fn doc_9_a_deletion_is_passed_on_to_the_lives_that_it_ended() {
    let mut source = Source::with(1);
    let mut middle = synced(&source, &["00000"]);
    let (mut lagging, mut ahead) = (synced(&source, &["00000"]), synced(&source, &["00000"]));
    source.delete("00000");
    sync(&mut middle, &source);
    source.put("00000", "k", 1);
    sync(&mut ahead, &source);
    assert_eq!(relay(&middle, &mut ahead), [Refusal::Ahead], "this life began later");
    assert_eq!(relay(&middle, &mut lagging), []);
    assert_eq!(lagging.document("C", "00000").unwrap(), None);
}

#[test]
fn doc_9_a_replica_of_another_epoch_gets_full_copies_from_a_replica_too() {
    let mut source = Source::with(1);
    let mut last = synced(&source, &["00000"]);
    source.epoch = "2-b".into();
    let middle = synced(&source, &["00000"]);
    let ask = last.asks().unwrap().remove(0);
    assert!(middle.answer(&ask).unwrap().unwrap().answer.syncs[0].full, "level by version, but of another epoch");
    assert_eq!(relay(&middle, &mut last), []);
    assert_eq!(last.epoch().unwrap().as_deref(), Some("2-b"));
    let ask = last.asks().unwrap().remove(0);
    assert_eq!(middle.answer(&ask).unwrap().unwrap().answer.syncs, [], "and then it is level");
}
