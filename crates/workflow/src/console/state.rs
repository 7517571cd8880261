//! How processes, tasks, actors and jobs are, in a word and a colour.

use maud::Markup;
use web::Console;
use web::ui::parts::badge;
use web::ui::{Text, Tone};

use super::reads::Stands;
use super::words;
use crate::actors::ActorState;

/// The states of processes, with what they are called.
pub(super) const STATES: [(&str, &Text, Tone); 4] = [
    ("ACTIVE", &words::ACTIVE, Tone::Info),
    ("BROKEN", &words::BROKEN, Tone::Bad),
    ("FINISHED", &words::FINISHED, Tone::Good),
    ("ABORTED", &words::ABORTED, Tone::Quiet),
];

pub(super) fn of_process(console: &Console, state: &str) -> Markup {
    let known = STATES.iter().find(|(word, ..)| *word == state);
    known.map_or_else(|| badge(Tone::Quiet, state), |(_, text, tone)| badge(*tone, console.say(text)))
}

pub(super) fn tone(stands: Stands) -> Tone {
    match stands {
        Stands::Waiting => Tone::Quiet,
        Stands::Queued | Stands::Work => Tone::Info,
        Stands::Done => Tone::Good,
        Stands::Failed => Tone::Warn,
        Stands::Broken => Tone::Bad,
    }
}

pub(super) fn word(stands: Stands) -> &'static Text {
    match stands {
        Stands::Waiting => &words::TASK_WAITS,
        Stands::Queued => &words::TASK_QUEUED,
        Stands::Work => &words::TASK_WORK,
        Stands::Done => &words::TASK_DONE,
        Stands::Failed => &words::TASK_FAILED,
        Stands::Broken => &words::TASK_BROKEN,
    }
}

/// The word of a state in an address.
pub(super) fn key(stands: Stands) -> &'static str {
    match stands {
        Stands::Waiting => "waiting",
        Stands::Queued => "queued",
        Stands::Work => "work",
        Stands::Done => "done",
        Stands::Failed => "failed",
        Stands::Broken => "broken",
    }
}

pub(super) fn of_task(console: &Console, stands: Stands) -> Markup {
    badge(tone(stands), console.say(word(stands)))
}

pub(super) fn of_actor(console: &Console, state: ActorState) -> Markup {
    let (tone, text) = match state {
        ActorState::Active => (Tone::Good, &words::ACTOR_ACTIVE),
        ActorState::Silent => (Tone::Warn, &words::ACTOR_SILENT),
        ActorState::Blocked => (Tone::Bad, &words::ACTOR_BLOCKED),
    };
    badge(tone, console.say(text))
}

pub(super) fn of_job(console: &Console, state: &str) -> Markup {
    let (tone, text) = match state {
        "RUNNING" => (Tone::Info, &words::JOB_RUNNING),
        "PAUSED" => (Tone::Warn, &words::JOB_PAUSED),
        "DONE" => (Tone::Good, &words::JOB_DONE),
        _ => (Tone::Quiet, &words::JOB_CANCELLED),
    };
    badge(tone, console.say(text))
}
