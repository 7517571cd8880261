//! What a line of the journal is about, as a link to its page.

use maud::{Markup, html};

use crate::console::visit::Console;
use crate::ui::form::link;
use crate::ui::parts::{id, id_link};

/// The subject of a line. Its kind tells what it is; where this person has no page for that, it is to be copied.
pub(super) fn subject(console: &Console, kind: &str, subject: &str) -> Markup {
    if subject.is_empty() {
        return html! {};
    }
    match address(console, kind, subject) {
        Some(href) => id_link(&href, subject),
        None => id(subject),
    }
}

fn address(console: &Console, kind: &str, subject: &str) -> Option<String> {
    let list = |page: &str, name: &str| Some(link(&console.address(page, &[])?, &[(name, Some(subject))]));
    match kind.split('.').next()? {
        "task" => console.address("/console/{ns}/tasks/{id}", &[("id", subject)]),
        "account" | "login" => list("/console/{ns}/accounts", "name"),
        "key" => list("/console/{ns}/keys", "id"),
        "alert" => console.address("/console/{ns}/alerts", &[]),
        "queue" => console.address("/console/{ns}/queues", &[]),
        "namespace" => console.address("/console/{ns}/namespaces/{name}", &[("name", subject)]),
        "grant" if kind != "grant.read" => console.address("/console/{ns}/namespaces/{name}", &[("name", subject)]),
        "resource" => {
            let (namespace, _) = subject.split_once('/')?;
            console.address("/console/{ns}/namespaces/{name}", &[("name", namespace)])
        }
        "exchange" => match kind {
            "exchange.device" => console.address("/console/{ns}/exchange/devices/{id}", &[("id", subject)]),
            "exchange.company" | "exchange.subsystem" => console.address("/console/{ns}/exchange/companies", &[]),
            _ if subject == "folders" => console.address("/console/{ns}/exchange/folders", &[]),
            _ => console.address("/console/{ns}/exchange/databases/{id}", &[("id", subject)]),
        },
        "workflow" => match kind {
            "workflow.job" => console.address("/console/{ns}/workflow/jobs/{id}", &[("id", subject)]),
            "workflow.actor" => console.address("/console/{ns}/workflow/actors/{id}", &[("id", subject)]),
            _ => None,
        },
        "document" => console.address("/console/{ns}/documents", &[]),
        _ => None,
    }
}
