//! When a queue was last polled (WFL-13): the queueing time of the last item that was handed out, or now if a poll found nothing. What was
//! queued before then and is not handed out is not in the queue.
//!
//! It is told in memory and kept in the store every few seconds, so that a poll costs nothing for it, and other nodes know of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::{Heard, OpResult, Sql, Tx, Wall, args};
use kernel::{OpCx, Settled};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&KEEP, &FIND];

/// How old what is kept may be.
pub(crate) const KEPT_EVERY_MS: i64 = 2_000;

static KEEP: Sql = Sql::new(
    "wfl_polled.keep",
    "INSERT INTO wfl_polled (queue, actor, list, polled, first_at, last, last_at) VALUES (?1, ?2, ?3, ?4, ?6, ?5, ?6) \
     ON CONFLICT (queue) DO UPDATE SET polled = excluded.polled, last = excluded.last, last_at = excluded.last_at",
);
static FIND: Sql = Sql::new("wfl_polled.find", "SELECT polled, last, last_at FROM wfl_polled WHERE queue = ?1");

/// What a node knows of the polls of its namespace.
#[derive(Default)]
pub(crate) struct Polls(Mutex<BTreeMap<String, Polled>>);

/// The polls of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Polled {
    /// What was queued before this was handed out.
    pub(crate) up_to: Heard,
    /// When somebody last polled.
    pub(crate) last: Heard,
    /// When that was last kept.
    kept: Heard,
}

impl Polls {
    /// Whether a poll is to be kept.
    fn is_due(&self, queue: &str, now: Heard) -> bool {
        self.of(queue).is_none_or(|known| now.0 - known.kept.0 >= KEPT_EVERY_MS)
    }

    /// Somebody polled, and that was committed.
    fn tell(&self, queue: &str, up_to: Heard, now: Heard, is_kept: bool) {
        let mut polls = self.lock();
        let kept = polls.get(queue).map_or(now, |known| if is_kept { now } else { known.kept });
        polls.insert(queue.to_owned(), Polled { up_to, last: now, kept });
    }

    pub(crate) fn of(&self, queue: &str) -> Option<Polled> {
        self.lock().get(queue).copied()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Polled>> {
        // Whole between any two steps.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells a poll, and keeps it now and then. Memory is told once it is committed: a poll that is undone handed nothing out.
pub(crate) fn tell(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    (queue, actor, list): (&str, &str, &str),
    up_to: Heard,
) -> OpResult<()> {
    let (polls, now) = (cx.home.memory::<Polls>(), cx.heard);
    let is_kept = polls.is_due(queue, now);
    if is_kept {
        tx.write(&KEEP, args![queue, actor, list, up_to, now, cx.wall])?;
    }
    let queue = queue.to_owned();
    cx.fx.when_settled(move |how| {
        if how == Settled::Committed {
            polls.tell(&queue, up_to, now, is_kept);
        }
    });
    Ok(())
}

/// Up to when what was queued was handed out, as far as any node knows; `None`: nobody polls.
pub(crate) fn up_to(tx: &mut dyn Tx, polls: &Polls, queue: &str) -> OpResult<Option<Heard>> {
    let kept = tx.query_one(&FIND, args![queue])?.map(|row| Heard(row.int(0)));
    Ok(kept.max(polls.of(queue).map(|polled| polled.up_to)))
}

/// When somebody last polled, as it is kept.
pub(crate) fn last(tx: &mut dyn Tx, queue: &str) -> OpResult<Option<(Heard, Wall)>> {
    Ok(tx.query_one(&FIND, args![queue])?.map(|row| (Heard(row.int(1)), Wall(row.int(2)))))
}
