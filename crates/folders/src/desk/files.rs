//! Single files by their ids (REQUEST_VERSION, REQUEST_FILE_CONTENT); those that are unknown or forbidden are left out.

use std::collections::BTreeMap;

use base::{OpError, OpResult, Tx, codes};
use kernel::Query;

use super::directory::Directory;
use super::file;
use super::paths::Paths;
use super::rights::{Right, right};
use crate::form::{FileMeta, FilesOf, Who};

/// Single files.
pub static FILES: Query<FilesOf, Vec<FileMeta>> = Query::new("folders.files", files);

/// Files of one question.
const FILES_MAX: usize = 1_000;

fn files(tx: &mut dyn Tx, of: &FilesOf) -> OpResult<Vec<FileMeta>> {
    if of.ids.len() > FILES_MAX {
        return Err(OpError::new(codes::ALIMIT, format!("{} files at once, at most {FILES_MAX}", of.ids.len())));
    }
    let (mut may, mut paths, mut metas) = (BTreeMap::new(), Paths::default(), vec![]);
    for id in &of.ids {
        let Some(found) = file::find(tx, id)? else { continue };
        if !may_read(tx, &mut may, &found.directory, &of.who)? {
            continue;
        }
        let path = paths.of(tx, &found.entry.parent, &found.entry.name)?;
        metas.push(found.meta(path));
    }
    Ok(metas)
}

fn may_read(tx: &mut dyn Tx, may: &mut BTreeMap<String, bool>, directory: &str, who: &Who) -> OpResult<bool> {
    if let Some(known) = may.get(directory) {
        return Ok(*known);
    }
    let may_now = match Directory::find(tx, directory)? {
        Some(found) => right(tx, &found, who)? >= Right::Read,
        None => false,
    };
    may.insert(directory.to_owned(), may_now);
    Ok(may_now)
}
