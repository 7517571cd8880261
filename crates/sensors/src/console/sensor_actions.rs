//! What can be done with a sensor: register it, change it, link it, let it say something, delete it.

use maud::{Markup, html};
use serde_json::json;
use web::Console;
use web::console::words as common;
use web::ui::{Field, Form, Kind, Text, Tone};

use super::reads::ClientName;
use super::{LIST, words};
use crate::limits::{SILENCE_RANGE_S, SILENCE_S};
use crate::sensor::SensorView;

const PUT: &str = "PUT /v1/{ns}/sensors/{id}";

/// Registers a sensor with this id, or one whose id is asked for; or changes one that is there.
pub(super) fn registering(console: &Console, id: &str, known: Option<&SensorView>) -> Form {
    let title = if known.is_some() { &words::CHANGE } else { &words::REGISTER };
    let form = console.form(PUT, &common::SAVE).in_dialog(console.say(title));
    let form = match (id.is_empty(), known) {
        (true, _) => form.field(id_field(console)).go(console.at("sensors/{id}")).tone(Tone::Good),
        (false, None) => form.with("id", id).tone(Tone::Good),
        (false, Some(_)) => form.with("id", id),
    };
    let address = Field::new("address", console.say(&words::ADDRESS), Kind::Text)
        .value(known.map(|sensor| sensor.address.clone()).unwrap_or_default())
        .hint(console.say(&words::ADDRESS_HINT))
        .required();
    let (least, most) = (*SILENCE_RANGE_S.start(), *SILENCE_RANGE_S.end());
    let silence = Field::new("silence_s", console.say(&words::SILENCE_S), Kind::Number)
        .value(known.map_or(i64::from(SILENCE_S), |sensor| sensor.silence_s).to_string())
        .hint(console.fill(&words::SILENCE_HINT, &[("least", &least), ("most", &most)]));
    form.field(address).field(silence)
}

fn id_field(console: &Console) -> Field {
    Field::new("id", console.say(&words::ID), Kind::Text).in_path().required().hint(console.say(&words::ID_HINT))
}

/// All that can be done with a sensor as a whole.
pub(super) fn of_sensor(console: &Console, sensor: &SensorView) -> Markup {
    html! {
        (signal(console, sensor, 0, &words::SAY_OPEN))
        (signal(console, sensor, 1, &words::SAY_CLOSED))
        (registering(console, &sensor.id, Some(sensor)))
        (console
            .form("DELETE /v1/{ns}/sensors/{id}", &common::DELETE)
            .with("id", &sensor.id)
            .tone(Tone::Bad)
            .confirm(console.fill(&words::DELETE_SENSOR_SURE, &[("id", &sensor.id)]))
            .go(console.at(LIST)))
    }
}

/// A signal by hand, to try things out.
fn signal(console: &Console, sensor: &SensorView, data: i64, text: &Text) -> Form {
    console
        .form("POST /v1/{ns}/signals", text)
        .field(Field::new("sensor_id", "", Kind::Hidden).value(&sensor.id))
        .field(Field::hidden("data", &json!(data)))
}

/// Links a client that is chosen.
pub(super) fn linking(console: &Console, sensor: &str, clients: &[ClientName], all: bool) -> Form {
    let choices = clients.iter().map(|client| (client.id.clone(), client.name.clone())).collect();
    let field = Field::new("id", console.say(&words::CLIENT), Kind::Text).in_path().required();
    let field = if all { field.choices(choices) } else { field.hint(console.say(&words::CLIENT_ID_HINT)) };
    console
        .form("PUT /v1/{ns}/sensor-clients/{id}/sensors/{sensor_id}", &words::LINK)
        .with("sensor_id", sensor)
        .field(field)
        .tone(Tone::Good)
        .in_dialog(console.say(&words::LINK_CLIENT))
        .allowed(!clients.is_empty())
}

/// Ends a link.
pub(super) fn unlinking(console: &Console, sensor: &str, client: &str, name: &str) -> Form {
    console
        .form("DELETE /v1/{ns}/sensor-clients/{id}/sensors/{sensor_id}", &words::UNLINK)
        .with("id", client)
        .with("sensor_id", sensor)
        .tone(Tone::Bad)
        .confirm(console.fill(&words::UNLINK_SURE, &[("client", &name), ("sensor", &sensor)]))
}
