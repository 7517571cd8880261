//! Signals: what they change, what is written, what stays in memory.

use base::Sql;
use sensors::{Item, Outcome};

use crate::kit::{Doors, at, desk, signal, with_id};
use Outcome::{Changed, Repeat, Same, Stale, Unknown};

static COMMITS: Sql = Sql::new("test.seen", "SELECT seen FROM sensor WHERE id = 'a'");

#[test]
fn sen_3_the_first_signal_and_every_change_are_told_and_the_same_is_not() {
    let doors = Doors::of(&["a"]);
    doors.client("hotel", 0, &["a"]);
    assert_eq!(doors.sent(&[signal("a", true)]), [Changed]);
    assert_eq!(doors.answer_all(200), ["sensor.closed"]);
    assert_eq!(doors.sent(&[signal("a", true)]), [Same]);
    assert_eq!(doors.sent(&[signal("a", false)]), [Changed]);
    assert_eq!(doors.answer_all(200), ["sensor.opened"]);
    assert_eq!((doors.history(), doors.waiting(), doors.states()), (2, 0, vec!["sent".to_owned(); 2]));
}

#[test]
fn sen_3_all_changes_of_one_batch_count_in_their_order() {
    let doors = Doors::of(&["a", "b"]);
    let batch = [signal("a", true), signal("b", true), signal("a", false), signal("a", false), signal("a", true)];
    assert_eq!(doors.sent(&batch), [Changed, Changed, Changed, Same, Changed]);
    assert_eq!(doors.history(), 4);
    doors.world.check_invariants();
}

#[test]
fn sen_3_repeats_and_latecomers_change_nothing() {
    let doors = Doors::of(&["a"]);
    assert_eq!(doors.sent(&[at("a", true, 100), at("a", false, 50), at("a", true, 100)]), [Changed, Stale, Repeat]);
    assert_eq!(
        doors.sent(&[with_id("a", false, "x"), with_id("a", true, "y"), with_id("a", false, "x")]),
        [Changed, Changed, Repeat]
    );
    assert_eq!(doors.history(), 3);
}

#[test]
fn sen_3_what_memory_alone_saw_still_makes_a_repeat() {
    let doors = Doors::of(&["a"]);
    assert_eq!(doors.sent(&[signal("a", true)]), [Changed]);
    // Only memory sees these two.
    assert_eq!(doors.sent(&[with_id("a", true, "x")]), [Same]);
    assert_eq!(doors.sent(&[at("a", true, 1_000)]), [Same]);
    assert_eq!(doors.sent(&[with_id("a", false, "y")]), [Changed]);
    assert_eq!(doors.sent(&[with_id("a", true, "x"), at("a", true, 900)]), [Repeat, Stale]);
}

#[test]
fn sen_3_what_memory_knows_drives_out_nothing_that_was_judged_since() {
    static RECENT: Sql = Sql::new("test.recent", "SELECT recent FROM sensor WHERE id = 'a'");
    let doors = Doors::of(&["a"]);
    assert_eq!(doors.sent(&[signal("a", true)]), [Changed]);
    for number in 0..8 {
        assert_eq!(doors.sent(&[with_id("a", true, &format!("k{number}"))]), [Same], "only memory sees it");
    }
    assert_eq!(doors.sent(&[with_id("a", false, "opens"), with_id("a", true, "closes")]), [Changed, Changed]);
    let rows = doors.world.rows(&RECENT);
    for id in ["opens", "closes"] {
        let key = sensors::signal::key_of(id).to_be_bytes();
        assert!(rows[0].blob(0).chunks(8).any(|known| known == key), "{id} is durable as one that was judged");
    }
}

#[test]
fn sen_3_with_every_signal_written_down_repeats_and_latecomers_are_known_too() {
    let doors = Doors::of(&["a"]);
    doors.world.kernel.common::<sensors::Rules>().set_history(true, 86_400_000);
    assert_eq!(doors.sent(&[at("a", true, 10)]), [Changed]);
    assert_eq!(doors.sent(&[at("a", true, 20)]), [Same]);
    assert_eq!(doors.sent(&[at("a", false, 15)]), [Stale], "the older after the newer");
    assert_eq!(doors.sent(&[with_id("a", true, "x")]), [Same]);
    assert_eq!(doors.sent(&[with_id("a", false, "y")]), [Changed]);
    assert_eq!(doors.sent(&[with_id("a", true, "x")]), [Repeat]);
}

#[test]
fn sen_5_an_unchanged_signal_needs_no_commit_until_its_sign_of_life_is_old() {
    let doors = Doors::of(&["a"]);
    doors.sent(&[signal("a", true)]);
    let seen = doors.world.count(&COMMITS);
    doors.world.pass_ms(59_000);
    doors.sent(&[signal("a", true)]);
    assert_eq!(doors.world.count(&COMMITS), seen, "memory only");
    doors.world.pass_ms(1_500);
    doors.sent(&[signal("a", true)]);
    assert!(doors.world.count(&COMMITS) >= seen + 60_000, "durable to within a sixtieth of the silence");
    assert_eq!(desk(&doors).sensors_kept(), 1);
}

/// An index is on when a sensor counts as lost: moved with every change, nodes would fight over its pages.
#[test]
fn sen_5_sen_12_a_change_moves_the_end_of_the_silence_only_when_the_durable_sign_of_life_is_old() {
    static LOST_AT: Sql = Sql::new("test.lost_at", "SELECT lost_at FROM sensor WHERE id = 'a'");
    let doors = Doors::of(&["a"]);
    doors.sent(&[signal("a", true)]);
    let lost_at = doors.world.count(&LOST_AT);
    doors.world.pass_ms(59_000);
    assert_eq!(doors.sent(&[signal("a", false)]), [Changed]);
    assert_eq!(doors.world.count(&LOST_AT), lost_at);
    doors.world.pass_ms(1_500);
    assert_eq!(doors.sent(&[signal("a", true)]), [Changed]);
    assert!(doors.world.count(&LOST_AT) >= lost_at + 60_000);
    doors.world.check_invariants();
}

#[test]
fn sen_3_an_unknown_sensor_is_remembered_and_counted() {
    static UNKNOWN: Sql = Sql::new("test.unknown", "SELECT count FROM sensor_unknown WHERE id = 'stranger'");
    let doors = Doors::of(&["a"]);
    assert_eq!(
        doors.sent(&[signal("stranger", true), signal("a", true), signal("stranger", false)]),
        [Unknown, Changed, Unknown]
    );
    assert_eq!(doors.world.count(&UNKNOWN), 2);
    doors.register("stranger", 3_600);
    assert_eq!(doors.sent(&[signal("stranger", true)]), [Changed], "registered, it is known at once");
}

#[test]
fn sen_2_what_is_no_signal_is_kept_with_its_reason_and_blocks_nobody() {
    static REJECTED: Sql = Sql::new("test.rejected", "SELECT reason, body FROM sensor_rejected ORDER BY number");
    let doors = Doors::of(&["a"]);
    let now = doors.world.kernel.env().clock.wall();
    let items = [
        &b"{\"sensor_id\":\"a\",\"data\":2}"[..],
        b"{\"sensor_id\":\"a\",\"data\":1}",
        b"\0\xff",
        b"{\"sensor_id\":\"a\",\"data\":1,\"\\u0000\":1}",
    ];
    let outcomes = doors.send_items(items.iter().map(|json| Item::of(json, "test", now)).collect());
    let outcomes: Vec<_> = outcomes.into_iter().map(Result::unwrap).collect();
    assert_eq!(outcomes, [Outcome::Rejected, Changed, Outcome::Rejected, Outcome::Rejected]);
    let rows = doors.world.rows(&REJECTED);
    assert!(rows.len() == 3 && rows[0].text(0).contains("not 2") && rows[1].text(1) == "\u{FFFD}\u{FFFD}");
}

#[test]
fn sen_4_more_than_one_operation_may_write_is_left_to_the_next() {
    let doors = Doors::of(&["a", "b"]);
    for number in 0..40 {
        doors.client(&format!("client{number}"), 0, &["a", "b"]);
    }
    let flips: Vec<_> = (0..20).map(|n| signal(if n % 2 == 0 { "a" } else { "b" }, n % 4 < 2)).collect();
    assert!(doors.sent(&flips).iter().all(|outcome| *outcome == Changed));
    assert_eq!(doors.history(), 20);
    doors.world.check_invariants();
}

#[test]
fn sen_2_a_signal_that_we_ourselves_fail_over_is_rejected_alone() {
    use base::args;
    use kernel::Op;
    static TRIGGER: Sql = Sql::new(
        "test.trigger",
        "CREATE TRIGGER bad BEFORE UPDATE ON sensor WHEN NEW.id = 'b' BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    static SET: Op<(), ()> = Op::new("test.set", |tx, _, ()| Ok(tx.write(&TRIGGER, args![])?));
    let doors = Doors::of(&["a", "b", "c"]);
    doors.world.call(&SET, ()).unwrap();
    let outcomes = doors.sent(&[signal("a", true), signal("b", true), signal("c", true), signal("a", false)]);
    assert_eq!(outcomes, [Changed, Outcome::Rejected, Changed, Changed]);
    assert_eq!(doors.sent(&[signal("c", false)]), [Changed], "nobody is held up");
}

#[test]
fn sen_3_a_repeat_without_an_id_whose_time_is_ahead_of_our_calendar_is_known_by_that_time() {
    const BEHIND_MS: i64 = 7_200_000;
    let doors = Doors::of(&["a"]);
    let clock = &doors.world.kernel.env().clock;
    let theirs = clock.wall();
    doors.world.jump_calendar_ms(-BEHIND_MS);
    let sent = |signals: &[(u8, i64)]| -> Vec<Outcome> {
        let item = |(data, later_ms): &(u8, i64)| {
            let at = theirs.plus_ms(*later_ms).rfc3339();
            Item::of(format!(r#"{{"sensor_id":"a","data":{data},"at":"{at}"}}"#).as_bytes(), "test", clock.wall())
        };
        doors.send_items(signals.iter().map(item).collect()).into_iter().map(Result::unwrap).collect()
    };
    let batch = [(1, 0), (0, 60_000), (1, 60_000), (0, 120_000)];
    assert_eq!(sent(&batch), [Changed; 4], "two of one moment may differ");
    assert_eq!(sent(&batch), [Repeat; 4], "the answer was lost, and the gateway sends them again");
    assert_eq!((sent(&[(0, 180_000), (1, 240_000)]), doors.history()), (vec![Same, Changed], 5), "what is new counts");
}
