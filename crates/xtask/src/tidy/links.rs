//! Relative links in Markdown, pictures among them, lead to files of the repository, and their anchors to headings.

use super::Finding;
use crate::repo::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().filter(|file| file.is_markdown()).flat_map(|file| check_file(file, tree)).collect()
}

fn check_file(file: &File, tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in prose(&file.text) {
        let broken = targets(&line).filter_map(|target| wrong(file, target, tree));
        findings.extend(broken.map(|message| Finding::new(file, index + 1, message)));
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

/// What is wrong with a link.
fn wrong(from: &File, target: &str, tree: &Tree) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let page = match path {
        "" => Some(from.path.clone()),
        path => join(&from.path, path).filter(|path| tree.has(path)),
    };
    let Some(page) = page else { return Some(format!("link to `{target}` leads nowhere")) };
    let page = tree.files.iter().find(|file| file.path == page && file.is_markdown());
    let is_there = |page: &File| anchors(&page.text).iter().any(|known| known == anchor);
    let is_lost = !anchor.is_empty() && page.is_some_and(|page| !is_there(page));
    is_lost.then(|| format!("link to `{target}`: there is no such heading"))
}

/// What links name the headings of a page by, as the usual sites make it.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for heading in headings(text) {
        let anchor = anchor(heading);
        let before = anchors.iter().filter(|known| is_repeat(known, &anchor)).count();
        anchors.push(if before == 0 { anchor } else { format!("{anchor}-{before}") });
    }
    anchors
}

/// Whether it is this anchor, or this anchor with a number.
fn is_repeat(known: &str, anchor: &str) -> bool {
    known.strip_prefix(anchor).is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok())
    })
}

/// The texts of headings outside fenced code.
fn headings(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter_map(move |line| {
        fenced ^= line.trim_start().starts_with("```");
        let rest = line.trim_start_matches('#');
        let is_one = !fenced && rest.len() < line.len() && rest.starts_with(' ');
        is_one.then(|| rest.trim())
    })
}

/// Small letters and digits, dashes for blanks, nothing else; of a link its text.
fn anchor(heading: &str) -> String {
    let mut text = String::new();
    for (at, part) in heading.split("](").enumerate() {
        text += if at == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) };
    }
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
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
        let text = format!("# F\n{text}");
        let files = [("docs/a.md", text.as_str()), ("docs/b.md", ""), ("src/lib.rs", "")];
        expect_findings(
            check,
            &files,
            &[
                "docs/a.md:3: link to `gone.md` leads nowhere",
                "docs/a.md:7: link to `gone/` leads nowhere",
                "docs/a.md:8: link to `../../out` leads nowhere",
                "docs/a.md:8: link to `/abs` leads nowhere",
            ],
        );
    }

    #[test]
    fn anchors_without_a_heading_are_found_here_and_elsewhere() {
        let text =
            "[a](#two-words) [b](b.md#what-is-promised-and-what-not) [c](b.md#gone) [d](#nowhere)\n## Two words\n";
        let other = "## What is promised, and what not\n```\n## gone\n```\n";
        expect_findings(
            check,
            &[("docs/a.md", text), ("docs/b.md", other)],
            &[
                "docs/a.md:1: link to `b.md#gone`: there is no such heading",
                "docs/a.md:1: link to `#nowhere`: there is no such heading",
            ],
        );
    }

    #[test]
    fn anchors_are_made_as_sites_make_them() {
        let page = "# A\n## The `poll` of [x](y.md): now\n## A\n## snake_case & co\n";
        assert_eq!(anchors(page), ["a", "the-poll-of-x-now", "a-1", "snake_case--co"]);
    }
}
