//! One device: how it is, what it did, what waits for it, and its way in.

use maud::{Markup, html};
use web::console::words as common;
use web::ui::parts::{banner, card, empty, facts, id, stats};
use web::ui::{Form, Stat, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, View};

use super::reads::{DEVICE, DeviceLine, WAITING};
use super::{DEVICES, IdPath, PAGE, above, companies, device_page, messages, nothing, past, size, state, when, words};
use crate::codes::NPARTY;
use crate::routes::check_unbound;

pub(super) async fn page(console: Console, PathOf(IdPath { id }): PathOf<IdPath>) -> PageResult {
    check_unbound(&console)?;
    let above = above(&console, DEVICES, &words::DEVICES);
    let device = match console.read(&DEVICE, id.clone()).await {
        Ok(device) => device.out,
        Err(ApiError(error)) if error.code == NPARTY => {
            return nothing(&console, &id, &above, &words::NO_SUCH_DEVICE, &words::NO_SUCH_HINT);
        }
        Err(error) => return Err(error),
    };
    let waiting = waiting(&console, &device.id).await?;
    let past = past::of(&console, &device.id, None).await?;
    let content = html! {
        div.stack #device data-live {
            (trouble(&console, &device))
            (counters(&console, &device))
            div.columns { (about(&console, &device)) (way_in(&console, &device)) }
            (waiting)
            (past)
        }
    };
    let actions = html! { div.page-actions #device-actions data-live { (actions(&console, &device)) } };
    Ok(console.show(View { title: &device.name, above: &above, actions, content }))
}

fn trouble(console: &Console, device: &DeviceLine) -> Markup {
    let shown = |tone, text: &Text| banner(tone, html! { p { (console.say(text)) } });
    match (device.state.as_str(), device.has_code) {
        ("blocked", _) => shown(Tone::Bad, &words::BLOCKED_BANNER),
        ("new", true) => shown(Tone::Info, &words::WAITS_FOR_CODE),
        ("new", false) => shown(Tone::Warn, &words::NEEDS_CODE),
        _ => html! {},
    }
}

fn counters(console: &Console, device: &DeviceLine) -> Markup {
    let tile = |label: &Text, value: String, tone| Stat {
        label: console.say(label).to_owned(),
        value,
        hint: html! {},
        tone,
        href: None,
    };
    let whole = |count: i64| console.language().number(count);
    let bad = |count: i64, tone| if count > 0 { tone } else { Tone::Quiet };
    stats(&[
        tile(&words::SENT, whole(device.sent), Tone::Quiet),
        tile(&words::PROCESSED_N, whole(device.processed), Tone::Quiet),
        tile(&words::ERRORS, whole(device.errors), bad(device.errors, Tone::Bad)),
        tile(&words::DEADLOCKS, whole(device.deadlocks), bad(device.deadlocks, Tone::Warn)),
        tile(&words::BYTES, size(console, device.bytes), Tone::Quiet),
    ])
}

fn about(console: &Console, device: &DeviceLine) -> Markup {
    let facts = facts(&[
        (console.say(&common::STATE), html! { span #state { (state::of_device(console, &device.state)) } }),
        (console.say(&words::COMPANY), html! { (device.company) }),
        (console.say(&words::SUBSYSTEM), html! { (device.subsystem) }),
        (console.say(&words::LAST_CONTACT), when(console, device.contact_at)),
        (console.say(&words::REGISTERED), when(console, Some(device.created_at))),
        (console.say(&common::ID), id(&device.id)),
    ]);
    card(console.say(&words::DEVICE), html! {}, facts)
}

fn way_in(console: &Console, device: &DeviceLine) -> Markup {
    let code = if device.has_code { &words::CODE_WAITS } else { &words::NO_CODE };
    let facts = facts(&[
        (console.say(&words::CODE), html! { (console.say(code)) }),
        (
            console.say(&words::KEY),
            html! { @match &device.key { Some(key) => (id(key)), None => (console.say(&common::NONE)) } },
        ),
    ]);
    let content = html! { (facts) p.hint.small { (console.say(&words::CODE_LEAD)) } };
    card(console.say(&words::ACTIVATION), html! { (new_code(console, device)) }, content)
}

/// The code is shown once; who has a key loses it.
fn new_code(console: &Console, device: &DeviceLine) -> Form {
    let sure = if device.key.is_some() { &words::NEW_CODE_ENDS_KEY } else { &words::NEW_CODE_SURE };
    console
        .form("POST /v1/{ns}/exchange/devices/{id}/code", &words::NEW_CODE)
        .with("id", &device.id)
        .confirm(console.say(sure))
        .show("activation_code", console.say(&words::CODE_ONCE))
}

fn actions(console: &Console, device: &DeviceLine) -> Markup {
    let of = |label: &str, text: &Text| console.form(label, text).with("id", &device.id);
    html! {
        // Its name is the title, which is of the whole page.
        (companies::rename(console, "PATCH /v1/{ns}/exchange/devices/{id}", &device.id, &device.name)
            .go(device_page(console, &device.id)))
        @if device.state == "blocked" {
            (of("POST /v1/{ns}/exchange/devices/{id}/unblock", &words::UNBLOCK).tone(Tone::Good))
        } @else {
            (of("POST /v1/{ns}/exchange/devices/{id}/block", &words::BLOCK)
                .tone(Tone::Bad)
                .confirm(console.fill(&words::BLOCK_SURE, &[("name", &device.name)])))
        }
    }
}

async fn waiting(console: &Console, device: &str) -> Result<Markup, ApiError> {
    let found = console.read(&WAITING, (device.to_owned(), PAGE)).await?.out;
    let none = || empty(console.say(&words::NONE_WAITS), html! { p { (console.say(&words::NONE_WAITS_HINT)) } });
    let content = html! {
        @if found.is_empty() { (none()) } @else { (messages::for_device(console, &words::WAITING, &found)) }
        @if found.len() >= PAGE as usize { p.hint { (console.fill(&words::FIRST_N, &[("n", &PAGE)])) } }
    };
    Ok(card(console.say(&words::WAITING), html! {}, content))
}
