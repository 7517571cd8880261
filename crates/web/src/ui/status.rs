//! The first page: what a newcomer sees who opens the address that the server printed.

use maud::{Markup, html};

use super::Frame;
use crate::app::AppConfig;
use crate::system::{NamespaceState, Ready};

/// The page of the server's state.
pub(crate) fn status_page(ready: &Ready, config: &AppConfig) -> String {
    let frame = Frame { title: "Status", server: &config.name, version: &config.version, here: "/", refresh_s: None };
    frame.around(&html! {
        main.narrow {
            (headline(ready, config))
            section {
                h2 { "Namespaces" }
                p.hint { "Each is a sealed body of data with its own store and its own keys." }
                (namespaces(&ready.namespaces))
            }
            section {
                h2 { "Where to go" }
                (links())
            }
            section {
                h2 { "First steps" }
                (first_steps(config))
            }
        }
    })
}

fn headline(ready: &Ready, config: &AppConfig) -> Markup {
    let (class, word, text) = match (ready.draining, ready.ready) {
        (true, _) => ("warn", "Stopping", "Requests in flight are finished, new ones are not taken."),
        (false, true) if !ready.degraded.is_empty() => (
            "warn",
            "Ready",
            "A namespace is degraded: its store is not good. It tries by itself to become good again.",
        ),
        (false, true) => ("good", "Ready", "Every store takes reads and writes."),
        (false, false) => ("bad", "Not ready", "A store is not good. It tries by itself to become good again."),
    };
    html! {
        div.hero {
            p.eyebrow { (config.name) " " (config.version) }
            h1 { span.lamp.(class) aria-hidden="true" {} (word) }
            p.lead { (text) }
        }
    }
}

fn namespaces(states: &[NamespaceState]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "Name" } th { "Engine" } th { "Health" } th.number { "Waiting" } } }
                tbody {
                    @for state in states {
                        tr {
                            td { code { (state.name) } }
                            td { (state.engine) }
                            td { span.state.(health_class(state.health)) { (state.health) } }
                            td.number { (state.waiting) }
                        }
                    }
                }
            }
        }
    }
}

fn health_class(health: &str) -> &'static str {
    match health {
        "Good" => "good",
        "ReadOnly" => "warn",
        _ => "bad",
    }
}

fn links() -> Markup {
    let links = [
        ("/console", "Console", "Everything of this server in pages, for people: log in as admin"),
        ("/docs", "API", "Every route, what it takes, what it answers, with an example"),
        ("/openapi.json", "OpenAPI 3.1", "The same for programs: make a client from it"),
        ("/metrics", "Metrics", "Numbers for Prometheus"),
        ("/readyz", "Readiness", "200 while the server takes work, for load balancers"),
        ("/healthz", "Liveness", "200 while the process lives, for supervisors"),
    ];
    html! {
        ul.cards {
            @for (path, name, text) in links {
                li { a href=(path) { strong { (name) } span { (text) } } }
            }
        }
    }
}

fn first_steps(config: &AppConfig) -> Markup {
    let url = &config.public_url;
    let make = format!(
        "curl -X POST {url}/v1/main/keys \\\n  -H \"Authorization: Bearer $KEY\" \\\n  -H \"Content-Type: \
         application/json\" \\\n  -d '{{\"role\": \"app\", \"label\": \"my first key\"}}'"
    );
    html! {
        p {
            "Everything below " code { "/v1/" } " needs a key. The first start printed a password for " code { "admin" } " and two "
            "commands that make a key with it. The console makes keys, too: log in, then "
            a href="/console/main/keys" { "Access keys" } ", " em { "New key" } ". Either way it is shown once."
        }
        p { "A program that holds one of role " span.role { "admin" } ", in " code { "KEY" } ", makes one for an application:" }
        pre tabindex="0" { code { (make) } }
    }
}
