//! What `Cargo.lock` pins: the registry alone, and no version that is known to be dangerous.

use super::Finding;
use crate::repo::{File, Tree};

/// What must not come back, and why. The version of SQLite itself is asked for by a test of `store-sqlite`.
const LEAST: [(&str, [u64; 3], &str); 3] = [
    ("h2", [0, 4, 4], "earlier ones take CONTINUATION frames without end"),
    ("rustls", [0, 23, 18], "earlier ones can be made to panic by a client's first message"),
    ("tracing-subscriber", [0, 3, 20], "earlier ones write escapes of a terminal into logs"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().filter(|file| file.path.ends_with("Cargo.lock")).flat_map(check_lock).collect()
}

fn check_lock(file: &File) -> Vec<Finding> {
    let mut findings = vec![];
    let mut name = "";
    for (index, line) in file.text.lines().enumerate() {
        match line.split_once(" = ") {
            Some(("name", value)) => name = value.trim_matches('"'),
            Some(("version", value)) => {
                let wrong = too_old(name, value.trim_matches('"'));
                findings.extend(wrong.map(|why| Finding::new(file, index + 1, why)));
            }
            Some(("source", value)) if !value.starts_with("\"registry+") => {
                findings.push(Finding::new(file, index + 1, format!("`{name}` is not from the registry")));
            }
            _ => {}
        }
    }
    findings
}

fn too_old(name: &str, version: &str) -> Option<String> {
    let (_, least, why) = LEAST.iter().find(|(least, _, _)| *least == name)?;
    let mut numbers = version.split(['.', '-', '+']).map(|part| part.parse().unwrap_or(0));
    let held = [(); 3].map(|()| numbers.next().unwrap_or(0));
    (held < *least).then(|| format!("`{name}` {version} is too old: {why}"))
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn old_versions_and_other_sources_are_found() {
        let lock = "[[package]]\nname = \"h2\"\nversion = \"0.4.3\"\nsource = \"registry+https://x\"\n\n[[package]]\nname = \"own\"\nversion = \"1.0.0\"\nsource = \"git+https://x\"\n";
        let good = "[[package]]\nname = \"h2\"\nversion = \"0.10.0\"\n";
        let expected = [
            "Cargo.lock:3: `h2` 0.4.3 is too old: earlier ones take CONTINUATION frames without end",
            "Cargo.lock:9: `own` is not from the registry",
        ];
        expect_findings(check, &[("Cargo.lock", lock), ("fuzz/Cargo.lock", good)], &expected);
    }
}
