//! What holds on every database.

use client::exchange::Processed;
use connector::engine::ErrorKind;
use connector::{CommitFailure, Marker};

use crate::exchange::after_rounds;
use crate::kit::{Site, fresh_name, message, work};

/// Numbers that a database gives to its errors.
pub struct Codes {
    pub duplicate: i64,
    pub lock: Option<i64>,
}

pub fn messages_are_processed_each_in_its_savepoint(site: &Site, codes: &Codes) {
    let mut database = site.database();
    let worked =
        database.work(&work("p1", &[("a", "order"), ("b", "twice"), ("c", "nonsense"), ("d", "order")])).unwrap();
    let statuses: Vec<Processed> = worked.results.iter().map(|result| result.status).collect();
    let wrong = Processed::ProcessedIncorrect;
    assert_eq!(statuses, [Processed::Processed, wrong, wrong, Processed::Processed], "{:?}", worked.results);
    assert_eq!(worked.results[1].error_code, Some(codes.duplicate), "{:?}", worked.results[1]);
    assert!(worked.results[2].error_text.as_ref().is_some_and(|text| text.to_lowercase().contains("no_such_table")));
    let replies: Vec<&str> = worked.replies.iter().map(|reply| reply.id.as_str()).collect();
    assert_eq!(replies, ["r-a", "r-d"]);
    let reply = &worked.replies[0];
    assert_eq!((reply.head.to.as_str(), reply.head.reply_to.as_deref()), ("phone-1", Some("a")));
    assert_eq!(reply.body.payload.get(), "\"привет\"", "letters of all people");
    database.commit().unwrap();
    assert_eq!(site.count("FROM orders"), 2, "nothing of what failed stays");
    assert_eq!(site.count("FROM orders WHERE payload = '\"привет\"'"), 2);
    assert_eq!(site.count("FROM outbox"), 0, "replies are taken out in the same transaction");
}

pub fn a_lock_of_others_is_a_deadlock_and_only_for_its_message(site: &Site, codes: &Codes) {
    let mut other = site.other();
    other.begin().unwrap();
    other.execute(&format!("UPDATE {} SET amount = amount - 10 WHERE id = 1", site.stock), &[]).unwrap();
    let mut database = site.database();
    let worked = database.work(&work("p1", &[("a", "take"), ("b", "order")])).unwrap();
    assert_eq!(worked.results[0].status, Processed::ProcessedDeadlock, "{:?}", worked.results[0]);
    assert_eq!(worked.results[0].error_code, codes.lock, "{:?}", worked.results[0]);
    assert_eq!(worked.results[1].status, Processed::Processed);
    database.commit().unwrap();
    other.commit().unwrap();
    let worked = database.work(&work("p2", &[("a", "take")])).unwrap();
    assert_eq!(worked.results[0].status, Processed::Processed, "the next time it goes");
    database.commit().unwrap();
    assert_eq!(site.count(&format!("FROM {} WHERE amount = 89", site.stock)), 1);
    assert_eq!(site.count("FROM orders"), 1);
}

pub fn a_marker_tells_open_from_absent_from_present(site: &Site) {
    let (mut working, mut asking) = (site.database(), site.database());
    assert_eq!(asking.marker("p1").unwrap(), Marker::Absent, "never begun");
    working.work(&work("p1", &[("a", "order")])).unwrap();
    assert_eq!(asking.marker("p1").unwrap(), Marker::Open, "an absent row that may still be committed");
    assert!(!asking.is_committed("p1").unwrap_or(false));
    working.commit().unwrap();
    assert_eq!(asking.marker("p1").unwrap(), Marker::Present);
    assert!(asking.is_committed("p1").unwrap());
    working.work(&work("p2", &[("b", "order")])).unwrap();
    working.roll_back();
    assert_eq!(asking.marker("p2").unwrap(), Marker::Absent);
    assert_eq!(asking.marker("p2").unwrap(), Marker::Absent, "asking leaves nothing behind");
    assert_eq!(site.count("FROM fastness_process"), 1);
    assert_eq!(site.count("FROM orders"), 1);
}

pub fn the_same_process_is_never_committed_twice(site: &Site) {
    let mut database = site.database();
    database.work(&work("p1", &[("a", "order")])).unwrap();
    database.commit().unwrap();
    let error = database.work(&work("p1", &[("a2", "order")])).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Duplicate, "{error}");
    database.roll_back();
    assert_eq!(site.count("FROM orders"), 1);
}

pub fn a_vanished_connection_rolls_back(site: &Site) {
    let mut asking = site.database();
    {
        let mut vanishing = site.database();
        vanishing.work(&work("p1", &[("a", "order")])).unwrap();
    }
    let mut seen = asking.marker("p1").unwrap();
    // The server may need a moment to see that the other end is gone.
    for _ in 0..20 {
        if seen == Marker::Open {
            seen = asking.marker("p1").unwrap();
        }
    }
    assert_eq!(seen, Marker::Absent);
    assert_eq!(site.count("FROM orders"), 0);
}

/// Constraints that are checked at the end.
pub fn a_commit_that_fails_says_why_and_leaves_nothing(site: &Site) {
    let mut database = site.database();
    let worked = database.work(&work("p1", &[("a", "order"), ("l", "late")])).unwrap();
    assert_eq!(worked.results[1].status, Processed::Processed, "found out later");
    let Err(CommitFailure::Refused(text)) = database.commit() else { panic!("it committed") };
    assert!(text.to_lowercase().contains("foreign key"), "{text}");
    assert_eq!(database.marker("p1").unwrap(), Marker::Absent);
    assert_eq!(site.count("FROM orders"), 0);
}

/// The oldest message makes each commit fail.
pub fn a_message_whose_commit_fails_keeps_no_other(site: &Site) {
    let (books, ended) = after_rounds(site, "tell_senders = true", &[("l", "late"), ("a", "order")], 6);
    let mut done = books.done.clone();
    done.sort();
    let expected =
        [("a", "PROCESSED"), ("l", "PROCESSED_INCORRECT")].map(|(id, what)| (id.to_owned(), what.to_owned()));
    assert_eq!((done, books.told), (expected.to_vec(), 1), "{ended:?}");
    assert_eq!((site.count("FROM orders"), site.count("FROM lines")), (1, 0));
}

pub fn a_blamed_message_is_incorrect_and_the_process_goes_on(site: &Site) {
    let mut database = site.database();
    let mut blamed = work("p1", &[("a", "order")]);
    blamed.blame.all = Some("the device is gone".into());
    let worked = database.work(&blamed).unwrap();
    assert_eq!(worked.results[0].status, Processed::ProcessedIncorrect);
    assert_eq!(worked.results[0].error_text.as_deref(), Some("the device is gone"));
    assert!(worked.replies.is_empty());
    database.commit().unwrap();
    assert_eq!(database.marker("p1").unwrap(), Marker::Present);
    assert_eq!(site.count("FROM orders"), 0);
}

/// A row that is no reply: the message that wrote it is to blame, one that stood there before is left alone.
pub fn a_row_that_is_no_reply_stops_nobody_but_its_message(site: &Site) {
    let mut other = site.other();
    other.begin().unwrap();
    let stranger =
        "INSERT INTO outbox (id, recipient, kind, payload, answers) VALUES ('x', 'phone-1', 'done', '{', NULL)";
    other.execute(stranger, &[]).unwrap();
    other.commit().unwrap();
    let mut database = site.database();
    let mut wanted = work("p1", &[("a", "order"), ("b", "torn")]);
    let first = database.work(&wanted).unwrap();
    assert_eq!(first.bad.len(), 2, "{:?}", first.bad);
    wanted.blame.is_careful = true;
    let second = database.work(&wanted).unwrap();
    let answers: Vec<Option<&str>> = second.bad.iter().map(|bad| bad.answers.as_deref()).collect();
    assert_eq!((answers, second.left_alone.len()), (vec![Some("b")], 1), "{second:?}");
    wanted.blame.of.insert("b".into(), "its reply is none".into());
    let third = database.work(&wanted).unwrap();
    assert!(third.bad.is_empty(), "{:?}", third.bad);
    let statuses: Vec<Processed> = third.results.iter().map(|result| result.status).collect();
    assert_eq!(statuses, [Processed::Processed, Processed::ProcessedIncorrect]);
    assert_eq!(third.results[1].error_text.as_deref(), Some("its reply is none"));
    let replies: Vec<&str> = third.replies.iter().map(|reply| reply.id.as_str()).collect();
    assert_eq!(replies, ["r-a"]);
    database.commit().unwrap();
    assert_eq!(
        (site.count("FROM orders"), site.count("FROM outbox WHERE id = 'x'")),
        (1, 1),
        "the row is not ours to delete"
    );
    assert_eq!(site.count("FROM outbox"), 1);
}

/// Larger than what a text may be on the wire of any of them.
pub fn a_large_payload_arrives_whole(site: &Site) {
    let mut database = site.database();
    let text: String = "я".repeat(200_000);
    let mut large = work("p1", &[]);
    large.messages = vec![message("a", "order", &text)];
    let worked = database.work(&large).unwrap();
    assert_eq!(worked.results[0].status, Processed::Processed, "{:?}", worked.results[0].error_text);
    assert_eq!(worked.replies[0].body.payload.get().chars().count(), 200_002);
    database.commit().unwrap();
    let length = if site.engine == "sqlite" { "LENGTH" } else { "CHAR_LENGTH" };
    assert_eq!(site.count(&format!("FROM orders WHERE {length}(payload) = 200002")), 1);
}

/// All that needs nothing special; each in a database of its own.
pub fn check_all(site: impl Fn() -> Site, codes: &Codes) {
    let with = |check: &dyn Fn(&Site)| {
        let site = site();
        check(&site);
        (site.end)();
    };
    with(&|site| messages_are_processed_each_in_its_savepoint(site, codes));
    with(&a_marker_tells_open_from_absent_from_present);
    with(&the_same_process_is_never_committed_twice);
    with(&a_vanished_connection_rolls_back);
    with(&a_blamed_message_is_incorrect_and_the_process_goes_on);
    with(&a_row_that_is_no_reply_stops_nobody_but_its_message);
    with(&a_large_payload_arrives_whole);
    assert_ne!(fresh_name(), fresh_name());
}
