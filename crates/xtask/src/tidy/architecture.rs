//! Names in ARCHITECTURE.md that look like paths must exist.

use super::Finding;
use crate::repo::{File, Tree};

const FILE: &str = "ARCHITECTURE.md";
const ROOTS: [&str; 4] = ["crates/", "docs/", "examples/", ".ci/"];

/// Characters of patterns such as `crates/*/src`, which are not names.
const PATTERN: [char; 5] = ['*', '<', '{', '…', ' '];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let map = tree.files.iter().filter(|file| file.path == FILE);
    map.flat_map(|file| check_file(file, tree)).collect()
}

fn check_file(file: &File, tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let names = line.split('`').skip(1).step_by(2).filter(|name| is_path(name) && !tree.has(name));
        findings.extend(names.map(|name| Finding::new(file, index + 1, format!("`{name}` does not exist"))));
    }
    findings
}

fn is_path(name: &str) -> bool {
    ROOTS.iter().any(|root| name.starts_with(root)) && !name.contains(PATTERN)
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn a_name_that_is_gone_is_found() {
        let text = "see `crates/base`\nand `crates/gone/src` or `crates/*/src`, `kernel`, `docs/a.md`\n";
        let files = [("ARCHITECTURE.md", text), ("crates/base/src/lib.rs", ""), ("other.md", text), ("docs/a.md", "")];
        expect_findings(check, &files, &["ARCHITECTURE.md:2: `crates/gone/src` does not exist"]);
    }
}
