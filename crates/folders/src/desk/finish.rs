//! Commits an upload (FILE_WRITE_END): bases and slots are judged once more, and all of it is one commit (FLD-8, FLD-20).

use std::collections::BTreeMap;

use base::{OpError, OpResult, Tx, codes, limits::PORTION_ROWS};
use kernel::{Op, OpCx};

use super::ask::brings;
use super::commit::increase;
use super::content::{self, Brought};
use super::directory::short;
use super::planned::Planned;
use super::rights::{Right, enter};
use super::upload::{self, KeptFile, Upload, directory_of};
use crate::codes::AFOLDER;
use crate::form::{Asking, Finish, Written};
use crate::plan::{Bytes, Wanted};

/// Commits an upload.
pub static FINISH: Op<Finish, Asking> =
    Op::new("folders.finish", finish).keyed(|finish| crate::key_of(directory_of(&finish.upload))).ending();

/// Rows that a file of a group and a segment of it take at most, and those of all of them.
const ROWS_OF_FILE: usize = 8;
const ROWS_OF_SEGMENT: usize = 2;
const ROWS_MAX: usize = PORTION_ROWS - 600;

fn finish(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Finish) -> OpResult<Asking> {
    let upload = Upload::get(tx, cx.heard, &input.upload)?;
    let who = &upload.kept.who;
    let mut directory = enter(tx, &upload.directory, who, Right::Write)?;
    let came = read(tx, &upload, &input.files)?;
    let group = upload.kept.files.iter().map(|file| wanted(file, &came)).collect();
    let planned = Planned::make(tx, cx, (&directory, &who.client), &input.told, group)?;
    upload::end(tx, cx, &upload.id)?;
    // What was there when it was asked for may be another by now; its bytes did not come.
    if planned.is_denied() || !planned.wanting().is_empty() {
        let seats = planned.seats(tx, cx, &upload.directory)?;
        return planned.deny(tx, cx, (&upload.directory, &who.client), seats);
    }
    let brought = came.into_values().map(|brought| (brought.id.clone(), brought)).collect();
    increase(tx, cx, &planned, (&mut directory, who), &brought)
}

/// What was written for each file that was wanted, as it was announced.
fn read(tx: &mut dyn Tx, upload: &Upload, files: &[Written]) -> OpResult<BTreeMap<String, Brought>> {
    check_room(files)?;
    let wanted = upload.kept.files.iter().filter(|file| file.wanted);
    let wanted: BTreeMap<&str, &KeptFile> = wanted.map(|file| (file.id.as_str(), file)).collect();
    let mut came = BTreeMap::new();
    for written in files {
        let stranger = || OpError::new(AFOLDER, format!("file `{}` was not asked for", short(&written.id)));
        let file = wanted.get(written.id.as_str()).ok_or_else(stranger)?;
        let brought = content::read(tx, written, file.asked.hash.as_ref())?;
        brought.check(&file.asked)?;
        if came.insert(written.id.clone(), brought).is_some() {
            return Err(OpError::new(AFOLDER, format!("file {} came twice", written.id)));
        }
    }
    match wanted.values().find(|file| !came.contains_key(&file.id)) {
        Some(file) => Err(OpError::new(AFOLDER, format!("the bytes of {} did not come", short(&file.asked.path)))),
        None => Ok(came),
    }
}

/// Refuses what one operation cannot take in, in words that say what to do; else the store would, and say nothing.
fn check_room(files: &[Written]) -> OpResult<()> {
    let segments: usize = files.iter().map(|file| file.segments.len()).sum();
    if files.len() * ROWS_OF_FILE + segments * ROWS_OF_SEGMENT <= ROWS_MAX {
        return Ok(());
    }
    let text = format!(
        "{} files of {segments} segments are too much for one commit: write large files on their own",
        files.len()
    );
    Err(OpError::new(codes::ALIMIT, text))
}

fn wanted(file: &KeptFile, came: &BTreeMap<String, Brought>) -> Wanted {
    let bytes = match came.get(&file.id).filter(|_| file.wanted) {
        Some(brought) => brought.bytes(),
        None if brings(&file.asked) => Bytes::Promised,
        None => Bytes::Kept,
    };
    let given_id = Some(file.id.clone()).filter(|_| file.asked.id.is_none() && !file.joins);
    Wanted { asked: file.asked.clone(), bytes, given_id }
}
