//! Why a process does not go on (WFL-27), in the person's words.

use maud::{Markup, html};
use web::Console;
use web::ui::parts::banner;
use web::ui::{Text, Tone};

use super::{task_link, words};
use crate::process::ProcessView;
use crate::recovery::VerdictView;

pub(super) fn shown(console: &Console, process: &ProcessView) -> Markup {
    let Some(verdict) = &process.verdict else { return html! {} };
    let (tone, text) = of(verdict);
    banner(
        tone,
        html! {
            p #verdict data-now=(verdict.verdict) { b { (console.say(text)) } @if let Some(task) = &verdict.task_id { " " (task_link(console, task)) } }
            @if tone == Tone::Bad || verdict.verdict == "waits-promise" { p.small { bdi { (verdict.text) } } }
        },
    )
}

fn of(verdict: &VerdictView) -> (Tone, &'static Text) {
    match verdict.verdict.as_str() {
        "broken" => (Tone::Bad, &words::V_BROKEN),
        "nobody-polls" => (Tone::Warn, &words::V_NOBODY_POLLS),
        "backlog" => (Tone::Info, &words::V_BACKLOG),
        "in-work" => (Tone::Info, &words::V_IN_WORK),
        "silent" => (Tone::Warn, &words::V_SILENT),
        "not-applied" => (Tone::Warn, &words::V_NOT_APPLIED),
        "not-queued" => (Tone::Warn, &words::V_NOT_QUEUED),
        "missing" => (Tone::Bad, &words::V_MISSING),
        "waits-promise" => (Tone::Info, &words::V_WAITS_PROMISE),
        "waits-signal" => (Tone::Info, &words::V_WAITS_SIGNAL),
        "waits-time" => (Tone::Info, &words::V_WAITS_TIME),
        "waits-process" => (Tone::Info, &words::V_WAITS_PROCESS),
        _ => (Tone::Quiet, &words::V_OTHER),
    }
}
