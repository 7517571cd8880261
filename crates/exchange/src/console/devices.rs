//! All devices, newest first; of a company or a subsystem.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::{filters, link};
use web::ui::parts::{empty, id, pager, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::reads::{DEVICES as READ, DeviceLine, DevicesOf};
use super::{DEVICES, PAGE, above, companies, device_page, no_company, number, state, views, when, words};
use crate::registry::CompanyView;
use crate::routes::check_unbound;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    company: String,
    subsystem: String,
    /// Behind this one: its subsystem, `/`, and its id.
    after: String,
}

impl Asked {
    fn wanted(&self) -> DevicesOf {
        let given = |text: &String| web::given(Some(text.clone()));
        DevicesOf {
            company: given(&self.company),
            subsystem: given(&self.subsystem),
            after: self.after.split_once('/').map(|(subsystem, id)| (subsystem.to_owned(), id.to_owned())),
            limit: PAGE + 1,
        }
    }

    fn at(&self, console: &Console, after: Option<&str>) -> String {
        let query = [("company", Some(self.company.as_str())), ("subsystem", Some(&self.subsystem)), ("after", after)];
        link(&console.at(DEVICES), &query)
    }
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let mut found = console.read(&READ, asked.wanted()).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let known = companies::choices(&console).await?;
    let cursor = |last: &DeviceLine| format!("{}/{}", last.subsystem, last.id);
    let next = found.last().filter(|_| more).map(|last| asked.at(&console, Some(&cursor(last))));
    let first = (!asked.after.is_empty()).then(|| asked.at(&console, None));
    let content = html! {
        (views(&console, DEVICES))
        @if !known.is_empty() { (filter(&console, &asked, &known)) }
        div #devices data-live {
            @if found.is_empty() { (nothing(&console, &asked, &known)) } @else { (rows(&console, &found)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let actions = html! { div.page-actions #devices-actions data-live { (create(&console, &known, &asked)) } };
    let above = above(&console, super::OVERVIEW, &words::EXCHANGE);
    Ok(console.show(View { title: console.say(&words::DEVICES), above: &above, actions, content }))
}

fn filter(console: &Console, asked: &Asked, known: &[CompanyView]) -> Markup {
    let fields = [
        companies::of_company(console, known, &asked.company),
        Field::new("subsystem", console.say(&words::SUBSYSTEM), Kind::Text)
            .value(&asked.subsystem)
            .hint(console.say(&words::SUBSYSTEM_HINT)),
    ];
    filters(&console.at(DEVICES), &fields, console.say(&common::FILTER))
}

fn nothing(console: &Console, asked: &Asked, known: &[CompanyView]) -> Markup {
    if known.is_empty() {
        return no_company(console);
    }
    let filtered = !(asked.company.is_empty() && asked.subsystem.is_empty() && asked.after.is_empty());
    let (title, hint) = match filtered {
        true => (&words::NONE_HERE, &words::NONE_HERE_HINT),
        false => (&words::NO_DEVICE, &words::NO_DEVICE_HINT),
    };
    empty(console.say(title), html! { p { (console.say(hint)) } })
}

/// Registers a device.
fn create(console: &Console, known: &[CompanyView], asked: &Asked) -> Form {
    let subsystem = Field::new("subsystem", console.say(&words::SUBSYSTEM), Kind::Text).value(&asked.subsystem);
    console
        .form("POST /v1/{ns}/exchange/devices", &common::CREATE)
        .field(
            Field::new("name", console.say(&common::NAME), Kind::Text)
                .required()
                .hint(console.say(&words::DEVICE_NAME_HINT)),
        )
        .field(companies::company_field(console, known, &asked.company))
        .field(subsystem.required().hint(console.say(&words::SUBSYSTEM_HINT)))
        .show("activation_code", console.say(&words::CODE_ONCE))
        .tone(Tone::Good)
        .in_dialog(console.say(&words::NEW_DEVICE))
        .allowed(!known.is_empty())
}

fn rows(console: &Console, devices: &[DeviceLine]) -> Markup {
    let columns = [
        Column(console.say(&words::DEVICE), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::COMPANY), Holds::Text),
        Column(console.say(&words::SUBSYSTEM), Holds::Text),
        Column(console.say(&words::SENT), Holds::Numbers),
        Column(console.say(&words::PROCESSED_N), Holds::Numbers),
        Column(console.say(&words::ERRORS), Holds::Numbers),
        Column(console.say(&words::LAST_CONTACT), Holds::Text),
    ];
    let row = |device: &DeviceLine| {
        Row::of(vec![
            html! { a href=(device_page(console, &device.id)) { bdi { (device.name) } } span.sub { (id(&device.id)) } },
            state::of_device(console, &device.state),
            html! { (device.company) },
            html! { (device.subsystem) },
            number(console, device.sent),
            number(console, device.processed),
            number(console, device.errors),
            when(console, device.contact_at),
        ])
        .key(&device.id)
        .tone((device.state == "blocked").then_some(Tone::Bad))
    };
    table(console.say(&words::DEVICES), &columns, &devices.iter().map(row).collect::<Vec<_>>())
}
