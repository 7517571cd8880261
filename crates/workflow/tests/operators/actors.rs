//! Actors are set, blocked, listed, and missed.

use serde_json::{Value, json};
use workflow::actors::{
    ACTOR, ACTORS, ALARM_UNPOLLED, ActorPatchOf, ActorSettings, ActorState, ActorView, ActorsOf, PATCH_ACTOR,
    PATCH_TYPE, TYPES, TypePatchOf, TypeSettings,
};

use crate::alerts;
use crate::kit::Flow;

fn set(flow: &Flow, actor: &str, patch: Value) -> Result<ActorSettings, base::OpError> {
    let patch = ActorPatchOf { actor: actor.into(), patch: serde_json::from_value(patch).expect("a patch") };
    flow.0.call(&PATCH_ACTOR, patch).map(|reply| reply.out)
}

fn set_type(flow: &Flow, kind: &str, patch: Value) -> Result<TypeSettings, base::OpError> {
    let patch = TypePatchOf { kind: kind.into(), patch: serde_json::from_value(patch).expect("a patch") };
    flow.0.call(&PATCH_TYPE, patch).map(|reply| reply.out)
}

fn actor(flow: &Flow, actor: &str) -> ActorView {
    flow.0.read(&ACTOR, actor.into()).unwrap()
}

#[test]
fn wfl_10_what_holds_for_an_actor_is_changed_while_it_works() {
    let flow = Flow::new();
    let settings = set(&flow, "a#1", json!({ "work_timeout_ms": 5_000, "accept_first": false })).unwrap();
    assert_eq!((settings.work_timeout_ms, settings.accept_first, settings.task_timeout_ms), (5_000, false, 0));
    flow.start(json!({ "actor": "a#1" }));
    assert_eq!(flow.take("a#1").timeout_ms, 5_000);
    flow.pass_ms(5_000);
    let again = set(&flow, "a#1", json!({ "work_timeout_ms": null })).unwrap();
    assert_eq!((again.work_timeout_ms, again.accept_first), (60_000, false), "null is as usual, the rest stays");
    assert_eq!(flow.take("a#1").timeout_ms, 60_000);
    for bad in [
        json!({ "work_timeout_ms": 0 }),
        json!({ "work_timeout_ms": 99 }),
        json!({ "task_timeout_ms": -1 }),
        json!({ "task_timeout_ms": 400i64 * 86_400_000 }),
    ] {
        assert_eq!(set(&flow, "a#1", bad.clone()).unwrap_err().code.name, "AWORKFLOW", "{bad}");
    }
    assert_eq!(set(&flow, "@timer", json!({})).unwrap_err().code.name, "AWORKFLOW");
    assert_eq!(set(&flow, "nobody", json!({})).unwrap_err().code.name, "AWORKFLOW");
    let unknown = serde_json::from_value::<workflow::actors::ActorPatch>(json!({ "timeout": 1 })).unwrap_err();
    assert!(unknown.to_string().contains("unknown field `timeout`"));
}

#[test]
fn wfl_10_what_holds_for_a_type_is_changed() {
    let flow = Flow::new();
    flow.start(json!({ "actor": "a#1" }));
    let settings =
        set_type(&flow, "order", json!({ "idle_timeout_ms": 60_000, "on_inconsistency": "restart" })).unwrap();
    assert_eq!((settings.idle_timeout_ms, settings.on_inconsistency.as_str()), (60_000, "restart"));
    let settings = set_type(&flow, "order", json!({ "kept_ms": 0 })).unwrap();
    assert_eq!((settings.idle_timeout_ms, settings.kept_ms, settings.process_timeout_ms), (60_000, 0, 3_600_000));
    for bad in [
        json!({ "process_timeout_ms": 1 }),
        json!({ "idle_timeout_ms": -1 }),
        json!({ "on_inconsistency": "ignore" }),
        json!({ "kept_ms": -1 }),
    ] {
        assert_eq!(set_type(&flow, "order", bad.clone()).unwrap_err().code.name, "AWORKFLOW", "{bad}");
    }
    let kinds: Vec<String> = flow.0.read(&TYPES, ()).unwrap().into_iter().map(|kind| kind.kind).collect();
    assert_eq!(kinds, ["order", "test"]);
}

#[test]
fn wfl_21_actors_are_listed_with_what_waits_and_who_polls() {
    let flow = Flow::new();
    for _ in 0..3 {
        flow.start(json!({ "actor": "b#1" }));
    }
    flow.start(json!({ "actor": "b#1", "task_list": "eu" }));
    flow.nothing_for("a#1");
    set(&flow, "c#1", json!({ "blocked": true })).unwrap();
    flow.pass_ms(30_000);
    let all = flow.0.read(&ACTORS, ActorsOf { after: None, limit: 10 }).unwrap();
    let shown: Vec<(&str, ActorState, i64)> =
        all.iter().map(|actor| (actor.settings.actor.as_str(), actor.state, actor.waiting)).collect();
    assert_eq!(
        shown,
        [("a#1", ActorState::Active, 0), ("b#1", ActorState::Silent, 4), ("c#1", ActorState::Blocked, 0)]
    );
    assert_eq!(all[1].oldest_waiting_ms, Some(30_000));
    assert_eq!((all[1].queues.len(), all[1].queues[1].task_list.as_deref()), (2, Some("eu")));
    assert_eq!((all[0].last_poll_at.is_some(), all[1].last_poll_at.is_none()), (true, true));
    let second = flow.0.read(&ACTORS, ActorsOf { after: Some("a#1".into()), limit: 1 }).unwrap();
    assert_eq!(second[0].settings.actor, "b#1");
    assert_eq!(flow.0.read(&ACTORS, ActorsOf { after: None, limit: 0 }).unwrap_err().code.name, "ALIMIT");
    flow.pass_ms(120_000);
    assert_eq!(actor(&flow, "a#1").state, ActorState::Silent);
}

#[test]
fn wfl_21_a_blocked_actor_gets_nothing_until_it_is_unblocked() {
    let flow = Flow::new();
    flow.start(json!({ "actor": "a#1" }));
    set(&flow, "a#1", json!({ "blocked": true })).unwrap();
    flow.nothing_for("a#1");
    assert_eq!(actor(&flow, "a#1").state, ActorState::Blocked);
    set(&flow, "a#1", json!({ "blocked": false })).unwrap();
    flow.take("a#1");
}

#[test]
fn wfl_21_a_queue_that_nobody_polls_raises_an_alert_until_somebody_does() {
    let flow = Flow::new();
    let look = || flow.0.call(&ALARM_UNPOLLED, ()).map(drop).unwrap();
    flow.start(json!({ "actor": "a#1" }));
    flow.start(json!({ "actor": "b#1" }));
    set(&flow, "b#1", json!({ "blocked": true })).unwrap();
    flow.pass_ms(599_000);
    look();
    assert_eq!(alerts(&flow, "workflow-unpolled"), Vec::<String>::new());
    flow.pass_ms(1_000);
    look();
    look();
    assert_eq!(alerts(&flow, "workflow-unpolled"), ["workflow-unpolled/a#1"], "the other one is blocked by intent");
    flow.take("a#1");
    look();
    assert_eq!(alerts(&flow, "workflow-unpolled"), Vec::<String>::new());
}

#[test]
fn wfl_21_what_an_actor_got_and_brought_in_an_hour_and_a_day() {
    let flow = Flow::new();
    let work = |times: usize| {
        for _ in 0..times {
            flow.start(json!({ "actor": "a#1" }));
            flow.done(&flow.take("a#1"), json!({}));
        }
        flow.0.kernel.flush_watched();
        flow.0.pass_ms(2_000);
    };
    work(5);
    flow.0.call(&ALARM_UNPOLLED, ()).unwrap();
    assert_eq!((actor(&flow, "a#1").hour.given, actor(&flow, "a#1").day.done), (5, 5));
    flow.pass_ms(3_700_000);
    work(2);
    let view = actor(&flow, "a#1");
    assert_eq!((view.hour.given, view.hour.done, view.day.given, view.day.done), (2, 2, 7, 7));
}
