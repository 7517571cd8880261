//! What the one box of the console finds of this service, and what can be done on its pages (CON-11).

use web::ui::form::encoded;
use web::{ActionDef, FindDef};

use super::words;
use crate::find;

pub(crate) const KINDS: &[FindDef] = &[
    FindDef {
        kind: "sensor",
        title: &words::SENSORS,
        route: "GET /v1/{ns}/sensors",
        find: find::sensors,
        page: |found| format!("sensors/{}", encoded(&found.id)),
    },
    FindDef {
        kind: "sensor-client",
        title: &words::CLIENTS,
        route: "GET /v1/{ns}/sensor-clients",
        find: find::clients,
        page: |found| format!("sensor-clients/{}", encoded(&found.id)),
    },
];

pub(crate) const ACTIONS: &[ActionDef] = &[
    ActionDef { text: &words::REGISTER_SENSOR, route: "PUT /v1/{ns}/sensors/{id}", page: "sensors" },
    ActionDef { text: &words::NEW_CLIENT, route: "POST /v1/{ns}/sensor-clients", page: "sensor-clients" },
];
