//! KER-27: alerts open, close, are told, repeated and acknowledged.

use base::Sql;
use kernel::alerts::Channel;
use kernel::alerts::list::{AlertPage, AlertState, LIST_ALERTS};
use kernel::alerts::messages::{LIST_MESSAGES, MessageInfo, MessagePage};
use kernel::alerts::set_channels::{SET_CHANNELS, SetChannels};
use kernel::alerts::summary::SUMMARY;
use kernel::alerts::wake::WAKE_KINDS;

use crate::alert_driver::{Came, Driver};
use crate::world::error_code;

const GATHER: i64 = 30_000;
const PACE: i64 = 300_000;
const REPEAT: i64 = 6 * 3_600_000;

fn list(driver: &Driver, state: Option<AlertState>) -> Vec<kernel::alerts::list::AlertInfo> {
    let page = AlertPage { after: String::new(), limit: 100, state, kind: None };
    driver.world.read(&LIST_ALERTS, page).unwrap().alerts
}

fn banner(driver: &Driver) -> Vec<String> {
    let page = AlertPage { after: String::new(), limit: 1, state: None, kind: None };
    driver.world.read(&LIST_ALERTS, page).unwrap().banner
}

fn messages(driver: &Driver) -> Vec<MessageInfo> {
    driver.world.read(&LIST_MESSAGES, MessagePage { after: String::new(), limit: 100 }).unwrap()
}

fn outcomes(message: &MessageInfo) -> Vec<(&str, &str)> {
    message.tries.iter().map(|one| (one.channel.split(' ').next().unwrap(), one.outcome.as_str())).collect()
}

#[test]
fn ker_27_many_of_one_kind_become_one_message_after_a_short_time() {
    let mut driver = Driver::new();
    (0..40).for_each(|number| driver.open(&format!("sensor {number}"), "silent"));
    driver.open("disk", "full");
    assert_eq!(driver.look(), None, "it waits for others");
    driver.pass(GATHER);
    let first = driver.look().unwrap();
    driver.end(Came::Good);
    let second = driver.look().unwrap();
    driver.end(Came::Good);
    assert!(first.text.starts_with("[] silent: 40 opened") || second.text.starts_with("[] silent: 40 opened"));
    assert_ne!(first.id, second.id);
    assert_eq!(driver.look(), None);
    assert!(list(&driver, Some(AlertState::Open)).iter().all(|alert| alert.opening_message.is_some()));
    driver.world.check_invariants();
}

#[test]
fn ker_27_it_is_repeated_until_somebody_acknowledges_and_told_when_it_closes() {
    let mut driver = Driver::new();
    driver.open("disk", "full");
    driver.open("disk", "full");
    let id = list(&driver, None)[0].id.clone();
    driver.pass(GATHER);
    driver.look().unwrap();
    driver.end(Came::Good);
    for wait in [REPEAT, 2 * REPEAT, 4 * REPEAT, 4 * REPEAT] {
        driver.pass(wait - 1_000);
        assert_eq!(driver.look(), None);
        driver.pass(1_000);
        assert!(driver.look().unwrap().text.contains("1 still open"));
        driver.end(Came::Good);
    }
    assert_eq!((driver.acknowledge(&id), driver.acknowledge(&id)), ("acknowledged".into(), "acknowledged".into()));
    driver.pass(100 * REPEAT);
    assert_eq!(driver.look(), None, "it is not said again");
    driver.close("disk");
    driver.close("disk");
    driver.pass(GATHER);
    assert!(driver.look().unwrap().text.contains("1 closed"));
    driver.end(Came::Good);
    assert_eq!(driver.acknowledge(&id), "closed");
    assert_eq!(messages(&driver).len(), 6);
    driver.pass(100 * REPEAT);
    assert_eq!(driver.look(), None);
}

#[test]
fn ker_27_a_channel_that_fails_is_followed_by_the_next_at_once_and_shows_in_a_banner() {
    let mut driver = Driver::new();
    driver.open("disk", "full");
    driver.pass(GATHER);
    let mail = driver.look().unwrap();
    let webhook = driver.end(Came::Refused).unwrap();
    assert_eq!((mail.channel.as_str(), webhook.channel.as_str()), ("mail", "webhook"));
    assert_eq!(mail.id, webhook.id, "one message, one id");
    assert_eq!(driver.end(Came::Good), None);
    assert_eq!(banner(&driver), ["mail to ops@example.org refused: no route"]);
    assert_eq!(outcomes(&messages(&driver)[0]), [("mail", "refused"), ("webhook", "done")]);
    driver.pass(100 * PACE);
    assert_eq!(list(&driver, Some(AlertState::Open)).len(), 2, "the channel's trouble is an alert");
    driver.close("disk");
    driver.pass(PACE);
    assert_eq!(driver.look().unwrap().channel, "mail", "the next message begins with the first channel");
    driver.end(Came::Good);
    assert_eq!(banner(&driver), [""; 0], "it works again");
    assert_eq!(driver.calls.iter().filter(|call| call.text.contains("alerts.channel")).count(), 0, "never sent");
}

#[test]
fn ker_27_ker_41_a_message_that_nobody_took_is_tried_again_under_the_same_id_until_it_is_out() {
    let mut driver = Driver::new();
    driver.open("disk", "full");
    driver.pass(GATHER);
    let first = driver.look().unwrap();
    for minutes in [1, 5, 15, 30, 60, 60] {
        driver.end(Came::Unknown).unwrap();
        assert_eq!(driver.end(Came::Refused), None);
        driver.pass(minutes * 60_000 - 1_000);
        assert_eq!(driver.look(), None);
        driver.pass(1_000);
        assert_eq!(driver.look().unwrap().id, first.id);
    }
    driver.end(Came::Good);
    let sent = &messages(&driver)[0];
    assert_eq!(outcomes(sent)[..2], [("mail", "unknown"), ("webhook", "refused")]);
    assert!(sent.done_at.is_some());
    assert_eq!(driver.calls.len(), 13);
}

#[test]
fn ker_27_killed_before_or_after_the_call_the_same_message_goes_out_again() {
    let mut driver = Driver::new();
    driver.open("disk", "full");
    driver.pass(GATHER);
    let first = driver.look().unwrap();
    driver.kill();
    assert_eq!(outcomes(&messages(&driver)[0]), [("mail", "unknown")], "nobody knows, and nobody says otherwise");
    let second = driver.look().unwrap();
    assert_eq!((&first.id, &first.text), (&second.id, &second.text));
    driver.kill();
    driver.look().unwrap();
    driver.kill();
    assert_eq!(driver.look().unwrap().channel, "webhook", "what ends us three times is passed over");
    driver.end(Came::Good);
    assert_eq!(driver.look(), None);
}

#[test]
fn ker_27_what_opens_and_closes_before_anything_was_sent_is_still_told() {
    let mut driver = Driver::new();
    for _ in 0..5 {
        driver.open("line", "down");
        driver.close("line");
    }
    driver.pass(GATHER);
    let text = driver.look().unwrap().text;
    assert!(text.contains("5 opened, 5 closed") && text.contains("Opened and closed (5)"), "{text}");
    driver.end(Came::Good);
    for _ in 0..100 {
        driver.open("line", "down");
        driver.pass(1_000);
        driver.close("line");
        driver.pass(1_000);
        if driver.look().is_some() {
            driver.end(Came::Good);
        }
    }
    assert_eq!(driver.calls.len(), 1, "a pace later, not before");
    driver.pass(PACE);
    assert!(driver.look().unwrap().text.contains("100 opened, 100 closed"));
}

#[test]
fn ker_27_without_channels_the_banner_tells_and_setting_one_sends_what_waits_at_once() {
    let mut driver = Driver::new();
    driver.set_channels(vec![]);
    driver.open("disk", "full");
    driver.pass(GATHER);
    assert_eq!(driver.look(), None);
    assert!(banner(&driver)[0].contains("no channel is set"));
    let summary = driver.world.read(&SUMMARY, ()).unwrap();
    assert_eq!((summary.failing, summary.is_nobody_told), (0, true), "advice, and no channel that fails");
    driver.pass(1_000);
    driver.set_channels(vec![Channel::Mail { to: vec!["a@b".into()] }]);
    assert!(driver.look().unwrap().text.contains("1 opened"));
    driver.end(Came::Good);
    assert_eq!(banner(&driver), [""; 0]);
}

#[test]
fn ker_40_a_task_that_is_late_or_was_removed_is_inscribed_anew() {
    static REMOVE: kernel::Op<(), u64> = kernel::Op::new("test.remove", |tx, _, ()| {
        static ALL: Sql = Sql::new("test.remove_tasks", "DELETE FROM task");
        Ok(tx.execute(&ALL, &[])?)
    });
    let mut driver = Driver::new();
    driver.open("disk", "full");
    driver.world.call(&REMOVE, driver.world.request(), ()).unwrap();
    driver.pass(GATHER + 130_000);
    assert_eq!(driver.look(), None);
    assert_eq!(driver.world.call(&WAKE_KINDS, driver.world.request(), ()).unwrap().out, 1);
    driver.pass(1);
    assert!(driver.look().is_some());
    assert_eq!(driver.world.call(&WAKE_KINDS, driver.world.request(), ()).unwrap().out, 0);
}

#[test]
fn ker_43_a_calendar_that_jumps_neither_silences_nor_hurries_alerts() {
    const YEAR: i64 = 365 * 86_400_000;
    let jump = |driver: &Driver, ms| driver.world.clock.wall_ms.fetch_add(ms, std::sync::atomic::Ordering::Relaxed);
    let mut driver = Driver::new();
    driver.open("disk", "full");
    jump(&driver, YEAR);
    assert_eq!(driver.look(), None, "the task is due by the calendar, the gathering is not over");
    jump(&driver, -YEAR);
    driver.pass(GATHER);
    assert_eq!(driver.look(), None, "its start now lies a year ahead");
    driver.pass(130_000);
    assert_eq!(driver.world.call(&WAKE_KINDS, driver.world.request(), ()).unwrap().out, 1);
    assert!(driver.look().unwrap().text.contains("1 opened"));
}

#[test]
fn ker_27_a_page_goes_on_where_the_one_before_ended() {
    let driver = Driver::new();
    (0..7).for_each(|number| driver.open(&format!("k{number}"), "full"));
    driver.close("k3");
    let (mut after, mut keys) = (String::new(), vec![]);
    loop {
        let page =
            AlertPage { after: after.clone(), limit: 2, state: Some(AlertState::Open), kind: Some("full".into()) };
        let page = driver.world.read(&LIST_ALERTS, page).unwrap();
        keys.extend(page.alerts.into_iter().map(|alert| alert.key));
        let Some(next) = page.next else { break };
        after = next;
    }
    assert_eq!(keys, ["k6", "k5", "k4", "k2", "k1", "k0"], "newest first");
}

#[test]
fn ker_34_bad_channels_and_unknown_alerts_change_nothing() {
    let driver = Driver::new();
    let world = &driver.world;
    let set = |channels: Vec<Channel>| {
        let channels = channels.into_iter().map(Into::into).collect();
        error_code(world.call(&SET_CHANNELS, world.request(), SetChannels { channels })).0
    };
    assert_eq!(set(vec![Channel::Mail { to: vec!["a b".into()] }]), "ABODY");
    assert_eq!(set(vec![Channel::Mail { to: vec!["a@b".into()] }; 9]), "ALIMIT");
    static CHANNELS: Sql = Sql::new("test.channels", "SELECT COUNT(*) FROM alert_channel");
    assert_eq!(world.count(&CHANNELS), 2);
    for id in ["", "x", "01KA2B3C4D5E6F7G8H9JKMNPQR"] {
        let input = kernel::alerts::acknowledge::Acknowledge { id: id.into() };
        let op = &kernel::alerts::acknowledge::ACKNOWLEDGE_ALERT;
        assert_eq!(error_code(world.call(op, world.request(), input)).0, "NALERT");
    }
}

#[test]
fn ker_27_old_alerts_and_messages_are_forgotten_open_ones_never() {
    let mut driver = Driver::new();
    driver.open("old", "full");
    driver.open("stays", "full");
    driver.close("old");
    driver.pass(GATHER);
    driver.look().unwrap();
    driver.end(Came::Good);
    static FORGET: kernel::Op<(), ()> = kernel::Op::new("test.forget", |tx, cx, ()| {
        let task = kernel::TaskRow::first_attempt(cx.id(), "alert.forget", "null", cx.wall);
        assert_eq!((kernel::alerts::SERVICE.tasks[1].plan)(tx, cx, &task)?, kernel::Plan::Done);
        Ok(())
    });
    let forget = || driver.world.call(&FORGET, driver.world.request(), ()).unwrap();
    // The calendar jumps a century ahead: nothing is old by it.
    driver.world.clock.wall_ms.fetch_add(3_000_000_000_000, std::sync::atomic::Ordering::Relaxed);
    forget();
    assert_eq!((list(&driver, None).len(), messages(&driver).len()), (2, 1));
    driver.pass(90 * 86_400_000 + 1);
    forget();
    assert_eq!((list(&driver, None).len(), messages(&driver).len()), (1, 0));
    assert_eq!(list(&driver, None)[0].key, "stays");
}
