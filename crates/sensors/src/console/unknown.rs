//! Sensors that nobody registered, each with a form that registers it.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{empty, id, pager, table};
use web::ui::{Column, Holds, Row};
use web::{Console, PageResult, QueryOf, View};

use super::{MAP, NOT_KNOWN, PAGE, above, sensor_actions, state, views, when, words};
use crate::routes::check_unbound;
use crate::sensor::{UNKNOWN, UnknownSensor, UnknownSensors};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    after: String,
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let wanted = UnknownSensors { after: web::given(Some(asked.after.clone())), limit: PAGE + 1 };
    let mut found = console.read(&UNKNOWN, wanted).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found.last().filter(|_| more).map(|last| link(&console.at(NOT_KNOWN), &[("after", Some(&last.cursor))]));
    let first = (!asked.after.is_empty()).then(|| console.at(NOT_KNOWN));
    let content = html! {
        (views(&console, NOT_KNOWN, false))
        p.hint { (console.say(&words::UNKNOWN_LEAD)) }
        div #unknown data-live {
            @if found.is_empty() { (empty(console.say(&words::NO_UNKNOWN), html! { p { (console.say(&words::NO_UNKNOWN_HINT)) } })) }
            @else { (rows(&console, &found)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let (title, above) = (console.say(&words::UNKNOWN_SENSORS), above(&console, MAP, &words::SENSORS));
    Ok(console.show(View { title, above: &above, actions: html! {}, content }))
}

fn rows(console: &Console, sensors: &[UnknownSensor]) -> Markup {
    let columns = [
        Column(console.say(&words::SENSOR), Holds::Text),
        Column(console.say(&words::SAYS), Holds::Text),
        Column(console.say(&words::SIGNALS), Holds::Numbers),
        Column(console.say(&words::FIRST_HEARD), Holds::Text),
        Column(console.say(&words::LAST_HEARD), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row = |sensor: &UnknownSensor| {
        Row::of(vec![
            id(&sensor.id),
            state::mark(console, state::of_data(sensor.data == 1)),
            html! { (console.language().number(sensor.count)) },
            when(console, Some(&sensor.first_at)),
            when(console, Some(&sensor.last_at)),
            html! { (sensor_actions::registering(console, &sensor.id, None)) },
        ])
        .key(&sensor.id)
    };
    let rows: Vec<_> = sensors.iter().map(row).collect();
    table(console.say(&words::UNKNOWN_SENSORS), &columns, &rows)
}
