//! Commands of chromedriver that are not part of WebDriver, and one that fantoccini lacks.

use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

/// A command below a session.
#[derive(Debug)]
pub(crate) struct Command {
    path: String,
    /// Sent by POST; without one it is a GET.
    body: Option<Value>,
}

impl Command {
    /// Speaks to Chromium itself, in the words of its DevTools protocol.
    pub(crate) fn cdp(method: &str, params: Value) -> Self {
        Self { path: "goog/cdp/execute".into(), body: Some(json!({ "cmd": method, "params": params })) }
    }

    /// What came to the console since it was asked last.
    pub(crate) fn console() -> Self {
        Self { path: "se/log".into(), body: Some(json!({ "type": "browser" })) }
    }

    /// The name by which a screen reader would call an element.
    pub(crate) fn name_of(element: &str) -> Self {
        Self { path: format!("element/{element}/computedlabel"), body: None }
    }
}

impl WebDriverCompatibleCommand for Command {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        match &self.body {
            Some(body) => (Method::POST, Some(body.to_string())),
            None => (Method::GET, None),
        }
    }
}
