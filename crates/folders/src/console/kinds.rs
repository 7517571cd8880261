//! What the one box of the console finds of this service, and what can be done on its pages (CON-11).

use web::ui::form::encoded;
use web::{ActionDef, FindDef};

use super::words;
use crate::find;

pub(crate) const KINDS: &[FindDef] = &[
    FindDef {
        kind: "directory",
        title: &words::DIRECTORIES,
        route: "GET /v1/{ns}/folders/directories",
        find: find::directories,
        page: |found| format!("folders/{}", encoded(&found.id)),
    },
    FindDef {
        kind: "file",
        title: &words::FILES,
        route: "GET /v1/{ns}/folders/directories",
        find: find::files,
        page: |found| format!("folder-files/{}", encoded(&found.id)),
    },
];

pub(crate) const ACTIONS: &[ActionDef] =
    &[ActionDef { text: &words::NEW_DIRECTORY, route: "POST /v1/{ns}/folders/directories", page: "folders" }];
