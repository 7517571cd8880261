//! Names of files, rules of ignoring, the configuration, what people type.

use std::path::Path;

use base::RelPath;
use fastness::config::Config;
use folder_agent::ignore::Ignores;
use synxpo::names::{self, Policy};

use crate::text;

/// No name that is taken leads anywhere else.
pub(crate) fn names(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(parts) = names::parts(text) {
        let below = Path::new("/root").join(text);
        assert!(below.starts_with("/root") && !below.components().any(|part| part.as_os_str() == ".."), "{text}");
        for part in parts {
            check_name(part);
        }
    }
    if let Some(path) = RelPath::new(text) {
        assert!(Path::new("/root").join(path.as_str()).starts_with("/root"));
        assert!(path.as_str().split('/').all(|part| !part.is_empty() && part != "." && part != ".."), "{text}");
    }
}

fn check_name(name: &str) {
    let slot = names::slot(Policy::Folded, name);
    assert_eq!(names::slot(Policy::Folded, &slot), slot, "{name}: folding twice is folding once");
    assert!(names::is_same(Policy::Folded, name, name) && names::is_same(Policy::Exact, name, name));
    let copy = names::conflict(name, "laptop", "2026-11-18", 2);
    assert!(names::may_be_name(&copy).is_ok() && names::is_conflict(&copy), "{copy}");
}

/// The first line is a path, all others are rules.
pub(crate) fn ignore(bytes: &[u8]) {
    let Some((path, rules)) = text(bytes).and_then(|text| text.split_once('\n')) else { return };
    let ignores = Ignores::new([("", rules), ("a", rules)]);
    assert!(ignores.problems().len() <= 2 * rules.lines().count());
    if names::parts(path).is_ok() {
        let _ = (ignores.is_ignored(path, false), ignores.is_ignored(path, true));
        assert!(
            !ignores.is_ignored(".fastnessignore", false) || rules.contains(".fastnessignore") || !rules.is_empty()
        );
    }
}

/// A configuration is taken, or every mistake of it is told in a line.
pub(crate) fn config(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    // The same lines as a file and as an environment.
    let variables = text.lines().filter_map(|line| line.split_once('='));
    let variables = variables.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
    for loaded in [Config::load(Some(("fastness.toml", text)), [], &[]), Config::load(None, variables, &[])] {
        assert!(loaded.err().is_none_or(|errors| !errors.to_string().is_empty()));
    }
}

/// What people type after a command is understood or refused with a reason; what a terminal is given it does not obey.
pub(crate) fn commands(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    cli::fuzzing::reads_typed(text);
    let shown = cli::fuzzing::escaped(text);
    assert!(!shown.chars().any(char::is_control), "{shown:?}");
    assert_eq!(cli::fuzzing::escaped(&shown), shown, "once is enough");
}
