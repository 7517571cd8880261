//! Which line of which ignore file it is that a path is not kept in step for.

use std::path::Path;

use folder_agent::ignore::{IGNORE_NAME, Ignores};

use super::tree::join;
use crate::failure::Failure;
use crate::local;

/// Ignore files, each with the folder that it lies in.
#[derive(Debug, Default)]
pub(super) struct Rules(Vec<(String, String)>);

/// A line of an ignore file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The file, below the root.
    pub(super) file: String,
    /// The line.
    pub(super) line: String,
    /// What it names: the path itself, or a folder above it.
    pub(super) names: String,
}

impl Rules {
    /// Those that can speak of a path: of all folders above it.
    pub(super) fn about(root: &Path, path: &str) -> Result<Self, Failure> {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        let mut rules = Self::default();
        for folder in std::iter::once("").chain(above) {
            rules.read(root, folder)?;
        }
        Ok(rules)
    }

    /// Reads the file of a folder, if it has one.
    pub(super) fn read(&mut self, root: &Path, folder: &str) -> Result<(), Failure> {
        let path = root.join(folder).join(IGNORE_NAME);
        let text = local::text(&path).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(Failure::here(format!("{}: {error}", path.display()))),
        })?;
        self.0.extend(text.map(|text| (folder.to_owned(), text)));
        Ok(())
    }

    /// All lines that say something, each with its file.
    pub(super) fn lines(&self) -> impl Iterator<Item = (String, &str)> {
        self.0.iter().flat_map(|(folder, text)| {
            let says = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
            text.lines().filter(says).map(|line| (join(folder, IGNORE_NAME), line))
        })
    }

    /// The line that decides that a path is ignored; `None` if it is kept in step.
    pub(super) fn deciding(&self, path: &str, is_folder: bool) -> Option<Rule> {
        let all = Ignores::new(self.0.iter().map(|(folder, text)| (folder.as_str(), text.as_str())));
        let above = path.match_indices('/').map(|(at, _)| (&path[..at], true));
        let (named, is_folder) = above.chain([(path, is_folder)]).find(|(path, is)| all.is_ignored(path, *is))?;
        // Of several files the deepest decides, of several lines the last: alone, too, it says the same.
        let deepest_first = self.0.iter().rev().flat_map(|(folder, text)| text.lines().rev().map(move |l| (folder, l)));
        let mut ignoring = deepest_first
            .filter(|(folder, line)| Ignores::new([(folder.as_str(), *line)]).is_ignored(named, is_folder));
        let (folder, line) = ignoring.next()?;
        Some(Rule { file: join(folder, IGNORE_NAME), line: line.to_owned(), names: named.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        let texts = [("", "# notes\n*.tmp\n*.log\n!keep.log\nbuild/\n"), ("a", "!*.tmp\nonly\n")];
        Rules(texts.map(|(folder, text)| (folder.to_owned(), text.to_owned())).to_vec())
    }

    #[test]
    fn fld_22_the_line_that_decides_is_named() {
        let deciding = |path: &str| rules().deciding(path, false).map(|rule| (rule.file, rule.line, rule.names));
        let rule = |file: &str, line: &str, names: &str| Some((file.to_owned(), line.to_owned(), names.to_owned()));
        assert_eq!(deciding("x.tmp"), rule(".fastnessignore", "*.tmp", "x.tmp"));
        assert_eq!(deciding("x/build/y/z"), rule(".fastnessignore", "build/", "x/build"));
        assert_eq!(deciding("a/only"), rule("a/.fastnessignore", "only", "a/only"));
        assert_eq!((deciding("a/x.tmp"), deciding("keep.log"), deciding("b/only")), (None, None, None));
    }

    #[test]
    fn fld_22_comments_are_no_rules() {
        assert_eq!(rules().lines().count(), 6);
    }
}
