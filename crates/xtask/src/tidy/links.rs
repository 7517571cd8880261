//! Relative links in Markdown lead to files of the repository.

use super::Finding;
use crate::repo::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().filter(|file| file.is_markdown()).flat_map(|file| check_file(file, tree)).collect()
}

fn check_file(file: &File, tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in prose(&file.text) {
        let broken = targets(&line).filter(|target| !resolves(&file.path, target, tree));
        findings
            .extend(broken.map(|target| Finding::new(file, index + 1, format!("link to `{target}` leads nowhere"))));
    }
    findings
}

/// Lines outside fenced code, with inline code blanked.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((index, line.split('`').step_by(2).collect::<Vec<_>>().join("``")));
        }
    }
    lines
}

/// Targets of `[text](target)` and of `[name]: target`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let definition =
        line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target.trim());
    inline.chain(definition).map(|target| target.trim_start_matches('<').trim_end_matches('>'))
}

fn resolves(from: &str, target: &str, tree: &Tree) -> bool {
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
        return true;
    }
    join(from, path).is_some_and(|path| tree.has(&path))
}

/// `None` when the path leaves the repository.
fn join(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    (!path.starts_with('/')).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn broken_links_are_found() {
        let text = "[a](b.md) [c](../src/lib.rs#L1) [d](https://x.org/y) [e](#f)\n[g](gone.md) and `[h](no)`\n\
                    ```\n[i](no)\n```\n[j]: gone/\n[k](../../out) [l](/abs)\n";
        let files = [("docs/a.md", text), ("docs/b.md", ""), ("src/lib.rs", "")];
        expect_findings(
            check,
            &files,
            &[
                "docs/a.md:2: link to `gone.md` leads nowhere",
                "docs/a.md:6: link to `gone/` leads nowhere",
                "docs/a.md:7: link to `../../out` leads nowhere",
                "docs/a.md:7: link to `/abs` leads nowhere",
            ],
        );
    }
}
