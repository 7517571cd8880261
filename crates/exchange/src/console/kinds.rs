//! What the one box of the console finds of this service, and what can be done on its pages (CON-11).

use web::ui::form::{encoded, link};
use web::{ActionDef, FindDef};

use super::words;
use crate::find;

pub(crate) const KINDS: &[FindDef] = &[
    FindDef {
        kind: "device",
        title: &words::DEVICES,
        route: "GET /v1/{ns}/exchange/devices",
        find: find::devices,
        page: |found| format!("exchange/devices/{}", encoded(&found.id)),
    },
    FindDef {
        kind: "database",
        title: &words::DATABASES,
        route: "GET /v1/{ns}/exchange/databases",
        find: find::databases,
        page: |found| format!("exchange/databases/{}", encoded(&found.id)),
    },
    FindDef {
        kind: "company",
        title: &words::COMPANIES,
        route: "GET /v1/{ns}/exchange/companies",
        find: find::companies,
        page: |found| link("exchange/devices", &[("company", Some(&found.id))]),
    },
    FindDef {
        kind: "message",
        title: &words::MESSAGES,
        route: "GET /v1/{ns}/exchange/folders",
        find: find::messages,
        page: |found| format!("exchange/messages/{}", encoded(&found.within)),
    },
    FindDef {
        kind: "exchange-process",
        title: &words::EXCHANGE_PROCESSES,
        route: "GET /v1/{ns}/exchange/processes",
        find: find::processes,
        page: |found| format!("exchange/processes/{}", encoded(&found.id)),
    },
];

pub(crate) const ACTIONS: &[ActionDef] = &[
    ActionDef { text: &words::NEW_DEVICE, route: "POST /v1/{ns}/exchange/devices", page: "exchange/devices" },
    ActionDef { text: &words::NEW_DATABASE, route: "POST /v1/{ns}/exchange/databases", page: "exchange" },
    ActionDef { text: &words::NEW_COMPANY, route: "POST /v1/{ns}/exchange/companies", page: "exchange/companies" },
    ActionDef { text: &words::NEW_SUBSYSTEM, route: "POST /v1/{ns}/exchange/subsystems", page: "exchange/companies" },
];
