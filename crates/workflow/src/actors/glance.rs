//! Actors at a glance: of all that have work waiting, those that nobody plays and those whose work waits longest. Nothing is counted but of
//! the few that are shown, so that it costs little to look again and again.

use std::cmp::Reverse;

use base::{OpResult, Tx};
use kernel::{Home, Query};

use super::list::{ActorView, LENGTH_LISTED_MAX, OfActor, is_polled, queues, shown};
use super::rules;

/// The actors at a glance; so many of them are shown.
pub(crate) static GLANCE: Query<usize, Glance> = Query::at_home("workflow.actors_glance", look);

/// All actors, looked at together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Glance {
    /// Those whose work waits while nobody comes for it, all of them.
    pub(crate) alone: Vec<String>,
    /// For how long the oldest task of all waits.
    pub(crate) oldest_waiting_ms: Option<i64>,
    /// The first: left alone, then waiting longest.
    pub(crate) actors: Vec<ActorView>,
}

fn look(tx: &mut dyn Tx, home: &Home, most: &usize) -> OpResult<Glance> {
    let mut all = vec![];
    for (actor, queues) in queues(tx, home)? {
        let oldest_ms = oldest_ms(tx, &queues);
        let is_alone = oldest_ms.is_some() && is_left_alone(tx, &actor, &queues)?;
        all.push((!is_alone, Reverse(oldest_ms), actor, queues));
    }
    let alone = all.iter().filter(|(is_played, ..)| !is_played).map(|(_, _, actor, _)| actor.clone()).collect();
    let oldest_waiting_ms = all.iter().filter_map(|(_, oldest, ..)| oldest.0).max();
    all.sort_by(|one, other| (one.0, one.1, &one.2).cmp(&(other.0, other.1, &other.2)));
    let first = all.iter().take(*most);
    let actors = first.map(|(_, _, actor, queues)| shown(tx, home, actor, queues, LENGTH_LISTED_MAX));
    Ok(Glance { actors: actors.collect::<OpResult<_>>()?, alone, oldest_waiting_ms })
}

fn oldest_ms(tx: &dyn Tx, queues: &OfActor) -> Option<i64> {
    let oldest = queues.values().filter_map(|known| known.oldest).min()?;
    Some(tx.heard().0.saturating_sub(oldest.0).max(0))
}

fn is_left_alone(tx: &mut dyn Tx, actor: &str, queues: &OfActor) -> OpResult<bool> {
    Ok(!is_polled(queues, tx.heard()) || rules::of_actor(tx, actor)?.blocked)
}
