//! Paths of the machine someone happened to work on.

use super::Finding;
use crate::repo::{File, Tree};
use crate::source::line_of;

/// In two parts, so that this file does not find itself.
const FOLDERS: [&str; 2] = [concat!("/", "work/"), concat!("/", "root/")];

/// What may stand before an absolute path; after anything else it is a part of a longer one.
const BEFORE: &str = " \t\n\"'`([{=:,<>|";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let places = FOLDERS.into_iter().flat_map(|folder| file.text.match_indices(folder));
    let absolute =
        places.filter(|(at, _)| file.text[..*at].chars().next_back().is_none_or(|before| BEFORE.contains(before)));
    absolute
        .map(|(at, folder)| Finding::new(file, line_of(&file.text, at), format!("`{folder}` is a path of one machine")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn absolute_paths_are_found_and_parts_of_longer_ones_are_not() {
        let text = format!("see {}x\n`{}y`\nhttps://example.org{}\n", FOLDERS[0], FOLDERS[1], FOLDERS[0]);
        let expected = [(1, FOLDERS[0]), (2, FOLDERS[1])]
            .map(|(line, path)| format!("a.md:{line}: `{path}` is a path of one machine"));
        expect_findings(check, &[("a.md", &text)], &expected.each_ref().map(String::as_str));
    }
}
