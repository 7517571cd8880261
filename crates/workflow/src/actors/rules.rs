//! What holds for an actor and for a type of processes: what nobody said is as usual.

use base::{OpResult, Sql, Tx, args};

use crate::decision::next::ActorRules;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&ACTOR, &TYPE];

static ACTOR: Sql = Sql::new(
    "wfl_actor.find",
    "SELECT blocked, work_timeout_ms, restart_after_work_timeout, task_timeout_ms, force_finish_after_task_timeout, accept_first \
     FROM wfl_actor WHERE id = ?1",
);
static TYPE: Sql = Sql::new(
    "wfl_type.find",
    "SELECT process_timeout_ms, idle_timeout_ms, on_inconsistency FROM wfl_type WHERE id = ?1",
);

/// What holds for a type of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeRules {
    /// How long a process is thought to take; then it is looked at.
    pub process_timeout_ms: i64,
    /// How long nothing may happen in one; then it is looked at.
    pub idle_timeout_ms: i64,
    /// A process of which something is lost begins anew; else it is broken.
    pub restarts: bool,
}

impl Default for TypeRules {
    fn default() -> Self {
        Self { process_timeout_ms: 3_600_000, idle_timeout_ms: 300_000, restarts: false }
    }
}

/// What holds for an actor.
pub(crate) fn of_actor(tx: &mut dyn Tx, actor: &str) -> OpResult<ActorRules> {
    let usual = ActorRules::default();
    let Some(row) = tx.query_one(&ACTOR, args![actor])? else { return Ok(usual) };
    let flag = |column: usize, usual: bool| row.opt_int(column).map_or(usual, |flag| flag != 0);
    Ok(ActorRules {
        blocked: flag(0, usual.blocked),
        work_timeout_ms: row.opt_int(1).unwrap_or(usual.work_timeout_ms),
        restart_after_work_timeout: flag(2, usual.restart_after_work_timeout),
        task_timeout_ms: row.opt_int(3).unwrap_or(usual.task_timeout_ms),
        force_finish_after_task_timeout: flag(4, usual.force_finish_after_task_timeout),
        accept_first: flag(5, usual.accept_first),
    })
}

/// What holds for a type.
pub(crate) fn of_type(tx: &mut dyn Tx, kind: &str) -> OpResult<TypeRules> {
    let usual = TypeRules::default();
    let Some(row) = tx.query_one(&TYPE, args![kind])? else { return Ok(usual) };
    Ok(TypeRules {
        process_timeout_ms: row.opt_int(0).unwrap_or(usual.process_timeout_ms),
        idle_timeout_ms: row.opt_int(1).unwrap_or(usual.idle_timeout_ms),
        restarts: row.opt_text(2) == Some("restart"),
    })
}
