//! Words that say "later". What is really later has a requirement id.

use super::Finding;
use crate::repo::{File, Tree};
use crate::source::{Source, line_of, words};

const MACROS: [&str; 2] = ["todo", "unimplemented"];
const WORDS: [&str; 2] = ["FIXME", "XXX"];

/// Prose may speak about these words, so Markdown is left out.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().filter(|file| !file.is_markdown()).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    if !file.is_rust() {
        return find(file, &file.text, &WORDS, "").collect();
    }
    let source = Source::read(&file.text);
    let (code, said) = (source.code(), source.without_literals());
    find(file, &code, &MACROS, "!").chain(find(file, &said, &WORDS, "")).collect()
}

fn find<'a>(file: &'a File, text: &'a str, list: &'a [&'a str], then: &'a str) -> impl Iterator<Item = Finding> + 'a {
    let places = list.iter().flat_map(move |word| words(text, word).map(move |at| (at, *word)));
    let wanted = places.filter(move |(at, word)| text[at + word.len()..].starts_with(then));
    wanted.map(move |(at, word)| Finding::new(file, line_of(text, at), format!("`{word}{then}` is not finished work")))
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn unfinished_work_is_found_in_code_and_comments_but_not_in_literals() {
        let text = "fn a() { todo!() }\n// FIXME later\nfn b() { unimplemented!(\"XXX\") }\nlet todo = \"todo!\";\n";
        expect_findings(
            check,
            &[("a.rs", text)],
            &[
                "a.rs:1: `todo!` is not finished work",
                "a.rs:3: `unimplemented!` is not finished work",
                "a.rs:2: `FIXME` is not finished work",
            ],
        );
    }

    #[test]
    fn other_files_are_read_whole_but_prose_is_not() {
        let text = "# XXX\nmktemp /tmp/a.XXXXXX\n";
        expect_findings(check, &[("run", text), ("a.md", text)], &["run:1: `XXX` is not finished work"]);
    }
}
