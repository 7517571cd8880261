//! Backups of namespaces on PostgreSQL (KER-37, cell B6).

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use kill::postgres::{Database, SHARED};

use crate::backup::{back_up_under_load, restore, text};
use crate::watchdog::comes_true;
use crate::{launch, program};

fn environment(database: &Database, prefix: &str) -> Vec<(String, String)> {
    let pair = |name: &str, value: &str| (format!("FASTNESS_STORE__{name}"), value.to_owned());
    vec![pair("ENGINE", "postgres"), pair("URL", &database.url), pair("SCHEMA_PREFIX", prefix)]
}

#[test]
fn ker_37_a_backup_under_load_on_postgresql_is_one_moment_and_has_all_that_was_acknowledged_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "bak").expect("a database");
    let here = environment(&database, &database.prefix);
    let there = Database::new(SHARED, "bakr").expect("a database");
    let elsewhere = environment(&there, &there.prefix);
    let server = database.launch(launch(&folder.path().join("data")));
    let (backup, mut before) = back_up_under_load(&server, &folder.path().join("backups"), &here);
    let again = folder.path().join("again");
    let output = restore(&backup, &again, &[], &elsewhere);
    assert!(output.status.success(), "{}", text(&output));
    let server = there.launch(launch(&again)).start().expect("a server on restored data");
    for writer in &mut before {
        writer.ask_old(&server, 1).expect("everything acknowledged before is there");
    }
    server.end("TERM").expect("an end");
    // The same again: refused, then with the old schemas kept.
    let refused = restore(&backup, &folder.path().join("third"), &[], &elsewhere);
    assert!(text(&refused).contains("holds a store already"), "{}", text(&refused));
    let replaced = restore(&backup, &folder.path().join("fourth"), &["--replace"], &elsewhere);
    assert!(replaced.status.success() && text(&replaced).contains("_before_"), "{}", text(&replaced));
}

#[test]
fn ker_37_a_changed_row_in_a_backup_of_postgresql_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "bad").expect("a database");
    let here = environment(&database, &database.prefix);
    let server = database.launch(launch(&folder.path().join("data")));
    let (backup, _) = back_up_under_load(&server, &folder.path().join("backups"), &here);
    let file = backup.join("namespaces/main/tables/ledger_entry.ndjson");
    let good = fs::read_to_string(&file).expect("rows");
    fs::write(&file, good.replacen("main", "mair", 1).replacen('1', "2", 1)).expect("changed rows");
    let output = restore(&backup, &folder.path().join("again"), &[], &here);
    assert!(text(&output).contains("ledger_entry.ndjson is damaged"), "{}", text(&output));
}

#[test]
fn ker_37_a_restore_to_postgresql_that_is_killed_anywhere_is_finished_by_the_same_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "cut").expect("a database");
    let server = database.launch(launch(&folder.path().join("data")));
    let here = environment(&database, &database.prefix);
    let (backup, mut before) = back_up_under_load(&server, &folder.path().join("backups"), &here);
    let there = Database::new(SHARED, "cutr").expect("a database");
    let (again, elsewhere) = (folder.path().join("again"), environment(&there, &there.prefix));
    let (mut kills, mut unfinished) = (0, 0);
    for time in (0..12).map(|step| Duration::from_millis(step * 25)) {
        let mut command = Command::new(program());
        command.arg("restore").arg("--from").arg(&backup).arg("--data").arg(&again).envs(elsewhere.iter().cloned());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
        let ended = comes_true(time, || child.try_wait().expect("a state").is_some());
        kills += u32::from(!ended);
        let _ = child.kill();
        child.wait().expect("an end");
        unfinished += u32::from(again.join("restoring").exists());
    }
    assert!(kills > 2 && unfinished > 0, "{kills} kills, {unfinished} unfinished: the test proves nothing");
    if again.join("restoring").exists() {
        let output = restore(&backup, &again, &[], &elsewhere);
        assert!(output.status.success(), "{}", text(&output));
    }
    let server = there.launch(launch(&again)).start().expect("a server on restored data");
    for writer in &mut before {
        writer.ask_old(&server, 1).expect("everything acknowledged before is there");
    }
}
