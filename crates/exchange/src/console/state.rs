//! How processes, devices and messages are, in a word and a colour.

use maud::Markup;
use web::Console;
use web::ui::parts::badge;
use web::ui::{Text, Tone};

use super::words;
use crate::process::ProcessState;

pub(super) fn tone(state: ProcessState) -> Tone {
    match state {
        ProcessState::Started | ProcessState::ReadyToCommit | ProcessState::Cleanup => Tone::Info,
        ProcessState::Failed => Tone::Bad,
        ProcessState::Unknown => Tone::Warn,
        ProcessState::Ended => Tone::Quiet,
    }
}

pub(super) fn text(state: ProcessState) -> &'static Text {
    match state {
        ProcessState::Started => &words::STARTED,
        ProcessState::ReadyToCommit => &words::READY,
        ProcessState::Cleanup => &words::CLEANUP,
        ProcessState::Failed => &words::FAILED,
        ProcessState::Unknown => &words::UNKNOWN_OUTCOME,
        ProcessState::Ended => &words::ENDED,
    }
}

/// How a process stands, or how it ended.
pub(super) fn of_process(console: &Console, state: ProcessState, outcome: Option<&str>) -> Markup {
    match outcome {
        Some(outcome) => of_outcome(console, outcome),
        None => badge(tone(state), console.say(text(state))),
    }
}

fn of_outcome(console: &Console, outcome: &str) -> Markup {
    let (tone, text) = match outcome {
        "committed" => (Tone::Good, &words::COMMITTED),
        "rolled_back" => (Tone::Warn, &words::ROLLED_BACK),
        "interrupted" => (Tone::Quiet, &words::INTERRUPTED),
        "forgotten" => (Tone::Bad, &words::FORGOTTEN),
        _ => (Tone::Warn, &words::TIMED_OUT),
    };
    badge(tone, console.say(text))
}

/// What the database said of a message.
pub(super) fn of_result(console: &Console, result: &str) -> Markup {
    match result {
        "PROCESSED" => badge(Tone::Good, console.say(&words::PROCESSED)),
        "PROCESSED_DEADLOCK" => badge(Tone::Warn, console.say(&words::DEADLOCK)),
        "PROCESSED_INCORRECT" => badge(Tone::Bad, console.say(&words::INCORRECT)),
        other => badge(Tone::Quiet, other),
    }
}

pub(super) fn of_device(console: &Console, state: &str) -> Markup {
    let (tone, text) = match state {
        "active" => (Tone::Good, &words::ACTIVE),
        "blocked" => (Tone::Bad, &words::BLOCKED),
        _ => (Tone::Quiet, &words::NOT_ACTIVATED),
    };
    badge(tone, console.say(text))
}

/// The folder that a message is in.
pub(super) fn of_place(place: &str) -> Markup {
    let tone = match place {
        "log" => Tone::Good,
        "error" => Tone::Bad,
        "unknown" => Tone::Warn,
        "prepared" => Tone::Quiet,
        _ => Tone::Info,
    };
    badge(tone, crate::folders::folder_of(place).unwrap_or(place))
}
