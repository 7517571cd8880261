//! Deferred copies (DOC-14): items that follow their source in other documents.
//!
//! An item of a document (`Sta` or `Adh` of association `A1`) has copies in documents of other classes (of groups), where its key is
//! `A1`, or `k.A1` if it has a key `k` itself. Whoever adds a copy gets what the source holds at once ([`follow_source`]). An
//! operation that changes the source leaves a task ([`tell`]) that brings the copies level, a few documents at a time
//! (`carry`).
//!
//! Order is judged by `ord`, the stamp of the operation that changed the source item; it goes with every copy and stays with
//! tombstones. Invariant: the version of a copy is above its `ord`, because whoever writes one has seen that of the source. So an
//! item with `version == ord` in the place of a copy was put there while there was no source.

mod carry;
mod follow;
mod source;

pub(crate) use carry::{CARRY, TARGETS};
pub(crate) use follow::follow_source;

use base::limits::NAME_MAX;
use base::{ContentionKey, Stamp};
use kernel::{NewTask, OpCx};
use replica::ItemKey;
use serde::{Deserialize, Serialize};

/// Items in the parameter of one task.
const ITEMS_PER_TASK: usize = 500;

/// What a task is told: which items of a document an operation changed, and its stamp. What they hold is not in it: the task reads
/// that when it runs, so that it never brings anything but the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    class: String,
    id: String,
    stamp: Stamp,
    items: Vec<(String, String)>,
}

/// Tells the copies of items of a document that these changed.
pub(crate) fn tell(cx: &mut OpCx<'_>, (class, id): (&str, &str), items: &[ItemKey], stamp: Stamp) {
    for part in items.chunks(ITEMS_PER_TASK) {
        let items = part.iter().map(|at| (at.c.clone(), at.k.clone())).collect();
        let told = Told { class: class.to_owned(), id: id.to_owned(), stamp, items };
        let task = NewTask::new(cx.id(), CARRY.op).param(serde_json::json!(told).to_string());
        cx.fx.task(task.info(info(class, id)).lane(lane(class, id)));
    }
}

/// Tasks of one document run in order. Ids may be longer than the name of a lane; two that share one wait for each other.
fn lane(class: &str, id: &str) -> String {
    format!("{} {class} {:016x}", CARRY.op, ContentionKey::of(class, id).0)
}

/// As much of the document's name as an info holds.
fn info(class: &str, id: &str) -> String {
    let mut info = format!("{class}/{id}");
    info.truncate(info.floor_char_boundary(NAME_MAX));
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_14_the_longest_ids_fit_into_a_task() {
        let (class, id) = ("C".repeat(32), "\u{1f980}".repeat(255));
        assert!(lane(&class, &id).len() <= NAME_MAX && info(&class, &id).len() <= NAME_MAX);
        let item = |_| ("I".repeat(32), "\"".repeat(255));
        let told = Told { class, id, stamp: Stamp::MAX, items: (0..ITEMS_PER_TASK).map(item).collect() };
        let param = serde_json::json!(told).to_string();
        assert!(param.len() <= base::limits::BODY_MAX, "{}", param.len());
        assert_eq!(serde_json::from_str::<Told>(&param).unwrap(), told);
    }
}
