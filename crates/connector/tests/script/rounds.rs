//! Rounds of a connector.

use connector::Ended;

use crate::server::Say;
use crate::site::{Site, ended, say, site, site_with, started};

#[test]
fn exc_25_a_start_without_an_answer_is_the_same_start_again() {
    let mut site = site(vec![Say::Nothing, say("IDLE"), say("IDLE")]);
    assert!(matches!(site.round().ended, Ended::Stopped(_)), "no answer to start: stop");
    assert_eq!(site.round().ended, Ended::Idle);
    assert_eq!(site.round().ended, Ended::Idle);
    let asked = site.script.asked();
    assert_eq!((&asked[0].key, &asked[0].body), (&asked[1].key, &asked[1].body), "it may have arrived");
    assert_ne!(asked[1].key, asked[2].key, "it was answered");
}

#[test]
fn exc_25_busy_is_tried_again_under_a_new_key() {
    let mut site = site(vec![say("BUSY"), say("BUSY"), say("IDLE")]);
    assert_eq!(site.round().ended, Ended::Idle);
    let asked = site.script.asked();
    assert_eq!(asked.len(), 3);
    assert_ne!(asked[0].key, asked[1].key, "the stored answer would be the same for ever");
}

#[test]
fn exc_25_prepare_is_repeated_letter_by_letter_and_commit_until_answered() {
    let says = vec![
        started("p", &[("a", "order"), ("b", "other"), ("c", "order")]),
        say("OK"),
        Say::Nothing,
        Say::No(503),
        say("OK"),
        Say::Nothing,
        Say::No(500),
        say("OK"),
    ];
    let mut site = site(says);
    let report = site.round();
    assert_eq!((report.ended.clone(), report.processed, report.left_out), (Ended::Committed, 2, 1));
    let steps = ["processes", "narrow", "prepare", "prepare", "prepare", "commit", "commit", "commit"];
    assert_eq!(site.script.steps(), steps);
    let asked = site.script.asked();
    assert_eq!(asked[1].body, r#"{"messages":["a","c"]}"#);
    assert_eq!((&asked[2].body, &asked[3].body), (&asked[3].body, &asked[4].body));
    assert_eq!((site.count("booked"), site.count("fastness_process")), (2, 1));
}

#[test]
fn exc_25_cancelled_rolls_back_and_says_so() {
    let mut site = site(vec![started("p", &[("a", "order")]), say("CANCELLED"), ended("timed_out"), say("CANCELLED")]);
    assert!(matches!(site.round().ended, Ended::RolledBack(_)));
    assert_eq!(site.script.steps(), ["processes", "prepare", "p", "rollback"]);
    assert_eq!((site.count("booked"), site.count("fastness_process")), (0, 0));
}

#[test]
fn exc_25_a_failed_commit_is_told_with_its_error() {
    let mut site = site(vec![started("p", &[("a", "order"), ("l", "late")]), say("OK"), say("OK")]);
    assert!(matches!(site.round().ended, Ended::RolledBack(_)));
    let told = &site.script.asked()[2];
    assert_eq!(told.step, "rollback");
    assert!(told.body.contains("FOREIGN KEY"), "{}", told.body);
    assert_eq!((site.count("booked"), site.count("fastness_process")), (0, 0));
}

#[test]
fn exc_25_a_message_whose_commit_is_refused_twice_is_incorrect_and_its_sender_is_told_once() {
    let mut says = vec![];
    for (process, messages) in
        [("p", &[("l", "late"), ("a", "order")][..]), ("q", &[("l", "late")]), ("r", &[("l", "late")])]
    {
        says.extend([started(process, messages), say("OK"), say("OK")]);
    }
    says.extend([started("s", &[("l", "late"), ("a", "order")]), say("OK"), say("OK")]);
    let mut site = site_with("patience_s = 30\ntell_senders = true", says);
    for round in ["of several nobody knows which", "once", "twice"] {
        assert!(matches!(site.round().ended, Ended::RolledBack(_)), "{round}");
    }
    let report = site.round();
    assert_eq!((report.ended, report.processed, report.incorrect), (Ended::Committed, 1, 1));
    let asked = site.script.asked();
    let told: Vec<bool> = [2, 5, 8].iter().map(|at| asked[*at].body.contains("\"tell_senders\":true")).collect();
    assert_eq!(told, [false, false, true], "{asked:?}");
    assert!(asked[3].body.contains("\"max_files\":1") && asked[6].body.contains("\"max_files\":1"), "{asked:?}");
    assert!(!asked[9].body.contains("max_files"), "it is found: {}", asked[9].body);
    assert!(asked[10].body.contains("the database refused its commit: FOREIGN KEY"), "{}", asked[10].body);
    assert_eq!((site.count("booked"), site.count("late"), site.count("fastness_process")), (1, 0, 1));
}

#[test]
fn exc_25_narrow_without_ok_makes_no_further_call() {
    for say in [say("CANCELLED"), Say::No(404), Say::Nothing] {
        let mut site = site(vec![started("p", &[("a", "order"), ("b", "other")]), say]);
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
        assert_eq!(site.script.steps(), ["processes", "narrow"]);
        assert_eq!(site.count("fastness_process"), 0);
    }
}

#[test]
fn exc_25_messages_that_nobody_knows_are_left_out_and_the_process_is_given_up() {
    let mut site = site(vec![started("p", &[("a", "x"), ("b", "y")]), say("OK"), say("OK")]);
    assert!(matches!(site.round().ended, Ended::RolledBack(_)));
    assert_eq!(site.script.steps(), ["processes", "narrow", "interrupt"]);
    assert_eq!(site.script.asked()[1].body, r#"{"messages":[]}"#);
}

#[test]
fn exc_25_a_reply_that_the_server_refuses_stops_nobody_but_its_message() {
    let says = vec![
        started("p", &[("a", "order"), ("b", "order")]),
        Say::No(400),
        say("OK"),
        started("q", &[("a", "order")]),
        Say::No(400),
        say("OK"),
        say("OK"),
        started("r", &[("b", "order")]),
        say("OK"),
        say("OK"),
    ];
    let mut site = site(says);
    assert!(matches!(site.round().ended, Ended::RolledBack(_)), "of several nobody knows which");
    let second = site.round();
    assert_eq!((second.ended, second.incorrect), (Ended::Committed, 1));
    let asked = site.script.asked();
    assert_eq!(
        site.script.steps()[..7],
        ["processes", "prepare", "interrupt", "processes", "prepare", "prepare", "commit"]
    );
    assert!(asked[3].body.contains("\"max_files\":1"), "one by one: {}", asked[3].body);
    assert!(asked[5].body.contains("PROCESSED_INCORRECT"), "{}", asked[5].body);
    assert_eq!(site.round().processed, 1);
    assert!(!site.script.asked()[7].body.contains("max_files"), "as before: {}", site.script.asked()[7].body);
    assert_eq!((site.count("booked"), site.count("fastness_process")), (1, 2));
}

/// What rounds came to, with a table of replies in which a row is none.
fn with_replies(says: Vec<Say>, row: &str) -> Site {
    let site = site_with(
        "patience_s = 30\n[replies]\nquery = \"SELECT id, 'phone' AS recipient, 'x' AS type, body AS payload, answers AS reply_to FROM outbox\"\n",
        says,
    );
    // A row for each order, as a trigger of the user's would write it.
    let sql = format!(
        "CREATE TABLE outbox (id TEXT, body TEXT, answers TEXT); CREATE TRIGGER answer AFTER INSERT ON booked BEGIN {row} END;"
    );
    site.other().execute_batch(&sql).unwrap();
    site
}

#[test]
fn exc_25_a_reply_that_is_none_makes_its_message_incorrect_in_the_same_process() {
    let says = vec![started("p", &[("a", "order"), ("b", "order")]), say("OK"), say("OK")];
    let row = "INSERT INTO outbox VALUES ('r-' || new.id, CASE new.id WHEN 'b' THEN '{' ELSE '1' END, new.id);";
    let mut site = with_replies(says, row);
    let report = site.round();
    assert_eq!((report.ended, report.processed, report.incorrect, report.replies), (Ended::Committed, 1, 1, 1));
    assert_eq!(site.script.steps(), ["processes", "prepare", "commit"]);
    assert!(site.script.asked()[1].body.contains("payload is no JSON"), "{}", site.script.asked()[1].body);
    assert_eq!((site.count("booked"), site.count("fastness_process")), (1, 1));
}

#[test]
fn exc_25_a_reply_that_is_none_and_names_nobody_is_found_one_by_one() {
    let says = vec![
        started("p", &[("a", "order"), ("b", "order")]),
        say("OK"),
        started("q", &[("a", "order")]),
        say("OK"),
        say("OK"),
        started("r", &[("b", "order")]),
        say("OK"),
        say("OK"),
    ];
    let row = "INSERT INTO outbox SELECT 'r', '{', NULL WHERE new.id = 'a';";
    let mut site = with_replies(says, row);
    assert!(matches!(site.round().ended, Ended::RolledBack(why) if why.contains("no JSON")));
    let second = site.round();
    assert_eq!((second.ended, second.incorrect), (Ended::Committed, 1));
    assert_eq!(site.round().processed, 1);
    let asked = site.script.asked();
    assert_eq!(site.script.steps()[..5], ["processes", "interrupt", "processes", "prepare", "commit"]);
    assert!(asked[1].body.contains("no JSON"), "the server's journal says why: {}", asked[1].body);
    assert!(asked[2].body.contains("\"max_files\":1") && !asked[5].body.contains("max_files"), "{asked:?}");
    assert_eq!(site.count("booked"), 1);
}

#[test]
fn exc_25_a_database_that_does_not_answer_is_given_up_in_time() {
    let says = vec![started("p", &[("a", "order"), ("s", "slow")]), say("OK")];
    let mut site = site_with("patience_s = 1", says);
    let Ended::RolledBack(why) = site.round().ended else { panic!() };
    assert!(why.contains("did not answer within 1 s"), "{why}");
    assert_eq!(site.script.steps(), ["processes", "interrupt"]);
}

#[test]
fn exc_25_a_database_that_is_away_takes_no_messages() {
    let mut site = site(vec![]);
    std::fs::remove_file(site.folder.path().join("erp.db")).unwrap();
    std::fs::create_dir(site.folder.path().join("erp.db")).unwrap();
    assert!(matches!(site.round().ended, Ended::Stopped(why) if why.contains("not ready")));
    assert_eq!(site.script.steps(), Vec::<String>::new());
}
