//! `fastness folders conflicts`: copies that were made because two devices changed one file (FLD-11).

use std::path::PathBuf;

use clap::Args;
use folder_agent::run::{Home, Link};
use serde_json::{Value, json};
use synxpo::names::is_conflict;

use super::place;
use super::tree::{self, folder_of, join, name_of};
use crate::failure::{Done, Failure};
use crate::output::text;
use crate::page::List;
use crate::session::Session;

const COPIES: List<'_> = List {
    what: "conflicts",
    id: "/copy",
    columns: &[text("COPY", "/copy"), text("OF", "/of"), text("DEVICE", "/device"), text("DATE", "/date")],
};

/// Where.
#[derive(Debug, Args)]
pub(crate) struct Conflicts {
    /// This folder and what is below it [default: all that are linked]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
}

/// What a copy says of itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Copy<'a> {
    /// The path of the file that it belongs to.
    pub(super) of: String,
    /// Whose it is.
    pub(super) device: &'a str,
    /// Since when.
    pub(super) date: &'a str,
}

impl Conflicts {
    pub(super) fn run(self, session: &Session) -> Done {
        let home = place::home()?;
        let mut found = vec![];
        for (link, below) in self.places(&home)? {
            tree::visit(&link.root, &below, |path, is_folder| {
                let full = |path: &str| link.root.join(path).display().to_string();
                found.extend(copy(path).filter(|_| !is_folder).map(|copy| {
                    json!({ "copy": full(path), "of": full(&copy.of), "device": copy.device, "date": copy.date })
                }));
                true
            })?;
        }
        found.sort_by(|a: &Value, b| a["copy"].as_str().cmp(&b["copy"].as_str()));
        COPIES.show(session, &found)
    }

    fn places(&self, home: &Home) -> Result<Vec<(Link, String)>, Failure> {
        match &self.path {
            Some(path) => Ok(vec![place::link_of(home, path)?]),
            None => Ok(place::links_at(home, None)?.into_iter().map(|link| (link, String::new())).collect()),
        }
    }
}

/// What a path says of itself, if it is that of a conflict copy.
pub(super) fn copy(path: &str) -> Option<Copy<'_>> {
    let name = name_of(path);
    let (stem, rest) = name.rsplit_once(" (conflict, ").filter(|_| is_conflict(name))?;
    let (mark, extension) = rest.split_once(')')?;
    let (device, date) = mark.split_once(", ")?;
    Some(Copy { of: join(folder_of(path), &format!("{stem}{extension}")), device, date })
}

#[cfg(test)]
mod tests {
    use synxpo::names::conflict;

    use super::*;

    #[test]
    fn fld_11_a_copy_names_the_file_that_it_belongs_to() {
        for (name, of) in [("a.txt", "x/a.txt"), (".bashrc", "x/.bashrc"), ("a (b).tar.gz", "x/a (b).tar.gz")] {
            let path = join("x", &conflict(name, "laptop, (old)", "2026-11-18 02.24", 2));
            let found = copy(&path).unwrap();
            assert_eq!((found.of.as_str(), found.date), (of, "2026-11-18 02.24 2"), "{path}");
            assert!(found.device.starts_with("laptop"), "{path}");
        }
        let twice = conflict(&conflict("a.txt", "one", "d", 1), "two", "e", 1);
        assert_eq!(copy(&twice).map(|copy| (copy.device, copy.date)), Some(("two", "e")));
        assert_eq!(copy("x/a.txt"), None);
        assert_eq!(copy("x (conflict, a, b)/a.txt"), None, "a folder above says nothing");
    }
}
