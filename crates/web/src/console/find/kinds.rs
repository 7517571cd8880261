//! What the one box finds of the kernel itself, and what can be done on its pages.

use super::super::{administration, tasks, watch};
use crate::find::{ActionDef, FindDef};
use crate::ui::form::{encoded, link};

/// After what services bring.
pub(crate) const KINDS: &[FindDef] = &[
    FindDef {
        kind: "task",
        title: &tasks::words::TASKS,
        route: "GET /v1/{ns}/tasks",
        find: kernel::tasks::find,
        page: |found| format!("tasks/{}", encoded(&found.id)),
    },
    FindDef {
        kind: "alert",
        title: &watch::alerts::words::ALERTS,
        route: "GET /v1/{ns}/alerts",
        find: kernel::alerts::find,
        page: |found| link("alerts", &[("kind", Some(&found.within))]),
    },
    FindDef {
        kind: "account",
        title: &administration::accounts::words::ACCOUNTS,
        route: "GET /v1/{ns}/accounts",
        find: kernel::accounts::find,
        page: |found| link("accounts", &[("name", Some(&found.id))]),
    },
    FindDef {
        kind: "key",
        title: &administration::keys::words::KEYS,
        route: "GET /v1/{ns}/keys",
        find: kernel::keys::find::find,
        page: |found| link("keys", &[("id", Some(&found.id))]),
    },
    FindDef {
        kind: "namespace",
        title: &administration::namespaces::words::NAMESPACES,
        route: "GET /v1/{ns}/namespaces",
        find: kernel::namespaces::find,
        page: |found| format!("namespaces/{}", encoded(&found.id)),
    },
    FindDef {
        kind: "journal",
        title: &watch::journal::words::JOURNAL,
        route: "GET /v1/{ns}/journal",
        find: kernel::journal::find,
        page: |found| link("journal", &[("kind", Some(&found.name)), ("subject", Some(&found.within))]),
    },
];

/// After what services bring.
pub(crate) const ACTIONS: &[ActionDef] = &[
    ActionDef { text: &tasks::words::NEW_TASK, route: "POST /v1/{ns}/tasks", page: "tasks" },
    ActionDef { text: &administration::accounts::words::NEW, route: "POST /v1/{ns}/accounts", page: "accounts" },
    ActionDef { text: &administration::keys::words::NEW, route: "POST /v1/{ns}/keys", page: "keys" },
    ActionDef { text: &administration::namespaces::words::NEW, route: "POST /v1/{ns}/namespaces", page: "namespaces" },
];
