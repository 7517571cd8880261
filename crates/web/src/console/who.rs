//! Who did something, as people read it: `account.z.admin` is "admin (z)".

use maud::{Markup, html};

use super::visit::Console;
use crate::ui::form::link;
use crate::ui::parts::id_link;

mod words {
    crate::texts! {
        SERVER: "server", "сервер", "serveur";
        EVERYBODY: "anybody", "кто угодно", "n’importe qui";
    }
}

/// What a caller's name tells.
#[derive(Debug, PartialEq, Eq)]
enum Who<'a> {
    Account { namespace: &'a str, name: &'a str },
    Key(&'a str),
    Server(&'a str),
    Public,
    Other(&'a str),
}

impl<'a> Who<'a> {
    fn of(caller: &'a str) -> Self {
        // A namespace's name has no dot, an account's may.
        let account = caller.strip_prefix("account.").and_then(|rest| rest.split_once('.'));
        if let Some((namespace, name)) = account {
            return Self::Account { namespace, name };
        }
        match caller.strip_prefix("server.") {
            Some(part) => Self::Server(part),
            None if caller.parse::<base::Id>().is_ok() => Self::Key(caller),
            None if caller == "public" => Self::Public,
            None => Self::Other(caller),
        }
    }
}

/// Whoever this caller is, with a link to what is known of them where this person may look at it.
#[must_use]
pub fn who(console: &Console, caller: &str) -> Markup {
    match Who::of(caller) {
        Who::Account { namespace, name } => html! {
            span.who title=(caller) { (account(console, namespace, name)) " " span.sub-text { "(" (namespace) ")" } }
        },
        Who::Key(id) => match console.address("/console/{ns}/keys", &[]) {
            Some(page) => html! { span.who { (id_link(&link(&page, &[("id", Some(id))]), id)) } },
            None => html! { span.who { code.id { (id) } } },
        },
        Who::Server(part) => html! {
            span.who.sub-text title=(caller) { (console.say(&words::SERVER)) ": " (part) }
        },
        Who::Public => html! { span.who.sub-text { (console.say(&words::EVERYBODY)) } },
        Who::Other(name) => html! { span.who { (name) } },
    }
}

/// Only the accounts of this namespace can be looked at from here.
fn account(console: &Console, namespace: &str, name: &str) -> Markup {
    let page = console.address("/console/{ns}/accounts", &[]).filter(|_| namespace == console.namespace().name);
    html! {
        @match page {
            Some(page) => a href=(link(&page, &[("name", Some(name))])) { (name) },
            None => (name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_8_a_callers_name_tells_who_it_is() {
        for (caller, who) in [
            ("account.z.admin", Who::Account { namespace: "z", name: "admin" }),
            ("account.main.anna.b@c", Who::Account { namespace: "main", name: "anna.b@c" }),
            ("server.tasks", Who::Server("tasks")),
            ("public", Who::Public),
            ("01KA2B3C4D5E6F7G8H9JKMNPQR", Who::Key("01KA2B3C4D5E6F7G8H9JKMNPQR")),
            ("account.", Who::Other("account.")),
            ("", Who::Other("")),
        ] {
            assert_eq!(Who::of(caller), who);
        }
    }
}
