//! Synchronisation (DOC-9): for every document that a caller holds, what brings its copy level.

use std::collections::BTreeMap;

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Phase, Sql, Tx, args, codes};
use kernel::{Caller, Properties, Query};
use replica::{Ahead, Case, DocCopy, Head, Held, Upgrade, decide};

use crate::cache::{Look, Looks};
use crate::class::{Asking, SyncFilter, load_in};
use crate::codes::AVERSION;
use crate::doc::{check_key, item_of};
use crate::filter::{Excluded, seen};
use crate::limits::{ITEMS_MAX, SYNC_BYTES_MAX, SYNCS_MAX};

/// What brings copies level.
pub static SYNC: Query<SyncOf, Synced> = Query::new("doc.sync", sync);

/// Whose copies.
#[derive(Debug, Clone)]
pub struct SyncOf {
    /// Who asks.
    pub caller: Caller,
    /// What the application says of itself.
    pub properties: Properties,
    /// What is held.
    pub held: Vec<Held>,
    /// The epoch in which it was got; `None` if the caller does not say.
    pub epoch: Option<String>,
    /// Filters of classes that the program brings along.
    pub filters: BTreeMap<&'static str, SyncFilterOf>,
    /// What is kept in memory of the documents in `held`, in their order; empty to ask the store alone.
    pub looks: Looks,
}

/// A filter as part of a query's input.
#[derive(Clone, Copy)]
pub struct SyncFilterOf(pub SyncFilter);

impl std::fmt::Debug for SyncFilterOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SyncFilter")
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Synced {
    /// Upgrades of those documents that are not level.
    pub syncs: Vec<Upgrade>,
    /// Documents that were not looked at, because the answer was large already: ask for them again.
    pub left: Vec<(String, String)>,
    /// The store's epoch.
    pub epoch: String,
    /// Whether it is the caller's. If not, nothing can be built on what was held, also of those in `left`.
    pub same_epoch: bool,
}

pub(crate) static EPOCH: Sql = Sql::new("doc.epoch", "SELECT epoch, renewals FROM feed WHERE one = 1");
/// Items after a version.
pub(crate) static CHANGED: Sql = Sql::new(
    "doc_item.changed",
    "SELECT item, key, version, ord, raw, content FROM doc_item WHERE class = ?1 AND id = ?2 AND version > ?3 \
     ORDER BY item, key",
);
/// All items, with the content of those after a version only; the last column tells tombstones.
pub(crate) static CHANGED_AND_KEYS: Sql = Sql::new(
    "doc_item.changed_and_keys",
    "SELECT item, key, version, ord, raw, CASE WHEN version > ?3 THEN content WHEN content IS NULL THEN NULL ELSE '0' END \
     FROM doc_item WHERE class = ?1 AND id = ?2 ORDER BY item, key",
);

fn sync(tx: &mut dyn Tx, of: &SyncOf) -> OpResult<Synced> {
    check(of)?;
    let (epoch, same_epoch) = epoch(tx, of.epoch.as_deref())?;
    let mut synced = Synced { syncs: vec![], left: vec![], epoch, same_epoch };
    let mut bytes = 0;
    for (n, held) in of.held.iter().enumerate() {
        if bytes > SYNC_BYTES_MAX {
            synced.left.push((held.c.clone(), held.id.clone()));
            continue;
        }
        let past = Look::past(&held.c, &held.id);
        let look = of.looks.0.get(n).unwrap_or(&past);
        if let Some(upgrade) = upgrade(tx, of, (held, look), same_epoch)? {
            bytes += size(&upgrade);
            synced.syncs.push(upgrade);
        }
    }
    Ok(synced)
}

fn check(of: &SyncOf) -> OpResult<()> {
    if of.held.len() > SYNCS_MAX {
        let text = format!("{} documents in one synchronisation, at most {SYNCS_MAX}", of.held.len());
        return Err(OpError::new(codes::ALIMIT, text));
    }
    of.held.iter().try_for_each(|held| check_key("the document's id", &held.id))
}

/// The store's epoch, and whether it is the caller's. One that does not say is taken at its word, unless the store was put back from a
/// backup at some time.
fn epoch(tx: &mut dyn Tx, callers: Option<&str>) -> OpResult<(String, bool)> {
    let row = tx.query_one(&EPOCH, args![])?;
    let (epoch, renewals) = row.map_or_else(Default::default, |row| (row.text(0).to_owned(), row.int(1)));
    // The first epoch counts as one renewal.
    let same = callers.map_or(renewals <= 1, |callers| callers == epoch);
    Ok((epoch, same || mutants::on(Mutant::SyncEpochIgnored)))
}

fn upgrade(tx: &mut dyn Tx, of: &SyncOf, (held, look): (&Held, &Look), same_epoch: bool) -> OpResult<Option<Upgrade>> {
    if look.head_at_hand().is_some_and(|head| decide(held, Some(head), same_epoch) == Ok(Case::Level)) {
        return Ok(None);
    }
    // What is kept is as new as the store, but not of the same moment: only all of it together makes an answer.
    if let Some(doc) = look.at_hand() {
        return made(of, held, &doc.copy, same_epoch);
    }
    let Some(found) = look.stored_head(tx)? else {
        // A class that nobody knows is a mistake, not a document that is no more.
        load_in(tx, &held.c)?;
        return Ok((held.v != 0).then(|| Upgrade::deleted(&held.c, &held.id)));
    };
    let case = decide(held, Some(found), same_epoch).map_err(|ahead| is_ahead(held, ahead))?;
    if case == Case::Level {
        return Ok(None);
    }
    let filtered = of.filters.contains_key(held.c.as_str());
    if filtered || case == Case::Full || look.whole_at_hand().is_some() {
        let Some(doc) = look.with_head(tx, found)? else { return Ok(None) };
        return made(of, held, &doc.copy, same_epoch);
    }
    made(of, held, &part(tx, held, case, found)?, same_epoch)
}

/// The answer, from as much of the document as it needs.
fn made(of: &SyncOf, held: &Held, source: &DocCopy, same_epoch: bool) -> OpResult<Option<Upgrade>> {
    let case = decide(held, Some(source.head), same_epoch).map_err(|ahead| is_ahead(held, ahead))?;
    let excluded = if case == Case::Full { Excluded::LeftOut } else { Excluded::Tombstone };
    let asking =
        Asking { caller: &of.caller, properties: &of.properties, argument: held.filter.as_ref(), id: &held.id };
    let filter = of.filters.get(held.c.as_str()).map(|filter| &filter.0);
    let Some(source) = seen(filter, &asking, source, excluded) else {
        return Ok((held.v != 0).then(|| Upgrade::deleted(&held.c, &held.id)));
    };
    let made = source.upgrade_for(held, same_epoch).map_err(|ahead| is_ahead(held, ahead))?;
    Ok(made.map(|upgrade| if mutants::on(Mutant::KeysLeftOut) { Upgrade { keys: None, ..upgrade } } else { upgrade }))
}

/// The part of a document that a copy lacks.
fn part(tx: &mut dyn Tx, held: &Held, case: Case, head: Head) -> OpResult<DocCopy> {
    let statement = if case == Case::Changes { &CHANGED } else { &CHANGED_AND_KEYS };
    let most = usize::try_from(2 * ITEMS_MAX).unwrap_or(usize::MAX);
    let mut copy = DocCopy { c: held.c.clone(), id: held.id.clone(), head, items: [].into() };
    for row in &tx.query(statement, args![&held.c, &held.id, held.v], most)? {
        let (key, item) = item_of(row);
        copy.items.insert(key, item.copied()?);
    }
    Ok(copy)
}

fn is_ahead(held: &Held, Ahead { held: theirs, known }: Ahead) -> OpError {
    let text = format!("{}/{}: version {theirs} is ahead of ours, which is {known}", held.c, held.id);
    OpError::new(AVERSION, text).at(Phase::Synchronisation)
}

/// About how large an upgrade is on the wire.
fn size(upgrade: &Upgrade) -> usize {
    let items = upgrade.items.iter().map(|item| {
        let content = item.s.as_ref().map_or_else(|| item.j.as_ref().map_or(0, json_size), String::len);
        content + item.key.c.len() + item.key.k.len() + 60
    });
    let keys = upgrade.keys.iter().flatten().map(|key| key.c.len() + key.k.len() + 16);
    items.chain(keys).sum::<usize>() + 100 + 40 * upgrade.dels.len()
}

fn json_size(value: &serde_json::Value) -> usize {
    value.to_string().len()
}
