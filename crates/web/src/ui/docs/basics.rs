//! What holds for every route: keys, errors, repeats, lists, limits.

use base::codes;
use base::limits::{HEADERS_BYTES_MAX, HEADERS_MAX, IDEMPOTENCY_KEY_MAX, PAGE_MAX};
use maud::{Markup, html};

use crate::app::AppConfig;

/// Anchors and names.
pub(super) const CONTENTS: [(&str, &str); 5] =
    [("keys", "Keys"), ("errors", "Errors"), ("repeats", "Repeats"), ("lists", "Lists"), ("limits", "Limits")];

/// Letter of a code, what it means, what to do.
const LETTERS: [(&str, &str, &str); 9] = [
    ("A", "a rule was broken", "change the request"),
    ("N", "not found", "ask for something else"),
    ("C", "others changed the same", "read again, then try again"),
    ("S", "not allowed", "use another key"),
    ("D", "the client is too old", "update it"),
    ("O", "the namespace is off", "wait until it opens"),
    ("X", "a fault", "try again, after Retry-After if it is given"),
    ("T", "out of time", "ask for less at once"),
    ("B", "a bug of ours", "tell the operator"),
];

pub(super) fn sections(config: &AppConfig) -> Markup {
    html! {
        section.group id="basics" {
            h2 { "Basics" }
            (keys(&config.public_url))
            (errors())
            (repeats())
            (lists())
            (limits(config.body.max))
        }
    }
}

fn keys(public_url: &str) -> Markup {
    let example = format!("curl {public_url}/v1/main/keys -H \"Authorization: Bearer $KEY\"");
    html! {
        article id="keys" {
            h3 { "Keys" }
            p {
                "Everything below " code { "/v1/{ns}/" } " belongs to the namespace " code { "ns" } " and needs one of its keys. "
                "Each key has one role; each route names the roles that may use it, and " span.role { "admin" } " may use all. "
                "Without a valid key the answer is always " span.status { "401" } ", whether the path exists or not."
            }
            pre tabindex="0" { code { (example) } }
        }
    }
}

fn errors() -> Markup {
    html! {
        article id="errors" {
            h3 { "Errors" }
            p {
                "Errors are JSON: " code { "{code, major, phase, message, detail[], version?, outcome?}" } ". The code decides, the "
                "status helps proxies. Its first letter says what to do next. From phase 3 on the work is committed; an "
                code { "outcome" } " of " code { "unknown" } " means that it may be: ask again with the same Idempotency-Key."
            }
            div.scroll {
                table.fields {
                    thead { tr { th { "Letter" } th { "Means" } th { "Do" } th { "Codes of the kernel" } } }
                    tbody {
                        @for (letter, meaning, action) in LETTERS {
                            tr {
                                td { strong { (letter) } }
                                td { (meaning) }
                                td { (action) }
                                td { (codes_of(letter)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn codes_of(letter: &str) -> Markup {
    html! {
        div.values {
            @for code in codes::ALL.iter().filter(|code| code.name.starts_with(letter)) {
                code title=(code.status) { (code.name) } " "
            }
        }
    }
}

fn repeats() -> Markup {
    html! {
        article id="repeats" {
            h3 { "Repeats" }
            p {
                "Whatever changes something takes an " code { "Idempotency-Key" } " of 1 to " (IDEMPOTENCY_KEY_MAX) " visible "
                "characters. A repeat with the same key and body gives the first answer, for 24 hours, also after a crash, and "
                "carries " code { "Idempotency-Replayed: true" } ". The same key with another body is refused. Keys that grow "
                "with time are cheapest."
            }
            p {
                "A request may carry " code { "Fastness-Op-Time" } ", the stamp (yyMMddHHmmssSSS, UTC) at which the caller asked, "
                "and " code { "Fastness-Build" } ", the client's build. Answers carry " code { "Fastness-Version" } ", the stamp "
                "under which the change was committed."
            }
        }
    }
}

fn lists() -> Markup {
    html! {
        article id="lists" {
            h3 { "Lists" }
            p {
                "A list is " code { "{items: […], next}" } ". Ask for " code { "?limit=" } " up to " (PAGE_MAX) " and go on with "
                code { "?after=" } " and the value of " code { "next" } " until it is null. Times are RFC 3339 in UTC."
            }
        }
    }
}

fn limits(body_max: usize) -> Markup {
    html! {
        article id="limits" {
            h3 { "Limits" }
            p {
                "A body has at most " (body_max / 1024) " KiB where the route does not say otherwise, the head of a request at "
                "most " (HEADERS_MAX) " headers and " (HEADERS_BYTES_MAX / 1024) " KiB. Unknown fields and parameters are refused by "
                "name. A server with too much to do answers " span.status { "503" } " with " code { "Retry-After" } " at once."
            }
        }
    }
}
