//! A page of a search: walks on until it is full, everything was seen, or enough was looked at.

use base::limits::PAGE_MAX;
use base::{OpError, OpResult, Row, Tx, args, codes};
use replica::Item;

use super::cursor::Place;
use super::eyes::Eyes;
use super::plan::Plan;
use super::shape::{Once, statement};
use super::{Found, FoundItem, Search};
use crate::class::FieldKind;
use crate::doc::{GET_ITEM, item_of};
use crate::index::IndexValue;

/// Of a page where the caller does not say.
const LIMIT: u32 = 100;
/// Entries that are looked at together.
const PORTION: std::ops::RangeInclusive<usize> = 50..=1_000;
/// Entries that are looked at for one page. Together with the items of a page they fit into one operation.
const LOOKED_AT_MAX: usize = 3_000;
/// Bytes of contents after which a page is full.
const BYTES_MAX: usize = 4 << 20;

/// What a page has so far.
#[derive(Default)]
struct Page {
    ids: Vec<String>,
    items: Vec<FoundItem>,
    bytes: usize,
}

/// The next page of a search.
///
/// # Errors
/// `ALIMIT` or `ABODY`: no such page.
pub(super) fn page(tx: &mut dyn Tx, plan: &Plan<'_>, search: &Search, eyes: Option<&Eyes<'_>>) -> OpResult<Found> {
    let limit = limit(search)?;
    let after = search.after.as_deref().map(|cursor| Place::of_cursor(cursor, plan.number(), plan.first_kind()));
    let after = after.transpose()?.unwrap_or_else(|| plan.start());
    let mut page = Page::default();
    let next = if plan.is_empty() { None } else { walk(tx, plan, (search.items, limit), eyes, after, &mut page)? };
    let Page { ids, items, .. } = page;
    let next = next.map(|place| place.cursor(plan.number()));
    Ok(Found { ids: (!search.items).then_some(ids), items: search.items.then_some(items), next })
}

fn limit(search: &Search) -> OpResult<usize> {
    let limit = search.limit.unwrap_or(LIMIT);
    if !(1..=PAGE_MAX).contains(&limit) {
        return Err(OpError::new(codes::ALIMIT, format!("limit is {limit}, it must be 1 to {PAGE_MAX}")));
    }
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Fills a page; tells where it ended, unless everything was seen.
fn walk(
    tx: &mut dyn Tx,
    plan: &Plan<'_>,
    (items, limit): (bool, usize),
    eyes: Option<&Eyes<'_>>,
    mut after: Place,
    page: &mut Page,
) -> OpResult<Option<Place>> {
    let shape = plan.shape(if items { Once::Item } else { Once::Document });
    let sql = statement(&shape).ok_or_else(|| OpError::new(codes::BDETECTED, format!("no statement of {shape:?}")))?;
    let portion = limit.clamp(*PORTION.start(), *PORTION.end());
    for _ in 0..LOOKED_AT_MAX.div_ceil(portion) {
        let rows = tx.query(sql, &plan.args(&after, portion), portion)?;
        let all = rows.len() < portion;
        for (at, row) in rows.iter().enumerate() {
            after = place(row, plan.first_kind());
            if row.int(3) == 1 {
                take(tx, plan, items, eyes, &after, page)?;
            }
            if page.is_full(limit) {
                let last = all && at + 1 == rows.len();
                return Ok((!last).then_some(after));
            }
        }
        if all {
            return Ok(None);
        }
    }
    Ok(Some(after))
}

impl Page {
    fn is_full(&self, limit: usize) -> bool {
        self.ids.len() + self.items.len() >= limit || self.bytes >= BYTES_MAX
    }
}

fn place(row: &Row, first: FieldKind) -> Place {
    let text = |column| IndexValue::Text(row.text(column).to_owned());
    let first = match first {
        FieldKind::Text => text(0),
        FieldKind::Int => IndexValue::Int(row.int(0)),
        FieldKind::Real => IndexValue::Real(row.real(0)),
    };
    Place([first, text(1), text(2)])
}

/// Takes an answer into the page, as far as the caller may see it.
fn take(
    tx: &mut dyn Tx,
    plan: &Plan<'_>,
    items: bool,
    eyes: Option<&Eyes<'_>>,
    at: &Place,
    page: &mut Page,
) -> OpResult<()> {
    let [first, second, key] = &at.0;
    let id = if plan.walked.is_some() { second } else { first };
    let (IndexValue::Text(id), IndexValue::Text(key)) = (id, key) else { return Ok(()) };
    if !items {
        if eyes.map_or(Ok(true), |eyes| eyes.see_document(tx, plan, id))? {
            page.ids.push(id.clone());
        }
        return Ok(());
    }
    let Some(row) = tx.query_one(&GET_ITEM, args![plan.class, id, plan.item, key])? else { return Ok(()) };
    page.bytes += row.opt_text(5).map_or(0, str::len);
    page.items.extend(item(plan, eyes, id, &row)?);
    Ok(())
}

fn item(plan: &Plan<'_>, eyes: Option<&Eyes<'_>>, id: &str, row: &Row) -> OpResult<Option<FoundItem>> {
    let (key, stored) = item_of(row);
    let (v, vop) = (stored.version, stored.ord);
    let Some(content) = stored.content else { return Ok(None) };
    let content = content.content()?;
    let content = match eyes {
        Some(eyes) => eyes.see_item(plan, id, &key, &content),
        None => Some(content),
    };
    Ok(content.map(|content| {
        let (j, s) = match content {
            replica::Content::Json(value) => (Some(value), None),
            replica::Content::Raw(text) => (None, Some(text)),
        };
        FoundItem { id: id.to_owned(), item: Item { key, v, vop, j, s } }
    }))
}
