//! Companies and their subsystems.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;
use web::console::words as common;
use web::ui::form::{filters, link};
use web::ui::parts::{card, empty, id, pager, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Tone};
use web::{ApiError, Console, PageResult, QueryOf, View};

use super::{COMPANIES, DEVICES, PAGE, above, moment_of, views, when, words};
use crate::registry::{COMPANIES as READ, CompanyView, PartiesOf, SUBSYSTEMS, SubsystemView};
use crate::routes::check_unbound;

/// Companies that can be chosen from; where there are more, their ids are typed.
const CHOICES: u32 = 100;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// Companies after this one.
    after: String,
    /// Subsystems after this one.
    behind: String,
    /// Subsystems of this company only.
    company: String,
}

impl Asked {
    fn at(&self, console: &Console, after: &str, behind: &str) -> String {
        let query = [("after", Some(after)), ("behind", Some(behind)), ("company", Some(self.company.as_str()))];
        link(&console.at(COMPANIES), &query)
    }
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let known = choices(&console).await?;
    let companies = companies(&console, &asked).await?;
    let subsystems = subsystems(&console, &asked, &known).await?;
    let content = html! {
        (views(&console, COMPANIES))
        div.stack {
            div #companies data-live { (companies) }
            div #subsystems data-live { @if !known.is_empty() { (subsystems) } }
        }
    };
    let forms = html! { (new_company(&console)) (new_subsystem(&console, &known, &asked.company)) };
    let actions = html! { div.page-actions #company-actions data-live { (forms) } };
    let above = above(&console, super::OVERVIEW, &words::EXCHANGE);
    Ok(console.show(View { title: console.say(&words::COMPANIES_AND_SUBSYSTEMS), above: &above, actions, content }))
}

/// The companies that forms offer.
pub(super) async fn choices(console: &Console) -> Result<Vec<CompanyView>, ApiError> {
    Ok(console.read(&READ, PartiesOf { limit: CHOICES + 1, ..PartiesOf::default() }).await?.out)
}

/// Which company: chosen, or typed where there are very many.
pub(super) fn company_field(console: &Console, known: &[CompanyView], chosen: &str) -> Field {
    let field = Field::new("company", console.say(&words::COMPANY), Kind::Text).value(chosen).required();
    let choices = known.iter().map(|company| (company.id.clone(), company.name.clone())).collect();
    if known.len() > CHOICES as usize { field.hint(console.say(&words::COMPANY_HINT)) } else { field.choices(choices) }
}

fn new_company(console: &Console) -> Form {
    console
        .form("POST /v1/{ns}/exchange/companies", &common::CREATE)
        .field(Field::new("id", console.say(&common::ID), Kind::Text).required().hint(console.say(&words::NAME_HINT)))
        .field(Field::new("name", console.say(&common::NAME), Kind::Text).required())
        .tone(Tone::Good)
        .in_dialog(console.say(&words::NEW_COMPANY))
}

fn new_subsystem(console: &Console, known: &[CompanyView], chosen: &str) -> Form {
    console
        .form("POST /v1/{ns}/exchange/subsystems", &common::CREATE)
        .field(company_field(console, known, chosen))
        .field(Field::new("id", console.say(&common::ID), Kind::Text).required().hint(console.say(&words::NAME_HINT)))
        .field(Field::new("name", console.say(&common::NAME), Kind::Text).required())
        .in_dialog(console.say(&words::NEW_SUBSYSTEM))
        .allowed(!known.is_empty())
}

async fn companies(console: &Console, asked: &Asked) -> Result<Markup, ApiError> {
    let wanted = PartiesOf { after: asked.after.clone(), limit: PAGE + 1, ..PartiesOf::default() };
    let mut found = console.read(&READ, wanted).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found.last().filter(|_| more).map(|last| asked.at(console, &last.id, &asked.behind));
    let first = (!asked.after.is_empty()).then(|| asked.at(console, "", &asked.behind));
    let none = || empty(console.say(&words::NO_COMPANY), html! { p { (console.say(&words::NO_COMPANY_HINT)) } });
    let content = html! {
        @if found.is_empty() { (none()) } @else { (company_rows(console, &found)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    };
    Ok(card(console.say(&words::COMPANIES), html! {}, content))
}

/// Gives one of them another name.
pub(super) fn rename(console: &Console, label: &str, id: &str, name: &str) -> Form {
    console
        .form(label, &common::RENAME)
        .with("id", id)
        .field(Field::new("name", console.say(&common::NAME), Kind::Text).value(name).required())
        .in_dialog(console.say(&common::RENAME))
}

/// The id of a subsystem is unique within its company only.
fn rename_subsystem(console: &Console, one: &SubsystemView) -> Form {
    rename(console, "PATCH /v1/{ns}/exchange/subsystems/{id}", &one.id, &one.name)
        .field(Field::hidden("company", &json!(one.company)))
}

fn company_rows(console: &Console, companies: &[CompanyView]) -> Markup {
    let columns = [
        Column(console.say(&common::NAME), Holds::Text),
        Column(console.say(&common::ID), Holds::Text),
        Column(console.say(&words::DEVICES), Holds::Text),
        Column(console.say(&common::CREATED), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row = |company: &CompanyView| {
        let of = |page: &str| link(&console.at(page), &[("company", Some(&company.id))]);
        Row::of(vec![
            html! { a href=(of(COMPANIES)) { bdi { (company.name) } } },
            id(&company.id),
            html! { a href=(of(DEVICES)) { (console.say(&words::SHOW_DEVICES)) } },
            when(console, moment_of(Some(&company.created_at))),
            html! { (rename(console, "PATCH /v1/{ns}/exchange/companies/{id}", &company.id, &company.name)) },
        ])
        .key(&company.id)
    };
    table(console.say(&words::COMPANIES), &columns, &companies.iter().map(row).collect::<Vec<_>>())
}

async fn subsystems(console: &Console, asked: &Asked, known: &[CompanyView]) -> Result<Markup, ApiError> {
    let company = web::given(Some(asked.company.clone()));
    // Of one company only the subsystem's own id counts.
    let after = match (&company, asked.behind.split_once('/')) {
        (Some(_), Some((_, id))) => id.to_owned(),
        _ => asked.behind.clone(),
    };
    let cursor = if company.is_some() { format!("/{after}") } else { after };
    let wanted = PartiesOf { company, after: cursor, limit: PAGE + 1, ..PartiesOf::default() };
    let mut found = console.read(&SUBSYSTEMS, wanted).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let cursor = |last: &SubsystemView| format!("{}/{}", last.company, last.id);
    let next = found.last().filter(|_| more).map(|last| asked.at(console, &asked.after, &cursor(last)));
    let first = (!asked.behind.is_empty()).then(|| asked.at(console, &asked.after, ""));
    let none = || empty(console.say(&words::NO_SUBSYSTEM), html! { p { (console.say(&words::NO_SUBSYSTEM_HINT)) } });
    let content = html! {
        @if known.len() > 1 { (filter(console, asked, known)) }
        @if found.is_empty() { (none()) } @else { (subsystem_rows(console, &found)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    };
    Ok(card(console.say(&words::SUBSYSTEMS), html! {}, content))
}

fn filter(console: &Console, asked: &Asked, known: &[CompanyView]) -> Markup {
    filters(&console.at(COMPANIES), &[of_company(console, known, &asked.company)], console.say(&common::FILTER))
}

/// A filter by company.
pub(super) fn of_company(console: &Console, known: &[CompanyView], chosen: &str) -> Field {
    let field = Field::new("company", console.say(&words::COMPANY), Kind::Text).value(chosen);
    let all = (String::new(), console.say(&common::ALL_OF_THEM).to_owned());
    let one = |company: &CompanyView| (company.id.clone(), company.name.clone());
    let choices = std::iter::once(all).chain(known.iter().map(one)).collect();
    if known.len() > CHOICES as usize { field.hint(console.say(&words::COMPANY_HINT)) } else { field.choices(choices) }
}

fn subsystem_rows(console: &Console, subsystems: &[SubsystemView]) -> Markup {
    let columns = [
        Column(console.say(&common::NAME), Holds::Text),
        Column(console.say(&common::ID), Holds::Text),
        Column(console.say(&words::COMPANY), Holds::Text),
        Column(console.say(&words::DEVICES), Holds::Text),
        Column(console.say(&common::CREATED), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row = |one: &SubsystemView| {
        let devices = link(&console.at(DEVICES), &[("company", Some(&one.company)), ("subsystem", Some(&one.id))]);
        Row::of(vec![
            html! { bdi.text { (one.name) } },
            id(&one.id),
            html! { (one.company) },
            html! { a href=(devices) { (console.say(&words::SHOW_DEVICES)) } },
            when(console, moment_of(Some(&one.created_at))),
            html! { (rename_subsystem(console, one)) },
        ])
        .key(format!("{}/{}", one.company, one.id))
    };
    table(console.say(&words::SUBSYSTEMS), &columns, &subsystems.iter().map(row).collect::<Vec<_>>())
}
