//! Versions as the server tells them, in our own values.

use synxpo::wire::{FileMetadata, FileType};

use crate::model::{Content, FileId, Kind, Remote, Version};

/// A version of a file, if it is one that we understand.
pub(super) fn read(meta: &FileMetadata) -> Option<(FileId, Remote)> {
    let id = FileId::read(meta.id.as_deref()?).filter(|id| *id != FileId::TOP)?;
    let parent = FileId::read(meta.parent_id.as_deref()?)?;
    let content = match FileType::try_from(meta.r#type).ok()? {
        FileType::Folder => Content::Folder,
        FileType::Symlink => Content::Symlink(meta.symlink_target.clone().unwrap_or_default()),
        FileType::File => {
            let hash = meta.hash.as_ref().or(meta.author_hash.as_ref());
            Content::File {
                hash: hash.and_then(|hash| hash.as_slice().try_into().ok()),
                size: meta.size.unwrap_or(0),
                executable: meta.executable.unwrap_or(false),
            }
        }
    };
    let of = Version {
        parent,
        name: meta.name.as_deref()?.into(),
        version: meta.version,
        content_version: meta.content_changed_version,
        content,
    };
    Some((id, Remote { of: of.into(), deleted: meta.deleted, mtime_us: meta.mtime_us }))
}

/// What a kind is called on the wire.
pub(super) fn file_type(kind: Kind) -> FileType {
    match kind {
        Kind::File => FileType::File,
        Kind::Folder => FileType::Folder,
        Kind::Symlink => FileType::Symlink,
    }
}
