//! A process of unknown outcome: how to find out what happened, and the two answers with what each does, in plain words (EXC-20).

use maud::{Markup, html};
use serde_json::json;
use web::Console;
use web::ui::parts::card;
use web::ui::{Field, Form, Kind, Text, Tone};

use super::words;
use crate::process::ProcessView;

const RESOLVE: &str = "POST /v1/{ns}/exchange/processes/{id}/resolve";

/// What to look at, and both answers.
pub(super) fn both(console: &Console, process: &ProcessView) -> Markup {
    let how = html! {
        p { b { "1. " } (console.say(&words::FIND_1)) }
        p { b { "2. " } (console.say(&words::FIND_2)) }
        pre.data tabindex="0" { code { (query(&process.id)) } }
        p { b { "3. " } (console.say(&words::FIND_3)) }
        p.hint { (console.say(&words::FIND_BY_ITSELF)) }
    };
    let (given, replies) = (count(process.given.as_ref()), count(process.replies.as_ref()));
    let did = console.fill(&words::COMMITTED_DOES, &[("given", &given), ("replies", &replies)]);
    let did_not = console.fill(&words::NOT_COMMITTED_DOES, &[("given", &given), ("replies", &replies)]);
    html! {
        (card(console.say(&words::FIND_OUT), html! {}, how))
        div.columns {
            (answer(console, process, true, &words::IT_COMMITTED, &did))
            (answer(console, process, false, &words::IT_DID_NOT, &did_not))
        }
    }
}

/// How the marker of a process is asked for; ids are letters and digits.
fn query(id: &str) -> String {
    format!("SELECT process FROM fastness_process WHERE process = '{}';", id.replace('\'', "''"))
}

fn count(messages: Option<&Vec<crate::process::GivenView>>) -> usize {
    messages.map_or(0, Vec::len)
}

fn answer(console: &Console, process: &ProcessView, committed: bool, text: &Text, does: &str) -> Markup {
    let (sure, tone) = match committed {
        true => (&words::COMMITTED_SURE, Tone::Good),
        false => (&words::NOT_COMMITTED_SURE, Tone::Bad),
    };
    let form = console
        .form(RESOLVE, text)
        .with("id", &process.id)
        .field(Field::hidden("committed", &json!(committed)))
        .tone(tone)
        .confirm(console.fill(sure, &[("db", &process.db)]));
    card(console.say(text), html! {}, html! { p { (does) } (form) })
}

/// Ends a process that has not brought its results.
pub(super) fn interrupt(console: &Console, process: &ProcessView) -> Form {
    console
        .form("POST /v1/{ns}/exchange/processes/{id}/interrupt", &words::INTERRUPT)
        .with("id", &process.id)
        .field(Field::new("message", console.say(&words::WHY), Kind::Text).required())
        .tone(Tone::Bad)
        .in_dialog(console.say(&words::INTERRUPT))
}
