//! Every crate says what it is, at its first line.

use super::Finding;
use crate::repo::Tree;

const LINES_MIN: usize = 3;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let short = tree.rust().filter(|file| is_crate_root(&file.path)).map(|file| (file, doc_lines(&file.text)));
    let short = short.filter(|(_, lines)| *lines < LINES_MIN);
    short.map(|(file, lines)| Finding::new(file, 1, message(lines))).collect()
}

fn message(lines: usize) -> String {
    format!("begins with {lines} of at least {LINES_MIN} lines of `//!`: purpose, invariants, what is not here")
}

fn is_crate_root(path: &str) -> bool {
    path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs")
}

/// Lines with words in them, from the first line on.
fn doc_lines(text: &str) -> usize {
    let doc = text.lines().map_while(|line| line.strip_prefix("//!"));
    doc.filter(|line| !line.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn a_crate_needs_three_lines_of_words_at_its_top() {
        let files: [(&str, &str); 4] = [
            ("crates/a/src/lib.rs", "//! One.\n//!\n//! Two.\nmod x;\n//! Three.\n"),
            ("crates/b/src/main.rs", "//! One.\n//! Two.\n//! Three.\n"),
            ("crates/c/src/lib.rs", "\n//! One.\n//! Two.\n//! Three.\n"),
            ("crates/d/src/part.rs", ""),
        ];
        let expected =
            [("a", 2), ("c", 0)].map(|(name, lines)| format!("crates/{name}/src/lib.rs:1: {}", message(lines)));
        expect_findings(check, &files, &expected.each_ref().map(String::as_str));
    }
}
