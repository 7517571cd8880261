//! What a group of changes does to the tree of a directory, or why not (FLD-5, FLD-9, FLD-10, FLD-12, FLD-14 to FLD-17). Pure but for looking.
//!
//! Invariants: a plan that is carried out leaves every slot with one living file at most, every living file in a living folder or at the top, no folder
//! in itself, and no version lower than it was.

use base::OpResult;

use crate::form::{Asked, Kind, Told};

/// A file as the tree has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Its folder's id; `""` at the top.
    pub parent: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its newest version.
    pub version: u64,
    /// The last version in which its content changed.
    pub content_version: u64,
    /// It is a tombstone.
    pub deleted: bool,
    /// What it holds: the id of a content.
    pub content: Option<String>,
    /// SHA-256 of that as hex, if we computed it.
    pub hash: Option<String>,
    /// Its size in bytes.
    pub size: u64,
    /// Optional attributes (FLD-19).
    pub mtime_us: Option<i64>,
    /// It may be run.
    pub executable: Option<bool>,
    /// Where a symbolic link leads.
    pub target: Option<String>,
    /// The commit that made its newest version.
    pub seq: u64,
}

/// Looks into the tree of one directory.
pub trait Tree {
    /// How names are compared here.
    fn names(&self) -> crate::names::Policy;
    /// A file or tombstone of this directory by its id.
    ///
    /// # Errors
    /// The store failed.
    fn entry(&mut self, id: &str) -> OpResult<Option<Entry>>;
    /// The living file of a slot.
    ///
    /// # Errors
    /// The store failed.
    fn at(&mut self, parent: &str, slot: &str) -> OpResult<Option<Entry>>;
    /// Living files of a folder, at most so many.
    ///
    /// # Errors
    /// The store failed.
    fn children(&mut self, parent: &str, most: usize) -> OpResult<Vec<Entry>>;
    /// Whether the same client brought this very change before (FLD-10): the version that came of it.
    ///
    /// # Errors
    /// The store failed.
    fn brought(&mut self, id: &str, try_us: i64) -> OpResult<Option<u64>>;
    /// Whether any directory has this id: a client-made one must be unused (FLD-14).
    ///
    /// # Errors
    /// The store failed.
    fn is_known_anywhere(&mut self, id: &str) -> OpResult<bool>;
    /// An id for a new file.
    fn new_id(&mut self) -> String;
}

/// What a change brings as content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bytes {
    /// None, or they did not change.
    Kept,
    /// They will follow: the plan is made to learn whether that may be.
    Promised,
    /// They are there: id of the content, its SHA-256 if we computed it, its size.
    Brought {
        /// Id of the content.
        content: String,
        /// SHA-256 as hex, if we computed it.
        hash: Option<String>,
        /// In bytes.
        size: u64,
    },
}

/// One change to be planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// As it was asked for.
    pub asked: Asked,
    /// Its bytes.
    pub bytes: Bytes,
    /// The id that an earlier plan gave it (a new file whose bytes came meanwhile).
    pub given_id: Option<String>,
}

/// What is said of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is there already, as this version.
    There {
        /// The file.
        id: String,
        /// Its version.
        version: u64,
    },
    /// It can be made; it writes this place (a file's id, or `directory-less` `parent/slot` of a new one), whose seat must be free.
    Made {
        /// The file, also of a new one.
        id: String,
        /// Whose seat.
        seat: Seated,
        /// Its bytes are wanted.
        wants_bytes: bool,
    },
    /// It was made from an older version, or the slot has another file (DENIED).
    Denied {
        /// The file that stands in the way or was asked for, if any.
        id: Option<String>,
        /// Why, for people.
        why: String,
    },
    /// It can never be made (ERROR INVALID_REQUEST): a name that may not be, a cycle, an id of another directory.
    Refused {
        /// Why, for people.
        why: String,
    },
}

/// Whose seat a change needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seated {
    /// A file's.
    File(String),
    /// That of a slot in which nothing is.
    Slot {
        /// The folder, `""` at the top.
        parent: String,
        /// The slot.
        slot: String,
    },
}

/// A row as it is to be: `version` is one more than it was (1 if new), `seq` is for the commit to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// As it will be.
    pub entry: Entry,
    /// It is new.
    pub is_new: bool,
    /// Which change of the group made it; none: it follows from others (a parent that was missing, a target that was overwritten, what was in a
    /// deleted folder).
    pub place: Option<usize>,
}

/// What follows from a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// One for each change.
    pub verdicts: Vec<Verdict>,
    /// All rows that change, each once, in an order in which they can be written (a slot is left before it is taken). Empty if any verdict
    /// is `Denied` or `Refused`.
    pub rows: Vec<Row>,
}

/// Plans a group of changes that one client makes together.
///
/// # Errors
/// The store failed.
pub fn plan(_tree: &mut dyn Tree, _told: &Told, _group: &[Wanted]) -> OpResult<Plan> {
    todo!("C writes this")
}
