//! KER-13: effects are rows of the same transaction.

use std::sync::{Arc, Mutex};

use base::{OpError, Sql, Wall, codes};
use expect_test::expect;
use kernel::tasks::Start;
use kernel::{Event, NewTask, Op, OpCx, Settled};

use crate::world::{World, error_code, insert_thing};

static ALL_KINDS: Op<bool, ()> = Op::new("test.all_kinds", |tx, cx, refuse| {
    insert_thing(tx, cx)?;
    leave_one_of_each(cx);
    if *refuse { Err(OpError::new(codes::ALIMIT, "no")) } else { Ok(()) }
});

fn leave_one_of_each(cx: &mut OpCx<'_>) {
    let version = cx.stamp();
    let id = cx.id();
    cx.fx.task(NewTask {
        id,
        op: "test.later".into(),
        param: "{}".into(),
        info: "i".into(),
        queue: Some(1),
        lane: None,
        start: Start::At(Wall(5)),
        cron: None,
        target: None,
        unique_key: None,
    });
    cx.fx.event(Event { topic: "things".into(), subject: "a".into(), version, data: "{}".into() });
    cx.fx.open_alert("disk", "full", "no room");
    cx.fx.journal("test.done", "a", "it was done");
}

static ROWS: Sql = Sql::new(
    "test.effects",
    "SELECT 'task ' || op || ' queue ' || queue || ' start ' || start_at || ' attempt ' || attempt FROM task \
     UNION ALL SELECT 'event ' || topic || ' ' || subject FROM event \
     UNION ALL SELECT 'alert ' || key || ' ' || message || ' closed ' || COALESCE(closed_at, 0) FROM alert \
     UNION ALL SELECT 'journal ' || kind || ' ' || caller || ' ' || text FROM journal",
);

fn effects(world: &World) -> String {
    world.rows(&ROWS).iter().map(|row| row.text(0).to_owned() + "\n").collect()
}

#[test]
fn ker_13_effects_are_rows_of_the_same_commit() {
    let world = World::new();
    world.call(&ALL_KINDS, world.request(), false).unwrap();
    expect![[r#"
        task test.later queue 1 start 5 attempt 0
        task alert.send queue 0 start 1794744030000 attempt 0
        event things a
        alert disk no room closed 0
        journal test.done server.test it was done
    "#]]
    .assert_eq(&effects(&world));
}

#[test]
fn ker_13_a_refused_operation_leaves_no_effect() {
    let world = World::new();
    assert_eq!(error_code(world.call(&ALL_KINDS, world.request(), true)).0, "ALIMIT");
    assert_eq!(effects(&world), "");
}

#[test]
fn ker_13_a_repeated_request_leaves_its_effects_once() {
    let world = World::new();
    for _ in 0..3 {
        world.call(&ALL_KINDS, world.request().once("POST /t", "a", [1; 32]), false).unwrap();
    }
    assert_eq!(effects(&world).lines().count(), 5);
}

#[test]
fn ker_13_an_alert_opens_once_and_opens_anew_after_it_was_closed() {
    static CLOSE: Op<(), ()> = Op::new("test.close", |_, cx, ()| {
        cx.fx.close_alert("disk");
        Ok(())
    });
    let world = World::new();
    world.call(&ALL_KINDS, world.request(), false).unwrap();
    world.call(&CLOSE, world.request(), ()).unwrap();
    assert!(effects(&world).contains("alert disk no room closed 1794744000000"));
    world.call(&CLOSE, world.request(), ()).unwrap();
    static OPEN: Op<(), ()> = Op::new("test.open", |_, cx, ()| {
        cx.fx.open_alert("disk", "full", "again");
        Ok(())
    });
    world.call(&OPEN, world.request(), ()).unwrap();
    assert!(effects(&world).contains("alert disk again closed 0"));
}

#[test]
fn ker_40_a_task_cannot_be_claimed_without_an_owner() {
    static CLAIM: Sql = Sql::new("test.claim", "UPDATE task SET start_time = 1");
    static BREAK: Op<(), u64> = Op::new("test.break", |tx, _, ()| Ok(tx.execute(&CLAIM, &[])?));
    let world = World::new();
    world.call(&ALL_KINDS, world.request(), false).unwrap();
    assert_eq!(error_code(world.call(&BREAK, world.request(), ())).0, "BDETECTED");
}

#[test]
fn effects_are_bounded() {
    static MANY: Op<(), ()> = Op::new("test.many", |_, cx, ()| {
        (0..=base::limits::OP_EFFECTS_MAX).for_each(|_| cx.fx.journal("k", "s", "t"));
        Ok(())
    });
    let world = World::new();
    assert_eq!(error_code(world.call(&MANY, world.request(), ())).0, "BDETECTED");
    assert_eq!(effects(&world), "");
}

#[test]
fn ker_13_a_cancelled_task_is_gone_and_cancelling_again_is_harmless() {
    static CREATE: Op<(), base::Id> = Op::new("test.create_task", |_, cx, ()| {
        leave_one_of_each(cx);
        Ok(cx.id())
    });
    static CANCEL_ALL: Op<(), ()> = Op::new("test.cancel", |tx, cx, ()| {
        static IDS: Sql = Sql::new("test.task_ids", "SELECT id FROM task ORDER BY id");
        let ids: Vec<base::Id> = tx.query(&IDS, &[], 10)?.iter().map(|row| row.id(0)).collect();
        ids.into_iter().for_each(|id| {
            cx.fx.cancel_task(id);
            cx.fx.cancel_task(id);
        });
        Ok(())
    });
    let world = World::new();
    world.call(&CREATE, world.request(), ()).unwrap();
    assert!(effects(&world).contains("task test.later"));
    world.call(&CANCEL_ALL, world.request(), ()).unwrap();
    assert!(!effects(&world).contains("task"));
}

type Heard = Arc<Mutex<Vec<Settled>>>;

/// How it ends: done, refused, in a panic, or refused twice for contention and then done.
static SETTLING: Op<(u32, Heard), ()> = Op::new("test.settling", |tx, cx, (how, heard)| {
    let told = heard.clone();
    cx.fx.when_settled(move |settled| told.lock().unwrap().push(settled));
    insert_thing(tx, cx)?;
    match how {
        0 => Ok(()),
        1 => Err(OpError::new(codes::ALIMIT, "no")),
        2 => panic!("on purpose"),
        _ if cx.attempt < 3 => Err(OpError::new(codes::CSERIAL, "again").at(base::Phase::Validation)),
        _ => Ok(()),
    }
});

#[test]
fn ker_12_who_wants_to_know_is_told_how_every_attempt_ended_exactly_once() {
    use Settled::{Committed, Undone};
    let world = World::new();
    for (how, expected) in
        [(0, vec![Committed]), (1, vec![Undone]), (2, vec![Undone; 3]), (3, vec![Undone, Undone, Committed])]
    {
        let heard = Heard::default();
        let _ = world.call(&SETTLING, world.request(), (how, heard.clone()));
        assert_eq!(*heard.lock().unwrap(), expected, "{how}");
    }
}
