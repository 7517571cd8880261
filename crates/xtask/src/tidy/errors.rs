//! Codes and their pages: `Code::new("NAME"` in a crate, `docs/errors/NAME.md` for its readers.

use super::Finding;
use crate::repo::{File, Tree};
use crate::source::{Source, line_of, words};

const DECLARATION: &str = "Code::new";
const PAGES: &str = "docs/errors/";

/// Where a code is declared.
struct Declared<'a> {
    name: &'a str,
    file: &'a File,
    line: usize,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let codes: Vec<Declared<'_>> = tree.rust().filter(|file| is_product(&file.path)).flat_map(declared).collect();
    let pages: Vec<(&str, &File)> = tree.files.iter().filter_map(|file| Some((page(&file.path)?, file))).collect();
    let without_page = codes.iter().filter(|code| !pages.iter().any(|(name, _)| *name == code.name));
    let without_code = pages.iter().filter(|(name, _)| !codes.iter().any(|code| code.name == *name));
    let missing = without_page
        .map(|code| Finding::new(code.file, code.line, format!("code {0} has no page {PAGES}{0}.md", code.name)));
    let stale = without_code.map(|(name, file)| Finding::new(file, 1, format!("no crate declares the code {name}")));
    missing.chain(stale).collect()
}

/// Examples count: whoever runs one meets its codes too.
fn is_product(path: &str) -> bool {
    (path.starts_with("crates/") || path.starts_with("examples/")) && path.contains("/src/")
}

/// The code that a page is about; the index is about none.
fn page(path: &str) -> Option<&str> {
    let name = path.strip_prefix(PAGES)?.strip_suffix(".md")?;
    (name != "README").then_some(name)
}

/// Codes made in unit tests (below `#[cfg(test)]`) are nobody's.
fn declared(file: &File) -> Vec<Declared<'_>> {
    let source = Source::read(&file.text);
    let code = source.code();
    let product = code.find("#[cfg(test)]").unwrap_or(code.len());
    let places = words(&code[..product], DECLARATION)
        .filter_map(|at| Some((at, literal(&file.text[at + DECLARATION.len()..])?)));
    places.map(|(at, name)| Declared { name, file, line: line_of(&code, at) }).collect()
}

fn literal(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('(')?.trim_start().strip_prefix('"')?.split_once('"').map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn a_code_without_page_and_a_page_without_code_are_found() {
        let code = "/// Code::new(\"ACOMMENT\")\nconst A: Code = Code::new(\"AONE\", 400);\nconst B: Code = Code::new(\n    \"ATWO\"\n);\n\
                    fn new(name: &str) { Code::new(name, 1) }\n#[cfg(test)]\nmod tests { const T: Code = Code::new(\"ATEST\"); }\n";
        let files = [
            ("crates/a/src/code.rs", code),
            ("docs/errors/AONE.md", ""),
            ("docs/errors/AOLD.md", ""),
            ("docs/errors/README.md", ""),
        ];
        expect_findings(
            check,
            &files,
            &[
                "crates/a/src/code.rs:3: code ATWO has no page docs/errors/ATWO.md",
                "docs/errors/AOLD.md:1: no crate declares the code AOLD",
            ],
        );
    }
}
