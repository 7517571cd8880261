//! What one message, a lock or a disk must not do to others.

use connector::{Ended, Report};

use crate::server::{Asked, Say};
use crate::site::{Site, ended, say, site, site_beside, site_with, started};

/// What is asked of the server, one after the other, until a process is given up or rolled back.
fn failing(process: &str, messages: &[(&str, &str)], calls: &[&str]) -> Vec<Say> {
    [started(process, messages)].into_iter().chain(calls.iter().map(|status| say(status))).collect()
}

fn rolled_back(site: &mut Site) -> Report {
    let report = site.round();
    assert!(matches!(report.ended, Ended::RolledBack(_)), "{report}");
    report
}

fn takes_one(asked: &Asked) -> bool {
    asked.body.contains("\"max_files\":1")
}

#[test]
fn exc_25_a_message_whose_prepare_comes_to_nothing_twice_lets_others_go_first() {
    let (both, one) = (&[("a", "order"), ("b", "order")][..], &[("a", "order")][..]);
    let mut says = vec![];
    for (process, messages) in [("p", both), ("q", one), ("r", one)] {
        says.extend([started(process, messages), say("CANCELLED"), ended("timed_out"), say("OK")]);
    }
    says.extend([started("s", both), say("OK"), say("OK"), say("OK")]);
    let mut site = site(says);
    for _ in 0..3 {
        rolled_back(&mut site);
    }
    let report = site.round();
    assert_eq!((report.ended, report.processed, report.left_out), (Ended::Committed, 1, 1));
    let asked = site.script.asked();
    assert_eq!(
        [0, 4, 8, 12].map(|at| takes_one(&asked[at])),
        [false, true, true, false],
        "one by one until it is found: {asked:?}"
    );
    assert_eq!((asked[13].step.as_str(), asked[13].body.as_str()), ("narrow", r#"{"messages":["b"]}"#));
}

#[test]
fn exc_25_a_process_that_somebody_gave_up_says_nothing_of_its_messages() {
    let both = &[("a", "order"), ("b", "order")][..];
    let mut says = vec![];
    for process in ["p", "q", "r"] {
        says.extend([started(process, both), say("CANCELLED"), ended("interrupted"), say("OK")]);
    }
    says.extend([started("s", both), say("OK"), say("OK")]);
    let mut site = site(says);
    for _ in 0..3 {
        rolled_back(&mut site);
    }
    assert_eq!(site.round().processed, 2);
    assert!(!site.script.asked().iter().any(takes_one), "nobody is looked for");
}

#[test]
fn exc_25_a_message_that_waits_in_vain_and_is_alone_is_left_out_every_now_and_then() {
    let waits = &[("w", "side")][..];
    let mut says = vec![];
    for process in ["p", "q", "r", "aside", "s"] {
        says.extend(failing(process, waits, &["OK", "OK"]));
    }
    let mut site = site_beside("erp.db", ", \"PRAGMA busy_timeout = 0\"", says);
    let other = rusqlite::Connection::open(site.folder.path().join("side.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for _ in 0..3 {
        let report = site.round();
        assert_eq!((report.ended.clone(), report.deadlocks, report.goes_on()), (Ended::Committed, 1, false));
    }
    assert_eq!(rolled_back(&mut site).left_out, 1);
    let asked = site.script.asked();
    assert_eq!(
        (asked[10].step.as_str(), asked[10].body.as_str()),
        ("narrow", r#"{"messages":[]}"#),
        "people are told of it in time"
    );
    assert_eq!((site.round().deadlocks, site.script.steps()[13].as_str()), (1, "prepare"), "then it is tried again");
}

#[test]
fn exc_25_a_full_disk_is_no_messages_fault() {
    let both = &[("l", "large"), ("a", "order")][..];
    let mut says = failing("first", &[("x", "order")], &["OK", "OK"]);
    for process in ["p", "q", "r"] {
        says.extend(failing(process, both, &["OK"]));
    }
    says.extend(failing("s", both, &["OK", "OK"]));
    let mut site = site_with("setup = [\"PRAGMA max_page_count = 60\"]", says);
    assert_eq!(site.round().ended, Ended::Committed);
    let other = site.other();
    other.pragma_update(None, "max_page_count", 60).unwrap();
    while other.execute("INSERT INTO filler VALUES (zeroblob(3000))", []).is_ok() {}
    for _ in 0..3 {
        let report = rolled_back(&mut site);
        assert!(report.to_string().contains("full"), "{report}");
    }
    other.execute("DELETE FROM filler", []).unwrap();
    let report = site.round();
    assert_eq!((report.ended, report.processed), (Ended::Committed, 2));
    let steps = [
        "processes",
        "prepare",
        "commit",
        "processes",
        "interrupt",
        "processes",
        "interrupt",
        "processes",
        "interrupt",
    ];
    assert_eq!(site.script.steps()[..9], steps);
    assert!(!site.script.asked().iter().any(takes_one), "nobody is looked for");
}

#[test]
fn exc_25_a_message_for_which_alone_the_disk_has_no_room_lets_others_go_first_in_time() {
    let (both, one) = (&[("l", "large"), ("a", "order")][..], &[("l", "large")][..]);
    let mut says = failing("first", &[("x", "order")], &["OK", "OK"]);
    (0..11).for_each(|_| says.extend(failing("p", both, &["OK"])));
    says.extend(failing("q", one, &["OK"]));
    says.extend(failing("r", one, &["OK", "OK"]));
    says.extend(failing("s", both, &["OK", "OK", "OK"]));
    let mut site = site_with("setup = [\"PRAGMA max_page_count = 60\"]", says);
    assert_eq!(site.round().ended, Ended::Committed);
    let other = site.other();
    other.pragma_update(None, "max_page_count", 60).unwrap();
    while other.execute("INSERT INTO filler VALUES (zeroblob(3000))", []).is_ok() {}
    for _ in 0..13 {
        rolled_back(&mut site);
    }
    let report = site.round();
    assert_eq!((report.ended, report.processed, report.left_out), (Ended::Committed, 1, 1));
    let asked = site.script.asked();
    let one_by_one: Vec<usize> = (0..asked.len()).filter(|at| takes_one(&asked[*at])).collect();
    assert_eq!(one_by_one, [25, 27], "after ten times in a row, and once more: {asked:?}");
}

#[test]
fn exc_25_a_message_whose_commit_the_file_system_fails_lets_others_go_first() {
    // SQLite commits two files by a third one, whose name is longer than that of its journal, and here too long.
    let name = format!("{}.db", "x".repeat(241));
    let both = &[("s", "side"), ("a", "order")][..];
    let mut says = failing("p", both, &["OK", "OK"]);
    ["q", "r"].into_iter().for_each(|process| says.extend(failing(process, &both[..1], &["OK", "OK"])));
    says.extend(failing("s", both, &["OK", "OK", "OK"]));
    let mut site = site_beside(&name, "", says);
    for _ in 0..3 {
        let report = rolled_back(&mut site);
        assert!(report.to_string().contains("unable to open"), "{report}");
    }
    let steps = ["processes", "prepare", "rollback"];
    assert_eq!(site.script.steps(), [steps, steps, steps].concat());
    assert_eq!((site.count("booked"), site.count("fastness_process")), (0, 0));
    let report = site.round();
    assert_eq!((report.ended, report.processed, report.left_out), (Ended::Committed, 1, 1));
}
