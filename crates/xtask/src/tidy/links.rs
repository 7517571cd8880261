//! Relative links in Markdown, pictures and HTML among them, lead to files of the repository, and their anchors to headings. So do the pages
//! that all other files name, which the program shows: `docs/operations.md#backup` in a text of it.

use super::Finding;
use crate::repo::{File, Tree};

/// Where tests name pages that are not there.
const FIXTURES: &str = "crates/xtask/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let (pages, others): (Vec<&File>, Vec<&File>) = tree.files.iter().partition(|file| file.is_markdown());
    let others = others.into_iter().filter(|file| !file.path.starts_with(FIXTURES));
    let linked = pages.into_iter().flat_map(|file| check_file(file, tree));
    linked.chain(others.flat_map(|file| check_mentions(file, tree))).collect()
}

/// Pages that a file names which is none.
fn check_mentions(file: &File, tree: &Tree) -> Vec<Finding> {
    let lines = file.text.lines().enumerate().filter(|(_, line)| line.contains("docs/"));
    let mentions = lines.flat_map(|(index, line)| mentions(line).map(move |target| (index, target)));
    let root = File { path: String::new(), text: String::new() };
    let broken = mentions.filter_map(|(index, target)| {
        let from = if target.starts_with("..") { file } else { &root };
        wrong(from, target, tree).map(|message| Finding::new(file, index + 1, message))
    });
    broken.collect()
}

/// Paths below `docs` that end in `.md`, with their anchors; none that is made up of parts.
fn mentions(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_./-#{}".contains(c);
    let words = line.split(move |c| !is_part(c)).map(|word| word.trim_end_matches(['.', '#']));
    words.filter(|word| {
        let (path, _) = word.split_once('#').unwrap_or((word, ""));
        let below = path.trim_start_matches("../");
        below.starts_with("docs/") && path.ends_with(".md") && !word.contains(['{', '}'])
    })
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
    let html = ["src=\"", "href=\""]
        .into_iter()
        .flat_map(|name| line.split(name).skip(1).filter_map(|rest| rest.split('"').next()));
    inline.chain(definition).chain(html).map(|target| target.trim_start_matches('<').trim_end_matches('>'))
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
    fn html_and_pages_that_other_files_name_are_looked_at() {
        let files = [
            ("docs/a.md", "<img src=\"gone.png\"> <a href=\"https://x.org\">x</a>\n# B c\n"),
            (
                "crates/x/src/lib.rs",
                "see docs/a.md#b-c.\n\"docs/a.md#c\", docs/no.md\n../../../docs/a.md ../docs/a.md docs/{name}.md",
            ),
            ("crates/xtask/src/a.rs", "docs/no.md"),
        ];
        expect_findings(
            check,
            &files,
            &[
                "docs/a.md:1: link to `gone.png` leads nowhere",
                "crates/x/src/lib.rs:2: link to `docs/a.md#c`: there is no such heading",
                "crates/x/src/lib.rs:2: link to `docs/no.md` leads nowhere",
                "crates/x/src/lib.rs:3: link to `../docs/a.md` leads nowhere",
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
