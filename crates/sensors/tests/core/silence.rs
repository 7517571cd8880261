//! Who falls silent, and who only seems to.

use base::{Sql, args};
use kernel::Op;
use kernel::namespaces::{Standing, State};
use sensors::{LEVEL, Level, Word};

use crate::kit::{Doors, signal};

fn minutes(count: u64) -> u64 {
    count * 60_000
}

#[test]
fn sen_6_lost_once_and_restored_once_per_silence() {
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    doors.world.pass_ms(minutes(60));
    assert!(doors.answer_all(200).is_empty(), "an hour is not over");
    doors.world.pass_ms(minutes(2));
    assert_eq!(doors.answer_all(200), ["sensor.lost"]);
    doors.world.pass_ms(minutes(300));
    assert!(doors.answer_all(200).is_empty());
    doors.sent(&[signal("a", true)]);
    assert_eq!(doors.answer_all(200), ["sensor.restored"]);
    doors.sent(&[signal("a", true)]);
    assert!(doors.answer_all(200).is_empty());
}

#[test]
fn sen_5_every_signal_is_a_sign_of_life_also_one_that_memory_alone_saw() {
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    // Within a minute of the durable one: only memory knows.
    doors.world.pass_ms(55_000);
    doors.sent(&[signal("a", true)]);
    doors.world.pass_ms(minutes(60) + 30_000);
    assert!(doors.answer_all(200).is_empty());
    doors.sent(&[signal("a", true)]);
    doors.world.pass_ms(minutes(60) - 5_000);
    assert!(doors.answer_all(200).is_empty(), "a quiet sensor is not lost");
    doors.world.pass_ms(minutes(3));
    assert_eq!(doors.answer_all(200), ["sensor.lost"]);
}

#[test]
fn sen_5_a_change_soon_after_a_sign_of_life_is_one_too() {
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", true)]);
    // Within a minute of the durable one, which stays as it is.
    doors.world.pass_ms(55_000);
    doors.sent(&[signal("a", false)]);
    doors.answer_all(200);
    doors.world.pass_ms(minutes(60) - 1_000);
    assert!(doors.answer_all(200).is_empty(), "its hour is not over");
    doors.world.pass_ms(minutes(3));
    assert_eq!(doors.answer_all(200), ["sensor.lost"]);
}

#[test]
fn sen_6_one_that_never_spoke_is_lost_too_and_its_first_word_restores_it() {
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.world.pass_ms(minutes(62));
    assert_eq!(doors.answer_all(200), ["sensor.lost"]);
    doors.sent(&[signal("a", false)]);
    assert_eq!(doors.answer_all(200), ["sensor.restored", "sensor.opened"]);
}

#[test]
fn sen_6_a_calendar_that_jumps_makes_nobody_lost() {
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    doors.world.jump_calendar_ms(400 * 86_400_000);
    doors.world.pass_ms(minutes(10));
    assert!(doors.answer_all(200).is_empty());
}

#[test]
fn sen_6_while_our_intake_is_behind_nobody_is_lost() {
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    let say = |by: &str, how: Level| assert!(doors.world.call(&LEVEL, Word { by: by.into(), how }).is_ok());
    say("one", Level::Watched);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    doors.world.pass_ms(minutes(300));
    assert!(doors.answer_all(200).is_empty(), "nobody said that the queue is drained");
    for _ in 0..61 * 12 {
        say("one", Level::Drained);
        doors.world.pass_ms(5_000);
    }
    assert!(doors.answer_all(200).is_empty() || doors.waiting() == 0);
    for _ in 0..3 * 12 {
        say("one", Level::Drained);
        doors.world.pass_ms(5_000);
    }
    assert_eq!(doors.states().len(), 2, "then it is");
}

#[test]
fn sen_6_signals_that_we_refuse_make_nobody_lost() {
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    doors.world.pass_ms(minutes(50));
    let main = doors.world.main();
    main.set_standing(Standing { state: State::ReadOnly, ..Standing::OPEN });
    doors.world.pass_ms(minutes(300));
    main.set_standing(Standing::OPEN);
    doors.world.pass_ms(minutes(9));
    assert_eq!(doors.states().len(), 1, "nobody could tell us anything meanwhile");
    doors.world.pass_ms(minutes(5));
    assert_eq!(doors.states().len(), 2, "then it is silent for an hour");
}

#[test]
fn sen_12_a_node_that_stands_still_with_signals_in_its_hands_makes_nobody_lost() {
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    let say = |by: &str, how: Level| assert!(doors.world.call(&LEVEL, Word { by: by.into(), how }).is_ok());
    say("frozen", Level::Watched);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    // Only just not silent for an hour, when one of the two stops speaking.
    for _ in 0..59 * 12 {
        ["one", "frozen"].into_iter().for_each(|node| say(node, Level::Drained));
        doors.world.pass_ms(5_000);
    }
    let others_go_on = |rounds: usize| {
        for _ in 0..rounds {
            say("one", Level::Drained);
            doors.world.pass_ms(5_000);
        }
    };
    others_go_on(29);
    assert_eq!(doors.states().len(), 1, "the other one may have heard of it");
    others_go_on(60);
    assert_eq!(doors.states().len(), 2, "it is gone, and the broker gave to others what it had");
}

#[test]
fn sen_13_many_lost_at_once_are_one_notification_for_who_wants_so() {
    let names: Vec<String> = (0..30).map(|number| format!("s{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let doors = Doors::of(&names);
    doors.client("grouped", 10, &names);
    doors.client("single", 0, &names[..3]);
    doors.world.pass_ms(minutes(62));
    let (mut groups, mut singles) = (0, 0);
    while let Some((call, done)) = doors.call() {
        let told = crate::kit::body(&call);
        assert_eq!(told["type"], "sensor.lost");
        if told["data"]["count"].is_number() {
            groups += 1;
            assert_eq!((told["data"]["count"].as_i64(), told["data"]["sensors"][29].as_str()), (Some(30), Some("s9")));
        } else {
            singles += 1;
        }
        done(crate::kit::answer(200));
    }
    assert_eq!((groups, singles), (1, 3));
    doors.world.check_invariants();
}

#[test]
fn sen_13_a_sensor_that_speaks_again_is_told_after_the_group() {
    let doors = Doors::of(&["a", "b"]);
    doors.client("grouped", 2, &["a", "b"]);
    doors.world.pass_ms(minutes(62));
    let (_, done) = doors.call().unwrap();
    doors.sent(&[signal("a", true)]);
    doors.world.pass_ms(3_000);
    assert!(doors.call().is_none(), "the group is not told yet");
    done(crate::kit::answer(200));
    doors.world.pass_ms(3_000);
    assert_eq!(doors.answer_all(200), ["sensor.restored", "sensor.closed"]);
}

#[test]
fn sen_9_what_waits_behind_a_call_seldom_looks_and_goes_as_soon_as_that_is_over() {
    static LOOKS: Sql =
        Sql::new("test.looks", "SELECT SUM(attempt) FROM task WHERE op = 'sensor.notify' AND owner IS NULL");
    let doors = Doors::of(&["a", "b"]);
    doors.client("grouped", 2, &["a", "b"]);
    doors.world.pass_ms(minutes(62));
    let (_, done) = doors.call().unwrap();
    doors.sent(&[signal("a", true)]);
    doors.world.pass_ms(20_000);
    assert!(doors.call().is_none(), "the group is not told yet");
    let looks = doors.world.count(&LOOKS);
    assert!(looks <= 4, "{looks}: that it speaks again, and that it is closed");
    done(crate::kit::answer(200));
    assert_eq!(doors.answer_all(200), ["sensor.restored", "sensor.closed"], "at once");
}

#[test]
fn sen_9_what_the_group_does_not_tell_of_does_not_wait_for_it() {
    let doors = Doors::of(&["a", "b"]);
    doors.register("c", 31_536_000);
    doors.client("grouped", 2, &["a", "b", "c"]);
    doors.world.pass_ms(minutes(62));
    let (_, done) = doors.call().unwrap();
    doors.sent(&[signal("c", true)]);
    assert_eq!(doors.answer_all(200), ["sensor.closed"]);
    done(crate::kit::answer(200));
    doors.world.check_invariants();
}

/// A client that wants to hear nothing of two sensors that were lost, nor of so many other groups of theirs, before an hour is over; a third
/// sensor of its speaks.
fn beside_groups(copies: &'static [Sql]) -> Doors {
    static COPY: Op<&'static [Sql], ()> = Op::new("test.copy_groups", |tx, _, copies| {
        copies.iter().try_for_each(|copy| tx.write(copy, args![]).map(drop))?;
        Ok(())
    });
    let doors = Doors::of(&["a", "b"]);
    doors.register("c", 31_536_000);
    doors.client("grouped", 2, &["a", "b", "c"]);
    doors.world.pass_ms(minutes(62));
    doors.call().unwrap().1(crate::kit::not_before(3_600));
    doors.world.call(&COPY, copies).unwrap();
    doors.sent(&[signal("c", true)]);
    doors
}

macro_rules! groups {
    ($many:literal) => {
        [
            Sql::new("test.more_seqs", "UPDATE sensor_client SET seq = seq + 1000"),
            Sql::new(
                "test.more_events",
                concat!(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ",
                    $many,
                    ") INSERT INTO sensor_event (client_id, seq, id, sensor_id, kind, type, body, at, state, tries) \
                     SELECT client_id, seq + i, id || '-' || i, sensor_id, kind, type, body, at, state, tries FROM sensor_event, n"
                ),
            ),
            Sql::new(
                "test.more_notices",
                concat!(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ",
                    $many,
                    ") INSERT INTO sensor_notice (sensor_id, client_id, kind, seq, tries, next_at, skipped) \
                     SELECT '*' || (seq + i), client_id, kind, seq + i, tries, next_at + i * 1000, skipped FROM sensor_notice, n"
                ),
            ),
        ]
    };
}

#[test]
fn sen_9_what_a_hundred_groups_do_not_tell_of_does_not_wait_for_them() {
    static HUNDRED: [Sql; 3] = groups!(100);
    let doors = beside_groups(&HUNDRED);
    let (call, done) = doors.call().unwrap();
    assert_eq!(crate::kit::body(&call)["data"]["sensor_id"], "c", "though the others wait for an hour and more");
    done(crate::kit::answer(200));
}

#[test]
fn sen_9_behind_too_many_groups_all_wait_but_no_longer_than_there_are_too_many() {
    static TOO_MANY: [Sql; 3] = groups!(499);
    static END: Sql = Sql::new("test.end_a_group", "DELETE FROM sensor_notice WHERE sensor_id = '*2'");
    static TOLD: Op<(), ()> = Op::new("test.tell_a_group", |tx, _, ()| Ok(tx.write(&END, args![]).map(drop)?));
    let doors = beside_groups(&TOO_MANY);
    assert!(doors.call().is_none(), "nobody knows what the groups behind so many tell of");
    let (after_s, _, done) = doors.next_call();
    assert!((3_600..3_700).contains(&after_s), "{after_s} s: the first of them");
    done(crate::kit::not_before(3_600));
    assert!(doors.call().is_none());
    doors.world.call(&TOLD, ()).unwrap();
    let (after_s, call, done) = doors.next_call();
    assert_eq!(crate::kit::body(&call)["data"]["sensor_id"], "c");
    assert!(after_s <= 65, "{after_s} s: it looks once a minute, and does not wait for the last of them");
    done(crate::kit::answer(200));
}

#[test]
fn sen_9_a_sensor_with_a_state_still_to_be_told_stays_out_of_the_group() {
    let doors = Doors::of(&[]);
    ["a", "b", "c"].iter().for_each(|sensor| doors.register(sensor, 60));
    doors.client("grouped", 2, &["a", "b", "c"]);
    doors.sent(&[signal("a", true)]);
    doors.call().unwrap().1(crate::kit::not_before(3_600));
    doors.world.pass_ms(70_000);
    let (group, done) = doors.call().unwrap();
    assert_eq!(crate::kit::body(&group)["data"]["sensors"], serde_json::json!(["b", "c"]));
    done(crate::kit::answer(200));
    assert!(doors.call().is_none(), "that it is lost is told after what it said before");
    doors.world.check_invariants();
}

#[test]
fn sen_8_many_lost_at_once_are_not_told_to_who_has_none_of_them_any_more() {
    let doors = Doors::of(&["a", "b"]);
    let client = doors.client("grouped", 2, &["a", "b"]);
    doors.world.pass_ms(minutes(62));
    doors.call().unwrap().1(crate::kit::answer(500));
    doors.unlink(&client, "a");
    doors.next_call().2(crate::kit::answer(500));
    doors.unlink(&client, "b");
    doors.world.pass_ms(60_000);
    assert!(doors.call().is_none(), "it has neither of the two");
    assert_eq!((doors.states(), doors.waiting()), (vec!["unlinked".to_owned()], 0));
    doors.world.check_invariants();
}

#[test]
fn sen_6_signals_for_which_there_is_no_room_make_nobody_lost() {
    let doors = Doors::of(&[]);
    doors.register("a", 10);
    doors.client("hotel", 0, &["a"]);
    doors.world.pass_ms(5_000);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    let too_many = vec![signal("a", true); sensors::limits::WAITING_MAX + 1];
    for _ in 0..12 {
        assert!(doors.send(&too_many).iter().all(Result::is_err));
        doors.world.pass_ms(5_000);
    }
    doors.sent(&[signal("a", true)]);
    doors.world.pass_ms(5_000);
    assert!(doors.answer_all(200).is_empty(), "it spoke, and we did not take it");
    doors.world.pass_ms(30_000);
    assert_eq!(doors.answer_all(200), ["sensor.lost"], "now it is silent");
}

#[test]
fn sen_6_signals_that_we_refuse_every_now_and_then_make_nobody_lost() {
    let doors = Doors::of(&[]);
    doors.register("a", 10);
    doors.client("hotel", 0, &["a"]);
    doors.world.pass_ms(5_000);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    let too_many = vec![signal("a", true); sensors::limits::WAITING_MAX + 1];
    for _ in 0..12 {
        assert!(doors.send(&too_many).iter().all(Result::is_err));
        doors.world.pass_ms(10_000);
    }
    assert!(doors.answer_all(200).is_empty(), "each time that it spoke we did not take it");
    doors.world.pass_ms(60_000);
    assert_eq!(doors.answer_all(200), ["sensor.lost"], "now it is silent");
}

#[test]
fn sen_6_signals_that_we_refuse_for_minutes_make_nobody_lost_though_a_brokers_queue_is_drained_meanwhile() {
    let doors = Doors::of(&[]);
    doors.register("a", 10);
    doors.client("hotel", 0, &["a"]);
    let passes = |seconds: u64| {
        for _ in 0..seconds / 5 {
            assert!(doors.world.call(&LEVEL, Word { by: "one".into(), how: Level::Drained }).is_ok());
            doors.world.pass_ms(5_000);
        }
    };
    passes(5);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    let too_many = vec![signal("a", true); sensors::limits::WAITING_MAX + 1];
    // Longer than an intake that says nothing is waited for.
    for _ in 0..40 {
        assert!(doors.send(&too_many).iter().all(Result::is_err));
        passes(5);
    }
    assert!(doors.answer_all(200).is_empty(), "it spoke, and we did not take it");
    doors.sent(&[signal("a", true)]);
    passes(5);
    assert!(doors.answer_all(200).is_empty(), "it was never lost");
    passes(30);
    assert_eq!(doors.answer_all(200), ["sensor.lost"], "now it is silent");
}

#[test]
fn sen_6_a_calendar_of_ours_that_is_behind_makes_nobody_lost_and_hides_no_change() {
    const BEHIND_MS: i64 = 7_200_000;
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    let say = |data: u8, behind_ms: i64| {
        let now = doors.world.kernel.env().clock.wall();
        let json = format!(r#"{{"sensor_id":"a","data":{data},"at":"{}"}}"#, now.plus_ms(behind_ms).rfc3339());
        doors.send_items(vec![sensors::Item::of(json.as_bytes(), "test", now)]).remove(0).unwrap()
    };
    say(0, 0);
    doors.answer_all(200);
    doors.world.jump_calendar_ms(-BEHIND_MS);
    for _ in 0..120 {
        doors.world.pass_ms(minutes(1));
        assert_eq!(say(0, BEHIND_MS), sensors::Outcome::Same);
    }
    assert_eq!(say(1, BEHIND_MS), sensors::Outcome::Changed);
    assert_eq!(doors.answer_all(200), ["sensor.closed"], "nothing was lost");
    doors.world.jump_calendar_ms(BEHIND_MS);
    doors.world.pass_ms(minutes(1));
    assert_eq!(say(0, 0), sensors::Outcome::Changed, "times count again");
}

#[test]
fn sen_6_a_loss_with_more_clients_than_one_operation_may_tell_is_told_in_portions() {
    let names: Vec<String> = (0..60).map(|number| format!("s{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let doors = Doors::of(&names);
    for number in 0..10 {
        doors.client(&format!("client{number}"), 1, &names);
    }
    doors.world.pass_ms(minutes(62));
    let mut lost = 0;
    while let Some((call, done)) = doors.call() {
        let data = &crate::kit::body(&call)["data"];
        lost += data["count"].as_i64().unwrap();
        done(crate::kit::answer(200));
    }
    assert_eq!(lost, 600, "every sensor, to every client");
    doors.world.check_invariants();
}

#[test]
fn sen_13_a_sensor_of_which_something_is_still_to_be_told_stays_out_of_the_group() {
    let doors = Doors::of(&[]);
    ["a", "b", "c"].iter().for_each(|sensor| doors.register(sensor, 60));
    doors.client("grouped", 2, &["a", "b", "c"]);
    doors.world.pass_ms(70_000);
    assert_eq!(doors.answer_all(200), ["sensor.lost"], "all three at once");
    doors.sent(&[signal("a", true)]);
    // The client does not hear that it is restored.
    while let Some((_, done)) = doors.call() {
        done(crate::kit::answer(500));
    }
    doors.sent(&[signal("b", true), signal("c", true)]);
    doors.answer_all(200);
    doors.world.pass_ms(70_000);
    let (mut single, mut group) = (0, 0);
    while let Some((call, done)) = doors.call() {
        let told = crate::kit::body(&call);
        if told["type"] == "sensor.lost" {
            single += i32::from(told["data"]["sensor_id"].is_string());
            group += i32::from(told["data"]["count"].is_number());
        }
        done(crate::kit::answer(200));
    }
    assert_eq!((single, group), (1, 1), "so that its newer notice supersedes the older");
    doors.world.check_invariants();
}
