//! What a file is: on the server (*remote*), on this disk (*local*), and as both were when they were last the same (*synced*).

use std::collections::BTreeMap;
use std::fmt;

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

/// A version of a file as the server told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its folder.
    pub parent: FileId,
    /// Its name on the server.
    pub name: String,
    /// From 1.
    pub version: u64,
    /// The last version in which its content changed.
    pub content_version: u64,
    /// A tombstone. What is not told at all is not deleted.
    pub deleted: bool,
    /// What it holds.
    pub content: Content,
    /// When its content was modified, as its device said.
    pub mtime_us: Option<i64>,
}

/// A file as it was when server and disk had the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synced {
    /// Its folder.
    pub parent: FileId,
    /// Its name on the server.
    pub name: String,
    /// The version that both had.
    pub version: u64,
    /// That of its content.
    pub content_version: u64,
    /// What it held; the hash of a file is always known here.
    pub content: Content,
    /// The file on this disk then.
    pub stat: Stat,
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
