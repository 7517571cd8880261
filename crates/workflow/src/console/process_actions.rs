//! What a person can do with a process.

use maud::{Markup, html};
use serde_json::json;
use web::Console;
use web::ui::{Field, Form, Kind, Text, Tone};

use super::{PROCESSES, words};
use crate::process::ProcessView;

pub(super) fn all(console: &Console, process: &ProcessView) -> Markup {
    let is_over = ["FINISHED", "ABORTED"].contains(&process.state.as_str());
    html! {
        @if !is_over { (signal(console, &process.process_id, "")) }
        (restart(console, process))
        (clone(console, process))
        @if !is_over { (abort(console, process)) }
    }
}

fn of(console: &Console, label: &str, text: &Text, process: &str) -> Form {
    console.form(label, text).with("id", process)
}

/// Brings a signal; `name` is filled in where it is known.
pub(super) fn signal(console: &Console, process: &str, name: &str) -> Form {
    of(console, "POST /v1/{ns}/workflow/processes/{id}/signal", &words::SEND, process)
        .field(Field::new("name", console.say(&words::SIGNAL_NAME), Kind::Text).value(name).required())
        .field(
            Field::new("value", console.say(&words::SIGNAL_VALUE), Kind::Json)
                .hint(console.say(&words::JSON_HINT))
                .rows(4),
        )
        .in_dialog(console.say(&words::SEND_SIGNAL))
}

fn restart(console: &Console, process: &ProcessView) -> Form {
    of(console, "POST /v1/{ns}/workflow/processes/{id}/restart", &words::RESTART, &process.process_id)
        .field(Field::hidden("*", &json!({})))
        .confirm(console.say(&words::RESTART_SURE))
}

/// Begins anew from a task: what came before is kept.
pub(super) fn restart_from(console: &Console, process: &str, task: &str) -> Form {
    of(console, "POST /v1/{ns}/workflow/processes/{id}/restart", &words::RESTART_FROM, process)
        .field(Field::hidden("task", &json!(task)))
        .confirm(console.say(&words::RESTART_FROM_SURE))
}

/// Tries a broken task again.
pub(super) fn retry(console: &Console, task: &str) -> Form {
    console.form("POST /v1/{ns}/workflow/broken/{task}/retry", &words::TRY_AGAIN).with("task", task)
}

fn clone(console: &Console, process: &ProcessView) -> Form {
    of(console, "POST /v1/{ns}/workflow/processes/{id}/clone", &words::CLONE, &process.process_id)
        .field(Field::hidden("*", &json!({})))
        .confirm(console.say(&words::CLONE_SURE))
        .go(console.at(&format!("{PROCESSES}/{{answer.process_id}}")))
}

fn abort(console: &Console, process: &ProcessView) -> Form {
    of(console, "POST /v1/{ns}/workflow/processes/{id}/abort", &words::ABORT, &process.process_id)
        .field(Field::new("reason", console.say(&words::WHY), Kind::Text).required())
        .tone(Tone::Bad)
        .in_dialog(console.say(&words::ABORT_PROCESS))
}
