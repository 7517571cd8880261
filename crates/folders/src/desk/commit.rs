//! One commit of a directory: all rows of a plan with their versions, one number, one line in the journal; then everybody is told (FLD-8).

use std::collections::BTreeMap;

use base::{OpResult, Tx};
use kernel::{Hint, OpCx};

use super::content::{Brought, Uses};
use super::directory::{Directory, short};
use super::file::{self, Mark};
use super::numbers::stored;
use super::paths::Paths;
use super::planned::Planned;
use crate::form::{Asking, FileMeta, Who};
use crate::names::slot;
use crate::plan::{Entry, Row, Verdict};

/// Names that a line of the journal tells; how many more there are it counts.
const NAMES_TOLD: usize = 10;

/// What a commit is made of.
pub(crate) struct Commit<'a> {
    pub(crate) directory: &'a mut Directory,
    pub(crate) who: &'a Who,
    /// Files as they were.
    pub(crate) before: &'a BTreeMap<String, Entry>,
    /// Contents that came with it, by their ids.
    pub(crate) brought: &'a BTreeMap<String, Brought>,
}

impl Commit<'_> {
    /// Writes rows; what they are now. `tries`: by the row's place in its group, when its client first tried.
    pub(crate) fn write(
        &mut self,
        tx: &mut dyn Tx,
        cx: &mut OpCx<'_>,
        rows: &[Row],
        tries: impl Fn(usize) -> i64,
    ) -> OpResult<Vec<Entry>> {
        let grown = rows.iter().map(|row| grown(self.before.get(&row.entry.id), &row.entry)).sum();
        self.directory.committed(tx, grown)?;
        rows.iter().filter(|row| row.parked).try_for_each(|row| file::park(tx, &row.entry.id))?;
        let (mut uses, mut saved) = (Uses::default(), Vec::with_capacity(rows.len()));
        let directory = self.directory.id.clone();
        let Who { client, device, .. } = self.who;
        let mark = Mark { directory: &directory, client, device, wall: cx.wall, heard: cx.heard };
        for row in rows {
            let entry = Entry { seq: self.directory.seq, ..row.entry.clone() };
            file::save(tx, &entry, &slot(self.directory.names, &entry.name), row.is_new, &mark)?;
            file::add_version(tx, &entry, row.place.map(&tries), &mark)?;
            uses.add(entry.content.as_deref());
            saved.push(entry);
        }
        uses.save(tx, self.brought)?;
        self.tell(cx, &saved);
        Ok(saved)
    }

    fn tell(&self, cx: &mut OpCx<'_>, saved: &[Entry]) {
        let Directory { id, seq, .. } = &*self.directory;
        let names: Vec<String> = saved.iter().take(NAMES_TOLD).map(told).collect();
        let more = saved.len().saturating_sub(NAMES_TOLD);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let Who { device, key, .. } = self.who;
        let text = format!("{} ({key}), commit {seq}: {}{more}", short(device), names.join(", "));
        cx.fx.journal("folders.changed", id, text);
        cx.fx.wake(Hint::Changed(crate::topic(id)));
    }
}

fn told(entry: &Entry) -> String {
    let what = if entry.deleted { " deleted" } else { "" };
    format!("{} v{}{what}", short(&entry.name), entry.version)
}

/// By how many bytes a directory grows if a file changes so.
pub(crate) fn grown(before: Option<&Entry>, after: &Entry) -> i64 {
    let bytes = |entry: &Entry| if entry.deleted { 0 } else { stored(entry.size) };
    bytes(after) - before.map_or(0, bytes)
}

/// Commits a planned group and says what is there now, in its order.
pub(crate) fn increase(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    planned: &Planned,
    (directory, who): (&mut Directory, &Who),
    brought: &BTreeMap<String, Brought>,
) -> OpResult<Asking> {
    let tries = |place: usize| planned.group.get(place).map_or(0, |wanted| wanted.asked.try_us);
    let rows = planned.plan.rows.iter();
    let growth = rows.map(|row| grown(planned.before.get(&row.entry.id), &row.entry)).fold(0, i64::saturating_add);
    directory.check_quota(growth)?;
    let saved = match planned.plan.rows.is_empty() {
        true => vec![],
        false => {
            Commit { directory, who, before: &planned.before, brought }.write(tx, cx, &planned.plan.rows, tries)?
        }
    };
    let files = metas(tx, planned, &saved, (&directory.id, &who.client))?;
    Ok(Asking::Increased { files, seq: directory.seq })
}

fn metas(
    tx: &mut dyn Tx,
    planned: &Planned,
    saved: &[Entry],
    (directory, client): (&str, &str),
) -> OpResult<Vec<FileMeta>> {
    let mut paths = Paths::knowing(planned.before.values().chain(saved));
    let now: BTreeMap<&str, &Entry> = saved.iter().map(|entry| (entry.id.as_str(), entry)).collect();
    let mut files = vec![];
    for verdict in &planned.plan.verdicts {
        let (id, version) = match verdict {
            Verdict::There { id, version } => (id, Some(*version)),
            Verdict::Made { id, .. } => (id, None),
            Verdict::Denied { .. } | Verdict::Refused { .. } => continue,
        };
        let meta = match now.get(id.as_str()).filter(|_| version.is_none()) {
            Some(entry) => {
                let path = paths.of(tx, &entry.parent, &entry.name)?;
                Some(file::meta(entry, directory, client, path))
            }
            None => kept(tx, &mut paths, id, version)?,
        };
        files.extend(meta);
    }
    Ok(files)
}

/// A version as it was kept; one that is not kept any more is told as what is there now.
fn kept(tx: &mut dyn Tx, paths: &mut Paths, id: &str, version: Option<u64>) -> OpResult<Option<FileMeta>> {
    let found = version.map_or(Ok(None), |version| file::version(tx, id, version))?;
    let found = if found.is_some() { found } else { file::find(tx, id)? };
    let Some(found) = found else { return Ok(None) };
    let path = paths.of(tx, &found.entry.parent, &found.entry.name)?;
    Ok(Some(found.meta(path)))
}
