//! The messages of the stream, and what they say in our own values.

pub use synxpo::wire::*;

use base::Sha;

use crate::form::{Asked, FileMeta, FileStatus as Said, Kind};

impl From<FileType> for Kind {
    fn from(told: FileType) -> Self {
        match told {
            FileType::File => Self::File,
            FileType::Folder => Self::Folder,
            FileType::Symlink => Self::Symlink,
        }
    }
}

impl From<Kind> for FileType {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::File => Self::File,
            Kind::Folder => Self::Folder,
            Kind::Symlink => Self::Symlink,
        }
    }
}

/// A version as it is told; who knows the tree is told the place in it as well.
#[must_use]
pub fn metadata(meta: &FileMeta, with_tree: bool) -> FileMetadata {
    let is_file = meta.kind == Kind::File;
    FileMetadata {
        id: Some(meta.id.clone()),
        directory_id: meta.directory.clone(),
        version: meta.version,
        content_changed_version: meta.content_version,
        r#type: FileType::from(meta.kind).into(),
        current_path: meta.path.clone(),
        deleted: meta.deleted,
        size: is_file.then_some(meta.size),
        hash: meta.hash.as_deref().and_then(bytes_of_hex),
        author_hash: meta.author_hash.as_deref().filter(|_| meta.hash.is_none()).and_then(bytes_of_hex),
        mtime_us: meta.mtime_us,
        executable: meta.executable,
        symlink_target: meta.target.clone(),
        dir_seq: Some(meta.seq),
        parent_id: with_tree.then(|| meta.parent.clone()),
        name: with_tree.then(|| meta.name.clone()),
    }
}

/// A path where there is nothing.
#[must_use]
pub fn nothing_at(directory: &str, path: &str) -> FileMetadata {
    FileMetadata { directory_id: directory.to_owned(), current_path: path.to_owned(), ..FileMetadata::default() }
}

/// What is said of a file of a refused group.
#[must_use]
pub fn status(directory: &str, said: &Said) -> FileStatusInfo {
    let status = match said.status {
        crate::Status::Free => FileStatus::Free,
        crate::Status::Blocked => FileStatus::Blocked,
        crate::Status::Denied => FileStatus::Denied,
    };
    FileStatusInfo {
        id: said.id.clone().unwrap_or_default(),
        directory_id: directory.to_owned(),
        status: status.into(),
        current_path: Some(said.path.clone()),
        reason: Some(said.why.clone()).filter(|why| !why.is_empty()),
    }
}

/// The change that is asked for.
///
/// # Errors
/// Why it cannot be one.
pub fn asked(info: ask_version_increase::FileInfo) -> Result<Asked, String> {
    let path = info.current_path;
    let kind = FileType::try_from(info.r#type).map_err(|_| format!("`{path}`: type {} is unknown", info.r#type))?;
    let hash = info.hash.map(|bytes| hex_of_bytes(&bytes).ok_or(format!("`{path}`: its hash has not 32 bytes")));
    let time = info.first_try_time.map_or(0, |time| time.time);
    Ok(Asked {
        id: info.id.filter(|id| !id.is_empty()),
        kind: kind.into(),
        deleted: info.deleted,
        content_changed: info.content_changed && !info.deleted && kind == FileType::File,
        try_us: i64::try_from(time).map_err(|_| format!("`{path}`: FIRST_TRY_TIME {time} is no moment"))?,
        base: info.base_version,
        size: info.size,
        hash: hash.transpose()?,
        mtime_us: info.mtime_us,
        executable: info.executable,
        target: info.symlink_target,
        path,
    })
}

/// Thirty-two bytes as hex.
#[must_use]
pub fn hex_of_bytes(bytes: &[u8]) -> Option<String> {
    Some(Sha(bytes.try_into().ok()?).to_string())
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    text.parse::<Sha>().ok().map(|sha| sha.0.to_vec())
}
