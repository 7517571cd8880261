//! What is wrong with a page: its console, its policy, whether everybody can use it.
//!
//! Two judges: axe-core, of which serious and critical findings count, and rules of our own, which need nothing.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command::Command;
use crate::eyes::Eyes;

/// Where the script of axe-core lies.
pub const AXE: &str = "FASTNESS_TEST_AXE";

const RULES: &str = include_str!("judge/rules.js");
const RUN_AXE: &str = include_str!("judge/axe.js");

impl Eyes {
    /// Everything that is wrong with this page, one line each: [console](Self::complaints), [rules](Self::faults), axe-core.
    ///
    /// # Errors
    /// axe-core is not there, or the browser is gone.
    pub fn judge(&self) -> Result<Vec<String>> {
        let axe = std::env::var_os(AXE).map(PathBuf::from);
        let axe = axe.with_context(|| format!("no {AXE}: cargo xtask services run -- cargo nextest run …"))?;
        let mut found = self.faults()?;
        found.extend(self.violations(&axe)?);
        found.extend(self.complaints()?);
        Ok(found)
    }

    /// Errors on the console since it was asked last, breaches of the page's policy among them.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn complaints(&self) -> Result<Vec<String>> {
        let entries = self.command(Command::console())?;
        let entries = entries.as_array().into_iter().flatten();
        Ok(entries.filter(|entry| is_complaint(entry)).map(|entry| format!("console: {}", message(entry))).collect())
    }

    /// What our own rules find.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn faults(&self) -> Result<Vec<String>> {
        let found = self.script(RULES, vec![self.sight().width.into()])?;
        Ok(lines(&found))
    }

    /// What axe-core finds serious or critical.
    ///
    /// # Errors
    /// The script is not there.
    pub fn violations(&self, axe: &Path) -> Result<Vec<String>> {
        let script = std::fs::read_to_string(axe).with_context(|| axe.display().to_string())?;
        self.script(&script, vec![])?;
        let found = self.slow_script(RUN_AXE, vec![])?;
        Ok(lines(&found))
    }
}

fn is_complaint(entry: &Value) -> bool {
    entry["level"] == "SEVERE" || message(entry).contains("Content Security Policy")
}

fn message(entry: &Value) -> &str {
    entry["message"].as_str().unwrap_or_default()
}

fn lines(found: &Value) -> Vec<String> {
    found.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_and_breaches_of_the_policy_are_complaints() {
        let entry = |level: &str, message: &str| json!({ "level": level, "message": message });
        assert!(is_complaint(&entry("SEVERE", "x is not defined")));
        assert!(is_complaint(&entry("INFO", "violates the following Content Security Policy directive")));
        assert!(!is_complaint(&entry("WARNING", "slow network")));
    }
}
