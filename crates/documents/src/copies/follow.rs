//! The first copy is made by the operation that adds it, from what the source holds at that moment.

use base::{OpResult, Stamp, Tx};
use kernel::OpCx;
use replica::ItemKey;

use crate::class::Source;
use crate::content::Stored;
use crate::doc::{Doc, Origin, find_item};
use crate::read::any_head;

/// Ways to read the key of a copy as key and id that are tried: ids and keys may have the separator in them.
const ORIGINS_MAX: usize = 32;

/// An item that is a copy takes its content and the stamp of its content from its source when an operation puts it. Without a
/// source it holds what the operation says, until there is one.
pub(crate) fn follow_source(tx: &mut dyn Tx, cx: &mut OpCx<'_>, doc: &mut Doc, at: &ItemKey) -> OpResult<()> {
    if !doc.puts_itself(at) {
        return Ok(());
    }
    let mut newest: Option<(i64, Stored)> = None;
    for source in &doc.sources_of(&at.c) {
        for (key, id) in origins(source, &at.k) {
            let found = look(tx, cx, (&source.class, id), &ItemKey::new(&at.c, key))?;
            newest = newest.into_iter().chain(found).max_by_key(|(ord, _)| *ord);
        }
    }
    newest.map_or(Ok(()), |(ord, content)| doc.put(&at.c, &at.k, content, Some(Origin { ord, who: None })))
}

/// The source item, if it is there. The operation's stamp will lie above it; and above its end, if it is no more, so that the task
/// which tells of that end and comes late does not take away what is put now.
fn look(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    (class, id): (&str, &str),
    at: &ItemKey,
) -> OpResult<Option<(i64, Stored)>> {
    if let Some(item) = find_item(tx, class, id, at)?
        && let Some(content) = item.content
    {
        Stamp::new(item.ord).into_iter().for_each(|ord| cx.saw(ord));
        return Ok(Some((item.ord, content)));
    }
    any_head(tx, class, id)?.iter().for_each(|head| cx.saw(head.version));
    Ok(None)
}

/// The items of a source class that a copy of this key may be of, as key and id of the document. More than one if key or id has
/// the separator in it; the newest that is there counts, as it does where copies are carried.
fn origins<'a>(source: &Source, key: &'a str) -> Vec<(&'a str, &'a str)> {
    if source.singleton {
        return vec![("", key)];
    }
    let separator = source.separator.as_str();
    let splits = key.rmatch_indices(separator).map(|(at, _)| (&key[..at], &key[at + separator.len()..]));
    splits.filter(|(key, id)| !key.is_empty() && !id.is_empty()).take(ORIGINS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(singleton: bool, separator: &str) -> Source {
        Source { class: "Asso".into(), singleton, separator: separator.into() }
    }

    #[test]
    fn doc_14_the_key_of_a_copy_names_its_source() {
        assert_eq!(origins(&source(true, "."), "A.1"), [("", "A.1")]);
        assert_eq!(origins(&source(false, "."), "N1.A1"), [("N1", "A1")]);
        assert_eq!(origins(&source(false, "é"), "NéAéB"), [("NéA", "B"), ("N", "AéB")]);
        assert!(origins(&source(false, "."), ".A1.").iter().all(|(key, id)| !key.is_empty() && !id.is_empty()));
        assert!(origins(&source(false, "."), "A1").is_empty());
        assert_eq!(origins(&source(false, "."), &".".repeat(255)).len(), ORIGINS_MAX);
    }
}
