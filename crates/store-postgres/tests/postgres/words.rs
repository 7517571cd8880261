//! Words between nodes: LISTEN and NOTIFY, which may be lost but come back by themselves.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use base::Store;

use crate::sandbox::{Sandbox, until};

fn heard_by(store: &dyn Store) -> Receiver<String> {
    let (tell, told) = channel();
    // The test may have ended before the store.
    store.listen(Box::new(move |word| _ = tell.send(word.to_owned())));
    told
}

/// Calls the word out until it is heard: one that is called out before the other listens is lost.
fn until_heard(store: &dyn Store, told: &Receiver<String>, word: &str) {
    until("the word is heard", || {
        store.notify(word);
        told.recv_timeout(Duration::from_millis(20)).is_ok_and(|heard| heard == word)
    });
}

#[test]
fn ker_25_a_word_reaches_every_node_of_the_schema_and_no_other() {
    let (sandbox, elsewhere) = (Sandbox::new(), Sandbox::new());
    let (one, two, other) = (sandbox.open(), sandbox.open(), elsewhere.open());
    let (told_one, told_two, told_other) = (heard_by(one.as_ref()), heard_by(two.as_ref()), heard_by(other.as_ref()));
    until_heard(one.as_ref(), &told_two, "events");
    until_heard(two.as_ref(), &told_one, "events");
    until_heard(other.as_ref(), &told_other, "theirs");
    assert!(told_other.try_iter().all(|word| word == "theirs"));
    assert!(told_two.try_iter().all(|word| word == "events"));
}

#[test]
fn ker_31_a_lost_connection_for_words_is_opened_again() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.open(), sandbox.open());
    // One only listens, so its connection can be told by its last statement.
    let told = heard_by(two.as_ref());
    let _ = heard_by(one.as_ref());
    until_heard(one.as_ref(), &told, "events");
    let of_words = format!("query = 'LISTEN \"{}\"'", sandbox.schema());
    let cut = format!("SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {of_words}");
    assert_eq!(sandbox.admin().number(&cut), 1);
    told.try_iter().for_each(drop);
    until_heard(one.as_ref(), &told, "again");
}

#[test]
fn ker_34_words_out_of_bounds_are_dropped_and_a_closed_store_says_nothing() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let told = heard_by(store.as_ref());
    until_heard(store.as_ref(), &told, "first");
    store.notify(&"x".repeat(10_000));
    until_heard(store.as_ref(), &told, "last");
    assert!(told.try_iter().all(|word| word == "last" || word == "first"), "the long one is not there");
    store.close();
    store.notify("late");
}

/// Both nodes have something to say all the time, as under load.
#[test]
fn ker_25_a_node_that_has_much_to_say_hears_every_word_of_another() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.open(), sandbox.open());
    let (told_one, told_two) = (heard_by(one.as_ref()), heard_by(two.as_ref()));
    until_heard(one.as_ref(), &told_two, "first");
    until_heard(two.as_ref(), &told_one, "first");
    // Fewer at once than may wait to be called out.
    for burst in 0..10 {
        (0..40).for_each(|number| one.notify(&format!("word {burst} {number}")));
        (0..40).for_each(|number| two.notify(&format!("own {burst} {number}")));
        let mut missing: BTreeSet<String> = (0..40).map(|number| format!("word {burst} {number}")).collect();
        until("every word is heard", || {
            while let Ok(word) = told_two.recv_timeout(Duration::from_millis(20)) {
                missing.remove(&word);
            }
            missing.is_empty()
        });
    }
}
