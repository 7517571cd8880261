//! What the one box of the console finds of this service, and what can be done on its pages (CON-11).

use web::ui::form::encoded;
use web::{ActionDef, FindDef};

use super::words;
use crate::find;

pub(crate) const KINDS: &[FindDef] = &[
    FindDef {
        kind: "process",
        title: &words::WORKFLOW_PROCESSES,
        route: "GET /v1/{ns}/workflow/processes",
        find: find::processes,
        page: |found| format!("workflow/processes/{}", encoded(&found.id)),
    },
    FindDef {
        kind: "actor",
        title: &words::ACTORS,
        route: "GET /v1/{ns}/workflow/actors",
        find: find::actors,
        page: |found| format!("workflow/actors/{}", encoded(&found.id)),
    },
];

pub(crate) const ACTIONS: &[ActionDef] = &[
    ActionDef { text: &words::START_PROCESS, route: "POST /v1/{ns}/workflow/processes", page: "workflow/processes" },
    ActionDef { text: &words::NEW_SCHEDULE, route: "POST /v1/{ns}/workflow/schedules", page: "workflow/schedules" },
];
