//! Sleeping: only where the real world is, or with a reason on the same line.

use super::Finding;
use crate::repo::{File, Tree};
use crate::source::{Source, line_of, words};

/// Crates whose work is real time.
const FREE: [&str; 2] = ["host", "bench"];

const CALLS: [&str; 4] = ["thread::sleep", "time::sleep", "time::sleep_until", "thread::park_timeout"];

/// The comment that permits one line, followed by its reason.
const MARK: &str = "// tidy: sleep";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let bound = |file: &&File| !file.crate_folder().is_some_and(|folder| FREE.contains(&folder));
    tree.rust().filter(bound).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let source = Source::read(&file.text);
    let code = source.code();
    let places = CALLS.into_iter().flat_map(|call| words(&code, call).map(move |at| (at, call)));
    let bad = places.filter(|(at, _)| !is_permitted(&file.text, *at));
    bad.map(|(at, call)| Finding::new(file, line_of(&code, at), message(call))).collect()
}

fn message(call: &str) -> String {
    format!("`{call}`: wait for an event or use base::Timers, or add `{MARK} — reason`")
}

fn is_permitted(text: &str, at: usize) -> bool {
    let line = text[at..].lines().next().unwrap_or_default();
    let reason = line.split_once(MARK).map(|(_, reason)| reason.trim_start_matches([' ', '—', '-', ':']));
    reason.is_some_and(|reason| !reason.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn sleeping_needs_a_reason_outside_the_real_world() {
        let text = "use tokio::time::sleep;\nstd::thread::sleep(d); // tidy: sleep — a process ends\n\
                    thread::sleep(d); // tidy: sleep\n// thread::sleep\n";
        let (first, third) = (message("time::sleep"), message("thread::sleep"));
        expect_findings(
            check,
            &[("crates/web/tests/a.rs", text), ("crates/host/src/a.rs", text)],
            &[&format!("crates/web/tests/a.rs:3: {third}"), &format!("crates/web/tests/a.rs:1: {first}")],
        );
    }
}
