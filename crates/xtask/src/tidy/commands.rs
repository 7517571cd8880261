//! Commands in the documents are run: each block of `sh` stands in a section that a test names by `guide!("page", "section", …)`, or its
//! fence says why it is not run: ```` ```sh not-run: needs Docker ````.

use super::Finding;
use crate::repo::{File, Tree};

const FENCE: &str = "```";
const MARK: &str = "not-run: ";
/// Shells by other names: a reader knows one, and so does the test.
const OTHERS: [&str; 3] = ["bash", "shell", "zsh"];
/// Shorter is no reason.
const REASON_MIN: usize = 10;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let run: Vec<(&str, &str)> = tree.rust().flat_map(|file| guides(&file.text)).collect();
    tree.files.iter().filter(|file| file.is_markdown()).flat_map(|page| check_page(page, &run)).collect()
}

/// A block of commands.
struct Block<'a> {
    line: usize,
    /// What follows the three ticks.
    info: &'a str,
    section: &'a str,
    text: String,
}

fn check_page(page: &File, run: &[(&str, &str)]) -> Vec<Finding> {
    let is_run = |section: &str| run.iter().any(|(path, begin)| *path == page.path && section.starts_with(begin));
    let found = blocks(&page.text).into_iter().filter_map(|block| {
        let message = wrong(&block, is_run(block.section))?;
        Some(Finding::new(page, block.line, message))
    });
    found.collect()
}

fn wrong(block: &Block<'_>, is_run: bool) -> Option<String> {
    let (language, rest) = block.info.split_once(' ').unwrap_or((block.info, ""));
    if OTHERS.contains(&language) {
        return Some(format!("a block of `{language}`: commands are `sh`, what is printed is `text`"));
    }
    if language != "sh" {
        return None;
    }
    match rest.strip_prefix(MARK) {
        Some(reason) if reason.len() >= REASON_MIN => None,
        Some(_) => Some("commands that are not run, without a reason".to_owned()),
        None if !is_run => Some(format!(
            "commands that no test runs: name `{}` in a test by guide!(…), or mark the fence `sh {MARK}why`",
            block.section
        )),
        // The test has its own server; all else that is built would be left out in silence.
        None if block.text.contains("cargo run") && !block.text.contains(" serve") => Some(format!(
            "commands that the test leaves out because they build something: mark the fence `sh {MARK}why`"
        )),
        None => None,
    }
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut section, mut open) = (vec![], "", None::<Block<'_>>);
    for (index, line) in text.lines().enumerate() {
        match (open.as_mut(), line.strip_prefix(FENCE)) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.text += &format!("{line}\n"),
            (None, Some(info)) => open = Some(Block { line: index + 1, info, section, text: String::new() }),
            (None, None) => section = line.strip_prefix("## ").unwrap_or(section),
        }
    }
    blocks
}

/// Pages and sections that a test runs.
fn guides(text: &str) -> Vec<(&str, &str)> {
    let named = |rest: &'_ str| -> Option<(usize, usize, usize)> {
        let page = rest.strip_prefix('"')?.find('"')?;
        let section_at = page + 2 + rest[page + 2..].find('"')? + 1;
        (rest[page + 2..section_at].trim() == ", \"").then_some((page, section_at, rest[section_at..].find('"')?))
    };
    let calls = text.split("guide!(").skip(1).map(str::trim_start);
    calls.filter_map(|rest| named(rest).map(|(page, at, length)| (&rest[1..=page], &rest[at..at + length]))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn commands_that_are_neither_run_nor_marked_are_found() {
        let page = "# A\n```sh\nno\n```\n## Run me now\n```sh\nyes\n```\n```text\nx\n```\n```sh not-run: needs Docker\nx\n```\n\
                    ```sh not-run: no\nx\n```\n```bash\nx\n```\n```sh\ncargo run -- status\n```\n```sh\ncargo run -- serve\n```\n";
        let test = "fn t() { follow(guide!(\"docs/a.md\", \"Run me\", address)); other!(\"docs/a.md\", \"x\") }";
        expect_findings(
            check,
            &[("docs/a.md", page), ("crates/a/tests/guide.rs", test)],
            &[
                "docs/a.md:2: commands that no test runs: name `` in a test by guide!(…), or mark the fence `sh not-run: why`",
                "docs/a.md:15: commands that are not run, without a reason",
                "docs/a.md:18: a block of `bash`: commands are `sh`, what is printed is `text`",
                "docs/a.md:21: commands that the test leaves out because they build something: mark the fence `sh not-run: why`",
            ],
        );
    }
}
