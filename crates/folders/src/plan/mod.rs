//! What a group of changes does to the tree of a directory, or why not (FLD-5, FLD-9, FLD-10, FLD-12, FLD-14 to FLD-17). Pure but for looking.
//!
//! Invariants: a plan that is carried out leaves every slot with one living file at most, every living file in a living folder or at the top, no folder
//! in itself, and no version lower than it was.
//!
//! A group tells how things are in the end, not the steps that led there: two files that swapped their names are two changes, and which of them comes
//! first says nothing. The rules, with what the client *knew* of a file (its base, else what it was told):
//!
//! - **edit**: taken if the content did not change since what was known (`content_version`). Whether somebody renamed the file meanwhile does not matter:
//!   it stays where they put it.
//! - **rename**: taken if neither name nor folder changed since what was known. Whether somebody edited the file meanwhile does not matter. A path is only
//!   a rename if it differs from the path *as the client knew it*: paths of clients are as old as what they know.
//! - **delete**: taken if the file is as it was known. A folder's delete takes along what is known in it; what is not known stays and keeps its folder.
//! - **revive**: an edit of a file that was deleted, whether or not the client knows of that; a folder or link also by a rename, if it does.
//! - **new at a taken path**: the same content is there already; another is denied. With a base it is an edit of the file that is there.
//! - **rename over**: what the client knew at the target gets a tombstone. A new file at the path of one that the same group deletes is how editors
//!   save: a change of content of the old one.
//! - **repeat**: what this client brought before, and does not know of, is there.
//! - **maybe equal**: who claims the hash that the author of what is there claimed may bring it; whether both are the same is seen by their chunks.
//!
//! Files: `change` (what each change means), `known` (what the client knew), `land` (paths, and who may take a place), `remove` (deletes),
//! `draft` (the tree as it will be), `rows` (what is to be written).

mod change;
mod draft;
mod known;
mod land;
mod mutants;
mod remove;
mod rows;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

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
    /// The same as its author claimed it, if we did not. Nothing is decided by it: it only tells who may try.
    pub author_hash: Option<String>,
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
    /// A version of a file of this directory; of one that changed since, as a client knew it.
    ///
    /// # Errors
    /// The store failed.
    fn version(&mut self, id: &str, version: u64) -> OpResult<Option<Entry>>;
    /// The newest version of a file of this directory that a commit up to this one made.
    ///
    /// # Errors
    /// The store failed.
    fn as_of(&mut self, id: &str, seq: u64) -> OpResult<Option<Entry>>;
    /// Whether the same client brought this very change before (FLD-10): the version that came of it.
    ///
    /// # Errors
    /// The store failed.
    fn brought(&mut self, id: &str, try_us: i64) -> OpResult<Option<u64>>;
    /// New files of this name that the same client brought with this try: their ids, and the folders that they were made in. One that was
    /// moved since is found nowhere else, for its client never heard of its id (FLD-10).
    ///
    /// # Errors
    /// The store failed.
    fn brought_new(&mut self, name: &str, try_us: i64) -> OpResult<Vec<(String, String)>>;
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
        /// The author's claim, if we did not.
        author_hash: Option<String>,
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
    /// Its former slot is taken by another row of the plan. Before the first row is written, the slot of every parked one is set to `/` and its id, which
    /// is no name: then the order among them does not matter, and files can swap their names.
    pub parked: bool,
}

/// What follows from a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// One for each change.
    pub verdicts: Vec<Verdict>,
    /// All rows that change, each once, in an order in which they can be written once the parked ones are out of the way: tombstones, folders, others.
    /// Empty if any verdict is `Denied` or `Refused`; not to be carried out while bytes are wanted.
    pub rows: Vec<Row>,
}

/// The most changes of a group, and the most files that go with deleted folders.
pub const CHANGES_MAX: usize = 1_000;

/// Plans a group of changes that one client makes together.
///
/// # Errors
/// The store failed.
pub fn plan(tree: &mut dyn Tree, told: &Told, group: &[Wanted]) -> OpResult<Plan> {
    if group.len() > CHANGES_MAX {
        let why = format!("{} changes are too many for a group, at most {CHANGES_MAX}", group.len());
        return Ok(Plan { verdicts: vec![Verdict::Refused { why }; group.len()], rows: vec![] });
    }
    let mut planner = Planner::new(tree, told, group);
    planner.read_all()?;
    planner.land_all()?;
    planner.remove_all()?;
    planner.refuse_cycles()?;
    planner.finish()
}

/// A group while it is planned.
struct Planner<'t> {
    draft: draft::Draft<'t>,
    group: &'t [Wanted],
    known: known::Told<'t>,
    /// What is said already.
    verdicts: Vec<Option<Verdict>>,
    /// Which file each change is about.
    ids: Vec<Option<String>>,
    /// What is to land, by place.
    landing: BTreeMap<usize, Landing>,
    /// Ids that the group names.
    named: BTreeSet<String>,
    /// What is to be deleted, and by which change.
    doomed: BTreeMap<String, usize>,
    /// Files that the group puts or leaves where they are: nobody else of the group takes their place.
    landed: BTreeSet<String>,
    /// Folders by their paths as the client has them.
    claimed: BTreeMap<String, String>,
    /// Paths as the client knew them, with the ids of their folders, of which claims are made.
    chains: Vec<known::Chain>,
    /// Paths that folders of the group left.
    vacated: BTreeSet<String>,
    /// Whose content changes.
    content: BTreeSet<String>,
    /// Changes whose bytes are wanted.
    wants: BTreeSet<usize>,
    /// How many went along with deleted folders.
    gone_along: usize,
}

/// What is to land at its path.
enum Landing {
    /// A file that is there, with its parent and name as the client knew them.
    Moved { id: String, parent: String, name: String },
    /// One that is new.
    New,
}

/// Either a value, or what is said instead.
type Judged<T> = OpResult<Result<T, Verdict>>;

impl<'t> Planner<'t> {
    fn new(tree: &'t mut dyn Tree, told: &'t Told, group: &'t [Wanted]) -> Self {
        Self {
            draft: draft::Draft::new(tree),
            group,
            known: known::Told::new(told),
            verdicts: vec![None; group.len()],
            ids: vec![None; group.len()],
            landing: BTreeMap::new(),
            named: BTreeSet::new(),
            doomed: BTreeMap::new(),
            landed: BTreeSet::new(),
            claimed: BTreeMap::new(),
            chains: vec![],
            vacated: BTreeSet::new(),
            content: BTreeSet::new(),
            wants: BTreeSet::new(),
            gone_along: 0,
        }
    }
}

fn denied(id: &str, why: impl Into<String>) -> Verdict {
    Verdict::Denied { id: Some(id.to_owned()), why: why.into() }
}

fn refused(why: impl Into<String>) -> Verdict {
    Verdict::Refused { why: why.into() }
}

fn there(entry: &Entry) -> Verdict {
    Verdict::There { id: entry.id.clone(), version: entry.version }
}
