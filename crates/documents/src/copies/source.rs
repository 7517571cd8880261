//! What a source says of one of its items, and whether a copy is behind it.

use base::{OpResult, Stamp, Tx};
use kernel::OpCx;
use replica::ItemKey;

use crate::content::Stored;
use crate::doc::find_item;
use crate::read::any_head;

/// A source item as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// It holds this since the operation of that stamp.
    There { content: Stored, ord: i64 },
    /// It is no more, by the operation of that stamp.
    Gone { ord: i64 },
}

/// A copy as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) version: i64,
    pub(super) ord: i64,
}

impl Source {
    /// Reads an item that the operation of stamp `told` changed. The stamp of the present operation will lie above what was read.
    pub(super) fn read(
        tx: &mut dyn Tx,
        cx: &mut OpCx<'_>,
        (class, id): (&str, &str),
        at: &ItemKey,
        told: Stamp,
    ) -> OpResult<Self> {
        let item = find_item(tx, class, id, at)?;
        let ord = match &item {
            Some(item) => item.ord,
            None => gone_since(tx, cx, class, id, told)?.number(),
        };
        Stamp::new(ord).into_iter().for_each(|ord| cx.saw(ord));
        Ok(match item.and_then(|item| item.content) {
            Some(content) => Self::There { content, ord },
            None => Self::Gone { ord },
        })
    }

    /// Whether the copy is to be brought level: an older state never overwrites a newer. What was put in the place of a copy while there
    /// was no source (`version == ord`) is older than any source that there is, whatever the clocks said.
    pub(super) fn is_ahead_of(&self, copy: Copied) -> bool {
        match self {
            Self::There { ord, .. } => copy.ord < *ord || copy.ord == copy.version,
            Self::Gone { ord } => copy.ord < *ord,
        }
    }
}

/// An item without a trace went with the operation that told of it, or with a later one that tells by itself. Nothing is believed
/// that lies beyond what the document, or else the clock, says: a version of the far future would stay for ever.
fn gone_since(tx: &mut dyn Tx, cx: &OpCx<'_>, class: &str, id: &str, told: Stamp) -> OpResult<Stamp> {
    let head = any_head(tx, class, id)?;
    Ok(told.min(head.map_or(Stamp::from_wall(cx.wall), |head| head.version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_14_an_older_state_never_overwrites_a_newer() {
        let there = |ord| Source::There { content: Stored { raw: true, text: String::new() }, ord };
        let carried = |ord| Copied { version: ord + 1, ord };
        let put_here = |ord| Copied { version: ord, ord };
        for (source, copy, expected) in [
            (there(10), carried(9), true),
            (there(10), carried(10), false),
            (there(10), carried(11), false),
            (there(10), put_here(11), true),
            (there(10), put_here(10), true),
            (Source::Gone { ord: 10 }, carried(9), true),
            (Source::Gone { ord: 10 }, carried(10), false),
            (Source::Gone { ord: 10 }, put_here(9), true),
            (Source::Gone { ord: 10 }, put_here(11), false),
        ] {
            assert_eq!(source.is_ahead_of(copy), expected, "{source:?} {copy:?}");
        }
    }
}
