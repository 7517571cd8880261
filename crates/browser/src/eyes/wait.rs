//! Waiting for what a page does by itself: told by the page's own changes, bounded.

use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::{Eyes, PATIENCE, Target};

/// Ends when the expression holds, or after the time in milliseconds. What no mutation tells (a field's value, a style) is
/// looked at now and then.
const UNTIL: &str = "
    const [args, limit, done] = arguments;
    const holds = () => { try { return Boolean(EXPRESSION); } catch { return false; } };
    const end = value => { observer.disconnect(); clearInterval(timer); clearTimeout(last); done(value); };
    const look = () => { if (holds()) end(true); };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const timer = setInterval(look, 100);
    const last = setTimeout(() => end(holds()), limit);
    look();";

/// Longest single look: a page that is left takes its script with it, and the next page needs a new one.
const LOOK_MS: u128 = 5_000;

/// Longest time between two tries to find something.
const PAUSE_MS: u32 = 200;

impl Eyes {
    /// Waits until such a thing can be seen.
    ///
    /// # Errors
    /// It does not come in time.
    pub fn wait_for(&self, target: impl Into<Target>) -> Result<()> {
        self.find(&target.into()).map(drop)
    }

    /// Waits until the page shows this text.
    ///
    /// # Errors
    /// It does not come in time.
    pub fn wait_for_text(&self, text: &str) -> Result<()> {
        self.wait_until("document.body.innerText.includes(args[0])", json!([text]))
    }

    /// Waits until nothing that the selector names is there any more.
    ///
    /// # Errors
    /// It stays.
    pub fn wait_gone(&self, css: &str) -> Result<()> {
        self.wait_until("!document.querySelector(args[0])", json!([css]))
    }

    /// Waits until the address is this one, without the site's own part.
    ///
    /// # Errors
    /// It does not become so in time.
    pub fn wait_for_place(&self, place: &str) -> Result<()> {
        self.wait_until("location.href === args[0]", json!([format!("{}{place}", self.origin)]))
    }

    /// Waits until an expression holds in the page; `args` are the arguments.
    ///
    /// # Errors
    /// It does not in time.
    pub fn wait_until(&self, expression: &str, args: Value) -> Result<()> {
        let script = UNTIL.replace("EXPRESSION", expression);
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now()).as_millis().min(LOOK_MS);
            let limit = u32::try_from(left).unwrap_or_default();
            // An error is a page that was left meanwhile.
            if self.slow_script(&script, vec![args.clone(), limit.into()]).is_ok_and(|held| held == true) {
                return Ok(());
            }
            if Instant::now() >= until {
                bail!("`{expression}` with {args} does not come true; {}", self.scene());
            }
        }
    }

    /// Until the page changes, or a little while.
    pub(super) fn await_change(&self) {
        let script = UNTIL.replace("EXPRESSION", "seen++ > 0").replacen("const [", "let seen = 0; const [", 1);
        let _ = self.slow_script(&script, vec![Value::Null, PAUSE_MS.into()]);
    }
}
