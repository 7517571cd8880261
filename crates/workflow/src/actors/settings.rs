//! What holds for an actor and a type is changed while the server runs (WFL-10): what is not named stays, null is as usual.
//!
//! What was given out or queued before keeps the time that it was given; the next of each has the new one.

use base::{OpError, OpResult, Row, Sql, Tx, args};
use kernel::{Hint, Op, OpCx, Query};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::rules;
use crate::codes::AWORKFLOW;
use crate::engine::bell;
use crate::names::{check_actor, check_word, is_own, short};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&ACTOR, &KEEP_ACTOR, &QUEUES, &TYPE, &KEEP_TYPE, &KNOWN_TYPES, &NEXT_TYPE];

/// The longest time of all.
const MS_MAX: i64 = 366 * 86_400_000;
/// The longest that ended processes are kept.
const KEPT_MS_MAX: i64 = 10 * MS_MAX;
/// Types that are listed.
const TYPES_MAX: usize = 1_000;

static ACTOR: Sql = Sql::new(
    "wfl_actor.settings",
    "SELECT blocked, work_timeout_ms, restart_after_work_timeout, task_timeout_ms, force_finish_after_task_timeout, accept_first \
     FROM wfl_actor WHERE id = ?1",
);
static KEEP_ACTOR: Sql = Sql::new(
    "wfl_actor.keep",
    "INSERT INTO wfl_actor (id, blocked, work_timeout_ms, restart_after_work_timeout, task_timeout_ms, force_finish_after_task_timeout, \
     accept_first) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO UPDATE SET blocked = excluded.blocked, \
     work_timeout_ms = excluded.work_timeout_ms, restart_after_work_timeout = excluded.restart_after_work_timeout, \
     task_timeout_ms = excluded.task_timeout_ms, force_finish_after_task_timeout = excluded.force_finish_after_task_timeout, \
     accept_first = excluded.accept_first",
);
static QUEUES: Sql =
    Sql::new("wfl_polled.queues", "SELECT queue FROM wfl_polled WHERE actor = ?1 ORDER BY queue LIMIT 1000");
static TYPE: Sql = Sql::new(
    "wfl_type.settings",
    "SELECT process_timeout_ms, idle_timeout_ms, on_inconsistency, kept_ms FROM wfl_type WHERE id = ?1",
);
static KEEP_TYPE: Sql = Sql::new(
    "wfl_type.keep",
    "INSERT INTO wfl_type (id, process_timeout_ms, idle_timeout_ms, on_inconsistency, kept_ms) VALUES (?1, ?2, ?3, ?4, ?5) \
     ON CONFLICT (id) DO UPDATE SET process_timeout_ms = excluded.process_timeout_ms, idle_timeout_ms = excluded.idle_timeout_ms, \
     on_inconsistency = excluded.on_inconsistency, kept_ms = excluded.kept_ms",
);
static KNOWN_TYPES: Sql = Sql::new("wfl_type.all", "SELECT id FROM wfl_type ORDER BY id LIMIT 1000");
static NEXT_TYPE: Sql =
    Sql::new("wfl_process.next_type", "SELECT type FROM wfl_process WHERE type > ?1 ORDER BY type LIMIT 1");

/// Changes what holds for an actor; what holds then.
pub static PATCH_ACTOR: Op<ActorPatchOf, ActorSettings> = Op::new("workflow.patch_actor", patch_actor);
/// Changes what holds for a type; what holds then.
pub static PATCH_TYPE: Op<TypePatchOf, TypeSettings> = Op::new("workflow.patch_type", patch_type);
/// All types that somebody set or that have processes, with what holds for them.
pub static TYPES: Query<(), Vec<TypeSettings>> = Query::new("workflow.types", |tx, ()| types(tx));

/// A field that is there, also if it is null: null is as usual.
#[expect(clippy::option_option, reason = "not named, null and a value are three things")]
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// What changes of an actor.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ActorPatch {
    /// It gets nothing.
    pub blocked: Option<bool>,
    /// How long one may be silent, 100 ms to 366 days; a minute unless it is said.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<i64>)]
    pub work_timeout_ms: Option<Option<i64>>,
    /// Silence means that somebody else tries; else it is an error. Usually true.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<bool>)]
    pub restart_after_work_timeout: Option<Option<bool>>,
    /// How long a task may take from its queueing, up to 366 days; 0, as usual: for ever.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<i64>)]
    pub task_timeout_ms: Option<Option<i64>>,
    /// Then it ends also if somebody works on it. Usually false.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<bool>)]
    pub force_finish_after_task_timeout: Option<Option<bool>>,
    /// The first value counts, whoever brings it. Usually true.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<bool>)]
    pub accept_first: Option<Option<bool>>,
}

/// Which actor, and what changes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ActorPatchOf {
    /// Its id.
    pub actor: String,
    /// What changes.
    pub patch: ActorPatch,
}

/// What holds for an actor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActorSettings {
    /// Its id.
    pub actor: String,
    /// It gets nothing.
    pub blocked: bool,
    /// How long one may be silent.
    pub work_timeout_ms: i64,
    /// Silence means that somebody else tries.
    pub restart_after_work_timeout: bool,
    /// How long a task may take from its queueing; 0: for ever.
    pub task_timeout_ms: i64,
    /// Then it ends also if somebody works on it.
    pub force_finish_after_task_timeout: bool,
    /// The first value counts.
    pub accept_first: bool,
}

impl ActorSettings {
    pub(super) fn of(tx: &mut dyn Tx, actor: &str) -> OpResult<Self> {
        let rules = rules::of_actor(tx, actor)?;
        Ok(Self {
            actor: actor.to_owned(),
            blocked: rules.blocked,
            work_timeout_ms: rules.work_timeout_ms,
            restart_after_work_timeout: rules.restart_after_work_timeout,
            task_timeout_ms: rules.task_timeout_ms,
            force_finish_after_task_timeout: rules.force_finish_after_task_timeout,
            accept_first: rules.accept_first,
        })
    }
}

/// Refuses a time that is too short or too long.
fn check_ms(what: &str, ms: Option<i64>, least: i64, most: i64) -> OpResult<()> {
    match ms {
        Some(ms) if !(least..=most).contains(&ms) => {
            Err(OpError::new(AWORKFLOW, format!("{what} {ms} is not {least} to {most}")))
        }
        _ => Ok(()),
    }
}

fn patch_actor(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &ActorPatchOf) -> OpResult<ActorSettings> {
    let (actor, patch) = (&wanted.actor, &wanted.patch);
    check_actor(actor)?;
    if is_own(actor) {
        return Err(OpError::new(AWORKFLOW, format!("{actor} is the server's own actor")));
    }
    check_ms("work_timeout_ms", patch.work_timeout_ms.flatten(), 100, MS_MAX)?;
    check_ms("task_timeout_ms", patch.task_timeout_ms.flatten(), 0, MS_MAX)?;
    let row = tx.query_one(&ACTOR, args![actor])?;
    let kept = |column: usize| row.as_ref().and_then(|row: &Row| row.opt_int(column));
    let flag = |flag: Option<Option<bool>>, column: usize| flag.map_or(kept(column), |flag| flag.map(i64::from));
    let was_blocked = kept(0) == Some(1);
    let blocked = patch.blocked.unwrap_or(was_blocked);
    let row = args![
        actor,
        blocked,
        patch.work_timeout_ms.unwrap_or(kept(1)),
        flag(patch.restart_after_work_timeout, 2),
        patch.task_timeout_ms.unwrap_or(kept(3)),
        flag(patch.force_finish_after_task_timeout, 4),
        flag(patch.accept_first, 5)
    ];
    tx.write(&KEEP_ACTOR, row)?;
    if blocked != was_blocked {
        cx.fx.journal("workflow.actor", actor.as_str(), if blocked { "blocked" } else { "unblocked" });
        ring(tx, cx, actor)?;
    }
    ActorSettings::of(tx, actor)
}

/// Whoever waits at a queue of the actor looks again.
fn ring(tx: &mut dyn Tx, cx: &mut OpCx<'_>, actor: &str) -> OpResult<()> {
    cx.fx.wake(Hint::Changed(bell(actor)));
    for row in tx.query(&QUEUES, args![actor], 1_000)? {
        cx.fx.wake(Hint::Changed(bell(row.text(0))));
    }
    Ok(())
}

/// What changes of a type.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TypePatch {
    /// How long a process is thought to take, 1 s to 366 days; an hour unless it is said.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<i64>)]
    pub process_timeout_ms: Option<Option<i64>>,
    /// How long nothing may happen in one, 1 s to 366 days; 5 minutes unless it is said.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<i64>)]
    pub idle_timeout_ms: Option<Option<i64>>,
    /// What becomes of one of which something is lost: `broken`, as usual, or `restart`, where it may be repeated.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub on_inconsistency: Option<Option<String>>,
    /// How long finished ones are kept, up to ten years; 30 days unless it is said.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<i64>)]
    pub kept_ms: Option<Option<i64>>,
}

/// Which type, and what changes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TypePatchOf {
    /// The type.
    pub kind: String,
    /// What changes.
    pub patch: TypePatch,
}

/// What holds for a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TypeSettings {
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// How long a process is thought to take.
    pub process_timeout_ms: i64,
    /// How long nothing may happen in one.
    pub idle_timeout_ms: i64,
    /// `broken` or `restart`.
    pub on_inconsistency: String,
    /// How long finished ones are kept.
    pub kept_ms: i64,
}

fn patch_type(tx: &mut dyn Tx, _: &mut OpCx<'_>, wanted: &TypePatchOf) -> OpResult<TypeSettings> {
    let (kind, patch) = (&wanted.kind, &wanted.patch);
    check_word("type", kind)?;
    check_ms("process_timeout_ms", patch.process_timeout_ms.flatten(), 1_000, MS_MAX)?;
    check_ms("idle_timeout_ms", patch.idle_timeout_ms.flatten(), 1_000, MS_MAX)?;
    check_ms("kept_ms", patch.kept_ms.flatten(), 0, KEPT_MS_MAX)?;
    let policy = patch.on_inconsistency.clone().flatten();
    if let Some(policy) = policy.filter(|policy| !["broken", "restart"].contains(&policy.as_str())) {
        return Err(OpError::new(
            AWORKFLOW,
            format!("on_inconsistency `{}` is neither broken nor restart", short(&policy)),
        ));
    }
    let row = tx.query_one(&TYPE, args![kind])?;
    let kept = |column: usize| row.as_ref().and_then(|row: &Row| row.opt_int(column));
    let policy = row.as_ref().and_then(|row| row.opt_text(2).map(str::to_owned));
    let row = args![
        kind,
        patch.process_timeout_ms.unwrap_or(kept(0)),
        patch.idle_timeout_ms.unwrap_or(kept(1)),
        patch.on_inconsistency.clone().unwrap_or(policy),
        patch.kept_ms.unwrap_or(kept(3))
    ];
    tx.write(&KEEP_TYPE, row)?;
    settings_of(tx, kind)
}

fn settings_of(tx: &mut dyn Tx, kind: &str) -> OpResult<TypeSettings> {
    let rules = rules::of_type(tx, kind)?;
    let kept = tx.query_one(&TYPE, args![kind])?.and_then(|row| row.opt_int(3));
    Ok(TypeSettings {
        kind: kind.to_owned(),
        process_timeout_ms: rules.process_timeout_ms,
        idle_timeout_ms: rules.idle_timeout_ms,
        on_inconsistency: if rules.restarts { "restart" } else { "broken" }.into(),
        kept_ms: kept.unwrap_or(crate::retention::KEPT_MS),
    })
}

/// One step of the index for each type that has processes.
fn types(tx: &mut dyn Tx) -> OpResult<Vec<TypeSettings>> {
    let known = tx.query(&KNOWN_TYPES, args![], TYPES_MAX)?;
    let mut names: std::collections::BTreeSet<String> = known.iter().map(|row| row.text(0).to_owned()).collect();
    let mut last = String::new();
    while names.len() < TYPES_MAX
        && let Some(row) = tx.query_one(&NEXT_TYPE, args![&last])?
    {
        row.text(0).clone_into(&mut last);
        names.insert(last.clone());
    }
    names.iter().map(|kind| settings_of(tx, kind)).collect()
}
