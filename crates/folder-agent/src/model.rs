//! What a file is: on the server (*remote*), on this disk (*local*), and as both were when they were last the same (*synced*).

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// The id of a file: a uuid4. All zeros is no file but the top of the directory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct FileId(pub u128);

impl FileId {
    /// The folder that holds everything.
    pub const TOP: Self = Self(0);

    /// Reads the text form; the empty text is the top.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digits: String = text.chars().filter(|c| *c != '-').collect();
        match digits.len() {
            0 => Some(Self::TOP),
            32 => u128::from_str_radix(&digits, 16).ok().map(Self),
            _ => None,
        }
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::TOP {
            return Ok(());
        }
        let hex = format!("{:032x}", self.0);
        write!(f, "{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }
}

impl fmt::Debug for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// SHA-256 of a content.
pub type Hash = [u8; 32];

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Bytes.
    File,
    /// Has others in it.
    Folder,
    /// Leads elsewhere; never followed.
    Symlink,
}

/// What a file holds. Two are the same if they are equal: times are not in it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Content {
    /// A folder: what is in it says so itself.
    Folder,
    /// Bytes.
    File {
        /// Of all bytes. `None`: not known, and so equal to nothing (nor to itself in another tree).
        hash: Option<Hash>,
        /// How many.
        size: u64,
        /// It may be run.
        executable: bool,
    },
    /// Where a link leads.
    Symlink(String),
}

impl Content {
    /// What kind of file holds this.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Folder => Kind::Folder,
            Self::File { .. } => Kind::File,
            Self::Symlink(_) => Kind::Symlink,
        }
    }

    /// Whether both are known to be the same; of files the executable bit is not looked at.
    #[must_use]
    pub fn is_same_bytes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { hash: Some(one), size: a, .. }, Self::File { hash: Some(two), size: b, .. }) => {
                one == two && a == b
            }
            (Self::File { .. }, _) | (_, Self::File { .. }) => false,
            (one, two) => one == two,
        }
    }
}

/// Tells a file of this disk from what it was: whoever writes it changes at least one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Stat {
    /// The file behind the name.
    pub inode: u64,
    /// Bytes; 0 for folders.
    pub size: u64,
    /// When its content was written, in nanoseconds; 0 for folders, whose time says nothing of them.
    pub mtime_ns: i64,
    /// When anything of it was changed, in nanoseconds; 0 for folders.
    pub ctime_ns: i64,
}

impl Stat {
    /// The same file with the same bytes, as far as this tells; a rename changes only `ctime_ns`.
    #[must_use]
    pub fn is_same_but_moved(&self, other: &Self) -> bool {
        (self.inode, self.size, self.mtime_ns) == (other.inode, other.size, other.mtime_ns)
    }
}

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its folder.
    pub parent: FileId,
    /// Its name on the server.
    pub name: Box<str>,
    /// From 1.
    pub version: u64,
    /// The last version in which its content changed.
    pub content_version: u64,
    /// What it holds; when both had it, the hash of a file is known.
    pub content: Content,
}

/// A version that two trees may hold at once: nearly all files are the same in both, and so take the room of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared(Arc<Version>);

impl Shared {
    /// Holds it together with the other tree if that has the same.
    pub(crate) fn share_with(&mut self, other: &Self) {
        if self == other {
            self.0 = Arc::clone(&other.0);
        }
    }

    /// The same with this content.
    pub(crate) fn with(&self, content: Content) -> Self {
        let mut other = self.clone();
        if other.content != content {
            other.content = content;
        }
        other
    }
}

impl From<Version> for Shared {
    fn from(version: Version) -> Self {
        Self(Arc::new(version))
    }
}

impl Deref for Shared {
    type Target = Version;

    fn deref(&self) -> &Version {
        &self.0
    }
}

impl DerefMut for Shared {
    fn deref_mut(&mut self) -> &mut Version {
        Arc::make_mut(&mut self.0)
    }
}

/// A version of a file as the server told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// What was told.
    pub of: Shared,
    /// A tombstone. What is not told at all is not deleted.
    pub deleted: bool,
    /// When its content was modified, as its device said.
    pub mtime_us: Option<i64>,
}

/// A file as it was when server and disk had the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synced {
    /// The version that both had.
    pub of: Shared,
    /// The file on this disk then.
    pub stat: Stat,
}

impl Deref for Remote {
    type Target = Version;

    fn deref(&self) -> &Version {
        &self.of
    }
}

impl DerefMut for Remote {
    fn deref_mut(&mut self) -> &mut Version {
        &mut self.of
    }
}

impl Deref for Synced {
    type Target = Version;

    fn deref(&self) -> &Version {
        &self.of
    }
}

impl DerefMut for Synced {
    fn deref_mut(&mut self) -> &mut Version {
        &mut self.of
    }
}

/// A file of this disk, as a look at it found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// What tells it from others.
    pub stat: Stat,
    /// What it holds. The hash of a file whose `stat` differs from what is known is that of what was set aside, or `None` while nothing was.
    pub content: Content,
}

/// All that the server told, tombstones too.
pub type RemoteTree = BTreeMap<FileId, Remote>;
/// All that both had.
pub type SyncedTree = BTreeMap<FileId, Synced>;
/// All of this disk that is to be kept in step, by path below the root (`a/b`), by the names of the server. Every folder of a path is in it.
pub type LocalTree = BTreeMap<String, Local>;
