//! `cargo xtask tidy`: our own lint.
//!
//! A rule is a name, a reason and a pure function of the [`Tree`]; each has a test beside it that shows
//! it fires. Rules look at text with a simple scanner ([`crate::source`]): they are cheap and catch
//! honest slips, not people who hide.
//!
//! To add one: a function in a file here, a line in [`RULES`], a test with a fixture.

mod architecture;
mod attributes;
mod commands;
mod errors;
mod headers;
mod layers;
mod length;
mod links;
mod machine;
mod proofs;
mod sleep;
mod supply;
mod unfinished;
mod whitespace;

use crate::repo::{File, Tree};
use crate::{Result, repo};
use std::path::Path;
use std::process::ExitCode;

struct Rule {
    name: &'static str,
    reason: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

/// One place that breaks a rule.
struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl Finding {
    fn new(file: &File, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: file.path.clone(), line, message: message.into() }
    }
}

const RULES: &[Rule] = &[
    Rule {
        name: "function-length",
        reason: "a function that does not fit on a screen is not understood at once",
        check: length::functions,
    },
    Rule { name: "file-length", reason: "state machines grow into giant files unless stopped", check: length::files },
    Rule {
        name: "allow",
        reason: "#[expect] with a reason tells when it is no longer needed; #[allow] stays for ever",
        check: attributes::allow,
    },
    Rule { name: "expect-reason", reason: "an exception is a decision and says why", check: attributes::expect_reason },
    Rule { name: "ignore", reason: "a test that nobody runs proves nothing", check: attributes::ignore },
    Rule {
        name: "unfinished",
        reason: "what is not done yet is not merged, or is a requirement",
        check: unfinished::check,
    },
    Rule { name: "sleep", reason: "a test that sleeps is slow and still races; time is an input", check: sleep::check },
    Rule { name: "trailing-whitespace", reason: "it makes noise in every later change", check: whitespace::trailing },
    Rule { name: "tabs", reason: "code looks the same everywhere", check: whitespace::tabs },
    Rule {
        name: "dependency-direction",
        reason: "dependencies point downward and services never know each other",
        check: layers::check,
    },
    Rule {
        name: "crate-header",
        reason: "a crate begins with its purpose, its invariants and what is not in it",
        check: headers::check,
    },
    Rule { name: "architecture-names", reason: "a map with places that are gone misleads", check: architecture::check },
    Rule { name: "error-pages", reason: "whoever meets a code finds its page", check: errors::check },
    Rule { name: "machine-paths", reason: "the repository works on every machine", check: machine::check },
    Rule {
        name: "supply-chain",
        reason: "what comes in is pinned, from the registry, and not known to be dangerous",
        check: supply::check,
    },
    Rule { name: "security-tests", reason: "a claim without its test is a wish", check: proofs::check },
    Rule {
        name: "commands-run",
        reason: "a command in a document that nobody runs is wrong one day",
        check: commands::check,
    },
    Rule { name: "links", reason: "a link that leads nowhere wastes a reader", check: links::check },
];

pub(crate) fn run() -> Result<ExitCode> {
    let (note, ()) = check(&repo::root()?)?;
    say!("tidy: {note}");
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn list() -> ExitCode {
    for rule in RULES {
        say!("{:<22} {}", rule.name, rule.reason);
    }
    ExitCode::SUCCESS
}

/// Prints what it finds as `path:line: rule: message`; the result is a note, or how many there were.
pub(crate) fn check(root: &Path) -> Result<(String, ())> {
    let tree = Tree::load(root)?;
    let count: usize = RULES.iter().map(|rule| report(rule, &tree)).sum();
    if count > 0 {
        return Err(format!("findings: {count}"));
    }
    Ok((format!("{} rules, {} files", RULES.len(), tree.files.len()), ()))
}

fn report(rule: &Rule, tree: &Tree) -> usize {
    let findings = (rule.check)(tree);
    for finding in &findings {
        say!("{}:{}: {}: {}", finding.path, finding.line, rule.name, finding.message);
    }
    if !findings.is_empty() {
        say!("  why {}: {}", rule.name, rule.reason);
    }
    findings.len()
}

/// Runs a rule on a tree of literals and compares `path:line: message`.
#[cfg(test)]
#[track_caller]
fn expect_findings(check: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)], expected: &[&str]) {
    let found = check(&Tree::of(files));
    let shown: Vec<String> = found.iter().map(|one| format!("{}:{}: {}", one.path, one.line, one.message)).collect();
    assert_eq!(shown, expected);
}
