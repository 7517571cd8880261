//! One box finds everything (CON-11), on both engines: the program itself, asked over HTTP and at a shell.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod fill;
mod postgres;
mod rules;
mod shell;

use std::path::Path;

use kill::server::{Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server with its data.
pub struct Site {
    /// It.
    pub server: Server,
    _folder: TempDir,
}

impl Site {
    /// With nothing set.
    pub fn start() -> Self {
        Self::with(|launch| launch)
    }

    /// With these settings.
    pub fn with(settings: impl FnOnce(Launch) -> Launch) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let launch = Launch::new(program(), &folder.path().join("data"));
        Self { server: settings(launch).start().expect("a server"), _folder: folder }
    }

    /// Asks; what is not done fails the test.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.server.client().ask(method, path, body, "").expect("an answer");
        assert!(answer.status < 300, "{method} {path} {body}: {answer:?}");
        answer.body
    }

    /// Creates something; gives the answer.
    pub fn make(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", path, body)
    }

    /// What is found in a namespace: kinds with ids, names and pages.
    pub fn found(&self, namespace: &str, text: &str) -> Vec<[String; 4]> {
        let answer =
            self.server.client().get(&format!("/v1/{namespace}/search?q={}", encoded(text))).expect("an answer");
        assert_eq!(answer.status, 200, "{text}: {answer:?}");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let items = answer.body["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|one| ["kind", "id", "name", "page"].map(|field| text(&one[field]))).collect()
    }

    /// Exactly one thing of a kind is found by each of these texts, and its page is there.
    pub fn finds(&self, namespace: &str, kind: &str, id: &str, texts: &[&str]) {
        for text in texts {
            let found = self.found(namespace, text);
            let one = found.iter().find(|[of_kind, of_id, ..]| of_kind == kind && of_id == id);
            let [_, _, _, page] = one.unwrap_or_else(|| panic!("{kind} {id} by {text}: {found:?}"));
            let answer = self.server.client().get(page).expect("an answer");
            assert_eq!(answer.status, 200, "{page}: {answer:?}; {}", self.server.log());
        }
    }

    /// None of these texts finds this thing any more.
    pub fn loses(&self, namespace: &str, kind: &str, id: &str, texts: &[&str]) {
        for text in texts {
            let found = self.found(namespace, text);
            let is_it = |[of_kind, of_id, ..]: &[String; 4]| of_kind == kind && of_id == id;
            assert!(!found.iter().any(is_it), "{kind} {id} by {text}: {found:?}");
        }
    }
}

/// The program.
pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fastness"))
}

/// A text as a part of an address.
pub fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn con_11_everything_is_found_by_its_id_or_the_beginning_of_its_name() {
    let site = Site::start();
    fill::check_all(&site, "main");
}

#[test]
fn con_11_namespaces_are_found_where_they_are_looked_after() {
    let site = Site::start();
    site.make("/v1/z/namespaces", &json!({ "name": "shop", "label": "Corner shop" }));
    site.finds("z", "namespace", "shop", &["shop", "SHO", "corner"]);
    assert!(site.found("main", "shop").iter().all(|[kind, ..]| kind != "namespace"), "and nowhere else");
}
