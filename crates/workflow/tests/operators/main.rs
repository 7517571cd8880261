//! What operators do, on the real SQLite engine, with time that passes when told; `postgres` has the statements on the other engine.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

mod actors;
mod broken;
mod jobs;
mod kept;
#[path = "../kit/mod.rs"]
#[expect(dead_code, reason = "shared with the tests of the engine")]
mod kit;
mod postgres;
mod schedules;
mod searches;

use kernel::alerts::list::{AlertPage, AlertState, LIST_ALERTS};
use kit::Flow;

/// The keys of open alerts of a kind.
fn alerts(flow: &Flow, kind: &str) -> Vec<String> {
    let page =
        AlertPage { after: String::new(), limit: 100, state: Some(AlertState::Open), kind: Some(kind.to_owned()) };
    flow.0.read(&LIST_ALERTS, page).unwrap().alerts.into_iter().map(|alert| alert.key).collect()
}

/// A process of one task that broke with an error of this class.
fn break_one(flow: &Flow, kind: &str, actor: &str, class: &str) -> String {
    let id = flow.try_start(serde_json::json!({ "type": kind, "start": { "actor": actor } })).unwrap();
    let task = flow.take(actor);
    flow.done(
        &task,
        serde_json::json!({ "error": { "class": class, "message": format!("{class} happened"), "trace": "at line 7" } }),
    );
    assert_eq!(flow.state(&id), "BROKEN");
    id
}
