//! Starts whose messages come slowly, or not at all.

use std::time::Duration;

use connector::Ended;

use crate::server::{Asked, Say};
use crate::site::{listed, say, site, site_with, started};

#[test]
fn exc_25_a_start_whose_messages_come_slowly_is_waited_for() {
    let Say::Yes(slow) = started("p", &[("a", "order"), ("b", "order")]) else { panic!() };
    // On a machine that stands still for that long, prepare and commit are made once more.
    let mut site = site(vec![Say::Slowly(slow), say("OK"), say("OK"), say("OK"), say("OK")]);
    // All of it takes longer than this, but no part of it.
    site.connector = site.connector.with_patience(Duration::from_secs(4));
    let report = site.round();
    assert_eq!((report.ended, report.processed), (Ended::Committed, 2));
}

#[test]
fn exc_25_after_a_start_that_never_arrives_the_next_one_asks_for_less() {
    let Say::Yes(large) = started("p", &[("a", "order"), ("b", "order")]) else { panic!() };
    let cut = Say::Half(large);
    let says = vec![
        cut.clone(),
        cut,
        listed(&["p"]),
        say("OK"),
        started("q", &[("a", "order")]),
        say("OK"),
        say("OK"),
        say("IDLE"),
        say("IDLE"),
    ];
    let mut site = site(says);
    for _ in 0..2 {
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
    }
    assert_eq!(site.round().ended, Ended::Committed);
    let (asked, steps) = (site.script.asked(), site.script.steps());
    assert_eq!(steps, ["processes", "processes", "processes", "interrupt", "processes", "prepare", "commit"]);
    assert_eq!((&asked[0].key, &asked[0].body), (&asked[1].key, &asked[1].body), "it may have been bad luck");
    assert!(asked[3].body.contains("\"only_started\":true"), "another connector may have prepared it: {:?}", asked[3]);
    assert!(asked[4].body.contains("\"max_mb\":10.0") && asked[4].key != asked[0].key, "{:?}", asked[4]);
    assert_eq!((site.round().ended, site.round().ended), (Ended::Idle, Ended::Idle));
    assert!(!site.script.asked()[8].body.contains("max_mb"), "when nothing waits it is over");
}

/// A start whose answer breaks off.
fn cut() -> Say {
    let Say::Yes(large) = started("p", &[("a", "order"), ("b", "order")]) else { panic!() };
    Say::Half(large)
}

#[test]
fn exc_16_a_process_that_was_prepared_meanwhile_is_not_given_up() {
    let says = vec![cut(), cut(), listed(&["another's"]), say("CANCELLED"), say("BUSY"), say("IDLE")];
    let mut site = site(says);
    for _ in 0..2 {
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
    }
    assert_eq!(site.round().ended, Ended::Idle);
    let asked = site.script.asked();
    assert_eq!(
        asked.iter().map(|asked| asked.step.as_str()).collect::<Vec<_>>(),
        ["processes", "processes", "processes", "interrupt", "processes", "processes"]
    );
    assert!(asked[3].body.contains("\"only_started\":true"), "{:?}", asked[3]);
    assert!(asked[4].key != asked[0].key, "what was asked for is over");
}

#[test]
fn exc_25_after_a_start_whose_process_took_too_long_the_next_one_asks_for_less() {
    let mut site = site(vec![cut(), cut(), listed(&[]), say("IDLE")]);
    for _ in 0..2 {
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
    }
    assert_eq!(site.round().ended, Ended::Idle);
    let asked = site.script.asked();
    assert!(asked[3].body.contains("\"max_mb\":10.0") && asked[3].key != asked[0].key, "{:?}", asked[3]);
}

#[test]
fn exc_25_an_answer_that_cannot_be_read_did_not_arrive() {
    let page = || Say::Yes("<html>the gateway gave it up</html>".into());
    let mut site = site(vec![page(), page(), listed(&["p"]), say("OK"), say("IDLE")]);
    for _ in 0..2 {
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
    }
    assert_eq!(site.round().ended, Ended::Idle);
    let asked = site.script.asked();
    assert_eq!(asked[3].step, "interrupt");
    assert!(asked[4].body.contains("\"max_mb\":10.0") && asked[4].key != asked[0].key, "{:?}", asked[4]);
}

#[test]
fn exc_25_a_start_whose_messages_are_given_to_nobody_any_more_came_too_late() {
    let mut site = site(vec![cut(), started("p", &[]), say("IDLE")]);
    for _ in 0..2 {
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
    }
    assert_eq!(site.round().ended, Ended::Idle);
    let asked = site.script.asked();
    assert_eq!((asked.len(), &asked[0].key), (3, &asked[1].key));
    assert!(asked[2].body.contains("\"max_mb\":10.0") && asked[2].key != asked[0].key, "{:?}", asked[2]);
}

#[test]
fn exc_25_a_line_that_is_good_again_is_asked_for_more_though_the_queue_is_never_empty() {
    let mut says = vec![cut(), cut(), listed(&["p"]), say("OK")];
    (0..11).for_each(|_| says.extend([started("q", &[("a", "x")]), say("OK"), say("OK")]));
    let mut site = site(says);
    for _ in 0..2 {
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
    }
    for _ in 0..11 {
        assert!(matches!(site.round().ended, Ended::RolledBack(_)));
    }
    let asks_less = |asked: &Asked| asked.step == "processes" && asked.body.contains("\"max_mb\":10.0");
    let asked = site.script.asked();
    assert_eq!(asked.iter().filter(|asked| asks_less(asked)).count(), 10, "{asked:?}");
    assert!(!asked[34].body.contains("max_mb"), "{:?}", asked[34]);
}

#[test]
fn exc_25_a_message_that_never_arrives_lets_others_go_first() {
    let says = vec![cut(), cut(), listed(&["p"]), say("OK"), say("IDLE")];
    let mut site = site_with("max_mb = 0.25", says);
    for _ in 0..2 {
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
    }
    assert_eq!(site.round().ended, Ended::Idle);
    let asked = site.script.asked();
    assert_eq!(
        (asked[3].step.as_str(), asked[3].body.as_str()),
        ("narrow", r#"{"messages":[]}"#),
        "less cannot be asked for"
    );
}
