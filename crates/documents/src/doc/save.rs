//! Writes what an operation changed: first everything is read and judged, then one stamp is taken, then everything is written.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Stamp, Tx, args, codes};
use kernel::OpCx;
use replica::ItemKey;

use super::document::{Change, Doc, Life};
use super::head::StoredHead;
use super::item::{ERASE, KEYS_OF, PURGE, PUT_ITEM};
use crate::class::ATTACHMENT;
use crate::content::Stored;
use crate::index::Strict;
use crate::limits::ITEMS_MAX;
use crate::{attachments, cache, copies, history, index};

/// Saves documents; `None` if nothing changed.
pub(super) fn save(tx: &mut dyn Tx, cx: &mut OpCx<'_>, mut docs: Vec<Doc>) -> OpResult<Option<Stamp>> {
    for doc in &mut docs {
        prepare(tx, cx, doc)?;
    }
    docs.retain(has_changed);
    if docs.is_empty() {
        return Ok(None);
    }
    let stamp = cx.stamp();
    for doc in &docs {
        let head = write(tx, cx, doc, stamp)?;
        cache::changing(cx, doc.class(), doc.id(), head.on_wire());
    }
    Ok(Some(stamp))
}

/// Looks at what is stored of everything that changes, and takes changes back that change nothing.
fn prepare(tx: &mut dyn Tx, cx: &mut OpCx<'_>, doc: &mut Doc) -> OpResult<()> {
    let changed: Vec<ItemKey> =
        doc.slots.iter().filter(|(_, slot)| slot.change.is_some()).map(|(k, _)| k.clone()).collect();
    for at in changed {
        doc.look_at(tx, &at)?;
        copies::follow_source(tx, cx, doc, &at)?;
        let Some(slot) = doc.slots.get_mut(&at) else { continue };
        if at.c == ATTACHMENT
            && let Some(Change::Put { content, .. }) = &mut slot.change
        {
            *content = attachments::completed(tx, content)?;
        }
        let is_there = slot.stored.iter().flatten().any(|stored| stored.content.is_some());
        if matches!(slot.change, Some(Change::Delete { .. })) && !is_there {
            slot.change = None;
        }
    }
    Ok(())
}

fn has_changed(doc: &Doc) -> bool {
    let stood = doc.found.as_ref().is_some_and(StoredHead::exists);
    match doc.life {
        Life::Absent => false,
        Life::Standing => doc.slots.values().any(|slot| slot.change.is_some()),
        Life::New => true,
        Life::Deleted => stood,
    }
}

fn write(tx: &mut dyn Tx, cx: &mut OpCx<'_>, doc: &Doc, stamp: Stamp) -> OpResult<StoredHead> {
    let standing = doc.found.clone().filter(|_| doc.life == Life::Standing);
    let ended = doc.found.as_ref().is_some_and(StoredHead::exists) && standing.is_none();
    if ended {
        erase(tx, cx, doc, stamp)?;
    }
    let ctime = if doc.life == Life::Deleted { 0 } else { ctime(doc, stamp) };
    let op = operation(cx, doc).to_owned();
    let (who, changes) = (cx.caller.name.clone(), doc.found.as_ref().map_or(0, |head| head.changes));
    let born = StoredHead {
        version: stamp,
        ctime,
        dtime: ctime,
        v1: 0,
        v2: 0,
        live: 0,
        gone: 0,
        op: String::new(),
        who: String::new(),
        changes,
    };
    let mut head = StoredHead { version: stamp, op, who, ..standing.unwrap_or(born) };
    let (mut copied, mut grown) = (vec![], 0);
    for (at, slot) in &doc.slots {
        let Some(change) = &slot.change else { continue };
        grown += write_item(tx, cx, (doc, at), change, stamp, &mut head)?;
        copied.extend(doc.class.decl.items.get(&at.c).filter(|decl| !decl.copy_to.is_empty()).map(|_| at.clone()));
    }
    purge(tx, cx, doc, &mut head)?;
    check_size(doc, &head)?;
    if grown > 0 {
        index::check_room(tx, &doc.class, &doc.id, head.live, head.v1)?;
    }
    history::record(tx, cx, doc, &mut head)?;
    head.put(tx, doc.class(), &doc.id)?;
    copies::tell(cx, (doc.class(), &doc.id), &copied, stamp);
    Ok(head)
}

/// What changes the document, for people: where items follow their sources, it is not the running of a task.
fn operation(cx: &OpCx<'_>, doc: &Doc) -> &'static str {
    let mut changes = doc.slots.values().filter_map(|slot| slot.change.as_ref());
    let follows = changes.any(|change| change.origin().is_some_and(|origin| origin.who.is_some()));
    if follows { copies::CARRY.op } else { cx.operation }
}

fn ctime(doc: &Doc, stamp: Stamp) -> i64 {
    let former = doc.found.as_ref().filter(|head| head.exists() && mutants::on(Mutant::CtimeKept));
    former.map_or(stamp.number(), |head| head.ctime)
}

/// Writes an item; by how many values the indexes grew. What is carried after its source is never refused for that.
fn write_item(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    (doc, at): (&Doc, &ItemKey),
    change: &Change,
    stamp: Stamp,
    head: &mut StoredHead,
) -> OpResult<i64> {
    let stored = doc.slots.get(at).and_then(|slot| slot.stored.as_ref()?.as_ref());
    let before = stored.and_then(|stored| stored.content.as_ref());
    let after = match change {
        Change::Put { content, .. } => Some(content),
        Change::Delete { .. } => None,
    };
    let origin = change.origin();
    let strict = if origin.is_some() { Strict::No } else { Strict::Yes };
    let ord = origin.map_or(stamp.number(), |origin| origin.ord);
    let who = origin.and_then(|origin| origin.who.as_ref()).unwrap_or(&head.who);
    let (class, id) = (doc.class(), &doc.id);
    let raw = after.is_some_and(|content| content.raw);
    let text = after.map(|content| content.text.as_str());
    tx.write(&PUT_ITEM, args![class, id, &at.c, &at.k, stamp, ord, raw, text, who, &head.op])?;
    let grown = index::change(tx, &doc.class, (id, at), strict, before, after)?;
    if at.c == ATTACHMENT {
        head.v2 += attachments::change(tx, cx, (class, id, &at.k), before, after)?;
    }
    head.v1 += size(after) - size(before);
    head.live += i64::from(after.is_some()) - i64::from(before.is_some());
    head.gone += i64::from(after.is_none()) - i64::from(stored.is_some() && before.is_none());
    Ok(if origin.is_some_and(|origin| origin.who.is_some()) { 0 } else { grown })
}

fn size(content: Option<&Stored>) -> i64 {
    content.map_or(0, |content| i64::try_from(content.text.len()).unwrap_or(i64::MAX))
}

/// A life ends: its items go with all that hangs on them; copies of them are told.
fn erase(tx: &mut dyn Tx, cx: &mut OpCx<'_>, doc: &Doc, stamp: Stamp) -> OpResult<()> {
    let (class, id) = (doc.class(), &doc.id);
    attachments::end_all(tx, cx, class, id)?;
    let mut copied = vec![];
    for (item, _) in doc.class.decl.items.iter().filter(|(_, decl)| !decl.copy_to.is_empty()) {
        let keys = tx.query(&KEYS_OF, args![class, id, item], usize::try_from(2 * ITEMS_MAX).unwrap_or(usize::MAX))?;
        copied.extend(keys.iter().map(|row| ItemKey::new(item, row.text(0))));
    }
    index::erase(tx, &doc.class, id)?;
    tx.write(&ERASE, args![class, id])?;
    if !mutants::on(Mutant::CopyNotTold) {
        copies::tell(cx, (class, id), &copied, stamp);
    }
    Ok(())
}

/// Moves `dtime` forward and forgets the tombstones before it (DOC-4). Where a document is full of tombstones, all of them go: a copy
/// that lags then gets the list of keys instead.
fn purge(tx: &mut dyn Tx, cx: &OpCx<'_>, doc: &Doc, head: &mut StoredHead) -> OpResult<()> {
    if doc.life == Life::Deleted {
        return Ok(());
    }
    if mutants::on(Mutant::TombstoneSkipped) {
        tx.write(&PURGE, args![doc.class(), &doc.id, head.version.number() + 1])?;
        head.gone = 0;
        return Ok(());
    }
    let kept_since = Stamp::from_wall(cx.wall.plus_ms(-doc.class.decl.keep_ms())).number();
    let full = head.live + head.gone > ITEMS_MAX;
    let until = if full { head.version.number() } else { kept_since.min(head.version.number()) };
    if until <= head.dtime {
        return Ok(());
    }
    if !mutants::on(Mutant::DtimeForgotten) {
        head.dtime = until;
    }
    if head.gone > 0 {
        let purged = tx.execute(&PURGE, args![doc.class(), &doc.id, until])?;
        head.gone -= i64::try_from(purged).unwrap_or(i64::MAX);
    }
    Ok(())
}

fn check_size(doc: &Doc, head: &StoredHead) -> OpResult<()> {
    if head.live <= ITEMS_MAX {
        return Ok(());
    }
    let text = format!("document {}/{} would have {} items, at most {ITEMS_MAX}", doc.class(), doc.id, head.live);
    Err(OpError::new(codes::ALIMIT, text))
}
