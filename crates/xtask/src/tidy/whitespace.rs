//! Invisible differences.

use super::Finding;
use crate::repo::{File, Tree};

pub(super) fn trailing(tree: &Tree) -> Vec<Finding> {
    let bad = |line: &str| line.ends_with([' ', '\t', '\r']);
    tree.files.iter().flat_map(|file| lines(file, bad, "blanks at the end of the line")).collect()
}

pub(super) fn tabs(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(|file| lines(file, |line| line.contains('\t'), "a tab")).collect()
}

fn lines(file: &File, bad: impl Fn(&str) -> bool, message: &str) -> Vec<Finding> {
    let numbered = file.text.split('\n').enumerate().filter(|(_, line)| bad(line));
    numbered.map(|(index, _)| Finding::new(file, index + 1, message)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn blanks_at_the_end_of_lines_are_found() {
        let expected = [2, 3].map(|line| format!("a.md:{line}: blanks at the end of the line"));
        expect_findings(trailing, &[("a.md", "a\nb \nc\r\nd\n")], &expected.each_ref().map(String::as_str));
    }

    #[test]
    fn tabs_are_found_in_rust_only() {
        expect_findings(tabs, &[("a.rs", "a\n\tb\n"), ("Makefile", "\tb\n")], &["a.rs:2: a tab"]);
    }
}
