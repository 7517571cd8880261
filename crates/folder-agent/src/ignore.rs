//! What the user does not want to be kept in step: files called `.fastnessignore`, in the syntax that Git has (FLD-22). Pure: texts in, answers out.
//!
//! A file speaks of the folder that it lies in and of all below. Of several lines the last that fits decides, of several files the deepest. What lies in
//! a folder that is ignored is ignored, whatever is said of it. The files themselves are kept in step like all others.

use std::collections::BTreeMap;

use ::ignore::Match;
use ::ignore::gitignore::{Gitignore, GitignoreBuilder};

/// What a file is called whose lines say what is ignored.
pub const IGNORE_NAME: &str = ".fastnessignore";
/// A file of more bytes is no list that somebody wrote.
pub const IGNORE_BYTES_MAX: usize = 1 << 20;

/// What is ignored.
#[derive(Debug, Default)]
pub struct Ignores {
    /// By folder (`""`: the root).
    files: BTreeMap<String, Gitignore>,
    problems: Vec<String>,
}

impl Ignores {
    /// From the texts of all files, each with the folder that it lies in (`""`: the root).
    #[must_use]
    pub fn new<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut ignores = Self::default();
        for (folder, text) in texts {
            ignores.add(folder, text);
        }
        ignores
    }

    /// Lines that nobody understands, for people; they are as if they were not there.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Whether nothing is ignored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether a path is not to be kept in step.
    #[must_use]
    pub fn is_ignored(&self, path: &str, is_folder: bool) -> bool {
        if self.files.is_empty() {
            return false;
        }
        let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
        above.any(|folder| self.is_named(folder, true)) || self.is_named(path, is_folder)
    }

    /// Whether the lines name this very path.
    fn is_named(&self, path: &str, is_folder: bool) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name == IGNORE_NAME && !is_folder {
            return false;
        }
        let folders = path.rmatch_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..])).chain([("", path)]);
        for (folder, below) in folders {
            let Some(file) = self.files.get(folder) else { continue };
            match file.matched(below, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }

    fn add(&mut self, folder: &str, text: &str) {
        let place = crate::disk::join(folder, IGNORE_NAME);
        if text.len() > IGNORE_BYTES_MAX {
            self.problems.push(format!("{place}: {} bytes are too many, at most {IGNORE_BYTES_MAX}", text.len()));
            return;
        }
        let mut builder = GitignoreBuilder::new("");
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if let Err(error) = builder.add_line(None, line) {
                self.problems.push(format!("{place}, line {}: {error}", number + 1));
            }
        }
        match builder.build() {
            Ok(file) => drop(self.files.insert(folder.to_owned(), file)),
            Err(error) => self.problems.push(format!("{place}: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of `path: text`; which of the paths are ignored. A path with a `/` at its end is a folder.
    fn check(texts: &[(&str, &str)], ignored: &[&str], kept: &[&str]) {
        let ignores = Ignores::new(texts.iter().copied());
        assert!(ignores.problems().is_empty(), "{:?}", ignores.problems());
        let is_ignored = |path: &str| ignores.is_ignored(path.trim_end_matches('/'), path.ends_with('/'));
        ignored.iter().for_each(|path| assert!(is_ignored(path), "{path} is ignored"));
        kept.iter().for_each(|path| assert!(!is_ignored(path), "{path} is kept"));
    }

    #[test]
    fn fld_22_without_files_nothing_is_ignored() {
        check(&[], &[], &["a", "a/b", ".fastnessignore"]);
        assert!(Ignores::default().is_empty());
    }

    #[test]
    fn fld_22_lines_are_read_as_git_reads_them() {
        let text = "# a comment\n*.tmp\n/top\nbuild/\ndocs/**/draft\n!keep.tmp\n\\#odd\n";
        check(
            &[("", text)],
            &["a.tmp", "x/y/a.tmp", "top", "build/", "x/build/", "docs/draft", "docs/a/b/draft", "#odd"],
            &["a.txt", "x/top", "build", "keep.tmp", "x/keep.tmp", "draft", "# a comment"],
        );
    }

    #[test]
    fn fld_22_what_lies_in_an_ignored_folder_is_ignored() {
        check(&[("", "build/\n!build/keep")], &["build/keep", "x/build/a/b"], &["builder/a"]);
        check(&[("", "build/"), ("build", "!keep")], &["build/keep", "build/.fastnessignore"], &[]);
    }

    #[test]
    fn fld_22_a_deeper_file_decides() {
        let texts = [("", "*.log\n/a/x"), ("a", "!*.log\n/only-here\n*.dat"), ("a/b", "*.log")];
        check(
            &texts,
            &["z.log", "a/x", "a/b/z.log", "a/only-here", "a/b/z.dat"],
            &["a/z.log", "a/b/only-here", "z.dat", "b/z.dat"],
        );
    }

    #[test]
    fn fld_22_the_ignore_file_itself_is_kept_in_step() {
        check(&[("", "*\n.*\n.fastnessignore")], &["a", ".b"], &[".fastnessignore"]);
    }

    #[test]
    fn fld_22_odd_names_and_lines_do_no_harm() {
        let ignores = Ignores::new([("", "\u{feff}first\na[\n*.tmp\r\nspace\\ \n\0\n")]);
        assert!(ignores.is_ignored("first", false) && ignores.is_ignored("a\nb.tmp", false));
        assert!(ignores.is_ignored("space ", false));
        let long = "x".repeat(IGNORE_BYTES_MAX + 1);
        assert_eq!(Ignores::new([("", long.as_str())]).problems().len(), 1);
        assert!(Ignores::new([("a", "{a\n")]).problems().len() <= 1);
    }
}
