//! How long functions and files may be.

use super::Finding;
use crate::repo::{File, Tree};
use crate::source::{Source, line_of};

const FUNCTION_LINES_MAX: usize = 70;
const FILE_LINES_MAX: usize = 800;

/// From the line with `fn` to that with the closing brace, comments included.
pub(super) fn functions(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(functions_of).collect()
}

fn functions_of(file: &File) -> Vec<Finding> {
    let source = Source::read(&file.text);
    let mut findings = Vec::new();
    for function in source.functions(&source.code()) {
        let first = line_of(&file.text, function.span.start);
        let lines = line_of(&file.text, function.span.end) - first + 1;
        if lines > FUNCTION_LINES_MAX {
            let message = format!("function `{}` has {lines} lines, at most {FUNCTION_LINES_MAX}", function.name);
            findings.push(Finding::new(file, first, message));
        }
    }
    findings
}

pub(super) fn files(tree: &Tree) -> Vec<Finding> {
    let long = tree.rust().map(|file| (file, file.text.lines().count())).filter(|(_, lines)| *lines > FILE_LINES_MAX);
    long.map(|(file, lines)| Finding::new(file, 1, format!("{lines} lines, at most {FILE_LINES_MAX}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    fn function_of(lines: usize) -> String {
        format!("// {{\nfn long() {{\n{}}}\n", "    let a = \"}\";\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_of_71_lines_is_found_and_one_of_70_is_not() {
        let finding = "a.rs:2: function `long` has 71 lines, at most 70";
        expect_findings(functions, &[("a.rs", &function_of(71)), ("b.rs", &function_of(70))], &[finding]);
    }

    #[test]
    fn a_file_of_801_lines_is_found_and_one_of_800_is_not() {
        let (long, short) = ("\n".repeat(801), "\n".repeat(800));
        expect_findings(
            files,
            &[("a.rs", &long), ("b.rs", &short), ("a.md", &long)],
            &["a.rs:1: 801 lines, at most 800"],
        );
    }
}
