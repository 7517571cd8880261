//! Sensors as a list: by the beginning of an id or an address, by state; the lost ones in the order in which they were lost.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::{filters, link};
use web::ui::parts::{empty, id_link, pager, table};
use web::ui::{Column, Field, Holds, Kind, Row, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::{LIST, PAGE, above, sensor_actions, sensor_page, state, views, when, words};
use crate::routes::check_unbound;
use crate::sensor::{LIST_SENSORS, ListOf, SensorState, SensorView, Sensors};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// What ids begin with.
    prefix: String,
    /// What addresses begin with.
    address: String,
    /// In this state.
    state: String,
    /// After this one.
    after: String,
}

impl Asked {
    fn state(&self) -> Option<SensorState> {
        state::ALL.into_iter().find(|known| state::word(*known) == self.state)
    }

    fn is_empty(&self) -> bool {
        self.prefix.is_empty() && self.address.is_empty() && self.state().is_none()
    }

    fn at(&self, console: &Console, after: Option<&str>) -> String {
        let query = [("prefix", self.prefix.as_str()), ("address", &self.address), ("state", &self.state)];
        let query = query.map(|(name, value)| (name, Some(value)));
        link(&console.at(LIST), &[&query[..], &[("after", after)]].concat())
    }
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let wanted = ListOf {
        prefix: asked.prefix.trim().to_owned(),
        address: asked.address.trim_start().to_owned(),
        state: asked.state(),
        after: web::given(Some(asked.after.clone())),
        limit: PAGE as usize,
    };
    let found = console.read(&LIST_SENSORS, wanted).await?.out;
    let lost = asked.state() == Some(SensorState::Lost);
    let content = html! {
        (views(&console, LIST, lost))
        (form(&console, &asked))
        div #sensors data-live { (listed(&console, &asked, &found)) }
    };
    let title = console.say(if lost { &words::LOST_SENSORS } else { &words::SENSORS });
    let actions = html! { (sensor_actions::registering(&console, "", None)) };
    Ok(console.show(View { title, above: &above(&console, super::MAP, &words::SENSORS), actions, content }))
}

fn form(console: &Console, asked: &Asked) -> Markup {
    let all = (String::new(), console.say(&common::ALL_OF_THEM).to_owned());
    let one = |known| (state::word(known).to_owned(), console.say(state::text(known)).to_owned());
    let choices = std::iter::once(all).chain(state::ALL.map(one)).collect();
    let fields = [
        Field::new("prefix", console.say(&words::ID_STARTS), Kind::Text).value(&asked.prefix),
        Field::new("address", console.say(&words::ADDRESS_STARTS), Kind::Text).value(&asked.address),
        Field::new("state", console.say(&common::STATE), Kind::Text).value(&asked.state).choices(choices),
    ];
    filters(&console.at(LIST), &fields, console.say(&common::FILTER))
}

fn listed(console: &Console, asked: &Asked, found: &Sensors) -> Markup {
    let first = (!asked.after.is_empty()).then(|| asked.at(console, None));
    let next = found.next.as_deref().map(|next| asked.at(console, Some(next)));
    html! {
        @if found.items.is_empty() { (nothing(console, asked, next.is_some())) } @else { (rows(console, &found.items)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    }
}

fn nothing(console: &Console, asked: &Asked, more: bool) -> Markup {
    let (title, hint) = match (more, asked.is_empty()) {
        (true, _) => (&words::NONE_ON_PAGE, &words::NONE_ON_PAGE_HINT),
        (false, true) => (&words::NO_SENSORS, &words::NO_SENSORS_SHORT),
        (false, false) if asked.state() == Some(SensorState::Lost) => (&words::NONE_LOST, &words::NONE_LOST_HINT),
        (false, false) => (&words::NONE_FITS, &words::NONE_FITS_HINT),
    };
    empty(console.say(title), html! { p { (console.say(hint)) } })
}

pub(super) fn rows(console: &Console, sensors: &[SensorView]) -> Markup {
    let columns = [
        Column(console.say(&words::SENSOR), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::SINCE), Holds::Text),
        Column(console.say(&words::ADDRESS), Holds::Text),
        Column(console.say(&words::LAST_HEARD), Holds::Text),
        Column(console.say(&words::CHANGES), Holds::Numbers),
    ];
    let rows: Vec<_> =
        sensors.iter().map(|sensor| Row::of(cells(console, sensor)).key(&sensor.id).tone(tone(sensor))).collect();
    table(console.say(&words::SENSORS), &columns, &rows)
}

fn tone(sensor: &SensorView) -> Option<Tone> {
    (sensor.state == SensorState::Lost).then_some(Tone::Bad)
}

fn cells(console: &Console, sensor: &SensorView) -> Vec<Markup> {
    vec![
        id_link(&sensor_page(console, &sensor.id), &sensor.id),
        state::mark(console, sensor.state),
        when(console, since(sensor)),
        html! { bdi.text { (sensor.address) } },
        when(console, sensor.seen_at.as_deref()),
        html! { (console.language().number(sensor.changes)) },
    ]
}

/// Since when it is as it is.
pub(super) fn since(sensor: &SensorView) -> Option<&str> {
    match sensor.state {
        SensorState::Lost => sensor.lost_since.as_deref(),
        SensorState::Open | SensorState::Closed => sensor.changed_at.as_deref(),
        SensorState::Never => Some(&sensor.registered_at),
    }
}
