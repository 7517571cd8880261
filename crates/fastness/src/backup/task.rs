//! The scheduled backup: a task of the administrators' namespace that calls the work `backup.write` and settles what
//! came of it. A failing backup opens an alert, a good one closes it.
//!
//! The work itself is [`perform`]; the program registers it under [`WORK`].

use base::{Call, CallResult, OpResult, Tx, WorkCall};
use kernel::{OpCx, Plan, ServiceDef, TaskDef, TaskRow};
use serde_json::{Value, json};

use super::{Wish, write};
use crate::config::Config;
use crate::progress::Progress;

/// The name under which [`perform`] is registered.
pub(crate) const WORK: &str = "backup.write";
/// Longest time of a backup: after it the task is tried again.
const LIMIT_MS: u64 = 6 * 3_600_000;
const ALERT: &str = "backup";

/// The service of one task. It has no tables and no routes.
pub(crate) static SERVICE: ServiceDef = ServiceDef { name: "backup", tasks: &[TASK], ..ServiceDef::EMPTY };

/// In the background queue; tried again soon, because the next night may be too late. It holds every namespace and takes the oldest
/// backup away, so that no tenant may ask for one.
const TASK: TaskDef = TaskDef::new("backup.write", plan)
    .settled_by(settle)
    .queue(2)
    .retrying(&[10, 60, 180, 180])
    .callable()
    .at_administration();

fn plan(_: &mut dyn Tx, _: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let call = WorkCall { name: WORK, namespace: String::new(), param: "{}".to_owned(), timeout_ms: LIMIT_MS };
    Ok(Plan::Call(Call::Work(call)))
}

fn settle(_: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow, result: &CallResult) -> OpResult<Plan> {
    match result {
        CallResult::Worked(said) => {
            match lost(said) {
                Some(lost) => cx.fx.open_alert(ALERT, "backup", lost),
                None => cx.fx.close_alert(ALERT),
            }
            cx.fx.journal("backup.written", "backup", said.clone());
            Ok(Plan::Done)
        }
        CallResult::NotMade(reason) | CallResult::Unknown(reason) => {
            cx.fx.open_alert(ALERT, "backup", format!("the scheduled backup failed: {reason}"));
            Ok(Plan::Later(cx.wall.plus_ms(600_000)))
        }
        CallResult::Http(_) | CallResult::Mailed => Ok(Plan::Done),
    }
}

/// Namespaces that were in a backup before, and are not in this one.
fn lost(said: &str) -> Option<String> {
    let told: Value = serde_json::from_str(said).ok()?;
    let word = |it: &Value, key: &str| it[key].as_str().map(str::to_owned);
    let line =
        |it: &Value| Some(format!("`{}`, whose last one is kept: {}", word(it, "namespace")?, word(it, "last")?));
    let lines: Vec<_> = told["not_in_it"].as_array()?.iter().filter_map(line).collect();
    let text = || format!("the backup was written without {}", lines.join("; without "));
    (!lines.is_empty()).then(text)
}

/// Writes the configured backup; blocks. Repeating it writes another one, which is what a repeat should do.
#[must_use]
pub(crate) fn perform(config: &Config) -> CallResult {
    let wish = Wish { to: config.backup.dir.clone(), namespace: None, keep: Some(config.backup.keep) };
    match write(config, &wish, &Progress::none()) {
        Ok(written) if written.damaged.is_empty() => {
            let (folder, removed) = (written.folder.display().to_string(), written.removed.len());
            // Not a failure: it would be the same each time. The journal tells what is not in it, an alert what was in one before.
            let told = json!({ "folder": folder, "removed": removed, "not_in_it": written.elsewhere });
            CallResult::Worked(told.to_string())
        }
        Ok(written) => CallResult::NotMade(format!("damaged or missing blobs: {}", written.damaged.join(", "))),
        Err(error) => CallResult::NotMade(format!("{error:#}")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use base::{Sql, args};
    use host::{OsEntropy, RealClock, ThreadTimers};
    use kernel::{Caller, Env, Kernel, KernelConfig, Op, Query};
    use store_sqlite::InlineStore;

    use super::*;

    static OPEN: Sql = Sql::new("alert.test_open", "SELECT COUNT(*) FROM alert WHERE key = ?1 AND closed_at IS NULL");
    static ALERTS: Query<(), i64> =
        Query::new("backup.test_alerts", |tx, ()| Ok(tx.query_one(&OPEN, args![ALERT])?.map_or(0, |row| row.int(0))));
    static RUN: Op<CallResult, bool> = Op::new("backup.test_run", |tx, cx, result| {
        let task = TaskRow::first_attempt(cx.id(), WORK, "{}", cx.wall);
        assert!(matches!(plan(tx, cx, &task)?, Plan::Call(Call::Work(call)) if call.name == WORK));
        Ok(settle(tx, cx, &task, result)? == Plan::Done)
    });

    /// Whether the task is done, and how many alerts are open then.
    fn settled(kernel: &Kernel, result: CallResult) -> (bool, i64) {
        let namespace = kernel.admin_namespace();
        let (tell, told) = channel();
        let done = Box::new(move |reply: OpResult<kernel::Reply<bool>>| drop(tell.send(reply)));
        kernel.call(&namespace, &RUN, kernel.request(Caller::server("test")), result, done);
        let done = told.recv().unwrap().unwrap().out;
        let (tell, told) = channel();
        kernel.read(&namespace, &ALERTS, (), Box::new(move |count| drop(tell.send(count))));
        (done, told.recv().unwrap().unwrap())
    }

    #[test]
    fn ker_37_a_failed_backup_opens_an_alert_and_is_tried_again_and_a_good_one_closes_it() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(RealClock::new());
        let store = Arc::new(InlineStore::open(&folder.path().join("store.db"), clock.clone()).unwrap());
        let env = Env { clock, entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
        let kernel = Kernel::open(env, KernelConfig::default(), &[&SERVICE], vec![("z".into(), store)]).unwrap();
        assert_eq!(settled(&kernel, CallResult::NotMade("no room".into())), (false, 1));
        assert_eq!(settled(&kernel, CallResult::Unknown("killed".into())), (false, 1));
        assert_eq!(settled(&kernel, CallResult::Worked("{}".into())), (true, 0));
        let own = r#"{"not_in_it": [{"namespace": "own", "why": "own-postgres"}]}"#;
        assert_eq!(settled(&kernel, CallResult::Worked(own.into())), (true, 0));
        let lost = r#"{"not_in_it": [{"namespace": "shop", "why": "no-file", "last": "/backups/backup-2"}]}"#;
        assert_eq!(settled(&kernel, CallResult::Worked(lost.into())), (true, 1));
        assert_eq!(settled(&kernel, CallResult::Worked(own.into())), (true, 0));
    }
}
