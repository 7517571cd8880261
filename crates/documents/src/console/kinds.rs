//! What the one box of the console finds of this service, and what can be done on its pages (CON-11).

use web::ui::form::encoded;
use web::{ActionDef, FindDef};

use super::words;
use crate::find;

pub(crate) const KINDS: &[FindDef] = &[
    FindDef {
        kind: "document-class",
        title: &words::CLASSES,
        route: "GET /v1/{ns}/doc-classes",
        find: find::classes,
        page: |found| format!("documents/{}", encoded(&found.id)),
    },
    FindDef {
        kind: "document",
        title: &words::DOCUMENTS,
        route: "GET /v1/{ns}/doc-classes",
        find: find::documents,
        page: |found| format!("documents/{}?id={}", encoded(&found.within), encoded(&found.id)),
    },
];

pub(crate) const ACTIONS: &[ActionDef] = &[];
