//! Variables of the environment that begin with `FASTNESS_` and are no key of the configuration: those that the program reads all the
//! same, and those that nobody reads.
//!
//! A name with two underscores in it can only be meant for us: an unknown one is an error. One without may be somebody else's, such as what
//! Kubernetes says of a service named `fastness`: an unknown one is told, and keeps nobody from starting.

use super::keys::KEYS;
use super::nearest::{distance, nearest};

/// How all of them begin.
const PREFIX: &str = "FASTNESS_";

/// A variable that is no key of the configuration.
pub(super) struct Variable {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
}

/// All that the program reads beside its keys. A test finds those that are missing here.
pub(super) const OTHERS: &[Variable] = &[
    Variable {
        name: "FASTNESS_ADMIN_KEY",
        about: "`serve`, at the first start: becomes an administrator's access key; 16 characters at least",
    },
    Variable { name: "FASTNESS_KEY", about: "commands against a running server: the access key" },
    Variable { name: "FASTNESS_SERVER", about: "the same commands: the address of the server" },
    Variable { name: "FASTNESS_NAMESPACE", about: "the same commands: the namespace" },
    Variable {
        name: "FASTNESS_FOLDERS_HOME",
        about: "`folders`: where links of this machine and their states are; `~/.local/state/fastness/folders` if not set",
    },
];

/// What tests, benchmarks and chores of the repository use.
const OF_THE_REPOSITORY: &[&str] = &["TEST_", "FUZZ_", "BENCH_", "XTASK_", "MUTANT"];

/// What people try who do not know our words.
const MEANT: &[(&str, &str)] = &[
    ("port", "FASTNESS_SERVER__LISTEN"),
    ("host", "FASTNESS_SERVER__LISTEN"),
    ("address", "FASTNESS_SERVER__LISTEN"),
    ("bind", "FASTNESS_SERVER__LISTEN"),
    ("url", "FASTNESS_SERVER"),
    ("token", "FASTNESS_KEY"),
    ("api_key", "FASTNESS_KEY"),
    ("database_url", "FASTNESS_STORE__URL"),
    ("db_url", "FASTNESS_STORE__URL"),
];

/// So many wrong letters still mean the same name.
const TYPING_ERRORS: usize = 2;

/// The variable that was probably meant, if nobody reads this one.
pub(super) fn meant(name: &str, value: &str) -> Option<&'static str> {
    let rest = name.strip_prefix(PREFIX)?;
    let is_known = OTHERS.iter().any(|other| other.name == name);
    let is_of_the_repository = OF_THE_REPOSITORY.iter().any(|begin| rest.starts_with(begin));
    (!is_known && !is_of_the_repository && !is_of_kubernetes(rest, value)).then(|| nearest_to(&rest.to_lowercase()))
}

/// What Kubernetes, and Docker before it, set for a service named `fastness`.
fn is_of_kubernetes(rest: &str, value: &str) -> bool {
    let is_port = rest.strip_prefix("PORT_").is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()));
    is_port || rest.starts_with("SERVICE_") || (rest == "PORT" && value.contains("://"))
}

fn nearest_to(given: &str) -> &'static str {
    if let Some((_, name)) = MEANT.iter().find(|(word, _)| *word == given) {
        return name;
    }
    let cost = |name: &str| distance(given, &name[PREFIX.len()..].to_lowercase());
    let other = OTHERS.iter().map(|other| (cost(other.name), other.name)).min();
    if let Some((_, name)) = other.filter(|(cost, _)| *cost <= TYPING_ERRORS) {
        return name;
    }
    let key = nearest(&given.replacen('_', ".", 1));
    KEYS.iter().position(|known| known.path == key.path).map_or(OTHERS[0].name, env_name)
}

/// The variable of a key, kept for as long as the program runs: there are as many as keys.
fn env_name(index: usize) -> &'static str {
    static NAMES: std::sync::LazyLock<Vec<String>> =
        std::sync::LazyLock::new(|| KEYS.iter().map(super::Key::env).collect());
    &NAMES[index]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    #[test]
    fn ker_36_a_variable_that_nobody_reads_is_told_with_the_nearest_that_somebody_does() {
        for (given, nearest) in [
            ("LISTN", "FASTNESS_SERVER__LISTEN"),
            ("PORT", "FASTNESS_SERVER__LISTEN"),
            ("DATA", "FASTNESS_DATA__DIR"),
            ("SERVER_LISTN", "FASTNESS_SERVER__LISTEN"),
            ("KEYS", "FASTNESS_KEY"),
            ("ADMINKEY", "FASTNESS_ADMIN_KEY"),
            ("URL", "FASTNESS_SERVER"),
        ] {
            assert_eq!(meant(&format!("{PREFIX}{given}"), "8080"), Some(nearest), "{given}");
        }
        for other in ["PATH", "FASTNESS_KEY", "FASTNESS_TEST_X", "FASTNESS_SERVICE_HOST", "FASTNESS_PORT_7400_TCP"] {
            assert_eq!(meant(other, "x"), None, "{other}");
        }
        assert_eq!(meant("FASTNESS_PORT", "tcp://10.0.0.1:7400"), None, "that is what Kubernetes says");
    }

    #[expect(clippy::disallowed_methods, reason = "reads the sources")]
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
    }

    /// Names in quotes without two underscores: what is read, not what is told about.
    fn names(text: &str) -> impl Iterator<Item = String> {
        let quoted = text.split("\"FASTNESS_").skip(1);
        let letters = |c: &char| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_';
        quoted.map(move |rest| rest.chars().take_while(letters).collect::<String>()).filter(|name| !name.contains("__"))
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "reads the sources")]
    fn ker_36_whatever_the_program_reads_is_known() {
        let mut found = 0;
        for path in sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))) {
            let is_source = path.extension().is_some_and(|end| end == "rs") && path.iter().any(|part| part == "src");
            // Here and in tests of the configuration unknown names are tried.
            if !is_source || path.ends_with("config/tests.rs") || path.ends_with("config/variables.rs") {
                continue;
            }
            for name in names(&std::fs::read_to_string(&path).unwrap()).filter(|name| !name.is_empty()) {
                found += 1;
                assert_eq!(meant(&format!("{PREFIX}{name}"), ""), None, "{}: add it to OTHERS", path.display());
            }
        }
        assert!(found > 20, "{found} names");
    }
}
