//! Logging in, by hand or by program.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::Eyes;

/// A page of ours on which scripts may send requests: it has no policy because it is no page for people.
const BARE: &str = "/healthz";

/// Sends JSON from the page, so that the browser keeps the cookie that comes.
const POST: &str = "
    const [path, body, done] = arguments;
    const headers = { 'Content-Type': 'application/json' };
    fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
        .then(async answer => done([answer.status, await answer.text()]), error => done([0, String(error)]));";

impl Eyes {
    /// Opens a session by the API of this namespace; gives what the server said.
    ///
    /// # Errors
    /// The server refuses.
    pub fn log_in(&self, namespace: &str, account: &str, password: &str) -> Result<Value> {
        self.goto(BARE)?;
        let path = format!("/v1/{namespace}/sessions");
        let answer = self.slow_script(POST, vec![json!(path), json!({ "account": account, "password": password })])?;
        let text = answer[1].as_str().unwrap_or_default();
        ensure!(answer[0] == 201, "login as {account}: {} {text}", answer[0]);
        // A page that is none for people has no icon, which the browser misses.
        self.complaints()?;
        Ok(serde_json::from_str(text)?)
    }

    /// Logs in as a person does, by the console's own page.
    ///
    /// # Errors
    /// There is no such page, or it does not let us in.
    pub fn log_in_by_hand(&self, account: &str, password: &str) -> Result<()> {
        const PAGE: &str = "/console/_login";
        self.goto(PAGE)?;
        self.fill("input[name=account]", account)?;
        self.fill("input[name=password]", password)?;
        self.click("form:has(input[name=password]) button:not([type=button])")?;
        self.wait_until("location.pathname !== args[0]", json!([PAGE]))
    }
}
