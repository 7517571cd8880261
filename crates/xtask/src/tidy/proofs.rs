//! Tests that docs/security.md names must be there.

use super::Finding;
use crate::repo::{File, Tree};

const FILE: &str = "docs/security.md";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let pages = tree.files.iter().filter(|file| file.path == FILE);
    pages.flat_map(|file| check_file(file, tree)).collect()
}

fn check_file(file: &File, tree: &Tree) -> Vec<Finding> {
    let mut findings = vec![];
    for (index, line) in file.text.lines().enumerate() {
        let names = line.split('`').skip(1).step_by(2).filter(|name| is_test(name) && !is_there(name, tree));
        findings.extend(names.map(|name| Finding::new(file, index + 1, format!("no test is called `{name}`"))));
    }
    findings
}

/// A sentence in the form of a name; what begins with an id may be cut short by `…`.
fn is_test(name: &str) -> bool {
    let words = name.trim_end_matches('…');
    words.matches('_').count() >= 3
        && words.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

fn is_there(name: &str, tree: &Tree) -> bool {
    let head = match name.strip_suffix('…') {
        Some(beginning) => format!("fn {beginning}"),
        None => format!("fn {name}("),
    };
    tree.rust().any(|file| file.text.contains(&head))
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn a_test_that_is_gone_is_found() {
        let text = "`ker_1_a_thing_holds` and `ker_1_a_thing_is_gone`, `ker_1_a_thing…`, `fld_20_x_…`\n`server.body_timeout`, `a_b`\n";
        let source = "#[test]\nfn ker_1_a_thing_holds() {}\n";
        let files = [("docs/security.md", text), ("crates/a/src/lib.rs", source)];
        let expected = [
            "docs/security.md:1: no test is called `ker_1_a_thing_is_gone`",
            "docs/security.md:1: no test is called `fld_20_x_…`",
        ];
        expect_findings(check, &files, &expected);
    }
}
