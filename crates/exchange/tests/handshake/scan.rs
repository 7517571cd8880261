//! The scan: files against rows, whatever an administrator or a crash made of them (EXC-7, EXC-19).

use std::fs;

use base::{Sql, args};
use exchange::folders::{SCAN, recover};
use exchange::process::Processed::Processed;
use exchange::process::{Answer, StartAnswer};
use exchange::registry::{CREATE_DATABASE, NewDatabase};
use exchange::{Bodies, Rules, Settings, Watch};
use kernel::Op;

use crate::kit::{Office, ids, known};
use crate::packs::requeue;
use crate::shelf::Shelf;

/// As an administrator asks for it; then the clerk does the rest.
fn scan(office: &Office) {
    office.world.call(&SCAN, None).unwrap();
    office.shelf().work(&office.world);
    office.world.check_invariants();
}

fn lies(office: &Office, id: &str) -> String {
    office.shelf().find(id).parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned()
}

/// An office with a message in Log, of which the store has no text any more.
fn with_one_done() -> Office {
    let office = Office::in_folders();
    office.sent(&["a"]);
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("a", Processed)], &[]).unwrap();
    office.commit(&process).unwrap();
    assert_eq!((lies(&office, "a").as_str(), texts(&office)), ("Log", 0));
    office
}

fn texts(office: &Office) -> i64 {
    static COUNT: Sql = Sql::new("test.texts", "SELECT COUNT(*) FROM exc_body");
    office.world.count(&COUNT)
}

#[test]
fn exc_7_21_a_message_moved_to_log_by_hand_is_done() {
    let office = Office::in_folders();
    office.sent(&["a", "b", "c"]);
    for (id, folder) in [("a", "Log"), ("b", "Error"), ("c", "Unknown")] {
        office.shelf().move_by_hand(id, folder);
    }
    scan(&office);
    office.shelf().check(&office.world);
    assert_eq!(office.ledger(), [3, 0, 0, 1, 1, 1]);
    assert_eq!(["a", "b", "c"].map(|id| office.state(id)), ["processed", "error", "unknown"]);
    assert_eq!((office.journal("exchange.moved_by_hand").len(), texts(&office)), (3, 2));
    office.shelf().move_by_hand("c", "Messages");
    scan(&office);
    assert_eq!(ids(&office.start()), ["c"]);
}

#[test]
fn exc_7_12_nobody_is_to_look_after_a_message_that_was_left_out_and_then_moved_by_hand() {
    let office = Office::in_folders();
    office.sent(&["a"]);
    for _ in 0..10 {
        let process = office.start().process.unwrap();
        assert_eq!(office.narrow(&process, &[]), Ok(Answer::Ok));
    }
    assert_eq!(office.alerts(), ["exchange-skipped"]);
    office.shelf().move_by_hand("a", "Error");
    scan(&office);
    assert_eq!(office.alerts(), Vec::<String>::new(), "it waits no more");
    requeue(&office, "a", Some(office.message("a", 0).to_string())).unwrap();
    office.look_after();
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("a", Processed)], &[]).unwrap();
    office.commit(&process).unwrap();
    assert_eq!((office.alerts(), office.state("a")), (vec![], "processed".to_owned()));
}

#[test]
fn exc_19_7_a_process_that_cannot_be_ended_does_not_keep_folders_from_being_compared() {
    static BREAK: Sql = Sql::new("test.break", "UPDATE exc_database SET queued = 9223372036854775807");
    static BREAK_QUEUE: Op<(), ()> = Op::new("test.break_queue", |tx, _, ()| Ok(tx.write(&BREAK, args![])?));
    let office = Office::in_folders();
    office.sent(&["a"]);
    let process = office.start().process.unwrap();
    office.send(&office.message("b", 1)).unwrap();
    office.shelf().move_by_hand("b", "Log");
    // Whatever puts messages back into the queue fails.
    office.world.call(&BREAK_QUEUE, ()).unwrap();
    office.world.pass_ms(600_000);
    recover(&office.world.kernel, &office.world.main());
    assert_eq!((office.journal("exchange.moved_by_hand").len(), office.state("b")), (1, "processed".to_owned()));
    assert_eq!(office.state("a"), "in_process", "{process} could not be ended");
}

#[test]
fn exc_7_21_a_message_moved_back_to_messages_is_given_again_from_its_file() {
    let office = with_one_done();
    office.shelf().move_by_hand("a", "Messages");
    scan(&office);
    office.shelf().check(&office.world);
    assert_eq!((office.ledger(), office.state("a").as_str()), ([1, 1, 0, 0, 0, 0], "queued"));
    let started = office.start();
    let text = started.messages.unwrap()[0].get().to_owned();
    assert_eq!(text, office.message("a", 0).to_string());
}

#[test]
fn exc_7_a_message_whose_file_was_changed_is_not_given_again_and_stays_what_it_was() {
    let office = with_one_done();
    office.shelf().move_by_hand("a", "Messages");
    let path = office.shelf().find("a");
    let changed = fs::read_to_string(&path).unwrap().replace("order", "Order");
    fs::write(&path, changed).unwrap();
    scan(&office);
    office.shelf().check(&office.world);
    assert_eq!((lies(&office, "a").as_str(), office.state("a").as_str()), ("Log", "processed"));
    assert_eq!((office.ledger(), office.alerts()), ([1, 0, 0, 1, 0, 0], vec!["exchange-lost".to_owned()]));
    scan(&office);
    assert_eq!(office.journal("exchange.damaged").len(), 1, "told once");
    assert_eq!(office.alerts().len(), 1, "it has the size of what was received, and is not it");
}

#[test]
fn exc_7_what_a_process_holds_is_brought_back() {
    let office = Office::in_folders();
    office.sent(&["a"]);
    let process = office.start().process.unwrap();
    office.shelf().move_by_hand("a", "Log");
    scan(&office);
    office.shelf().check(&office.world);
    assert_eq!((lies(&office, "a").as_str(), office.journal("exchange.put_back").len()), ("Messages", 1));
    office.prepare(&process, &[("a", Processed)], &[]).unwrap();
    office.commit(&process).unwrap();
    office.shelf().move_by_hand("a", "Prepared");
    scan(&office);
    assert_eq!((lies(&office, "a").as_str(), office.ledger()), ("Log", [1, 0, 0, 1, 0, 0]));
}

#[test]
fn exc_7_the_same_message_twice_stays_where_it_belongs() {
    let office = Office::in_folders();
    office.sent(&["a"]);
    let from = office.shelf().find("a");
    fs::copy(&from, office.shelf().path("Unknown").join(from.file_name().unwrap())).unwrap();
    fs::write(office.shelf().path("Log").join(from.file_name().unwrap()), "torn").unwrap();
    scan(&office);
    office.shelf().check(&office.world);
    assert_eq!(office.shelf().lie(), [("Messages".to_owned(), "a".to_owned())]);
    assert!(office.journal("exchange.moved_by_hand").is_empty());
}

#[test]
fn exc_7_foreign_files_go_to_error_and_what_is_no_file_stays() {
    let office = Office::in_folders();
    office.sent(&["a"]);
    let shelf = office.shelf();
    let stranger = shelf.find("a").file_name().unwrap().to_str().unwrap().replace("~a~", "~stranger~");
    fs::write(shelf.path("Messages").join(&stranger), "x").unwrap();
    fs::write(shelf.path("Messages/notes.txt"), "x").unwrap();
    fs::write(shelf.path("Log/notes.txt"), "y").unwrap();
    fs::write(shelf.path("Error/notes.txt"), "mine").unwrap();
    fs::create_dir(shelf.path("Log/below")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", shelf.path("Log/link")).unwrap();
    fs::create_dir_all(shelf.directory.path().join("main/nobody/Messages")).unwrap();
    fs::write(shelf.directory.path().join("main/nobody/Messages/x"), "x").unwrap();
    scan(&office);
    let names: Vec<String> = fs::read_dir(shelf.path("Error"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in [stranger.as_str(), "notes.txt", "notes.txt~2", "notes.txt~3"] {
        assert!(names.iter().any(|there| there == name), "{name}: {names:?}");
    }
    assert_eq!(fs::read(shelf.path("Error/notes.txt")).unwrap(), b"mine");
    assert!(shelf.path("Log/below").is_dir() && shelf.path("Log/link").is_symlink());
    assert!(shelf.directory.path().join("main/nobody/Messages/x").is_file());
    let counts =
        |office: &Office| ["exchange.foreign_file", "exchange.left_alone"].map(|kind| office.journal(kind).len());
    assert_eq!((lies(&office, "a").as_str(), counts(&office)), ("Messages", [3, 3]));
    scan(&office);
    assert_eq!(counts(&office), [3, 3], "told once");
}

#[test]
fn exc_7_what_is_missing_or_torn_is_laid_again() {
    let office = Office::in_folders();
    office.sent(&["a", "b", "c"]);
    fs::remove_file(office.shelf().find("a")).unwrap();
    fs::write(office.shelf().find("b"), "torn").unwrap();
    recover(&office.world.kernel, &office.world.main());
    office.shelf().work(&office.world);
    office.shelf().check(&office.world);
    assert_eq!(office.shelf().lie().len(), 3);
}

#[test]
fn exc_7_a_message_that_is_lost_is_told_and_kept_as_a_row() {
    let office = with_one_done();
    fs::remove_file(office.shelf().find("a")).unwrap();
    for _ in 0..2 {
        scan(&office);
        assert_eq!((office.alerts(), office.journal("exchange.lost").len()), (vec!["exchange-lost".to_owned()], 1));
    }
    assert_eq!((office.ledger(), office.state("a").as_str()), ([1, 0, 0, 1, 0, 0], "processed"));
}

/// What the database said of messages.
fn said(office: &Office) -> Vec<(Option<String>, Option<String>)> {
    static SAID: Sql = Sql::new("test.said", "SELECT result, error_text FROM exc_message ORDER BY number");
    let word = |row: &base::Row, column: usize| row.opt_text(column).map(str::to_owned);
    office.world.rows(&SAID).iter().map(|row| (word(row, 0), word(row, 1))).collect()
}

#[test]
fn exc_7_the_alert_of_what_was_lost_closes_when_it_is_back() {
    let office = with_one_done();
    let (before, path) = (said(&office), office.shelf().find("a"));
    let text = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    scan(&office);
    assert_eq!((office.alerts(), said(&office)), (vec!["exchange-lost".to_owned()], before.clone()));
    fs::write(&path, "torn").unwrap();
    scan(&office);
    assert_eq!((office.alerts().len(), office.journal("exchange.damaged").len()), (1, 1));
    fs::write(&path, text).unwrap();
    scan(&office);
    office.shelf().check(&office.world);
    assert_eq!((office.alerts(), said(&office)), (vec![], before));
    assert_eq!(office.journal("exchange.whole_again").len(), 1);
}

#[test]
fn exc_7_a_message_that_was_processed_stays_so_when_its_file_is_torn() {
    let office = with_one_done();
    fs::write(office.shelf().find("a"), "torn").unwrap();
    scan(&office);
    assert_eq!((lies(&office, "a").as_str(), office.state("a").as_str()), ("Log", "processed"));
    assert_eq!((office.ledger(), office.alerts()), ([1, 0, 0, 1, 0, 0], vec!["exchange-lost".to_owned()]));
    scan(&office);
    assert_eq!(office.journal("exchange.damaged").len(), 1, "told once");
}

#[test]
fn exc_8_messages_of_the_store_become_files_when_there_are_folders() {
    let mut office = Office::in_the_store();
    office.sent(&["a", "b"]);
    office.shelf = Some(Shelf::open(&office.world.kernel));
    recover(&office.world.kernel, &office.world.main());
    office.look_after();
    assert_eq!(office.shelf().lie().len(), 2);
}

#[test]
fn exc_7_19_a_folder_that_cannot_be_read_is_told_and_nothing_is_taken_for_missing() {
    let office = with_one_done();
    let (log, aside) = (office.shelf().path("Log"), office.shelf().path("aside"));
    fs::rename(&log, &aside).unwrap();
    fs::write(&log, "in the way").unwrap();
    recover(&office.world.kernel, &office.world.main());
    assert_eq!((office.alerts(), office.journal("exchange.lost").len()), (vec!["exchange-scan".to_owned()], 0));
    office.clerk_waits.set(true);
    office.sent(&["a", "b"]);
    fs::remove_file(&log).unwrap();
    fs::rename(&aside, &log).unwrap();
    scan(&office);
    office.shelf().check(&office.world);
    assert_eq!((office.alerts(), office.shelf().lie().len()), (vec![], 2));
}

#[test]
fn exc_7_what_cannot_be_looked_at_is_looked_at_again_after_ever_longer_pauses() {
    let office = Office::in_folders();
    let log = office.shelf().path("Log");
    fs::remove_dir(&log).unwrap();
    fs::write(&log, "in the way").unwrap();
    office.clerk_waits.set(true);
    recover(&office.world.kernel, &office.world.main());
    let _watch = Watch::start(&office.world.kernel);
    let mut looks = vec![];
    for minute in 1..=120 {
        office.world.pass_ms(60_000);
        while let Some((base::Call::Work(call), done)) = office.world.partner.next() {
            if call.param.contains("Scan") {
                looks.push(minute);
            }
            done(crate::shelf::answer(&office.world, &call));
            office.world.pass_ms(0);
        }
    }
    assert!((4..=8).contains(&looks.len()), "{looks:?}");
    assert_eq!(office.alerts(), ["exchange-scan"]);
    fs::remove_file(&log).unwrap();
    scan(&office);
    assert_eq!(office.alerts(), Vec::<String>::new());
}

#[test]
fn exc_19_what_took_too_long_to_prepare_is_removed_at_the_start() {
    let office = Office::in_folders();
    office.sent(&["a"]);
    let process = office.start().process.unwrap();
    office.world.pass_ms(601_000);
    recover(&office.world.kernel, &office.world.main());
    assert_eq!((office.ledger(), office.journal("exchange.ended").len()), ([1, 1, 0, 0, 0, 0], 1));
    assert_ne!(office.start().process.unwrap(), process);
}

/// An office with a process whose files are to be moved, one of which was.
fn half_moved() -> (Office, String) {
    let office = Office::in_folders();
    office.sent(&["a", "b"]);
    office.clerk_waits.set(true);
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("a", Processed), ("b", Processed)], &[office.reply("r1")]).unwrap();
    office.commit(&process).unwrap();
    office.shelf().move_by_hand("a", "Log");
    assert_eq!(office.start().status, StartAnswer::Busy, "its files are to be moved");
    (office, process)
}

#[test]
fn exc_19_what_was_being_moved_is_finished_before_the_first_request() {
    let (office, process) = half_moved();
    recover(&office.world.kernel, &office.world.main());
    assert_eq!((office.start().status, office.ledger()), (StartAnswer::Idle, [3, 1, 0, 2, 0, 0]));
    assert_eq!((lies(&office, "a").as_str(), lies(&office, "b").as_str()), ("Log", "Log"));
    assert_eq!((office.commit(&process), office.fetched()), (Ok(Answer::Ok), vec!["r1".to_owned()]));
    assert_eq!(
        office.journal("exchange.recovered"),
        ["processes whose files were being moved: 1 are finished, 0 go on"]
    );
    office.world.check_invariants();
    office.shelf().work(&office.world);
    office.shelf().check(&office.world);
}

#[test]
fn exc_19_a_disk_that_cannot_be_written_keeps_nobody_from_being_served() {
    let (office, _) = half_moved();
    let (log, aside) = (office.shelf().path("Log"), office.shelf().path("aside"));
    fs::rename(&log, &aside).unwrap();
    fs::write(&log, "in the way").unwrap();
    recover(&office.world.kernel, &office.world.main());
    assert_eq!(office.alerts(), ["exchange-failed", "exchange-folders", "exchange-scan"]);
    assert_eq!(office.start().status, StartAnswer::Idle, "the database goes on");
    assert_eq!(
        office.journal("exchange.recovered"),
        ["processes whose files were being moved: 0 are finished, 1 go on"]
    );
    fs::remove_file(&log).unwrap();
    fs::rename(&aside, &log).unwrap();
    recover(&office.world.kernel, &office.world.main());
    office.shelf().work(&office.world);
    office.shelf().check(&office.world);
    assert_eq!((office.alerts(), office.ledger()), (vec![], [3, 1, 0, 2, 0, 0]));
}

#[test]
fn exc_4_a_database_whose_paths_would_be_too_long_is_refused() {
    let office = Office::in_folders();
    let settings = Settings { bodies: Bodies::Folders, root_bytes: 3_800, ..Settings::default() };
    office.world.kernel.common::<Rules>().set(settings);
    let create =
        |id: &str| known(&office.world, &CREATE_DATABASE, NewDatabase { id: id.into(), company: "acme".into() });
    assert_eq!(create(&"x".repeat(64)).unwrap_err().code.name, "AEXCHANGE");
    assert!(create("x").is_ok());
}

#[test]
fn exc_8_who_leaves_the_folders_waits_for_no_file() {
    let office = Office::in_folders();
    office.sent(&["a"]);
    office.clerk_waits.set(true);
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("a", Processed)], &[office.reply("r1")]).unwrap();
    office.commit(&process).unwrap();
    assert_eq!(office.start().status, StartAnswer::Busy, "its file is to be moved");
    let rules = office.world.kernel.common::<Rules>();
    rules.set(Settings { bodies: Bodies::Store, ..rules.get() });
    recover(&office.world.kernel, &office.world.main());
    assert_eq!((office.start().status, office.ledger()), (StartAnswer::Idle, [2, 1, 0, 1, 0, 0]));
    assert_eq!(office.fetched(), ["r1"]);
}

#[test]
fn exc_7_folders_that_are_older_than_the_store_make_nothing_be_done_again() {
    let office = Office::in_folders();
    office.sent(&["a"]);
    let restart = || {
        recover(&office.world.kernel, &office.world.main());
        office.shelf().work(&office.world);
    };
    restart();
    let old = fs::read(office.shelf().find("a")).unwrap();
    let (name, generation) = (office.shelf().find("a"), office.shelf().directory.path().join("main/generation"));
    let number = fs::read(&generation).unwrap();
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("a", Processed)], &[]).unwrap();
    office.commit(&process).unwrap();
    restart();
    // The disk of before is back: the message lies where it lay, and the folders know nothing of the last start.
    fs::remove_file(office.shelf().find("a")).unwrap();
    fs::write(&name, &old).unwrap();
    fs::write(&generation, &number).unwrap();
    restart();
    assert_eq!((office.start().status, office.ledger()), (StartAnswer::Idle, [1, 0, 0, 1, 0, 0]));
    assert_eq!((lies(&office, "a").as_str(), office.journal("exchange.moved_by_hand").len()), ("Log", 0));
    // The same with folders that are in step is an administrator's wish.
    office.shelf().move_by_hand("a", "Messages");
    restart();
    assert_eq!(ids(&office.start()), ["a"]);
}
