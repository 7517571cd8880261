//! `fastness folders ignore`: what is not kept in step.

use std::path::{Path, PathBuf};

use clap::Args;
use folder_agent::ignore::{IGNORE_NAME, Ignores};
use serde_json::{Value, json};

use super::rules::Rules;
use super::{place, tree};
use crate::failure::{Done, Failure};
use crate::local;
use crate::output::text;
use crate::page::List;
use crate::session::Session;

const RULES: List<'_> =
    List { what: "rules", id: "/pattern", columns: &[text("PATTERN", "/pattern"), text("FILE", "/file")] };

/// What is ignored, or looked at.
#[derive(Debug, Args)]
pub(crate) struct Ignore {
    /// Patterns in the syntax of Git: `*.tmp`, `build/`, `/only-here`, `!but-this`
    #[arg(value_name = "PATTERN", required_unless_present_any = ["list", "check"])]
    patterns: Vec<String>,
    /// The linked folder, or anything in it
    #[arg(long, value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Show all rules of the folder
    #[arg(long, conflicts_with_all = ["patterns", "check"])]
    list: bool,
    /// Say whether this file is ignored, and by which rule
    #[arg(long, value_name = "FILE", conflicts_with_all = ["patterns", "path"])]
    check: Option<PathBuf>,
}

impl Ignore {
    pub(super) fn run(self, session: &Session) -> Done {
        if let Some(file) = &self.check {
            return check(session, file);
        }
        let (link, _) = place::link_of(&place::home()?, &self.path)?;
        if self.list {
            return list(session, &link.root);
        }
        add(session, &link.root.join(IGNORE_NAME), &self.patterns)
    }
}

fn check(session: &Session, file: &Path) -> Done {
    let home = place::home()?;
    let (link, inside) = place::link_of(&home, file)?;
    let is_folder = home.stat(&link, &inside).map_err(place::failure)?.is_some_and(|(_, is_folder)| is_folder);
    let rule = Rules::about(&link.root, &inside)?.deciding(&inside, is_folder);
    let sentence = match &rule {
        Some(rule) if rule.names == inside => format!("`{}` of {} ignores {inside}", rule.line, rule.file),
        Some(rule) => format!("`{}` of {} ignores {}, and {inside} lies in it", rule.line, rule.file, rule.names),
        None => format!("{inside} is not ignored"),
    };
    let told = json!({
        "path": inside, "ignored": rule.is_some(),
        "pattern": rule.as_ref().map(|rule| &rule.line), "file": rule.as_ref().map(|rule| &rule.file),
    });
    session.out.done(&told, &sentence, Some("/pattern"))
}

/// Of all folders of the link, but of none that is ignored.
fn list(session: &Session, root: &Path) -> Done {
    let mut rules = Rules::default();
    rules.read(root, "")?;
    let mut failed = Ok(());
    tree::visit(root, "", |path, is_folder| {
        if !is_folder || rules.deciding(path, true).is_some() {
            return false;
        }
        failed = std::mem::replace(&mut failed, Ok(())).and(rules.read(root, path));
        true
    })?;
    failed?;
    let rows: Vec<Value> = rules.lines().map(|(file, line)| json!({ "pattern": line, "file": file })).collect();
    RULES.show(session, &rows)
}

/// What is there already is not written twice.
fn add(session: &Session, path: &Path, patterns: &[String]) -> Done {
    let wrong = |error| Failure::here(format!("{}: {error}", path.display()));
    let before = local::text(path).map_err(wrong)?.unwrap_or_default();
    let text = addition(&before, patterns)?;
    if !text.is_empty() {
        local::append(path, &text).map_err(wrong)?;
    }
    let count = text.lines().filter(|line| !line.is_empty()).count();
    let told = json!({ "file": path.display().to_string(), "added": count });
    let rules = if count == 1 { "1 rule is".to_owned() } else { format!("{count} rules are") };
    session.out.done(&told, &format!("{rules} added to {}", path.display()), None)
}

fn addition(before: &str, patterns: &[String]) -> Result<String, Failure> {
    let mut text = String::new();
    for pattern in patterns {
        if pattern.trim().is_empty() || pattern.contains(['\n', '\r', '\0']) {
            return Err(Failure::usage(format!("`{pattern}` is no pattern: it is empty or has a line break in it")));
        }
        if let Some(problem) = Ignores::new([("", pattern.as_str())]).problems().first() {
            return Err(Failure::usage(format!("`{pattern}` is no pattern: {problem}")));
        }
        if !before.lines().chain(text.lines()).any(|line| line == pattern) {
            text += &format!("{pattern}\n");
        }
    }
    // What somebody left without an end of its line must not be joined with ours.
    let is_open = !text.is_empty() && !before.is_empty() && !before.ends_with('\n');
    Ok(if is_open { format!("\n{text}") } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_22_a_rule_is_added_once_and_on_a_line_of_its_own() {
        let add = |before: &str, patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            addition(before, &patterns).ok()
        };
        assert_eq!(add("", &["*.tmp", "*.tmp", "build/"]).as_deref(), Some("*.tmp\nbuild/\n"));
        assert_eq!(add("*.tmp", &["*.tmp"]).as_deref(), Some(""));
        assert_eq!(add("a", &["b"]).as_deref(), Some("\nb\n"));
        assert_eq!((add("", &[" "]), add("", &["a\nb"])), (None, None));
    }
}
