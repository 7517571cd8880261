//! What is wrong with a process, and its repair: the one place where jobs meet recovery.

use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;

use crate::decision::next::State as Stands;
use crate::decision::row::{self, Decision};
use crate::engine::Engine;
use crate::graph::Graph;
use crate::names::{TaskId, is_own};
use crate::process::row::Process;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&GRAPH];

static GRAPH: Sql = Sql::new("wfl_graph.data", "SELECT data FROM wfl_graph WHERE process = ?1");

/// What is wrong with a process, in words; `None`: nothing. Changes nothing (WFL-20).
pub(super) fn finding(tx: &mut dyn Tx, process: &Process) -> OpResult<Option<String>> {
    if process.state.is_over() {
        return Ok(None);
    }
    let Some(row) = tx.query_one(&GRAPH, args![&process.id])? else { return Ok(Some("its graph is lost".into())) };
    let Ok(graph) = Graph::read(row.text(0)) else { return Ok(Some("its graph cannot be read".into())) };
    if graph.open.is_empty() {
        return Ok(Some("all its tasks are done and it is not finished".into()));
    }
    for (number, item) in graph.open.iter().filter(|(_, item)| item.ready.is_some() || item.waits.is_empty()) {
        let found = finding_of(tx, &TaskId::new(&process.id, *number), item.ready.is_some(), item.broken)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// What is wrong with a task that is to be worked on.
fn finding_of(tx: &mut dyn Tx, id: &TaskId, is_ready: bool, is_broken: bool) -> OpResult<Option<String>> {
    let Some(task) = Task::find(tx, id)? else { return Ok(Some(format!("task {id} is lost"))) };
    let decision = Decision::find(tx, id)?;
    let waits_for_its_time = task.start_at.is_some() || is_own(&task.actor);
    Ok(match decision {
        _ if !is_ready => Some(format!("task {id} waits for nothing and is not ready")),
        None if !waits_for_its_time => Some(format!("task {id} is ready and not queued")),
        None => None,
        Some(decision) => match decision.state {
            Stands::Finish if !is_broken => Some(format!("task {id} is over and its graph does not know")),
            Stands::Registered
                if !is_own(&task.actor) && !row::is_queued(tx, &decision.queue, decision.queued, id)? =>
            {
                Some(format!("task {id} should be in its queue and is not"))
            }
            Stands::Registered | Stands::Work | Stands::Finish => None,
        },
    })
}

/// Repairs a process of which something is wrong.
pub(super) fn recover(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process, source: &str) -> OpResult<()> {
    let now = cx.heard;
    let mut engine = Engine::new(tx, cx);
    engine.source = source.to_owned();
    engine.hold(&process.id)?;
    engine.touch(&process.id);
    engine.settle()?;
    Process::look(tx, &process.id, now)
}
