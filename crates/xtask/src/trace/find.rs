//! Where tests name a requirement: in a test's name, body, or the comment right above it.
//!
//! Two crates are tests by nature: in `store-suite` every function counts (its cases are plain functions
//! that both engines run), in `bench` every mention (a speed figure's proof is its scenario). xtask is left
//! out: its fixtures name ids that prove nothing.

use crate::repo::{File, Tree};
use crate::source::{Function, Source, line_of};
use std::fmt;
use std::ops::Range;

const SUITE: &str = "store-suite";
const BENCH: &str = "bench";
const LEFT_OUT: &str = "xtask";

/// One test (or scenario) that names an id.
#[derive(PartialEq, Debug)]
pub(super) struct Mention {
    pub(super) id: String,
    path: String,
    line: usize,
    test: String,
}

impl fmt::Display for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {}", self.path, self.line, self.test)
    }
}

pub(super) fn mentions(tree: &Tree, prefixes: &[String]) -> Vec<Mention> {
    let files = tree.rust().filter(|file| file.crate_folder() != Some(LEFT_OUT));
    files.flat_map(|file| mentions_in(file, prefixes)).collect()
}

fn mentions_in(file: &File, prefixes: &[String]) -> Vec<Mention> {
    let source = Source::read(&file.text);
    let code = source.code();
    let all_functions = matches!(file.crate_folder(), Some(SUITE | BENCH));
    let mut found = Vec::new();
    for function in source.functions(&code) {
        let head = head(&file.text, function.span.start);
        if all_functions || is_test(&code[head..function.span.start]) {
            found.extend(in_function(file, &function, head, prefixes));
        }
    }
    if file.crate_folder() == Some(BENCH) {
        found.extend(elsewhere(file, &found, prefixes));
    }
    found
}

/// Each id once per test, at the line of the test's `fn`.
fn in_function(file: &File, function: &Function<'_>, head: usize, prefixes: &[String]) -> Vec<Mention> {
    let mut ids = ids(&file.text[head..function.span.end], prefixes);
    ids.dedup();
    let line = line_of(&file.text, function.span.start);
    let mention = |id| Mention { id, path: file.path.clone(), line, test: function.name.to_owned() };
    ids.into_iter().map(mention).collect()
}

/// Ids outside functions, e.g. in a module's head or a table of scenarios.
fn elsewhere(file: &File, found: &[Mention], prefixes: &[String]) -> Vec<Mention> {
    let lines = file
        .text
        .lines()
        .enumerate()
        .flat_map(|(index, line)| ids(line, prefixes).into_iter().map(move |id| (index + 1, id)));
    let new = lines.filter(|(_, id)| !found.iter().any(|mention| mention.id == *id));
    new.map(|(line, id)| Mention { id, path: file.path.clone(), line, test: "(scenario)".into() }).collect()
}

/// Start of the comments and attributes right above the line that holds `at`.
fn head(text: &str, at: usize) -> usize {
    let mut start = line_start(text, at);
    while start > 0 {
        let above = line_start(text, start - 1);
        let line = text[above..start].trim();
        if !(line.starts_with("//") || line.starts_with("#[")) {
            break;
        }
        start = above;
    }
    start
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// `#[test]`, `#[tokio::test]`, `#[tokio::test(…)]`.
fn is_test(head: &str) -> bool {
    ["#[test]", "::test]", "::test("].iter().any(|attribute| head.contains(attribute))
}

/// `KER-10`, `KER_10` and `ker_10` are all KER-10; sorted.
fn ids(text: &str, prefixes: &[String]) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let of = |prefix: &String| {
        let letters = prefix.to_ascii_lowercase();
        let places = lower.match_indices(&letters).map(|(at, found)| at..at + found.len());
        places.filter_map(|place| Some(format!("{prefix}-{}", number(&lower, place)?))).collect::<Vec<_>>()
    };
    let mut ids: Vec<String> = prefixes.iter().flat_map(of).collect();
    ids.sort();
    ids
}

/// The number behind a prefix that begins a word (after `_` too: it may stand inside a name).
fn number(text: &str, prefix: Range<usize>) -> Option<&str> {
    let free = text[..prefix.start].bytes().next_back().is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let rest = text[prefix.end..].strip_prefix(['-', '_']).filter(|_| free)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ends = rest[digits..].bytes().next().is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (digits > 0 && ends).then(|| &rest[..digits])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let found = mentions(&Tree::of(&[(path, text)]), &["KER".to_owned(), "DOC".to_owned()]);
        let shown: Vec<String> = found.iter().map(|mention| format!("{} {mention}", mention.id)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn ids_are_found_in_name_comment_and_body_of_a_test() {
        let text = "// KER-1 and DOC-2\n#[test]\nfn replay_ker_10_holds() { check(\"KER-3\"); }\n";
        let at = "a.rs:3 replay_ker_10_holds";
        check(
            "a.rs",
            text,
            &[&format!("DOC-2 {at}"), &format!("KER-1 {at}"), &format!("KER-10 {at}"), &format!("KER-3 {at}")],
        );
    }

    #[test]
    fn what_is_not_a_test_does_not_count() {
        check("a.rs", "//! KER-1\n\n// KER-1\nfn a() {}\n\n// KER-1\n\n#[test]\nfn b() {}\n", &[]);
        check("a.rs", "#[test]\nfn maker_1() { KER_1A; KER; }\n", &[]);
        check("crates/xtask/src/a.rs", "#[test]\nfn ker_1() {}\n", &[]);
    }

    #[test]
    fn tests_of_every_kind_count() {
        check("a.rs", "#[tokio::test(flavor = \"x\")]\nasync fn ker_1() {}\n", &["KER-1 a.rs:2 ker_1"]);
        check("a.rs", "proptest! {\n    #[test]\n    fn ker_1(x in 0..1) {}\n}\n", &["KER-1 a.rs:3 ker_1"]);
    }

    #[test]
    fn in_the_suite_every_function_counts_and_in_the_bench_every_mention() {
        let text = "//! DOC-1\n\n/// KER-6\npub fn atomic() {}\n";
        check("crates/store-suite/src/a.rs", text, &["KER-6 crates/store-suite/src/a.rs:4 atomic"]);
        check(
            "crates/bench/src/a.rs",
            text,
            &["KER-6 crates/bench/src/a.rs:4 atomic", "DOC-1 crates/bench/src/a.rs:1 (scenario)"],
        );
    }
}
