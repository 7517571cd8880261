//! The clerk: files follow rows, whatever ends in between (EXC-4 to EXC-6, EXC-14, EXC-19).

use std::fs;

use base::CallResult;
use exchange::folders::{Scans, recover};
use exchange::process::Answer::Ok as Yes;
use exchange::process::Processed::{Processed, ProcessedDeadlock, ProcessedIncorrect};
use exchange::process::StartAnswer;

use crate::kit::{Office, ids};
use crate::shelf::answer;

fn lies(office: &Office) -> Vec<(String, String)> {
    office.shelf().lie()
}

fn at(folder: &str, id: &str) -> (String, String) {
    (folder.to_owned(), id.to_owned())
}

#[test]
fn exc_4_5_6_a_message_is_a_file_whose_name_says_all() {
    let office = Office::in_folders();
    for folder in ["Messages", "Prepared", "Log", "Unknown", "Error"] {
        assert!(office.shelf().path(folder).is_dir(), "{folder} is there with its database");
    }
    let message = office.message("a", 0);
    office.send(&message).unwrap();
    let files = office.shelf().files();
    let ((folder, name), content) = files.first_key_value().unwrap();
    let expected = format!("001793534400000~000000000000001~a~{}~erp~sales.json", office.phone);
    assert_eq!((folder.as_str(), name.as_str()), ("Messages", expected.as_str()));
    assert_eq!(content, message.to_string().as_bytes());
}

#[test]
fn exc_13_14_15_files_go_where_results_say() {
    let office = Office::in_folders();
    office.sent(&["a", "b", "c"]);
    let process = office.start().process.unwrap();
    let results = [("a", Processed), ("b", ProcessedIncorrect), ("c", ProcessedDeadlock)];
    office.prepare(&process, &results, &[office.reply("r1")]).unwrap();
    assert!(lies(&office).contains(&at("Prepared", "r1")));
    office.rollback(&process).unwrap();
    assert_eq!(lies(&office), [at("Messages", "a"), at("Messages", "b"), at("Messages", "c")], "no trace of the reply");
    let process = office.start().process.unwrap();
    office.prepare(&process, &results, &[office.reply("r1")]).unwrap();
    office.commit(&process).unwrap();
    let there = [at("Error", "b"), at("Log", "a"), at("Messages", "c"), at("Messages", "r1")];
    assert_eq!(lies(&office), there);
}

/// How a clerk is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    BeforeFiles,
    AfterFiles,
}

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Then {
    /// The server starts again.
    Restart,
    /// The server goes on, and only this batch is unknown.
    GoOn,
}

/// One life of messages, the clerk of one step of which is cut.
fn live(cut_at: usize, cut: Cut, then: Then) {
    let office = Office::in_folders();
    office.clerk_waits.set(true);
    let clerk = |step: usize| {
        if step == cut_at {
            let (call, done) = office.shelf().next_call(&office.world).expect("there is work");
            let said = (cut == Cut::AfterFiles).then(|| answer(&office.world, &call));
            assert!(!matches!(said, Some(CallResult::Unknown(_))), "{said:?}");
            if then == Then::GoOn {
                done(CallResult::Unknown("cut".into()));
            }
        } else if step > cut_at || cut_at == usize::MAX {
            mend(&office, then);
        } else {
            office.shelf().work(&office.world);
        }
    };
    office.sent(&["a", "b", "c"]);
    clerk(0);
    let process = office.start().process.unwrap();
    let results = [("a", Processed), ("b", ProcessedIncorrect), ("c", ProcessedDeadlock)];
    office.prepare(&process, &results, &[office.reply("r1"), office.reply("r2")]).unwrap();
    clerk(1);
    assert_eq!(office.commit(&process), Ok(Yes));
    clerk(2);
    mend(&office, then);
    assert_eq!(office.fetched(), ["r1", "r2"]);
    office.ack("r1").unwrap();
    clerk(3);
    office.ack("r2").unwrap();
    mend(&office, then);
    assert_eq!(office.ledger(), [5, 1, 0, 3, 1, 0]);
    let there = [at("Error", "b"), at("Log", "a"), at("Log", "r1"), at("Log", "r2"), at("Messages", "c")];
    assert_eq!(lies(&office), there);
    assert_eq!((ids(&office.start()), office.alerts()), (vec!["c".to_owned()], vec![]));
}

fn mend(office: &Office, then: Then) {
    match then {
        Then::Restart => recover(&office.world.kernel, &office.world.main()),
        Then::GoOn => office.world.pass_ms(6_000),
    }
    office.shelf().work(&office.world);
    office.world.check_invariants();
    office.shelf().check(&office.world);
}

#[test]
fn exc_6_19_a_clerk_that_is_cut_anywhere_leaves_nothing_behind() {
    for cut_at in 0..4 {
        for cut in [Cut::BeforeFiles, Cut::AfterFiles] {
            for then in [Then::Restart, Then::GoOn] {
                println!("step {cut_at}, {cut:?}, {then:?}");
                live(cut_at, cut, then);
            }
        }
    }
}

#[test]
fn exc_6_replies_that_are_given_up_while_their_files_are_laid_leave_none() {
    let office = Office::in_folders();
    office.sent(&["a"]);
    let process = office.start().process.unwrap();
    office.clerk_waits.set(true);
    for performed in [false, true] {
        let process = if performed { office.start().process.unwrap() } else { process.clone() };
        office.prepare(&process, &[("a", Processed)], &[office.reply("r1")]).unwrap();
        let (call, done) = office.shelf().next_call(&office.world).expect("the reply is laid");
        let early = performed.then(|| answer(&office.world, &call));
        assert_eq!(office.rollback(&process), Ok(Yes));
        done(early.unwrap_or_else(|| answer(&office.world, &call)));
        office.shelf().work(&office.world);
        office.shelf().check(&office.world);
        assert_eq!((lies(&office), office.alerts()), (vec![at("Messages", "a")], vec![]));
    }
}

#[test]
fn exc_14_exc_24_a_folder_that_cannot_be_written_fails_the_process_until_it_can() {
    let office = Office::in_folders();
    office.sent(&["a", "b"]);
    let log = office.shelf().path("Log");
    fs::remove_dir(&log).unwrap();
    fs::write(&log, "in the way").unwrap();
    office.clerk_waits.set(true);
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("a", Processed), ("b", ProcessedDeadlock)], &[office.reply("r1")]).unwrap();
    assert_eq!(office.commit(&process), Ok(Yes));
    assert_eq!(office.start().status, StartAnswer::Busy, "its files are being moved");
    office.shelf().work(&office.world);
    office.world.check_invariants();
    assert_eq!(office.alerts(), ["exchange-failed", "exchange-folders"]);
    assert_eq!((office.commit(&process), office.fetched()), (Ok(Yes), vec!["r1".to_owned()]), "the rest went on");
    let next = office.start();
    assert_eq!(ids(&next), ["b"], "the database goes on, without what is held");
    assert_eq!(office.interrupt(&next.process.unwrap()), Ok(Yes));
    office.world.pass_ms(61_000);
    office.shelf().work(&office.world);
    assert_eq!((office.alerts().len(), office.state("a").as_str()), (2, "processed"), "tried again in vain");
    fs::remove_file(&log).unwrap();
    office.world.pass_ms(61_000);
    office.shelf().work(&office.world);
    office.world.check_invariants();
    office.shelf().check(&office.world);
    assert_eq!((office.ledger(), office.alerts()), ([3, 2, 0, 1, 0, 0], vec![]));
}

#[test]
fn exc_6_7_a_folder_that_vanished_is_filled_again() {
    let office = Office::in_folders();
    office.sent(&["a"]);
    let root = office.shelf().directory.path().join("main");
    fs::remove_dir_all(&root).unwrap();
    fs::write(&root, "in the way").unwrap();
    office.clerk_waits.set(true);
    office.sent(&["a", "b"]);
    office.shelf().work(&office.world);
    assert_eq!(office.alerts(), ["exchange-folders"]);
    fs::remove_file(&root).unwrap();
    office.world.pass_ms(61_000);
    recover(&office.world.kernel, &office.world.main());
    office.shelf().work(&office.world);
    office.shelf().check(&office.world);
    assert_eq!((lies(&office), office.alerts()), (vec![at("Messages", "a"), at("Messages", "b")], vec![]));
}

/// A stranger in Log, which a look at everything moves to Error.
fn stranger(office: &Office) -> std::path::PathBuf {
    let path = office.shelf().path("Log/notes.txt");
    fs::write(&path, "x").unwrap();
    path
}

#[test]
fn exc_7_after_a_batch_of_which_nobody_knows_only_what_it_may_have_touched_is_looked_at() {
    for cut in [Cut::BeforeFiles, Cut::AfterFiles] {
        let office = Office::in_folders();
        recover(&office.world.kernel, &office.world.main());
        office.shelf().work(&office.world);
        let stranger = stranger(&office);
        office.clerk_waits.set(true);
        office.sent(&["a", "b"]);
        let (call, done) = office.shelf().next_call(&office.world).expect("there is work");
        if cut == Cut::AfterFiles {
            answer(&office.world, &call);
        }
        done(CallResult::Unknown("cut".into()));
        office.world.pass_ms(6_000);
        let (look, done) = office.shelf().next_call(&office.world).expect("a look");
        assert!(look.param.contains("LookAgain"), "{}", look.param);
        done(answer(&office.world, &look));
        office.shelf().work(&office.world);
        office.world.check_invariants();
        assert_eq!(lies(&office), [at("Messages", "a"), at("Messages", "b")]);
        assert!(
            stranger.exists() && office.journal("exchange.foreign_file").is_empty(),
            "what is at rest is left alone"
        );
        assert!(!office.world.kernel.common::<Scans>().is_wanted("main"));
    }
}

#[test]
fn exc_14_7_one_file_that_cannot_be_moved_makes_nobody_look_at_all_of_them() {
    let office = Office::in_folders();
    recover(&office.world.kernel, &office.world.main());
    office.sent(&["a", "b"]);
    let name = office.shelf().find("a").file_name().unwrap().to_owned();
    let in_the_way = office.shelf().path("Log").join(name);
    fs::create_dir(&in_the_way).unwrap();
    let stranger = stranger(&office);
    office.clerk_waits.set(true);
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("a", Processed), ("b", Processed)], &[]).unwrap();
    office.commit(&process).unwrap();
    for _ in 0..3 {
        office.shelf().work(&office.world);
        assert_eq!(office.alerts(), ["exchange-failed", "exchange-folders"]);
        assert!(stranger.exists() && !office.world.kernel.common::<Scans>().is_wanted("main"));
        office.world.pass_ms(61_000);
    }
    fs::remove_dir(&in_the_way).unwrap();
    office.shelf().work(&office.world);
    assert_eq!((office.ledger(), office.alerts()), ([2, 0, 0, 2, 0, 0], vec![]));
}

#[test]
fn exc_6_7_a_file_that_vanished_before_it_was_moved_is_laid_again() {
    let office = Office::in_folders();
    recover(&office.world.kernel, &office.world.main());
    office.sent(&["a"]);
    fs::remove_file(office.shelf().find("a")).unwrap();
    office.clerk_waits.set(true);
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("a", Processed)], &[]).unwrap();
    office.commit(&process).unwrap();
    office.shelf().work(&office.world);
    office.world.pass_ms(61_000);
    office.shelf().work(&office.world);
    office.shelf().check(&office.world);
    assert_eq!((lies(&office), office.alerts()), (vec![at("Log", "a")], vec![]));
}
