//! KER-5: versions rise per document though the clock goes back; wall and heard are not mixed.

use std::sync::atomic::Ordering;

use base::{OpResult, Sql, Stamp, Tx, args};
use kernel::{Op, OpCx};

use crate::world::World;

static GET: Sql = Sql::new("test.version", "SELECT version FROM thing WHERE id = ?1");
static PUT: Sql =
    Sql::new("test.put", "INSERT INTO thing (id, version) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET version = ?2");

static TOUCH: Op<&'static str, Stamp> = Op::new("test.touch", touch);

fn touch(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &&'static str) -> OpResult<Stamp> {
    if let Some(row) = tx.query_one(&GET, args![*id])? {
        cx.saw(row.stamp(0));
    }
    let stamp = cx.stamp();
    tx.write(&PUT, args![*id, stamp])?;
    Ok(stamp)
}

#[test]
fn ker_5_versions_rise_strictly_per_document_when_the_clock_jumps_back() {
    let world = World::new();
    let touch = |id| world.call(&TOUCH, world.request(), id).unwrap().out;
    let first = touch("a");
    world.clock.wall_ms.fetch_sub(7_200_000, Ordering::Relaxed);
    let (second, third) = (touch("a"), touch("a"));
    assert_eq!((second, third), (first.next(), first.next().next()), "1 ms above the newest seen");
    assert!(touch("b") < first, "another document follows the clock: versions rise per document, not per store");
}

#[test]
fn ker_5_a_hot_document_may_run_ahead_of_a_standing_clock() {
    let world = World::new();
    let versions: Vec<Stamp> = (0..50).map(|_| world.call(&TOUCH, world.request(), "a").unwrap().out).collect();
    assert!(versions.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn ker_5_heard_ignores_the_calendar_and_advances_while_we_run() {
    static HEARD: Op<(), i64> = Op::new("test.heard", |_, cx, ()| Ok(cx.heard.0));
    let world = World::new();
    let heard = || world.call(&HEARD, world.request(), ()).unwrap().out;
    let before = heard();
    world.clock.wall_ms.fetch_add(86_400_000, Ordering::Relaxed);
    assert_eq!(heard(), before);
    world.clock.ran_ms.fetch_add(250, Ordering::Relaxed);
    assert_eq!(heard(), before + 250);
}
