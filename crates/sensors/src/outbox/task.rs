//! The task: gather, write, clear, and again as long as whole batches are there.

use base::mutants::{self, Mutant};
use base::{Call, CallResult, OpResult, Sql, Tx, WorkCall, args};
use kernel::{OpCx, Plan, TaskRow};

use super::BATCH_ROWS;
use super::perform::{WRITE, WRITE_MS};
use super::state::{Outbox, Phase};
use crate::history::Archives;

/// Rows of each table that one commit marks or deletes.
const PORTION: i64 = 2_000;
/// Pause after the first failure; then twice as long each time.
const PAUSE_MS: i64 = 5_000;
/// Longest pause: an archive that is back is not waited for long.
const PAUSE_MAX_MS: i64 = 60_000;
/// How long an archive may be away before a person should know.
const ALERT_AFTER_MS: i64 = 300_000;
/// Key and kind of that alert.
const ALERT: &str = "sensors.history";

pub(crate) static MARK_HISTORY: Sql = Sql::new(
    "sensor_history.mark",
    "UPDATE sensor_history SET batch = ?1 WHERE id IN \
     (SELECT id FROM sensor_history WHERE batch IS NULL ORDER BY id LIMIT ?2)",
);
pub(crate) static MARK_TRIES: Sql = Sql::new(
    "sensor_attempt.mark",
    "UPDATE sensor_attempt SET batch = ?1 WHERE (client_id, seq, number) IN \
     (SELECT client_id, seq, number FROM sensor_attempt \
     WHERE batch IS NULL AND (status IS NOT NULL OR error IS NOT NULL) ORDER BY client_id, seq, number LIMIT ?2)",
);
pub(crate) static CLEAR_HISTORY: Sql = Sql::new(
    "sensor_history.clear",
    "DELETE FROM sensor_history WHERE id IN (SELECT id FROM sensor_history WHERE batch = ?1 ORDER BY id LIMIT ?2)",
);
pub(crate) static CLEAR_TRIES: Sql = Sql::new(
    "sensor_attempt.clear",
    "DELETE FROM sensor_attempt WHERE (client_id, seq, number) IN \
     (SELECT client_id, seq, number FROM sensor_attempt WHERE batch = ?1 ORDER BY client_id, seq, number LIMIT ?2)",
);

/// Takes the batch one step further.
pub(super) fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    if cx.home.common::<Archives>().get().is_none() {
        // Switched off meanwhile: what is marked stays, readable, and goes on when there is one again.
        return Ok(Plan::Done);
    }
    let outbox = match Outbox::read(tx)? {
        Some(outbox) => Outbox { touched: cx.heard, ..outbox },
        None => new(cx),
    };
    match outbox.phase {
        Phase::Gather => gather(tx, cx, outbox),
        Phase::Write => write(tx, cx, &outbox),
        Phase::Clear => clear(tx, &outbox),
    }
}

fn new(cx: &mut OpCx<'_>) -> Outbox {
    let (batch, touched) = (cx.id().to_string(), cx.heard);
    Outbox { batch, phase: Phase::Gather, rows: 0, touched, failures: 0, failing_since: None }
}

fn gather(tx: &mut dyn Tx, cx: &OpCx<'_>, outbox: Outbox) -> OpResult<Plan> {
    let history = tx.execute(&MARK_HISTORY, args![&outbox.batch, PORTION])?;
    let tries = tx.execute(&MARK_TRIES, args![&outbox.batch, PORTION])?;
    let rows = outbox.rows + i64::try_from(history + tries).unwrap_or(i64::MAX);
    if rows == 0 {
        Outbox::end(tx)?;
        return Ok(Plan::Done);
    }
    let portion = PORTION.unsigned_abs();
    let more = rows < BATCH_ROWS && (history == portion || tries == portion);
    let outbox = Outbox { rows, ..outbox };
    if more {
        outbox.save(tx)?;
        return Ok(Plan::Checkpoint("null".into()));
    }
    write(tx, cx, &outbox)
}

fn write(tx: &mut dyn Tx, cx: &OpCx<'_>, outbox: &Outbox) -> OpResult<Plan> {
    Outbox { phase: Phase::Write, ..outbox.clone() }.save(tx)?;
    let param = serde_json::json!({ "batch": outbox.batch }).to_string();
    Ok(Plan::Call(Call::Work(WorkCall {
        name: WRITE,
        namespace: cx.namespace.to_owned(),
        param,
        timeout_ms: WRITE_MS,
    })))
}

fn clear(tx: &mut dyn Tx, outbox: &Outbox) -> OpResult<Plan> {
    let history = tx.execute(&CLEAR_HISTORY, args![&outbox.batch, PORTION])?;
    let tries = tx.execute(&CLEAR_TRIES, args![&outbox.batch, PORTION])?;
    let portion = PORTION.unsigned_abs();
    if history == portion || tries == portion {
        outbox.save(tx)?;
        return Ok(Plan::Checkpoint("null".into()));
    }
    Outbox::end(tx)?;
    // A whole batch says that there may be another one.
    Ok(if outbox.rows >= BATCH_ROWS { Plan::Checkpoint("null".into()) } else { Plan::Done })
}

/// Takes in whether the batch was written.
pub(super) fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow, result: &CallResult) -> OpResult<Plan> {
    let Some(outbox) = Outbox::read(tx)?.filter(|outbox| outbox.phase == Phase::Write) else {
        return Ok(Plan::Checkpoint("null".into()));
    };
    match result {
        // Of another batch: an earlier run of this task was taken for lost, and ended after all.
        CallResult::Worked(batch) if *batch != outbox.batch => Ok(Plan::Checkpoint("null".into())),
        CallResult::Worked(_) => written(tx, cx, outbox),
        _ if mutants::on(Mutant::SensorArchiveTrusted) => written(tx, cx, outbox),
        CallResult::NotMade(reason) | CallResult::Unknown(reason) => failed(tx, cx, outbox, reason),
        CallResult::Http(_) | CallResult::Mailed => failed(tx, cx, outbox, "not a result of work"),
    }
}

fn written(tx: &mut dyn Tx, cx: &mut OpCx<'_>, outbox: Outbox) -> OpResult<Plan> {
    if outbox.failing_since.is_some() {
        cx.fx.close_alert(ALERT);
    }
    Outbox { phase: Phase::Clear, failures: 0, failing_since: None, touched: cx.heard, ..outbox }.save(tx)?;
    Ok(Plan::Checkpoint("null".into()))
}

fn failed(tx: &mut dyn Tx, cx: &mut OpCx<'_>, outbox: Outbox, reason: &str) -> OpResult<Plan> {
    let since = outbox.failing_since.unwrap_or(cx.heard);
    let failures = outbox.failures.saturating_add(1);
    if cx.heard.0 - since.0 >= ALERT_AFTER_MS {
        let minutes = (cx.heard.0 - since.0) / 60_000;
        let message =
            format!("the archive has taken no history for {minutes} minutes, it waits in the store: {reason}");
        cx.fx.open_alert(ALERT, ALERT, message);
    }
    Outbox { failures, failing_since: Some(since), touched: cx.heard, ..outbox }.save(tx)?;
    Ok(Plan::Later(cx.wall.plus_ms(pause_ms(failures))))
}

/// Growing, and never long.
fn pause_ms(failures: i64) -> i64 {
    let doublings = u32::try_from(failures - 1).unwrap_or(u32::MAX).min(10);
    (PAUSE_MS << doublings).min(PAUSE_MAX_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_11_the_pause_grows_to_a_minute() {
        let pauses: Vec<i64> =
            [1, 2, 3, 4, 5, 60, i64::MAX].into_iter().map(|failures| pause_ms(failures) / 1_000).collect();
        assert_eq!(pauses, [5, 10, 20, 40, 60, 60, 60]);
    }
}
