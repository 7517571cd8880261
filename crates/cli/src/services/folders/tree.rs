//! What lies in a folder of this machine.

use std::path::Path;

use synxpo::names::OWN_NAME;

use crate::failure::Failure;
use crate::local;

/// Calls `visit` with the path below the root of all that lies at or below `below`, and with whether it is a folder; folders for which it
/// says no are not looked into. What cannot be read is left out, and so is what is our own.
pub(super) fn visit(root: &Path, below: &str, mut visit: impl FnMut(&str, bool) -> bool) -> Result<(), Failure> {
    let mut open = vec![below.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = match local::entries(&root.join(&folder)) {
            Err(error) if folder == below => return Err(Failure::here(format!("{}: {error}", root.display()))),
            entries => entries.unwrap_or_default(),
        };
        for (name, is_folder) in entries {
            if folder.is_empty() && name == OWN_NAME {
                continue;
            }
            let path = join(&folder, &name);
            if visit(&path, is_folder) && is_folder {
                open.push(path);
            }
        }
    }
    Ok(())
}

/// A path below a folder (`""`: the root).
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The folder of a path; `""` is the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a path.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes files")]
mod tests {
    use super::*;

    #[test]
    fn fld_22_a_walk_leaves_out_what_is_our_own_and_follows_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["a/b", ".fastness/stage", "c"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        std::fs::write(root.join("a/b/x"), "").unwrap();
        std::os::unix::fs::symlink(root, root.join("c/up")).unwrap();
        let mut seen = vec![];
        visit(root, "", |path, is_folder| {
            seen.push((path.to_owned(), is_folder));
            true
        })
        .unwrap();
        seen.sort();
        let seen: Vec<(&str, bool)> = seen.iter().map(|(path, is)| (path.as_str(), *is)).collect();
        assert_eq!(seen, [("a", true), ("a/b", true), ("a/b/x", false), ("c", true), ("c/up", false)]);
        assert!(visit(&root.join("none"), "", |_, _| true).is_err());
    }
}
