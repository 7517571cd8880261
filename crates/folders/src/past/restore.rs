//! Brings an older version of a file back: as its newest version, also where the file was deleted since.

use std::collections::BTreeMap;

use base::{OpError, OpResult, Tx};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::care::no_file;
use crate::codes::{AFOLDER, NFILE};
use crate::desk::commit::increase;
use crate::desk::directory::short;
use crate::desk::file::{self, Found};
use crate::desk::paths::Paths;
use crate::desk::planned::Planned;
use crate::desk::rights::{Right, enter};
use crate::form::{Asked, Asking, Kind, Told, Who};
use crate::plan::{Bytes, Verdict, Wanted};

/// Brings an older version of a file back.
pub static RESTORE: Op<Restore, Restored> =
    Op::new("folders.restore", restore).keyed(|input| crate::key_of(&input.directory));

/// Which version of which file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restore {
    /// By whom.
    pub who: Who,
    /// In which directory it must be.
    pub directory: String,
    /// The file.
    pub file: String,
    /// The version.
    pub version: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FolderRestored)]
pub struct Restored {
    /// The file.
    pub file: String,
    /// Its newest version, which is like the older one.
    pub version: u64,
    /// Where it is.
    pub path: String,
}

fn restore(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Restore) -> OpResult<Restored> {
    let mut directory = enter(tx, &input.directory, &input.who, Right::Write)?;
    let now = file::find(tx, &input.file)?.filter(|found| found.directory == directory.id);
    let now = now.ok_or_else(|| no_file(&input.file))?;
    let none = || OpError::new(NFILE, format!("file {} has no version {} any more", now.entry.id, input.version));
    let then = file::version(tx, &input.file, input.version)?.ok_or_else(none)?;
    if then.entry.deleted {
        return Err(OpError::new(AFOLDER, format!("version {} is the deletion of the file", input.version)));
    }
    let path = Paths::default().of(tx, &now.entry.parent, &now.entry.name)?;
    let told = Told { seq: directory.seq, beyond: vec![] };
    let planned = Planned::make(tx, cx, (&directory, &input.who.client), &told, vec![wanted(&now, &then, path)])?;
    check(&planned)?;
    let increased = increase(tx, cx, &planned, (&mut directory, &input.who), &BTreeMap::new())?;
    answer(increased)
}

fn wanted(now: &Found, then: &Found, path: String) -> Wanted {
    let has_bytes = then.entry.kind == Kind::File;
    let asked = Asked {
        id: Some(now.entry.id.clone()),
        kind: then.entry.kind,
        path,
        deleted: false,
        content_changed: has_bytes,
        try_us: 0,
        base: Some(now.entry.version),
        size: None,
        hash: None,
        mtime_us: then.entry.mtime_us,
        executable: then.entry.executable,
        target: then.entry.target.clone(),
    };
    let bytes = match &then.entry.content {
        Some(content) if has_bytes => Bytes::Brought {
            content: content.clone(),
            hash: then.entry.hash.clone(),
            author_hash: then.entry.author_hash.clone(),
            size: then.entry.size,
        },
        Some(_) | None => Bytes::Kept,
    };
    Wanted { asked, bytes, given_id: None }
}

fn check(planned: &Planned) -> OpResult<()> {
    match planned.plan.verdicts.first() {
        Some(Verdict::Denied { why, .. }) => {
            Err(OpError::new(AFOLDER, format!("it cannot be brought back: {}", short(why))))
        }
        Some(Verdict::There { .. } | Verdict::Made { .. } | Verdict::Refused { .. }) | None => Ok(()),
    }
}

fn answer(asking: Asking) -> OpResult<Restored> {
    let file = match asking {
        Asking::Increased { files, .. } => files.into_iter().next(),
        Asking::Denied { .. } | Asking::Allowed { .. } => None,
    };
    let bug = || OpError::new(base::codes::BDETECTED, "a commit of one file gave none");
    let file = file.ok_or_else(bug)?;
    Ok(Restored { file: file.id, version: file.version, path: file.path })
}
