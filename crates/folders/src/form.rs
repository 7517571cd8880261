//! What sessions and operations say to each other: plain values, as JSON between them (`kernel::Out::Call`).
//!
//! Ids are the text of uuid4. Paths are relative, with `/`, and computed: nothing but the wire and people see them.

use serde::{Deserialize, Serialize};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Kind {
    /// Bytes.
    File,
    /// Has others in it.
    Folder,
    /// Names another place, which is never followed (FLD-19).
    Symlink,
}

/// Who a client is: durable if it sends CLIENT_ID, else its connection (FLD-5). `device` is for people, roles and undoing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Who {
    /// Told apart by this.
    pub client: String,
    /// The device's name; a client that does not say has its key's id.
    pub device: String,
    /// The id of its key, by which rights are looked up.
    pub key: String,
    /// The key has every right in the namespace.
    pub is_admin: bool,
}

/// A version of a file, as it is told (FLD-2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMeta {
    /// Its id.
    pub id: String,
    /// Its directory.
    pub directory: String,
    /// Its version, from 1.
    pub version: u64,
    /// The last version in which its content changed.
    pub content_version: u64,
    /// What it is.
    pub kind: Kind,
    /// Where it is; of a tombstone: where it was.
    pub path: String,
    /// It is a tombstone.
    pub deleted: bool,
    /// Its size in bytes.
    pub size: u64,
    /// SHA-256 of its bytes as hex, if we computed it.
    pub hash: Option<String>,
    /// The same as its author claimed it, where we did not.
    pub author_hash: Option<String>,
    /// When it was modified, as its client says (FLD-19).
    pub mtime_us: Option<i64>,
    /// It may be run.
    pub executable: Option<bool>,
    /// Where a symbolic link leads.
    pub target: Option<String>,
    /// The commit of the directory that made this version.
    pub seq: u64,
    /// Who made it, so that nobody is told of their own.
    pub client: String,
    /// The id of its folder, `""` at the top, and its own name: for clients that know the tree (FLD-15).
    pub parent: String,
    /// Its name.
    pub name: String,
}

/// One change that somebody asks for (ASK_VERSION_INCREASE).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The file; not given: it is new, or the client does not know its id.
    pub id: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// Where it is to be.
    pub path: String,
    /// It is to be deleted.
    pub deleted: bool,
    /// Its bytes changed, and follow.
    pub content_changed: bool,
    /// FIRST_TRY_TIME: only tells repeats.
    pub try_us: i64,
    /// The version that it was made from (BASE_VERSION). Not given: what the connection was told, [`Ask::told`].
    pub base: Option<u64>,
    /// Its size, if the client says.
    pub size: Option<u64>,
    /// SHA-256 of its bytes as hex, if the client says.
    pub hash: Option<String>,
    /// Optional attributes (FLD-19).
    pub mtime_us: Option<i64>,
    /// It may be run.
    pub executable: Option<bool>,
    /// Where a symbolic link leads.
    pub target: Option<String>,
}

/// What a connection was told of a directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Everything up to this commit.
    pub seq: u64,
    /// Versions beyond it that it knows: it made them itself, or asked for them alone. Few: forgotten when `seq` passes them.
    pub beyond: Vec<(String, u64)>,
}

/// `folders.ask`: input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Who asks.
    pub who: Who,
    /// The directory: a message with files of several is split by the session.
    pub directory: String,
    /// What was told.
    pub told: Told,
    /// The changes, in the order in which they are made. All or none.
    pub files: Vec<Asked>,
    /// How long a seat is kept without being renewed.
    pub lease_ms: i64,
}

/// What is said of one file of a refused group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStatus {
    /// The place in [`Ask::files`].
    pub place: usize,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// Its path as asked.
    pub path: String,
    /// What is said.
    pub status: crate::Status,
    /// Why, for people: which rule (`base 3, the file has 5`).
    pub why: String,
}

/// `folders.ask`: what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asking {
    /// Nothing changed (VERSION_INCREASE_DENY). Those that are FREE are reserved for 5 s; whoever waits is woken by a change of the
    /// directory's topic, and looks by itself at `look_ms` from now at the latest: then the seat lapses.
    Denied {
        /// One for each file.
        files: Vec<FileStatus>,
        /// The latest moment to look, from now.
        look_ms: i64,
    },
    /// Committed (VERSION_INCREASED): nothing was to be written, or all of it is there already. In the order of [`Ask::files`].
    Increased {
        /// What is there now.
        files: Vec<FileMeta>,
        /// The commit.
        seq: u64,
    },
    /// Write (VERSION_INCREASE_ALLOW).
    Allowed {
        /// To be shown by what follows.
        upload: String,
        /// Files whose bytes are wanted, by their place in [`Ask::files`], with the id that each has or will have.
        wanted: Vec<(usize, String)>,
    },
}

/// `folders.renew`: makes an upload's seats last from now. `folders.release` takes the same: rolls back, wakes all who wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfUpload {
    /// Which.
    pub upload: String,
    /// How long from now (`renew`).
    pub lease_ms: i64,
}

/// `folders.segment`: at most 500 chunks, each a blob that is stored. Answers its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSegment {
    /// Digest (hex) and size of each.
    pub chunks: Vec<(String, u64)>,
}

/// The bytes of one file of an upload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The file, as [`Asking::Allowed`] named it.
    pub id: String,
    /// Its segments, in order; none: it is empty.
    pub segments: Vec<String>,
    /// SHA-256 (hex) of all bytes, if we computed it.
    pub hash: Option<String>,
}

/// `folders.finish`: commits an upload (FILE_WRITE_END): bases and slots are judged once more. Answers [`Asking::Increased`], or
/// [`Asking::Denied`] if it is refused after all; `NUPLOAD` if it lapsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finish {
    /// Which.
    pub upload: String,
    /// What was told since: the same rule as with [`Ask::told`].
    pub told: Told,
    /// All files that were wanted.
    pub files: Vec<Written>,
}

/// `folders.join` (operation): subscribes a device to a directory: checks the right to read, remembers the device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    /// Who.
    pub who: Who,
    /// Which.
    pub directory: String,
    /// All up to this commit it has (FLD-12); 0 if unknown.
    pub seq: u64,
    /// Of which epoch that is (FLD-13); one that is over says nothing of this directory.
    pub epoch: Option<String>,
}

/// A directory as a subscriber hears of it. Its changes, and every seat that gets free, are called out on [`crate::topic`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// Its last commit.
    pub seq: u64,
    /// Another one after a backup was put back (FLD-13).
    pub epoch: String,
}

/// `folders.changes` (query): what changed after a commit, oldest first; `folders.listing` (query) takes the same with `after` as a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesOf {
    /// Who asks: rights are looked up each time.
    pub who: Who,
    /// Which directory.
    pub directory: String,
    /// After this commit.
    pub after: u64,
    /// And after this file of the commit that follows: a page may end within one.
    pub after_file: String,
    /// At most so many; at most 1,000.
    pub limit: usize,
    /// The client does not know the tree: a folder that was moved is followed by all in it (FLD-15).
    pub each: bool,
}

/// A page of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Each file once, with its newest version; tombstones too.
    pub files: Vec<FileMeta>,
    /// Where the next page begins; with `more = false`: everything up to this commit was told.
    pub seq: u64,
    /// The last file of the page.
    pub file: String,
    /// There is more.
    pub more: bool,
}

/// `folders.files` (query): single files by id (REQUEST_VERSION with file ids, REQUEST_FILE_CONTENT). Unknown and forbidden ones are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesOf {
    /// Who asks.
    pub who: Who,
    /// Which, at most 1,000.
    pub ids: Vec<String>,
}

/// `folders.content` (query): the chunks of what a version holds, a segment at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentOf {
    /// Who asks.
    pub who: Who,
    /// The file.
    pub id: String,
    /// The version, as [`FileMeta::version`] said.
    pub version: u64,
    /// The segment, from 0.
    pub segment: usize,
}

/// The chunks of one segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Digest (hex) and size of each.
    pub chunks: Vec<(String, u64)>,
    /// It is the last segment.
    pub is_last: bool,
}

/// `folders.segments` (query): the names of the segments of what a version holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentsOf {
    /// Who asks.
    pub who: Who,
    /// The file.
    pub id: String,
    /// The version, as [`FileMeta::version`] said.
    pub version: u64,
}

/// `folders.known` (query): which of these segments are stored with all their chunks (FLD-21); at most 20.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownOf {
    /// Names, hex.
    pub segments: Vec<String>,
}

/// `folders.missing` (query): which of these chunks are not stored (FLD-21); at most 5,000.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingOf {
    /// Digests, hex.
    pub chunks: Vec<String>,
}

/// `folders.create` (operation): a new directory; the creator is its admin. Answers [`Created`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Create {
    /// Who.
    pub who: Who,
    /// A name for people.
    pub name: String,
}

/// The id of a new directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// Its id.
    pub directory: String,
}
