//! The repository as a value: its root, its target folder and its files.
//!
//! Tidy and trace are pure functions of a [`Tree`], so that their tests use a tree made of literals.

use crate::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One file that git knows or would add. `text` is empty for what is not UTF-8 text.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.path.ends_with(".md")
    }

    /// The folder below `crates/` that this file lies in.
    pub(crate) fn crate_folder(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split_once('/').map(|(folder, _)| folder)
    }
}

pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

impl Tree {
    pub(crate) fn load(root: &Path) -> Result<Tree> {
        let mut paths = list(root)?;
        paths.sort();
        paths.dedup();
        Ok(Tree { files: paths.into_iter().filter_map(|path| read(root, path)).collect() })
    }

    /// Whether a file or a folder of this name is there. The empty name is the root.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        path.is_empty() || self.files.iter().any(|file| is_at_or_below(&file.path, path))
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.is_rust())
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
        let file = |&(path, text): &(&str, &str)| File { path: path.into(), text: text.into() };
        Tree { files: files.iter().map(file).collect() }
    }
}

fn is_at_or_below(path: &str, at: &str) -> bool {
    path.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `None` for a file that is deleted in the working tree but still in git's index, and for a link to a folder.
fn read(root: &Path, path: String) -> Option<File> {
    let bytes = std::fs::read(root.join(&path)).ok()?;
    // A corpus is bytes, whatever they look like.
    let is_text = |text: &String| !text.contains('\0') && !path.starts_with("fuzz/corpus/");
    let text = String::from_utf8(bytes).ok().filter(is_text);
    Some(File { path, text: text.unwrap_or_default() })
}

/// Tracked files, and new ones that are not ignored: what a commit of everything would hold.
fn list(root: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let names = String::from_utf8(output.stdout).map_err(|_| "a file name is not UTF-8".to_owned())?;
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}

/// The folder of the workspace: the nearest above this crate (or, run by hand, above the current folder).
pub(crate) fn root() -> Result<PathBuf> {
    let start = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let start = start.or_else(|| std::env::current_dir().ok()).ok_or("there is no current folder")?;
    let found = start.ancestors().find(|folder| is_workspace(folder));
    found.map(Path::to_path_buf).ok_or_else(|| format!("no workspace above {}", start.display()))
}

fn is_workspace(folder: &Path) -> bool {
    std::fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace]"))
}

/// Where cargo builds; the state of started services lies below it.
pub(crate) fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_files_and_their_folders_but_no_half_names() {
        let tree = Tree::of(&[("crates/base/src/lib.rs", "")]);
        assert!(tree.has("crates/base/src/lib.rs") && tree.has("crates/base/") && tree.has(""));
        assert!(!tree.has("crates/ba") && !tree.has("crates/base/src/lib.rs/x"));
    }

    #[test]
    fn the_root_is_the_workspace_and_lists_this_file() {
        let root = root().unwrap();
        assert!(Tree::load(&root).unwrap().has("crates/xtask/src/repo.rs"));
    }
}
