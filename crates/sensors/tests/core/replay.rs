//! A replay of what told of many sensors at once.

use base::{Sql, Wall, args};
use kernel::Op;
use sensors::{REPLAY, Replay};

use crate::kit::{Doors, answer, body};

static EVENTS: Sql = Sql::new(
    "test.group_events",
    "INSERT INTO sensor_event (client_id, seq, id, sensor_id, kind, type, body, at, state, tries, ended_at, ended) \
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45) \
     SELECT id, i, 'evt_' || i, '', 'group', 'sensor.lost', \
     '{\"type\":\"sensor.lost\",\"data\":{\"sensors\":[\"a\",\"s' || i || '\"],\"seq\":' || i || '}}', ?1, 'failed', 10, ?1, 0 \
     FROM sensor_client, n",
);
static COUNTED: Sql = Sql::new("test.counted", "UPDATE sensor_client SET seq = 45");

#[test]
fn sen_8_a_replay_leaves_out_groups_of_sensors_that_the_client_has_not_and_sends_the_others() {
    static WRITE: Op<Wall, ()> = Op::new("test.write_groups", |tx, _, at| {
        tx.write(&EVENTS, args![*at])?;
        Ok(tx.write(&COUNTED, args![])?)
    });
    let doors = Doors::patient(&["s7", "s44", "x"]);
    let client = doors.client("hotel", 2, &["s7", "s44", "x"]);
    let now = doors.world.kernel.env().clock.wall();
    doors.world.call(&WRITE, now).unwrap();
    doors.world.call(&REPLAY, Replay { client, from: now, to: None }).unwrap();
    let mut told = vec![];
    while let Some((call, done)) = doors.call() {
        told.push(body(&call)["data"]["seq"].as_i64().unwrap());
        done(answer(200));
    }
    assert_eq!(told, [7, 44]);
    static ENDED: Sql = Sql::new("test.replay_ended", "SELECT sent, left_out FROM sensor_replay WHERE state = 'done'");
    let ended = doors.world.rows(&ENDED);
    assert_eq!((ended.len(), ended[0].int(0), ended[0].int(1)), (1, 2, 43));
}
