//! Telling clients: order, superseding, tries, ends.

use base::{CallResult, HttpReply, Sql};
use sensors::{TRIES_MAX, WantedState};

use crate::kit::{Doors, STEP_S, answer, body, header, not_before, signal};

#[test]
fn sen_7_what_a_client_is_told() {
    let doors = Doors::patient(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.answer_all(200);
    doors.sent(&[signal("a", true)]);
    let (call, done) = doors.call().unwrap();
    assert_eq!((call.method, call.url.as_str(), call.timeout_ms), ("POST", "https://hotel.example/doors", 15_000));
    let told = body(&call);
    assert_eq!((told["type"].as_str(), told["version"].as_i64()), (Some("sensor.closed"), Some(1)));
    assert_eq!(told["timestamp"].as_str(), Some("2026-11-15T12:00:00.000Z"));
    let expected = serde_json::json!({
        "sensor_id": "a", "address": "Paris, rue a", "data": 1, "previous": 0, "seq": 2, "sensor_seq": 2,
    });
    assert_eq!(told["data"], expected);
    assert!(header(&call, "webhook-id").starts_with("evt_") && header(&call, "webhook-signature").starts_with("v1,"));
    done(answer(204));
    assert_eq!(doors.waiting(), 0);
}

#[test]
fn sen_8_tries_follow_the_schedule_under_one_id_until_the_client_is_failing() {
    static CLIENT: Sql = Sql::new("test.client", "SELECT COUNT(*) FROM sensor_client WHERE state = 'failing'");
    static ALERTS: Sql =
        Sql::new("test.alerts", "SELECT COUNT(*) FROM alert WHERE closed_at IS NULL AND kind = 'sensor-client'");
    let doors = Doors::patient(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    let mut ids = vec![];
    for pause_s in [0, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800] {
        let (waited_s, call, done) = doors.next_call();
        // Each call is seen up to a step after it was made.
        let (least_s, most_s) = (waited_s - STEP_S, waited_s + STEP_S);
        assert!(most_s * 10 >= pause_s * 9 && least_s * 10 <= pause_s * 11, "{waited_s} for {pause_s}");
        ids.push(header(&call, "webhook-id").to_owned());
        done(answer(500));
        doors.world.check_invariants();
    }
    assert_eq!(i64::try_from(ids.len()).unwrap(), TRIES_MAX);
    ids.dedup();
    assert_eq!((ids.len(), doors.states()), (1, vec!["failed".to_owned()]));
    assert_eq!((doors.world.count(&CLIENT), doors.world.count(&ALERTS)), (1, 1));
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    assert_eq!((doors.world.count(&CLIENT), doors.world.count(&ALERTS)), (0, 0), "it can be told again");
}

#[test]
fn sen_9_a_newer_state_supersedes_what_waits() {
    let doors = Doors::patient(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(answer(500));
    doors.sent(&[signal("a", true), signal("a", false)]);
    let (call, done) = doors.call().unwrap();
    assert_eq!((body(&call)["data"]["seq"].as_i64(), body(&call)["data"]["skipped"].as_i64()), (Some(3), Some(2)));
    done(answer(200));
    assert_eq!(doors.states(), ["superseded", "superseded", "sent"]);
    doors.world.pass_ms(3_600_000);
    assert!(doors.call().is_none());
}

#[test]
fn sen_9_one_in_flight_and_never_the_older_after_the_newer() {
    for status in [200, 500] {
        let doors = Doors::patient(&["a"]);
        doors.client("hotel", 0, &["a"]);
        doors.sent(&[signal("a", false)]);
        let (first, done) = doors.call().unwrap();
        doors.sent(&[signal("a", true)]);
        doors.world.pass_ms(10_000);
        assert!(doors.call().is_none(), "the first is still on its way");
        done(answer(status));
        let (second, done) = doors.call().unwrap();
        assert_eq!((body(&first)["data"]["seq"].as_i64(), body(&second)["data"]["seq"].as_i64()), (Some(1), Some(2)));
        done(answer(200));
        let first = if status == 200 { "sent" } else { "superseded" };
        assert_eq!(doors.states(), [first, "sent"]);
        doors.world.pass_ms(200_000);
        assert!(doors.call().is_none());
        doors.world.check_invariants();
    }
}

#[test]
fn sen_9_contact_and_state_do_not_supersede_each_other() {
    let doors = Doors::of(&[]);
    doors.register("a", 60);
    doors.client("hotel", 0, &["a"]);
    // In small steps: the next try is due soon after this one began.
    let (_, lost, done) = doors.next_call();
    assert_eq!(body(&lost)["type"], "sensor.lost");
    done(answer(500));
    doors.sent(&[signal("a", true)]);
    let told = doors.answer_all(200);
    assert_eq!(told, ["sensor.restored", "sensor.closed"], "the loss that nobody was told of is superseded");
    assert_eq!(doors.states(), ["superseded", "sent", "sent"]);
}

#[test]
fn sen_9_what_is_newer_waits_for_what_the_client_put_off_whatever_its_kind() {
    let doors = Doors::of(&[]);
    doors.register("a", 60);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(not_before(3_600));
    // It is lost after a minute.
    doors.world.pass_ms(3_500_000);
    assert!(doors.call().is_none(), "nothing newer before it");
    assert_eq!(doors.states(), ["waiting", "waiting"]);
    let (_, opened, done) = doors.next_call();
    assert_eq!(body(&opened)["type"], "sensor.opened");
    assert!(doors.call().is_none());
    done(answer(200));
    assert_eq!(doors.answer_all(200), ["sensor.lost"], "at once then");
    assert_eq!(doors.states(), ["sent", "sent"]);
}

#[test]
fn sen_9_of_a_sensor_one_thing_is_under_way_at_a_time_whatever_its_kind() {
    let doors = Doors::of(&[]);
    doors.register("a", 60);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.answer_all(200);
    doors.world.pass_ms(70_000);
    assert_eq!(doors.answer_all(200), ["sensor.lost"]);
    doors.sent(&[signal("a", true)]);
    for status in [500, 200] {
        let (_, restored, done) = doors.next_call();
        assert_eq!(body(&restored)["type"], "sensor.restored");
        doors.world.pass_ms(10_000);
        assert!(doors.call().is_none(), "it is restored before it is closed");
        doors.sent(&[signal("a", true)]);
        done(answer(status));
    }
    let (waited_s, closed, done) = doors.next_call();
    assert_eq!(body(&closed)["type"], "sensor.closed");
    assert!(waited_s <= STEP_S, "{waited_s} s after it was restored");
    done(answer(200));
    assert_eq!(doors.waiting(), 0);
}

#[test]
fn sen_9_nothing_waits_for_what_was_superseded() {
    let doors = Doors::of(&[]);
    doors.register("a", 60);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(not_before(3_600));
    doors.world.pass_ms(70_000);
    assert!(doors.call().is_none());
    doors.sent(&[signal("a", true)]);
    assert_eq!(doors.answer_all(200), ["sensor.restored", "sensor.closed"]);
    assert_eq!(doors.states(), ["superseded", "superseded", "sent", "sent"]);
}

#[test]
fn sen_9_what_came_during_a_call_waits_for_what_came_before_it() {
    let doors = Doors::of(&[]);
    doors.register("a", 60);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    let (_, done) = doors.call().unwrap();
    doors.world.pass_ms(65_000);
    assert!(doors.call().is_none(), "it is lost, and the first call is still under way");
    doors.sent(&[signal("a", true)]);
    assert!(doors.call().is_none());
    done(answer(200));
    assert_eq!(doors.answer_all(200), ["sensor.restored", "sensor.closed"]);
    assert_eq!(doors.states(), ["sent", "superseded", "sent", "sent"]);
}

#[test]
fn sen_9_what_nobody_tends_holds_up_nobody() {
    use base::args;
    use kernel::Op;
    static DELETE: Sql = Sql::new("test.delete_state", "DELETE FROM task WHERE unique_key LIKE '%/state'");
    static NEVER: Sql = Sql::new(
        "test.never_again",
        "CREATE TRIGGER never BEFORE INSERT ON task WHEN NEW.unique_key LIKE '%/state' BEGIN SELECT RAISE(IGNORE); END",
    );
    static PARK: Op<(), ()> = Op::new("test.park", |tx, _, ()| {
        tx.write(&DELETE, args![])?;
        Ok(tx.write(&NEVER, args![])?)
    });
    let doors = Doors::of(&[]);
    doors.register("a", 60);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(answer(500));
    doors.world.call(&PARK, ()).unwrap();
    doors.world.pass_ms(3_600_000);
    assert!(doors.call().is_none(), "that it is lost waits for a while");
    let (_, lost, done) = doors.next_call();
    assert_eq!(body(&lost)["type"], "sensor.lost");
    done(answer(200));
}

#[test]
fn sen_9_unlinked_or_disabled_nothing_waits_any_more() {
    let doors = Doors::of(&[]);
    doors.register("a", 60);
    let client = doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(not_before(3_600));
    doors.world.pass_ms(70_000);
    doors.set_state(&client, WantedState::Disabled);
    doors.sent(&[signal("a", true)]);
    doors.set_state(&client, WantedState::Active);
    doors.world.pass_ms(10_000);
    assert_eq!((doors.call().is_none(), doors.waiting()), (true, 0));
    doors.world.pass_ms(70_000);
    assert_eq!(doors.answer_all(200), ["sensor.lost"], "nothing before it is in its way");
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(not_before(3_600));
    doors.unlink(&client, "a");
    doors.world.pass_ms(10_000);
    assert_eq!((doors.call().is_none(), doors.waiting()), (true, 0));
    doors.world.check_invariants();
}

#[test]
fn sen_8_client_and_link_are_read_anew_at_each_try() {
    let doors = Doors::patient(&["a"]);
    let client = doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(answer(500));
    doors.unlink(&client, "a");
    doors.world.pass_ms(10_000);
    assert!(doors.call().is_none());
    assert_eq!((doors.states(), doors.waiting()), (vec!["unlinked".to_owned()], 0));
}

#[test]
fn sen_7_410_disables_and_a_wish_for_patience_is_kept() {
    static STATE: Sql = Sql::new("test.state", "SELECT state, reason FROM sensor_client");
    let doors = Doors::patient(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    let patience = HttpReply { status: 429, headers: vec![("retry-after".into(), "300".into())], body: vec![] };
    doors.call().unwrap().1(CallResult::Http(patience));
    doors.world.pass_ms(299_000);
    assert!(doors.call().is_none());
    doors.world.pass_ms(2_000);
    doors.call().unwrap().1(answer(410));
    let row = &doors.world.rows(&STATE)[0];
    assert_eq!((row.text(0), row.text(1)), ("disabled", "it answered 410 Gone"));
    doors.sent(&[signal("a", true)]);
    assert!(doors.call().is_none());
    assert_eq!(doors.states(), ["disabled", "disabled"]);
    doors.world.check_invariants();
}

#[test]
fn sen_7_a_late_good_answer_does_not_hide_that_a_client_was_disabled() {
    static STATE: Sql = Sql::new("test.state_kept", "SELECT state, reason FROM sensor_client");
    static ALERTS: Sql =
        Sql::new("test.alerts_open", "SELECT COUNT(*) FROM alert WHERE closed_at IS NULL AND kind = 'sensor-client'");
    let doors = Doors::patient(&["a", "b"]);
    doors.client("hotel", 0, &["a", "b"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(answer(500));
    doors.sent(&[signal("b", false)]);
    let (_, gone) = doors.call().unwrap();
    let (_, _, heard) = doors.next_call();
    gone(answer(410));
    heard(answer(200));
    doors.world.pass_ms(0);
    let row = &doors.world.rows(&STATE)[0];
    assert_eq!((row.text(0), row.text(1)), ("disabled", "it answered 410 Gone"));
    assert_eq!(doors.world.count(&ALERTS), 1, "somebody is still told of it");
    assert_eq!(doors.states(), ["sent", "disabled"]);
}

#[test]
fn sen_8_an_outcome_that_is_unknown_is_tried_again_under_the_same_id() {
    let doors = Doors::patient(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    let (first, done) = doors.call().unwrap();
    done(CallResult::Unknown("cut".into()));
    doors.world.pass_ms(6_000);
    let (second, done) = doors.call().unwrap();
    assert_eq!((header(&first, "webhook-id"), &first.body), (header(&second, "webhook-id"), &second.body));
    done(answer(200));
    assert_eq!(doors.states(), ["sent"]);
}

#[test]
fn sen_8_a_task_that_somebody_deleted_is_wished_for_again() {
    use base::args;
    use kernel::Op;
    static DELETE: Sql = Sql::new("test.delete", "DELETE FROM task WHERE op = 'sensor.notify'");
    static GONE: Op<(), ()> = Op::new("test.gone", |tx, _, ()| Ok(tx.write(&DELETE, args![])?));
    let doors = Doors::patient(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(answer(500));
    doors.world.call(&GONE, ()).unwrap();
    doors.next_call().2(answer(200));
    assert_eq!(doors.states(), ["sent"]);
}

#[test]
fn sen_7_a_client_may_ask_for_more_patience_but_not_for_less() {
    let doors = Doors::patient(&["a"]);
    doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    for _ in 0..3 {
        let soon = HttpReply { status: 503, headers: vec![("retry-after".into(), "1".into())], body: vec![] };
        doors.next_call().2(CallResult::Http(soon));
    }
    doors.world.pass_ms(100_000);
    assert!(doors.call().is_none(), "the third pause is two minutes, whatever it says");
}

#[test]
fn sen_8_a_client_that_hears_nothing_is_failing_though_its_sensors_change_often() {
    static CLIENT: Sql = Sql::new("test.failing", "SELECT COUNT(*) FROM sensor_client WHERE state = 'failing'");
    let doors = Doors::patient(&["a"]);
    doors.client("hotel", 0, &["a"]);
    for round in 0..30 {
        doors.sent(&[signal("a", round % 2 == 0)]);
        while let Some((_, done)) = doors.call() {
            done(answer(500));
        }
        doors.world.pass_ms(300_000);
        while let Some((_, done)) = doors.call() {
            done(answer(500));
        }
    }
    assert_eq!(doors.world.count(&CLIENT), 1);
    doors.sent(&[signal("a", true)]);
    doors.answer_all(200);
    assert_eq!(doors.world.count(&CLIENT), 0);
}

#[test]
fn sen_9_what_a_client_missed_while_it_was_disabled_supersedes_what_waited() {
    let doors = Doors::patient(&["a"]);
    let client = doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(answer(500));
    doors.set_state(&client, WantedState::Disabled);
    doors.sent(&[signal("a", true)]);
    doors.set_state(&client, WantedState::Active);
    doors.world.pass_ms(60_000);
    assert!(doors.call().is_none(), "never the older after the newer");
    assert_eq!((doors.states(), doors.waiting()), (vec!["superseded".to_owned(), "disabled".to_owned()], 0));
    doors.world.check_invariants();
}

#[test]
fn sen_8_what_waited_before_a_client_lost_the_sensor_is_not_told_when_it_has_it_again() {
    let doors = Doors::patient(&["a"]);
    let client = doors.client("hotel", 0, &["a"]);
    doors.sent(&[signal("a", false)]);
    doors.call().unwrap().1(answer(500));
    doors.unlink(&client, "a");
    doors.link_again(&client, "a");
    doors.world.pass_ms(60_000);
    assert!(doors.call().is_none());
    assert_eq!(doors.states(), ["unlinked"]);
    doors.world.check_invariants();
}
