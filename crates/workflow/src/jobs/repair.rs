//! What is wrong with a process, and its repair: the one place where jobs meet recovery.

use base::{OpResult, Tx};
use kernel::OpCx;

use crate::actors::polled::Polls;
use crate::engine::Engine;
use crate::process::row::Process;
use crate::recovery::repair::{Repaired, recover_process};
use crate::recovery::{examine, is_large};

/// What is wrong with a process, in words; `None`: nothing. Changes nothing (WFL-20).
pub(super) fn finding(tx: &mut dyn Tx, cx: &OpCx<'_>, process: &Process) -> OpResult<Option<String>> {
    if is_large(tx, &process.id)? {
        return Ok(Some("it has so many tasks that it is examined on its own, within seconds".into()));
    }
    let examined = examine(tx, &cx.home.memory::<Polls>(), &process.id, cx.wall)?;
    let ill = examined.filter(crate::recovery::Examined::is_ill);
    Ok(ill.map(|examined| {
        let told = examined.told().into_iter().map(|(number, what)| match number {
            Some(number) => format!("task {}.{number}: {what}", process.id),
            None => what.to_owned(),
        });
        told.take(20).collect::<Vec<_>>().join("; ")
    }))
}

/// Repairs a process of which something is wrong; what was repaired.
pub(super) fn recover(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process, source: &str) -> OpResult<Vec<Repaired>> {
    let mut engine = Engine::new(tx, cx);
    engine.source = source.to_owned();
    let repair = recover_process(&mut engine, &process.id)?;
    engine.settle()?;
    Ok(repair.repaired)
}
