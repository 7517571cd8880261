//! A source that was put back from a backup (KER-46), and sets too large for one call.

use client::Replica;
use client::replica::{Answer, Ask, ReplicaError, SYNCS_MAX};
use replica::{Held, ItemKey, Upgrade};
use serde_json::json;

use crate::source::Source;

fn following(source: &Source) -> Replica {
    let mut replica = Replica::in_memory();
    source.documents.keys().for_each(|id| replica.follow("C", id, None).unwrap());
    replica
}

fn sync(replica: &mut Replica, source: &Source) {
    for ask in replica.asks().unwrap() {
        replica.take(&ask, source.answer(&ask)).unwrap();
    }
}

#[test]
fn doc_9_large_sets_are_asked_for_in_calls_that_the_server_takes() {
    let source = Source::with(2 * SYNCS_MAX + 1);
    let mut replica = following(&source);
    let sizes = |asks: Vec<Ask>| asks.iter().map(|ask| ask.syncs.len()).collect::<Vec<_>>();
    assert_eq!(sizes(replica.asks().unwrap()), [SYNCS_MAX, SYNCS_MAX, 1]);
    sync(&mut replica, &source);
    assert_eq!(sizes(replica.asks().unwrap()), [SYNCS_MAX, SYNCS_MAX, 1]);
    for ask in replica.asks().unwrap() {
        assert_eq!(source.answer(&ask).syncs, [], "all are level");
    }
    assert_eq!(Replica::in_memory().asks().unwrap(), []);
}

#[test]
fn doc_9_calls_are_bounded_in_bytes_too() {
    let mut replica = Replica::in_memory();
    let filter = json!("x".repeat(100_000));
    (0..20).for_each(|id| replica.follow("C", &id.to_string(), Some(filter.clone())).unwrap());
    let asks = replica.asks().unwrap();
    assert_eq!(asks.iter().map(|ask| ask.syncs.len()).sum::<usize>(), 20);
    for ask in asks {
        assert!(serde_json::to_vec(&ask).unwrap().len() < base::limits::BODY_MAX * 3 / 4);
    }
}

#[test]
fn ker_46_a_restore_between_two_calls_leaves_no_document_of_the_old_epoch() {
    let mut source = Source::with(SYNCS_MAX + 5);
    let mut replica = following(&source);
    sync(&mut replica, &source);
    let backup = source.clone();
    // Versions that are given out twice: the replica sees the first, the restored source has the second.
    (0..SYNCS_MAX + 5).for_each(|id| source.put(&format!("{id:05}"), "k", 1));
    sync(&mut replica, &source);
    let mut restored = Source { epoch: "2-b".to_owned(), ..backup };
    (0..SYNCS_MAX + 5).for_each(|id| restored.put(&format!("{id:05}"), "k", 2));
    // One call is answered by the old source, the next one by the restored one.
    let asks = replica.asks().unwrap();
    replica.take(&asks[0], source.answer(&asks[0])).unwrap();
    replica.take(&asks[1], restored.answer(&asks[1])).unwrap();
    assert_eq!(replica.epoch().unwrap().as_deref(), Some("2-b"));
    sync(&mut replica, &restored);
    for (id, expected) in &restored.documents {
        assert_eq!(replica.document("C", id).unwrap().as_ref(), Some(expected), "{id}");
    }
    assert_eq!(replica.asks().unwrap().iter().map(|ask| ask.epoch.as_deref()).collect::<Vec<_>>(), [Some("2-b"); 2]);
}

#[test]
fn ker_46_what_a_restored_source_lost_is_set_aside_and_not_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replica");
    let mut replica = Replica::open(&path).unwrap();
    let mut source = Source::with(2);
    let backup = source.clone();
    source.put("00000", "lost", 7);
    source.put("new", "k", 8);
    for id in ["00000", "00001", "new"] {
        replica.follow("C", id, None).unwrap();
    }
    sync(&mut replica, &source);
    let restored = Source { epoch: "2-b".to_owned(), ..backup };
    sync(&mut replica, &restored);
    drop(replica);
    let mut replica = Replica::open(&path).unwrap();
    assert_eq!(replica.document("C", "new").unwrap(), None);
    let asides = replica.set_aside().unwrap();
    let ids: Vec<_> = asides.iter().map(|aside| (aside.epoch.as_str(), aside.copy.id.as_str())).collect();
    assert_eq!(ids, [("1-a", "00000"), ("1-a", "new")], "the one that is the same is not");
    assert!(asides[0].copy.items.contains_key(&ItemKey::new("I", "lost")));
    replica.discard(&asides[0]).unwrap();
    assert_eq!(replica.set_aside().unwrap(), asides[1..]);
}

#[test]
fn doc_9_an_answer_that_was_not_asked_for_changes_nothing() {
    let source = Source::with(2);
    let mut replica = Replica::in_memory();
    replica.follow("C", "00000", None).unwrap();
    let ask = replica.asks().unwrap().remove(0);
    let both = Ask { syncs: vec![ask.syncs[0].clone(), Held::nothing("C", "00001")], epoch: None };
    let unasked = replica.take(&ask, source.answer(&both));
    assert!(matches!(unasked, Err(ReplicaError::Unasked { .. })), "{unasked:?}");
    let mut twice = source.answer(&ask);
    twice.syncs.extend(twice.syncs.clone());
    assert!(matches!(replica.take(&ask, twice), Err(ReplicaError::Unasked { .. })));
    let changes = Upgrade { v: 200, ct: 100, ..Upgrade::deleted("C", "00000") };
    let holes = replica.take(&ask, Answer { syncs: vec![changes], epoch: "1-a".into() });
    assert!(matches!(holes, Err(ReplicaError::Unfit(_))), "{holes:?}");
    assert_eq!(replica.asks().unwrap(), [ask]);
    assert_eq!(replica.epoch().unwrap(), None);
}

#[test]
fn doc_10_another_filter_starts_again() {
    let source = Source::with(1);
    let mut replica = following(&source);
    sync(&mut replica, &source);
    let late = replica.asks().unwrap().remove(0);
    replica.follow("C", "00000", None).unwrap();
    assert!(replica.document("C", "00000").unwrap().is_some(), "the same filter: nothing changes");
    replica.follow("C", "00000", Some(json!({"of": "anna"}))).unwrap();
    let held = Held { filter: Some(json!({"of": "anna"})), ..Held::nothing("C", "00000") };
    assert_eq!(replica.held().unwrap(), [held]);
    assert_eq!(replica.document("C", "00000").unwrap(), None);
    let mut newer = source;
    newer.put("00000", "k", 9);
    assert_eq!(replica.take(&late, newer.answer(&late)).unwrap().outdated, 1, "seen through the old filter");
    let nothing = Ask { syncs: vec![Held::nothing("C", "00000")], epoch: late.epoch };
    assert_eq!(replica.take(&nothing, newer.answer(&nothing)).unwrap().outdated, 1, "a full copy through the old one");
}

/// A replica and a source that gave out the same version twice, with other content, before and after its restore.
fn twice() -> (Replica, Ask, Source, Source) {
    let mut source = Source::with(1);
    let mut replica = following(&source);
    let mut restored = Source { epoch: "2-b".to_owned(), ..source.clone() };
    source.put("00000", "k", 1);
    restored.put("00000", "k", 2);
    sync(&mut replica, &source);
    let early = replica.asks().unwrap().remove(0);
    (replica, early, source, restored)
}

#[test]
fn ker_46_a_late_answer_of_the_old_epoch_is_left_out_though_the_versions_are_the_same() {
    let (mut replica, early, mut source, restored) = twice();
    source.put("00000", "late", 3);
    let late = source.answer(&early);
    sync(&mut replica, &restored);
    assert_eq!(replica.asks().unwrap()[0].syncs, early.syncs, "the same version of the same life");
    assert_eq!(replica.take(&early, late).unwrap().outdated, 1);
    assert_eq!(replica.document("C", "00000").unwrap().as_ref(), restored.documents.get("00000"));
}

#[test]
fn ker_46_a_copy_is_never_level_or_changed_across_epochs() {
    let (mut replica, early, _, mut restored) = twice();
    replica.take(&early, Answer { syncs: vec![], epoch: "2-b".into() }).unwrap();
    assert_eq!(replica.asks().unwrap(), std::slice::from_ref(&early), "it is asked for again as one of its old epoch");
    restored.put("00000", "k", 3);
    let same_epoch = Ask { epoch: Some("2-b".into()), ..early.clone() };
    let changes = restored.answer(&same_epoch);
    assert!(!changes.syncs[0].full);
    assert!(matches!(replica.take(&early, changes), Err(ReplicaError::Unfit(_))));
}

#[test]
fn ker_46_a_life_that_was_over_goes_on_in_a_restored_source() {
    let mut source = Source::with(1);
    let mut replica = following(&source);
    sync(&mut replica, &source);
    let mut restored = Source { epoch: "2-b".to_owned(), ..source.clone() };
    source.delete("00000");
    sync(&mut replica, &source);
    assert_eq!(replica.document("C", "00000").unwrap(), None);
    for number in 5..7 {
        restored.put("00000", "k", number);
        sync(&mut replica, &restored);
        assert_eq!(replica.document("C", "00000").unwrap().as_ref(), restored.documents.get("00000"));
    }
}

#[test]
fn doc_9_tombstones_can_be_forgotten_and_are_then_told_by_keys() {
    let mut source = Source::with(1);
    let mut lagging = following(&source);
    source.put("00000", "gone", 1);
    sync(&mut lagging, &source);
    source.delete_item("00000", "gone");
    source.put("00000", "k", 2);
    let mut replica = following(&source);
    sync(&mut replica, &source);
    let items = |replica: &Replica| replica.document("C", "00000").unwrap().unwrap().items.len();
    assert_eq!(items(&replica), 2, "an item and a tombstone");
    replica.forget_tombstones(source.clock).unwrap();
    assert_eq!(items(&replica), 1);
    assert_eq!(replica.held().unwrap()[0].dt, source.clock);
    let ask = lagging.asks().unwrap().remove(0);
    let relayed = replica.answer(&ask).unwrap().unwrap();
    assert_eq!(relayed.answer.syncs[0].keys, Some(vec![]), "all that exists was changed");
    lagging.take(&ask, relayed.answer).unwrap();
    assert_eq!(lagging.document("C", "00000").unwrap(), replica.document("C", "00000").unwrap());
}
