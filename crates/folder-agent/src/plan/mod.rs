//! What follows from three trees: the server's, this disk's, and what both had when they were last the same (FLD-26). Pure: no clock, no chance, no disk.
//!
//! A plan is made in layers. What a look did not read yet is named in `aside`. Then come the *steps*, which bring this disk to where the server's tree
//! says; whoever carried them out looks again and plans again. Only a disk on which no step is left says what it has to *fetch* and what to *ask* for:
//! its paths are then the server's, but for what was changed here. So no plan has to foresee what the one before it does, and a crash between any two
//! steps is nothing special: the next plan begins with what is there.
//!
//! What always holds:
//!
//! - only a tombstone removes, and only a file whose content is what was synced; what is missing from the server's tree becomes a new file;
//! - a content that was changed here is never replaced: it is asked for, or renamed to a conflict name;
//! - where the server's tree claims a place, whoever lies there without a right to it is renamed, never removed;
//! - of a file that is not read yet nothing is decided, nor of what depends on it.
//!
//! Whoever carries a plan out notes in what is synced: after `Adopt`, `MakeFolder` and `MakeLink` the server's version with the stat here; after `Move`,
//! a fetch and a change that the server took, what [`moved`], [`fetched`] and [`accept`] say; after `Remove` and `Forget` nothing of it any more; after
//! `Copy` and `SetExecutable` nothing new. What is not noted, because of a crash, the next plan finds out by reading files again.
//!
//! Files: `quiet` (nothing differs), `here` and `there` (the two trees), `identify` (which file here is which there), `fate` (what is to become of each),
//! `accept` (what is synced after an answer), `adopt`, `yielding`, `remove` and `place` (the steps, in this order), `ask` (fetches and asks).

mod accept;
mod adopt;
mod ask;
mod fate;
mod here;
mod identify;
mod mutants;
mod place;
mod quiet;
mod remove;
#[cfg(test)]
mod tests;
mod there;
mod work;
mod yielding;

pub use accept::{accept, fetched, moved};

use std::collections::BTreeSet;

use synxpo::names::Policy;

use crate::disk::Expected;
use crate::model::{Content, FileId, LocalTree, RemoteTree, Stat, SyncedTree};

/// How this device sees the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View<'a> {
    /// How the directory compares names.
    pub policy: Policy,
    /// This device, for conflict names.
    pub device: &'a str,
    /// The date, for conflict names.
    pub date: &'a str,
    /// Symbolic links are kept in step. If not, those of both sides are left alone.
    pub links: bool,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Files that must be set aside (and so read) before anything is decided about them and about what depends on them.
    pub aside: Vec<String>,
    /// Changes of this disk and of what is synced, in an order in which each can be carried out when its turn comes.
    pub steps: Vec<Step>,
    /// Contents to bring from the server. Empty while there are steps.
    pub fetches: Vec<Fetch>,
    /// Changes to ask the server for, together if they fit into a group. Empty while there are steps.
    pub asks: Vec<Ask>,
    /// Files and links that the steps remove.
    pub removes_here: usize,
    /// Files and links whose removal is asked for.
    pub removes_there: usize,
}

impl Plan {
    /// Nothing is to be done: both are the same, or what differs cannot be helped now.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.aside.is_empty() && self.steps.is_empty() && self.fetches.is_empty() && self.asks.is_empty()
    }
}

/// A change of this disk, or of what is synced.
///
/// A `stat` is the one that the look found. Where an earlier step of the same plan moved the same file, the outcome of that step has the newer one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Step {
    /// Both have the same: what is synced becomes the server's version, with the stat (and hash) of the file here.
    Adopt {
        /// Which file.
        id: FileId,
        /// Where it lies.
        path: String,
    },
    /// Nothing is synced of this id any more: both lack it, or what lies here has become a new file.
    Forget {
        /// Which file.
        id: FileId,
    },
    /// Makes a folder of the server. Afterwards it is synced.
    MakeFolder {
        /// Which folder.
        id: FileId,
        /// Where.
        path: String,
    },
    /// Makes a link of the server, or replaces one. Afterwards it is synced.
    MakeLink {
        /// Which link.
        id: FileId,
        /// Where.
        path: String,
        /// Where it leads.
        target: String,
        /// What lies there.
        expected: Expected,
    },
    /// Sets or clears the executable bit.
    SetExecutable {
        /// Which file.
        id: FileId,
        /// Where it lies.
        path: String,
        /// As it was.
        stat: Stat,
        /// It may be run.
        executable: bool,
    },
    /// Moves a file, a link or a folder with all that is in it. Afterwards [`moved`] says what is synced; the version follows by `Adopt`.
    /// Who has to wait for a place lies as `.fastness-<id>` at the top meanwhile: a look must show it, since a plan may break off.
    Move {
        /// Which file.
        id: FileId,
        /// Where it lies.
        from: String,
        /// As it was.
        stat: Stat,
        /// Where nothing lies.
        to: String,
        /// The folder in which the server has it, under this name; none: it is only put out of the way.
        into: Option<FileId>,
    },
    /// Removes a file or link into the backups, or an empty folder. Afterwards nothing is synced of it.
    Remove {
        /// Which file.
        id: FileId,
        /// Where it lies.
        path: String,
        /// As it was.
        stat: Stat,
    },
    /// Renames what the server's tree leaves no room for to a conflict name (FLD-11); it is a new file afterwards.
    Copy {
        /// Where it lies.
        from: String,
        /// As it was.
        stat: Stat,
        /// Where nothing lies.
        to: String,
    },
}

/// A content to bring from the server. Afterwards the version is synced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// Which file.
    pub id: FileId,
    /// Where it is to lie; its folder is there.
    pub path: String,
    /// What lies there.
    pub expected: Expected,
    /// The server's version.
    pub version: u64,
    /// What it holds.
    pub content: Content,
}

/// A change to ask the server for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ask {
    /// Which file; none: it is new.
    pub id: Option<FileId>,
    /// Where it lies here; of a removal, where the server has it.
    pub path: String,
    /// The version that it was made from; 0: it is new.
    pub base: u64,
    /// It was removed here.
    pub deleted: bool,
    /// What it holds; of a removal, what it held.
    pub content: Content,
    /// Its bytes (or where it leads) changed, or it is new.
    pub content_changed: bool,
    /// The file it was made from.
    pub stat: Option<Stat>,
}

/// Plans.
#[must_use]
pub fn plan(remote: &RemoteTree, local: &LocalTree, synced: &SyncedTree, view: &View<'_>) -> Plan {
    plan_without(remote, local, synced, view, &BTreeSet::new())
}

/// Plans, and leaves alone what lies (or is to lie) at these paths: where a step failed, all others go on.
#[must_use]
pub fn plan_without(
    remote: &RemoteTree,
    local: &LocalTree,
    synced: &SyncedTree,
    view: &View<'_>,
    stuck: &BTreeSet<String>,
) -> Plan {
    if quiet::is_quiet(remote, local, synced, view) {
        return Plan::default();
    }
    let mut work = work::Work::new(remote, local, synced, view, stuck);
    work.identify();
    work.judge();
    work.adopt_all();
    work.yield_all();
    work.remove_all();
    work.place_all();
    if work.plan.steps.is_empty() {
        work.plan.steps = std::mem::take(&mut work.bits);
    }
    if work.plan.steps.is_empty() {
        work.fetch_all();
        work.ask_all();
    }
    work.plan
}
