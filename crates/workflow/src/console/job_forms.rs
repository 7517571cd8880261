//! Has something done with many processes: what, how fast, and whether only to tell what would be done (WFL-16, WFL-28).

use maud::{Markup, html};
use serde_json::json;
use web::Console;
use web::ui::{Field, Form, Kind, Text, Tone};

use super::search::Asked;
use super::{JOBS, words};
use crate::search::Search;

/// What can be done, in the order of being offered.
pub(super) const ACTIONS: [(&str, &Text); 7] = [
    ("restart", &words::A_RESTART),
    ("restart_from", &words::A_RESTART_FROM),
    ("retry_broken", &words::A_RETRY_BROKEN),
    ("recover", &words::A_RECOVER),
    ("analyse", &words::A_ANALYSE),
    ("clone", &words::A_CLONE),
    ("abort", &words::A_ABORT),
];

/// The word of an action.
pub(super) fn action(console: &Console, action: &str) -> String {
    let known = ACTIONS.iter().find(|(word, _)| *word == action);
    known.map_or_else(|| action.to_owned(), |(_, text)| console.say(text).to_owned())
}

/// A job over all that a search finds.
pub(super) fn with_all(console: &Console, asked: &Asked, wanted: &Search) -> Markup {
    let choices = ACTIONS.iter().map(|(word, text)| ((*word).to_owned(), console.say(text).to_owned())).collect();
    let found = if asked.is_all() { console.say(&words::WITH_ALL).to_owned() } else { asked.words(console) };
    let form = paced(
        console,
        create(console, &words::BEGIN_JOB, wanted)
            .field(
                Field::new("action", console.say(&words::WHAT_TO_DO), Kind::Text)
                    .choices(choices)
                    .hint(console.fill(&words::WITH_FOUND, &[("found", &found)])),
            )
            .field(
                Field::new("task.actor", console.say(&words::FROM_ACTOR), Kind::Text)
                    .hint(console.say(&words::FROM_TASK_HINT)),
            )
            .field(Field::new("task.method", console.say(&words::FROM_METHOD), Kind::Text)),
    );
    html! {
        (form.field(Field::new("priority", console.say(&words::PRIORITY), Kind::Number).hint(console.say(&words::PRIORITY_HINT)))
            .tone(if asked.is_all() { Tone::Quiet } else { Tone::Good })
            .in_dialog(console.say(if asked.is_all() { &words::DO_WITH_ALL } else { &words::DO_WITH_FOUND })))
    }
}

/// One thing with the processes of a group: first what would be done, unless that is not wanted.
pub(super) fn one_action(console: &Console, action: &str, button: &Text, wanted: &Search, sure: &Text) -> Form {
    paced(console, create(console, button, wanted).field(Field::hidden("action", &json!(action))))
        .in_dialog(console.say(button))
        .confirm(console.say(sure))
}

fn create(console: &Console, button: &Text, wanted: &Search) -> Form {
    console
        .form("POST /v1/{ns}/workflow/jobs", button)
        .field(Field::hidden("search", &json!(wanted)))
        .go(console.at(&format!("{JOBS}/{{answer.job}}")))
}

/// How fast, and whether at all.
fn paced(console: &Console, form: Form) -> Form {
    form.field(
        Field::new("rate", console.say(&words::RATE), Kind::Number)
            .value("100")
            .required()
            .hint(console.say(&words::RATE_HINT)),
    )
    .field(
        Field::new("dry_run", console.say(&words::DRY_RUN), Kind::Flag)
            .value("true")
            .hint(console.say(&words::DRY_RUN_HINT)),
    )
}
