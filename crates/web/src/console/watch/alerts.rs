//! Alerts (CON-8): open ones with their acknowledgement, then what somebody knows of, then what ended.

use base::Wall;
use kernel::alerts::NOBODY_IS_TOLD;
use kernel::alerts::list::{AlertInfo, AlertList, AlertPage, AlertState, LIST_ALERTS};
use kernel::alerts::summary::SUMMARY;
use maud::{Markup, html};
use serde::Deserialize;

use super::{ROWS, WATCHERS};
use crate::console::nav::{Group, Nav};
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::console::{who, words as common};
use crate::params::{PageQuery, QueryOf, given};
use crate::ui::form::{filters, link};
use crate::ui::parts::{Column, Holds, Row, badge, banner, empty, pager, table, tabs};
use crate::ui::{Field, Kind, Text, Tone, moment};

pub(in crate::console) mod words {
    crate::texts! {
        ALERTS: "Alerts", "Оповещения", "Alertes";
        OPEN: "Open", "Открытые", "Ouvertes";
        ACKNOWLEDGED: "Acknowledged", "Подтверждённые", "Acquittées";
        CLOSED: "Closed", "Закрытые", "Closes";
        MESSAGES: "Messages", "Сообщения", "Messages";
        CHANNELS: "Channels", "Каналы", "Canaux";
        ACKNOWLEDGE: "Acknowledge", "Подтвердить", "Acquitter";
        ACKNOWLEDGED_DONE: "Acknowledged: it is not said again until it opens anew",
            "Подтверждено: повторных сообщений не будет, пока не откроется снова",
            "Acquittée\u{a0}: plus de rappel jusqu’à la prochaine ouverture";
        OPENED: "Opened", "Открыто", "Ouverte";
        LASTS: "Lasts", "Длится", "Durée";
        WHAT: "What is wrong", "Что не так", "Problème";
        KEY: "Condition", "Условие", "Condition";
        TOLD: "Message", "Сообщение", "Message";
        TOLD_WAITING: "not sent yet", "ещё не отправлено", "pas encore envoyé";
        TOLD_NEVER: "only shown here", "только показано здесь", "affichée ici seulement";
        TOLD_SENT: "see the message", "смотреть сообщение", "voir le message";
        STATE_OPEN: "open", "открыто", "ouverte";
        STATE_ACKNOWLEDGED: "acknowledged", "подтверждено", "acquittée";
        STATE_CLOSED: "closed", "закрыто", "close";
        BANNER: "Alerts may not reach anybody.", "Оповещения могут никого не достичь.", "Les alertes n’atteignent peut-être personne.";
        NOBODY_IS_TOLD: "no channel is set: alerts are shown here and sent to nobody",
            "каналы не заданы: оповещения видны здесь и никому не отправляются",
            "aucun canal n’est défini\u{a0}: les alertes s’affichent ici et ne sont envoyées à personne";
        TO_CHANNELS: "Look at the channels", "Посмотреть каналы", "Voir les canaux";
        NO_OPEN: "No open alert", "Нет открытых оповещений", "Aucune alerte ouverte";
        NO_OPEN_HINT: "All is well. What goes wrong appears here by itself, and is sent by the channels.",
            "Всё хорошо. Неполадки появятся здесь сами и будут отправлены по каналам.",
            "Tout va bien. Ce qui tourne mal apparaît ici tout seul et part par les canaux.";
        NONE_HERE: "None", "Пусто", "Aucune";
        NONE_HERE_HINT: "No alert is in this state.", "В этом состоянии оповещений нет.", "Aucune alerte dans cet état.";
        MORE: "More may follow: go on.", "Возможно, есть ещё: продолжайте.", "Il peut y en avoir d’autres\u{a0}: continuez.";
    }
}

const ICON: &str = "M8 1a5 5 0 0 0-5 5v4l-2 2v1h14v-1l-2-2V6a5 5 0 0 0-5-5zM6 14h4a2 2 0 0 1-4 0z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Watch, place: 10, text: &words::ALERTS, icon: ICON };
    vec![Page::new("/console/{ns}/alerts", alerts).roles(WATCHERS).nav(nav)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    state: Option<String>,
    kind: Option<String>,
    after: Option<String>,
}

/// A page of alerts that was asked for.
struct Wanted {
    state: AlertState,
    kind: Option<String>,
    after: Option<String>,
}

async fn alerts(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let state = given(asked.state).map_or(Ok(AlertState::Open), |word| AlertState::from_word(&word))?;
    let wanted = Wanted { state, kind: given(asked.kind), after: given(asked.after) };
    let page = console.page(&PageQuery { limit: Some(ROWS), after: wanted.after.clone() })?;
    let input =
        AlertPage { after: page.after_text(), limit: ROWS, state: Some(wanted.state), kind: wanted.kind.clone() };
    let found = console.read(&LIST_ALERTS, input).await?.out;
    let tabs = tabs_of(&console, Some(wanted.state)).await?;
    let content = html! {
        (tabs)
        (form(&console, &wanted))
        div #alerts data-live[wanted.after.is_none()] { (failing(&console, &found.banner)) (listed(&console, &wanted, &found)) }
    };
    Ok(console.show(View { title: console.say(&words::ALERTS), above: &[], actions: html! {}, content }))
}

/// The pages about alerts; `None` where it is none of the three states.
pub(super) async fn tabs_of(console: &Console, here: Option<AlertState>) -> Result<Markup, crate::ApiError> {
    let summary = console.read(&SUMMARY, ()).await?.out;
    let counted = |text: &Text, count: i64| format!("{} · {}", console.say(text), console.language().number(count));
    let path = console.at("alerts");
    let state =
        |state: AlertState, text: String| (link(&path, &[("state", Some(state.word()))]), text, here == Some(state));
    let page = |name: &str, text: &Text| {
        let address = console.at(&format!("alerts/{name}"));
        let is_here = console.is_at(&address);
        (address, console.say(text).to_owned(), is_here)
    };
    let all = [
        state(AlertState::Open, counted(&words::OPEN, summary.open)),
        state(AlertState::Acknowledged, counted(&words::ACKNOWLEDGED, summary.acknowledged)),
        state(AlertState::Closed, console.say(&words::CLOSED).to_owned()),
        page("messages", &words::MESSAGES),
        page("channels", &words::CHANNELS),
    ];
    Ok(html! { div #alert-tabs data-live { (tabs(console.say(&words::ALERTS), &all)) } })
}

/// Why nobody may hear of alerts: what the server says of itself in the person's language, what a channel said as it came.
pub(in crate::console) fn reason<'a>(console: &Console, message: &'a str) -> &'a str {
    if message == NOBODY_IS_TOLD { console.say(&words::NOBODY_IS_TOLD) } else { message }
}

/// What must be read before anything else: nobody may hear of alerts.
pub(super) fn failing(console: &Console, messages: &[String]) -> Markup {
    html! {
        @if !messages.is_empty() {
            (banner(Tone::Bad, html! {
                p { strong { (console.say(&words::BANNER)) } " " a href=(console.at("alerts/channels")) { (console.say(&words::TO_CHANNELS)) } }
                @for message in messages { p { (reason(console, message)) } }
            }))
        }
    }
}

fn form(console: &Console, wanted: &Wanted) -> Markup {
    let kind = wanted.kind.clone().unwrap_or_default();
    let fields = [
        Field::new("state", "", Kind::Hidden).value(wanted.state.word()),
        Field::new("kind", console.say(&common::KIND), Kind::Text).value(kind),
    ];
    filters(&console.at("alerts"), &fields, console.say(&common::FILTER))
}

fn listed(console: &Console, wanted: &Wanted, found: &AlertList) -> Markup {
    let address = |after: Option<&str>| {
        let (state, kind) = (Some(wanted.state.word()), wanted.kind.as_deref());
        link(&console.at("alerts"), &[("state", state), ("kind", kind), ("after", after)])
    };
    let first = wanted.after.is_some().then(|| address(None));
    let next = found.next.as_deref().map(|next| address(Some(next)));
    html! {
        @if found.alerts.is_empty() { (nothing(console, wanted)) } @else { (rows(console, &found.alerts)) }
        @if next.is_some() && found.alerts.len() < ROWS as usize { p.hint { (console.say(&words::MORE)) } }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    }
}

fn nothing(console: &Console, wanted: &Wanted) -> Markup {
    let well = wanted.state == AlertState::Open && wanted.kind.is_none() && wanted.after.is_none();
    let (title, hint) =
        if well { (&words::NO_OPEN, &words::NO_OPEN_HINT) } else { (&words::NONE_HERE, &words::NONE_HERE_HINT) };
    empty(console.say(title), html! { p { (console.say(hint)) } })
}

fn rows(console: &Console, alerts: &[AlertInfo]) -> Markup {
    let columns = [
        Column(console.say(&words::OPENED), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::WHAT), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&words::LASTS), Holds::Text),
        Column(console.say(&words::TOLD), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let rows: Vec<_> = alerts.iter().map(|alert| row(console, alert)).collect();
    table(console.say(&words::ALERTS), &columns, &rows)
}

fn row(console: &Console, alert: &AlertInfo) -> Row {
    let until = alert.closed_at.unwrap_or_else(|| console.now());
    let lasts = moment::duration(console.language(), until.0.saturating_sub(alert.opened_at.0));
    let acknowledge = console
        .form("POST /v1/{ns}/alerts/{id}/acknowledge", &words::ACKNOWLEDGE)
        .with("id", &alert.id)
        .tone(Tone::Good)
        .done(console.say(&words::ACKNOWLEDGED_DONE))
        .allowed(alert.state == AlertState::Open);
    let cells = vec![
        console.moment(alert.opened_at),
        state(console, alert),
        html! { span.text { (alert.message) } span.sub { (console.say(&words::KEY)) ": " (alert.key) } },
        html! { code { (alert.kind) } },
        html! { (lasts) @if let Some(at) = alert.closed_at { span.sub { (console.moment(at)) } } },
        told(console, alert),
        html! { (acknowledge) },
    ];
    Row::of(cells).key(&alert.id).tone((alert.state == AlertState::Open).then_some(Tone::Bad))
}

fn state(console: &Console, alert: &AlertInfo) -> Markup {
    let (tone, text) = match alert.state {
        AlertState::Open => (Tone::Bad, &words::STATE_OPEN),
        AlertState::Acknowledged => (Tone::Warn, &words::STATE_ACKNOWLEDGED),
        AlertState::Closed => (Tone::Good, &words::STATE_CLOSED),
    };
    html! {
        (badge(tone, console.say(text)))
        @if let (Some(by), Some(at)) = (&alert.acknowledged_by, alert.acknowledged_at) { (known(console, by, at)) }
    }
}

fn known(console: &Console, by: &str, at: Wall) -> Markup {
    html! { span.sub { (who(console, by)) ", " (console.moment(at)) } }
}

/// Whether a message went out: with a link to the message and its tries.
fn told(console: &Console, alert: &AlertInfo) -> Markup {
    let message = |id: &str| link(&console.at("alerts/messages"), &[("from", Some(id))]);
    html! {
        @match alert.opening_message.as_deref() {
            None => span.sub-text { (console.say(&words::TOLD_WAITING)) },
            Some("") => span.sub-text { (console.say(&words::TOLD_NEVER)) },
            Some(id) => a href=(message(id)) { (console.say(&words::TOLD_SENT)) },
        }
    }
}
