//! What a source says of one of its items, and whether a copy is behind it.

use base::{OpResult, Stamp, Tx};
use kernel::OpCx;
use replica::ItemKey;

use crate::content::Stored;
use crate::doc::{Origin, find_with_author};
use crate::read::any_head;

/// A source item as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// It holds this since the operation of that stamp.
    There { content: Stored, origin: Origin },
    /// It is no more, by the operation of that stamp.
    Gone { origin: Origin },
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
        let (content, origin) = match find_with_author(tx, class, id, at)? {
            Some((item, who)) => (item.content, Origin { ord: item.ord, who: Some(who) }),
            None => (None, gone_since(tx, cx, class, id, told)?),
        };
        Stamp::new(origin.ord).into_iter().for_each(|ord| cx.saw(ord));
        Ok(match content {
            Some(content) => Self::There { content, origin },
            None => Self::Gone { origin },
        })
    }

    /// Whether the copy is to be brought level: an older state never overwrites a newer. What was put in the place of a copy while there
    /// was no source (`version == ord`) is older than any source that there is, whatever the clocks said.
    pub(super) fn is_ahead_of(&self, copy: Copied) -> bool {
        match self {
            Self::There { origin, .. } => copy.ord < origin.ord || copy.ord == copy.version,
            Self::Gone { origin } => copy.ord < origin.ord,
        }
    }
}

/// An item without a trace went with the operation that told of it, or with a later one that tells by itself. Nothing is believed
/// that lies beyond what the document, or else the clock, says: a version of the far future would stay for ever.
fn gone_since(tx: &mut dyn Tx, cx: &OpCx<'_>, class: &str, id: &str, told: Stamp) -> OpResult<Origin> {
    let head = any_head(tx, class, id)?;
    let latest = head.as_ref().map_or(Stamp::from_wall(cx.wall), |head| head.version);
    let who = head.map(|head| head.who).unwrap_or_default();
    Ok(Origin { ord: told.min(latest).number(), who: Some(who) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_14_an_older_state_never_overwrites_a_newer() {
        let origin = |ord| Origin { ord, who: Some("app".into()) };
        let there = |ord| Source::There { content: Stored { raw: true, text: String::new() }, origin: origin(ord) };
        let gone = |ord| Source::Gone { origin: origin(ord) };
        let carried = |ord| Copied { version: ord + 1, ord };
        let put_here = |ord| Copied { version: ord, ord };
        for (source, copy, expected) in [
            (there(10), carried(9), true),
            (there(10), carried(10), false),
            (there(10), carried(11), false),
            (there(10), put_here(11), true),
            (there(10), put_here(10), true),
            (gone(10), carried(9), true),
            (gone(10), carried(10), false),
            (gone(10), put_here(9), true),
            (gone(10), put_here(11), false),
        ] {
            assert_eq!(source.is_ahead_of(copy), expected, "{source:?} {copy:?}");
        }
    }
}
