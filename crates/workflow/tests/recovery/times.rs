//! What the calendar of the kernel forgot begins all the same (WFL-9, WFL-11).

use base::Sql;
use serde_json::json;

use crate::surgery::{A_LOOK_MS, Watched};

static FORGET: Sql = Sql::new("test.forget_begin", "DELETE FROM task WHERE op = 'workflow.begin'");

#[test]
fn wfl_9_wfl_11_a_timer_whose_wake_up_is_lost_ends_a_minute_later() {
    let world = Watched::new();
    let id = world.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "id": "t", "actor": "@timer", "args": [{ "value": 600_000 }] }]);
    world.done(&world.take("decide#1"), json!({ "value": { "promise": "t" }, "tasks": tasks }));
    assert_eq!(world.cut(&FORGET, vec![]), 1);
    world.wait_ms(659_000);
    assert_eq!(world.state(&id), "ACTIVE");
    world.wait_ms(2_000);
    assert_eq!(world.value(&id), json!(null));
    assert_eq!(world.kinds(&id), ["requeued"]);
}

#[test]
fn wfl_11_a_timer_is_not_ended_early_where_the_calendar_was_put_back() {
    let world = Watched::new();
    let id = world.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "id": "t", "actor": "@timer", "args": [{ "value": 600_000 }] }]);
    world.done(&world.take("decide#1"), json!({ "value": { "promise": "t" }, "tasks": tasks }));
    world.cut(&FORGET, vec![]);
    world.0.jump_calendar_ms(-3_600_000);
    world.wait_ms(4_100_000);
    assert_eq!((world.state(&id).as_str(), world.kinds(&id)), ("ACTIVE", vec![]));
    world.wait_ms(2 * A_LOOK_MS);
    assert_eq!(world.value(&id), json!(null));
}
