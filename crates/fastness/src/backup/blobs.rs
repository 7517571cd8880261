//! Blobs of a namespace in a backup, named as in the data: `blobs/ab/cd/<sha256>.<upload>`, and `blobs.txt` that lists them with
//! their sizes. Blobs that lie in S3 are not here: the storage keeps them, and their names are in the rows.
//!
//! A blob that the backup before has is not copied again: it gets a second name there (a hard link), or is copied from
//! the data where the disk cannot link. Its content is read again when the backup is verified, as that of all others.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use base::BlobName;
use base::archive::line_row;
use host::RealClock;
use store_sqlite::archive as sqlite;

use super::{NamespaceBackup, disk, source};

pub(super) const LIST: &str = "blobs.txt";

/// What was done with the blobs of a namespace.
pub(super) struct Copied {
    pub(super) count: u64,
    /// Their size.
    pub(super) bytes: u64,
    /// Those whose content is not what their name says.
    pub(super) damaged: Vec<String>,
    pub(super) list: (u64, String),
}

/// Copies all blobs in `from` to `to`, both folders of a namespace; `older` is that of the backup before. `tell` hears how many of how
/// many are done.
pub(super) fn copy(from: &Path, to: &Path, older: Option<&Path>, tell: &mut dyn FnMut(usize, usize)) -> Result<Copied> {
    let (mut count, mut size, mut damaged) = (0, 0, vec![]);
    let mut list = disk::LineFile::create(&to.join(LIST)).context("no list of blobs")?;
    let files = disk::files_below(&from.join("blobs"))?;
    for (done, blob) in files.iter().enumerate() {
        tell(done, files.len());
        let Some(name) = blob_name(blob) else { continue };
        match copy_one(blob, &name, to, older)? {
            One::Copied(bytes) => {
                list.line(&format!("{name} {bytes}"))?;
                count += 1;
                size += bytes;
            }
            One::Damaged => damaged.push(format!("{}", blob.display())),
            One::Gone => {}
        }
    }
    let (_, bytes, sha256) = list.finish()?;
    Ok(Copied { count, bytes: size, damaged, list: (bytes, sha256) })
}

enum One {
    Copied(u64),
    Damaged,
    /// Nobody referred to it any more when the rows were copied, or it would not have been removed yet.
    Gone,
}

fn copy_one(blob: &Path, name: &str, to: &Path, older: Option<&Path>) -> Result<One> {
    let target = to.join(place(name));
    disk::make_folder(target.parent().unwrap_or(to))?;
    let Some(bytes) = disk::size(blob) else { return Ok(One::Gone) };
    let kept = older.map(|older| older.join(place(name)));
    if kept.is_some_and(|kept| disk::size(&kept) == Some(bytes) && disk::link(&kept, &target)) {
        return Ok(One::Copied(bytes));
    }
    match disk::copy(blob, &target) {
        Ok((bytes, sha256)) if sha256 == sha_of(name) => Ok(One::Copied(bytes)),
        Ok(_) => disk::remove(&target).map(|()| One::Damaged),
        Err(error) if error.kind() == io::ErrorKind::NotFound => disk::remove(&target).map(|()| One::Gone),
        Err(error) => Err(error).with_context(|| format!("{} cannot be copied", blob.display())),
    }
}

/// Blobs that the rows of a namespace in a backup refer to, and that are not in it: where they should lie below its folder.
pub(super) fn missing(folder: &Path, namespace: &NamespaceBackup) -> Result<Vec<PathBuf>> {
    let copied: BTreeSet<PathBuf> = listed(folder)?.into_iter().map(|(name, _)| place(&name)).collect();
    let held = match namespace.engine.as_str() {
        "sqlite" => sqlite::inspect(&folder.join(source::STORE), Arc::new(RealClock::new()), kernel::blobs::held)??,
        _ => held_in_lines(folder, namespace)?,
    };
    Ok(held.iter().map(|name| place_of_row(name)).filter(|place| !copied.contains(place)).collect())
}

/// Where the blob of a row lies below its namespace's folder: rows name the folders, too.
pub(crate) fn place_of_row(name: &str) -> PathBuf {
    Path::new("blobs").join(name)
}

/// The same that `kernel::blobs::held` gives, from a table's lines.
fn held_in_lines(folder: &Path, namespace: &NamespaceBackup) -> Result<Vec<String>> {
    let Some(table) = namespace.tables.iter().find(|table| table.name == "blob") else { return Ok(vec![]) };
    let place = |name: &str| table.columns.iter().position(|column| column == name).context("another table of blobs");
    let (name, unused, damaged) = (place("name")?, place("unused_since")?, place("damaged_at")?);
    let mut held = vec![];
    for line in disk::lines(&folder.join("tables/blob.ndjson"))? {
        let row = line_row(&line?).map_err(anyhow::Error::msg)?;
        if row.opt_int(unused).is_none() && row.opt_int(damaged).is_none() {
            held.push(row.text(name).to_owned());
        }
    }
    Ok(held)
}

/// The blobs that a backup lists: name and size.
pub(crate) fn listed(folder: &Path) -> Result<Vec<(String, u64)>> {
    let read = |line: io::Result<String>| {
        let line = line?;
        let parts = line.split_once(' ').and_then(|(name, bytes)| Some((is_name(name)?, bytes.parse().ok()?)));
        parts.with_context(|| format!("`{line}` is no line of a list of blobs"))
    };
    disk::lines(&folder.join(LIST)).context("no list of blobs")?.map(read).collect()
}

/// Where a blob lies below its namespace's folder.
pub(crate) fn place(name: &str) -> PathBuf {
    Path::new("blobs").join(&name[..2]).join(&name[2..4]).join(name)
}

/// Temporary files and strangers have other names.
pub(crate) fn blob_name(path: &Path) -> Option<String> {
    is_name(&path.file_name()?.to_string_lossy())
}

fn is_name(name: &str) -> Option<String> {
    BlobName::of_file(name).map(|_| name.to_owned())
}

/// The hash that a name promises.
pub(crate) fn sha_of(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}
