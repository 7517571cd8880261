//! Commands that pages show, to be copied into a terminal and run as they are: with the address under which the person reaches this server,
//! and the namespace.
//!
//! The one thing that a page does not know is a key: the shell asks for it, and nothing is called without one.

use axum::http::header::HOST;
use axum::http::request::Parts;
use maud::{Markup, html};

use super::visit::Console;
use crate::app::AppConfig;

mod words {
    crate::texts! {
        KEY: "KEY stands for a key of this namespace: KEY=fst_… in the terminal.", "KEY — ключ этого пространства: KEY=fst_… в терминале.",
            "KEY est une clé de cet espace\u{a0}: KEY=fst_… dans le terminal.";
        TO_KEYS: "Make one", "Создать", "En créer une";
    }
}

/// Where commands look for a server by themselves.
pub(super) const USUAL: &str = "http://127.0.0.1:7400";
/// How a command names the key: the shell says what is missing where it is not set.
const KEY: &str = "${KEY:?a key of this namespace}";

/// Where the person reaches this server: as an operator said, or as the browser asked for it.
pub(super) fn server(parts: &Parts, config: &AppConfig) -> String {
    if let Some(own) = &config.own_origin {
        return own.clone();
    }
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| parts.uri.authority().map(|authority| authority.as_str()));
    let scheme = if config.secure_cookies || config.public_url.starts_with("https://") { "https" } else { "http" };
    // It goes into a shell: what is no address stays out.
    let is_address = |host: &&str| {
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".:-[]".contains(&byte))
    };
    host.filter(is_address).map_or_else(|| config.public_url.clone(), |host| format!("{scheme}://{host}"))
}

impl Console {
    /// A call of the API with a body, as a command: `console.curl("POST", "signals", "{…}")`.
    #[must_use]
    pub fn curl(&self, method: &str, path: &str, body: &str) -> String {
        let (server, ns) = (self.server(), &self.namespace().name);
        format!(
            "curl -X {method} '{server}/v1/{ns}/{path}' -H \"Authorization: Bearer {KEY}\" \\\n  -H 'Content-Type: application/json' -d '{body}'"
        )
    }

    /// A command of the program, in this namespace of this server.
    #[must_use]
    pub fn command(&self, words: &str) -> String {
        format!("{} {words} --namespace {}{}", self.shared().config().program, self.namespace().name, self.to_server())
    }

    /// What names this server to a command; nothing where it is found by itself.
    pub(super) fn to_server(&self) -> String {
        if self.server() == USUAL { String::new() } else { format!(" --server '{}'", self.server()) }
    }

    /// Commands to be copied, each with its button, and what stands for a key in them.
    #[must_use]
    pub fn terminal(&self, commands: &[String]) -> Markup {
        let copy = self.say(&super::words::COPY);
        let keys = self.address("/console/{ns}/keys", &[]);
        html! {
            @for command in commands {
                div.command {
                    pre.data tabindex="0" { code { (command) } }
                    button type="button" data-copy=(command) { (copy) }
                }
            }
            @if commands.iter().any(|command| command.contains(KEY)) {
                p.hint { (self.say(&words::KEY)) @if let Some(keys) = keys { " " a href=(keys) { (self.say(&words::TO_KEYS)) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn seen(host: &str, config: &AppConfig) -> String {
        let request = Request::builder().uri("/console/main/").header(HOST, host).body(()).unwrap();
        server(&request.into_parts().0, config)
    }

    #[test]
    fn con_8_commands_name_the_server_as_the_person_reaches_it_and_nothing_that_a_shell_would_run() {
        let config = AppConfig { public_url: "http://0.0.0.0:7400".into(), ..AppConfig::default() };
        assert_eq!(seen("box:7400", &config), "http://box:7400");
        assert_eq!(seen("[::1]:7400", &config), "http://[::1]:7400");
        for evil in ["$(reboot)", "a'b", "x;y", "a b", ""] {
            assert_eq!(seen(evil, &config), config.public_url, "{evil}");
        }
        let secure = AppConfig { secure_cookies: true, ..config.clone() };
        assert_eq!(seen("box", &secure), "https://box");
        let own = AppConfig { own_origin: Some("https://fastness.example".into()), ..config };
        assert_eq!(seen("box", &own), "https://fastness.example");
    }
}
