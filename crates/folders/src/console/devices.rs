//! Devices of a directory, how far behind each is, and who its members are.

use maud::{Markup, html};
use web::console::{who, words as common};
use web::ui::parts::{badge, card, empty, id, table};
use web::ui::{Column, Holds, Row, Tone};
use web::{Console, PageResult, PathOf, View};

use super::{IdPath, above_in, actions, directory, views, when, words};
use crate::care::{DEVICES, DeviceView, DirectoryView, MEMBERS, MemberView, OfDirectory};
use crate::routes::who_in;

pub(super) async fn page(console: Console, PathOf(IdPath { id }): PathOf<IdPath>) -> PageResult {
    let directory = directory(&console, &id).await?;
    let of = OfDirectory { who: who_in(&console, &id)?, directory: id.clone() };
    let devices = console.read(&DEVICES, of.clone()).await?.out;
    let members = console.read(&MEMBERS, of).await?.out;
    let content = html! {
        (views(&console, &id, "devices"))
        div.stack #devices data-live {
            (card(console.say(&words::DEVICES), html! {}, listed(&console, &directory, &devices)))
            (card(
                console.say(&words::MEMBERS),
                actions::adding_member(&console, &directory),
                joined(&console, &directory, &members),
            ))
        }
    };
    let title = console.say(&words::DEVICES);
    Ok(console.show(View { title, above: &above_in(&console, &directory), actions: html! {}, content }))
}

fn listed(console: &Console, directory: &DirectoryView, devices: &[DeviceView]) -> Markup {
    if devices.is_empty() {
        return empty(console.say(&words::NO_DEVICES), html! { p { (console.say(&words::NO_DEVICES_HINT)) } });
    }
    let columns = [
        Column(console.say(&words::BY_DEVICE), Holds::Text),
        Column(console.say(&words::HAS_UP_TO), Holds::Text),
        Column(console.say(&words::SEEN), Holds::Text),
        Column(console.say(&words::KEY), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row = |device: &DeviceView| {
        let cells = vec![
            html! { bdi { (device.device) } },
            had(console, device.seq, directory.seq),
            when(console, &device.seen_at),
            id(&device.key),
            actions::of_device(console, directory, &device.device),
        ];
        Row::of(cells).key(&device.device)
    };
    let rows: Vec<Row> = devices.iter().map(row).collect();
    html! {
        p.hint { (console.say(&words::HAS_HINT)) }
        (table(console.say(&words::DEVICES), &columns, &rows))
    }
}

/// What a device had when it came, as it said: what it was told since is not kept.
fn had(console: &Console, seq: u64, all: u64) -> Markup {
    match seq {
        level if level == all => badge(Tone::Good, console.say(&words::LEVEL)),
        0 => html! { (console.say(&words::HAS_NEW)) },
        _ => html! { (console.fill(&words::HAS_COMMITS, &[("seq", &seq), ("more", &all.saturating_sub(seq))])) },
    }
}

fn joined(console: &Console, directory: &DirectoryView, members: &[MemberView]) -> Markup {
    if members.is_empty() {
        return empty(console.say(&words::NO_MEMBERS), html! { p { (console.say(&words::NO_MEMBERS_HINT)) } });
    }
    let columns = [
        Column(console.say(&words::MEMBER), Holds::Text),
        Column(console.say(&common::ROLE), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row = |member: &MemberView| {
        let cells = vec![
            who(console, &member.who),
            html! { (console.say(actions::right_text(member.role))) },
            actions::dropping_member(console, directory, &member.who),
        ];
        Row::of(cells).key(&member.who)
    };
    let rows: Vec<Row> = members.iter().map(row).collect();
    table(console.say(&words::MEMBERS), &columns, &rows)
}
