//! The test runner: nextest when it is installed, else cargo's own.
//!
//! Which tests need a service is told by name alone (`postgres`, `strace`, … in the binary, module or
//! test name), so that a quick run needs no list that someone must keep.
//!
//! Some tests stop the service that all share. nextest lets them take turns (`.config/nextest.toml`); cargo's own runner, which runs the
//! tests of a file in threads, runs those that need a service one after the other, after all others.

use crate::{process, services};
use std::path::Path;
use std::process::{Command, Stdio};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    All,
    /// Without those that need a service.
    Quick,
}

/// What runs them, one command after the other, whatever becomes of each.
pub(crate) fn commands(root: &Path, scope: Scope, filters: &[&str]) -> Vec<Command> {
    if has_nextest(root) {
        return vec![nextest(root, scope, filters)];
    }
    match scope {
        Scope::Quick => vec![cargo_quick(root, filters)],
        Scope::All => vec![cargo_without_services(root), cargo_with_services(root)],
    }
}

fn has_nextest(root: &Path) -> bool {
    let mut command = process::cargo(root);
    command.args(["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn nextest(root: &Path, scope: Scope, filters: &[&str]) -> Command {
    let mut command = process::cargo(root);
    command.args(["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]);
    if scope == Scope::Quick {
        let words = services::words().join("|");
        command.args(["-E", &format!("not test(/{words}/) and not binary(/{words}/)")]);
    }
    command.args(filters);
    command
}

fn cargo_test(root: &Path) -> Command {
    let mut command = process::cargo(root);
    command.args(["test", "--workspace", "--locked", "--no-fail-fast"]);
    command
}

fn cargo_quick(root: &Path, filters: &[&str]) -> Command {
    let mut command = cargo_test(root);
    command.args(quick_targets(root)).arg("--").args(skips()).args(filters);
    command
}

/// Documentation examples are not used as tests, hence the explicit targets.
fn cargo_without_services(root: &Path) -> Command {
    let mut command = cargo_test(root);
    command.args(["--all-targets", "--"]).args(skips());
    command
}

fn cargo_with_services(root: &Path) -> Command {
    let mut command = cargo_test(root);
    command.args(["--all-targets", "--"]).args(services::words()).arg("--test-threads=1");
    command
}

fn skips() -> impl Iterator<Item = &'static str> {
    services::words().into_iter().flat_map(|word| ["--skip", word])
}

/// cargo can leave out packages but not single test files, so the quick ones are named.
fn quick_targets(root: &Path) -> Vec<String> {
    let crates = names(&root.join("crates"));
    let needs_service = |name: &String| services::words().iter().any(|word| name.contains(word));
    let (excluded, kept): (Vec<_>, Vec<_>) = crates.into_iter().partition(needs_service);
    let mut tests: Vec<String> =
        kept.iter().flat_map(|name| names(&root.join("crates").join(name).join("tests"))).collect();
    tests.retain(|name| !needs_service(name));
    tests.sort();
    tests.dedup();
    let mut arguments = vec!["--lib".to_owned(), "--bins".to_owned()];
    arguments.extend(excluded.into_iter().flat_map(|name| ["--exclude".to_owned(), name]));
    arguments.extend(tests.into_iter().flat_map(|name| ["--test".to_owned(), name]));
    arguments
}

/// Names of Rust files and of folders that hold a crate or a test (`main.rs`, `Cargo.toml`).
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let name = |path: std::path::PathBuf| {
        let is_test_file = path.extension().is_some_and(|extension| extension == "rs");
        let is_folder = path.join("main.rs").is_file() || path.join("Cargo.toml").is_file();
        (is_test_file || is_folder).then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
    };
    entries.filter_map(|entry| name(entry.ok()?.path())).collect()
}

/// Whether this line of output is the runner's count of tests.
pub(crate) fn is_summary(line: &str) -> bool {
    line.contains("test result:") || (line.contains("Summary") && line.contains("tests run"))
}

/// The count in one line: nextest says it so, cargo says it once per binary.
pub(crate) fn summary(lines: &[String]) -> String {
    if let Some(line) = lines.iter().find(|line| line.contains("Summary")) {
        return line.trim().to_owned();
    }
    let sum = |word: &str| lines.iter().map(|line| count(line, word)).sum::<u64>();
    format!("test result: {} passed; {} failed; {} ignored", sum(" passed"), sum(" failed"), sum(" ignored"))
}

/// The number before `word`.
fn count(line: &str, word: &str) -> u64 {
    let before = line.split_once(word).map_or("", |(before, _)| before);
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_both_runners_are_known() {
        let nextest = "     Summary [   0.1s] 3 tests run: 3 passed, 0 skipped".to_owned();
        let cargo = "test result: ok. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out".to_owned();
        assert!(is_summary(&nextest) && is_summary(&cargo) && !is_summary("Summary of things"));
        assert_eq!(summary(&[nextest]), "Summary [   0.1s] 3 tests run: 3 passed, 0 skipped");
        assert_eq!(summary(&[cargo.clone(), cargo]), "test result: 6 passed; 2 failed; 0 ignored");
    }

    /// A test that stops a server must not do so while another one of its file uses it.
    #[test]
    fn without_nextest_tests_that_need_a_service_run_once_and_one_by_one() {
        let root = crate::repo::root().unwrap();
        let (without, with) =
            (process::show(&cargo_without_services(&root)), process::show(&cargo_with_services(&root)));
        for word in services::words() {
            assert!(without.contains(&format!(" --skip {word}")), "{word}: {without}");
            assert!(with.contains(&format!(" {word} ")) && !with.contains("--skip"), "{word}: {with}");
        }
        assert!(with.ends_with(" --test-threads=1") && !without.contains("--test-threads"));
    }

    #[test]
    fn quick_runs_leave_out_what_needs_a_service() {
        let root = crate::repo::root().unwrap();
        let shown = process::show(&nextest(&root, Scope::Quick, &["stamp"]));
        assert!(shown.ends_with(" stamp"), "{shown}");
        let marks = |part: &str| shown.split(part).nth(1).unwrap().split('/').next().unwrap().to_owned();
        for word in ["postgres", "smtp", "browser", "rabbitmq", "clickhouse", "redis", "firebird", "strace"] {
            assert!(marks("not test(/").split('|').any(|mark| mark == word), "{word}: {shown}");
            assert!(marks("not binary(/").split('|').any(|mark| mark == word), "{word}: {shown}");
        }
        let shown = process::show(&cargo_quick(&root, &["stamp"]));
        assert!(shown.contains("--exclude store-postgres"), "{shown}");
        assert!(shown.contains("--skip rabbitmq ") && shown.ends_with(" --skip strace stamp"), "{shown}");
    }
}
