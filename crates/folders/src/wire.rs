//! The messages of the stream, made out of `proto/synxpo.proto`, and what they say in our own values.

#![expect(missing_docs, reason = "the cases of a one-of are the messages that they hold")]

include!(concat!(env!("OUT_DIR"), "/synxpo.rs"));

use base::Sha;

use crate::form::{Asked, FileMeta, FileStatus as Said, Kind};

impl FileType {
    fn kind(self) -> Kind {
        match self {
            Self::File => Kind::File,
            Self::Folder => Kind::Folder,
            Self::Symlink => Kind::Symlink,
        }
    }

    fn of(kind: Kind) -> Self {
        match kind {
            Kind::File => Self::File,
            Kind::Folder => Self::Folder,
            Kind::Symlink => Self::Symlink,
        }
    }
}

impl FileMetadata {
    /// A version as it is told; who knows the tree is told the place in it as well.
    #[must_use]
    pub fn of(meta: &FileMeta, with_tree: bool) -> Self {
        let is_file = meta.kind == Kind::File;
        Self {
            id: Some(meta.id.clone()),
            directory_id: meta.directory.clone(),
            version: meta.version,
            content_changed_version: meta.content_version,
            r#type: FileType::of(meta.kind).into(),
            current_path: meta.path.clone(),
            deleted: meta.deleted,
            size: is_file.then_some(meta.size),
            hash: meta.hash.as_deref().and_then(bytes_of_hex),
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
    pub fn nothing_at(directory: &str, path: &str) -> Self {
        Self { directory_id: directory.to_owned(), current_path: path.to_owned(), ..Self::default() }
    }
}

impl FileStatusInfo {
    /// What is said of a file of a refused group.
    #[must_use]
    pub fn of(directory: &str, said: &Said) -> Self {
        let status = match said.status {
            crate::Status::Free => FileStatus::Free,
            crate::Status::Blocked => FileStatus::Blocked,
            crate::Status::Denied => FileStatus::Denied,
        };
        Self {
            id: said.id.clone().unwrap_or_default(),
            directory_id: directory.to_owned(),
            status: status.into(),
            current_path: Some(said.path.clone()),
            reason: Some(said.why.clone()).filter(|why| !why.is_empty()),
        }
    }
}

impl ask_version_increase::FileInfo {
    /// The change that is asked for.
    ///
    /// # Errors
    /// Why it cannot be one.
    pub fn asked(self) -> Result<Asked, String> {
        let path = self.current_path;
        let kind = FileType::try_from(self.r#type).map_err(|_| format!("`{path}`: type {} is unknown", self.r#type))?;
        let hash = self.hash.map(|bytes| hex_of_bytes(&bytes).ok_or(format!("`{path}`: its hash has not 32 bytes")));
        let time = self.first_try_time.map_or(0, |time| time.time);
        Ok(Asked {
            id: self.id.filter(|id| !id.is_empty()),
            kind: kind.kind(),
            deleted: self.deleted,
            content_changed: self.content_changed && !self.deleted && kind == FileType::File,
            try_us: i64::try_from(time).map_err(|_| format!("`{path}`: FIRST_TRY_TIME {time} is no moment"))?,
            base: self.base_version,
            size: self.size,
            hash: hash.transpose()?,
            mtime_us: self.mtime_us,
            executable: self.executable,
            target: self.symlink_target,
            path,
        })
    }
}

/// Thirty-two bytes as hex.
#[must_use]
pub fn hex_of_bytes(bytes: &[u8]) -> Option<String> {
    Some(Sha(bytes.try_into().ok()?).to_string())
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    text.parse::<Sha>().ok().map(|sha| sha.0.to_vec())
}
