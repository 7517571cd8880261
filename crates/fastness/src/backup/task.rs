//! The scheduled backup: a task of the administrators' namespace that calls the work `backup.write` and settles what
//! came of it. A failing backup opens an alert, a good one closes it.
//!
//! The work itself is [`perform`]; the program registers it under [`WORK`].

use base::{Call, CallResult, OpResult, Tx, WorkCall};
use kernel::{OpCx, Plan, ServiceDef, TaskDef, TaskRow};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Why, Wish, write};
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

fn plan(_: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    if !cx.home.administers {
        return Ok(not_here(cx, task));
    }
    let call = WorkCall { name: WORK, namespace: String::new(), param: "{}".to_owned(), timeout_ms: LIMIT_MS };
    Ok(Plan::Call(Call::Work(call)))
}

/// Tenants could once create these. Neither made nor parked: a series would leave a parked one each night.
fn not_here(cx: &mut OpCx<'_>, task: &TaskRow) -> Plan {
    let text = format!("task {} asks for a backup, which only the administrators' namespace makes: cancel it", task.id);
    cx.fx.open_alert(ALERT, "backup", text);
    Plan::Done
}

fn settle(_: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow, result: &CallResult) -> OpResult<Plan> {
    match result {
        CallResult::Worked(said) => {
            match lacking(said) {
                Some(lacking) => cx.fx.open_alert(ALERT, "backup", lacking),
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

/// What a person must hear of a backup that was written: namespaces that are not in it and nobody else looks after, and backups that nobody can read.
fn lacking(said: &str) -> Option<String> {
    let told: Value = serde_json::from_str(said).ok()?;
    let list = |key: &str| told[key].as_array().cloned().unwrap_or_default();
    let mut lines: Vec<_> = list("not_in_it").iter().filter_map(left_out).collect();
    lines.extend(list("unreadable").iter().filter_map(Value::as_str).map(|why| format!("an older one is kept: {why}")));
    (!lines.is_empty()).then(|| format!("the backup was written; {}", lines.join("; ")))
}

/// A namespace that is not in the backup. Of one with a PostgreSQL of its own its owner knows.
fn left_out(it: &Value) -> Option<String> {
    let why = Why::deserialize(&it["why"]).ok().filter(|why| *why != Why::OwnPostgres)?;
    let (name, (what, _)) = (it["namespace"].as_str()?, why.words());
    let last = it["last"]
        .as_str()
        .map_or_else(|| "no older one has it".into(), |last| format!("its last one is kept: {last}"));
    Some(format!("`{name}` is not in it: it {what} ({last})"))
}

/// Writes the configured backup; blocks. Repeating it writes another one, which is what a repeat should do.
#[must_use]
pub(crate) fn perform(config: &Config) -> CallResult {
    let wish = Wish { to: config.backup.dir.clone(), namespace: None, keep: Some(config.backup.keep) };
    match write(config, &wish, &Progress::none()) {
        Ok(written) if written.damaged.is_empty() => {
            let (folder, removed) = (written.folder.display().to_string(), written.removed.len());
            // Not a failure: it would be the same each time. The journal tells all of it, an alert what a person must look at.
            let (elsewhere, unreadable) = (written.elsewhere, written.unreadable);
            let told =
                json!({ "folder": folder, "removed": removed, "not_in_it": elsewhere, "unreadable": unreadable });
            CallResult::Worked(told.to_string())
        }
        Ok(written) => CallResult::NotMade(format!("damaged or missing blobs: {}", written.damaged.join(", "))),
        Err(error) => CallResult::NotMade(format!("{error:#}")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use base::{Sql, Store, args};
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

    static PLAN: Op<(), bool> = Op::new("backup.test_plan", |tx, cx, ()| {
        let task = TaskRow::first_attempt(cx.id(), WORK, "{}", cx.wall);
        Ok(plan(tx, cx, &task)? == Plan::Done)
    });

    /// Whether the task is done, and how many alerts are open then.
    fn settled(kernel: &Kernel, result: CallResult) -> (bool, i64) {
        after(kernel, "z", &RUN, result)
    }

    fn after<I: Clone + Send + Sync + 'static>(
        kernel: &Kernel,
        namespace: &str,
        op: &'static Op<I, bool>,
        input: I,
    ) -> (bool, i64) {
        let namespace = kernel.namespace(namespace).unwrap();
        let (tell, told) = channel();
        let done = Box::new(move |reply: OpResult<kernel::Reply<bool>>| drop(tell.send(reply)));
        kernel.call(&namespace, op, kernel.request(Caller::server("test")), input, done);
        let done = told.recv().unwrap().unwrap().out;
        let (tell, told) = channel();
        kernel.read(&namespace, &ALERTS, (), Box::new(move |count| drop(tell.send(count))));
        (done, told.recv().unwrap().unwrap())
    }

    /// The administrators' namespace, and a tenant's.
    fn kernel(folder: &Path) -> Kernel {
        let clock = Arc::new(RealClock::new());
        let store = |name: &str| {
            let store = InlineStore::open(&folder.join(name), clock.clone()).unwrap();
            (name.to_owned(), Arc::new(store) as Arc<dyn Store>)
        };
        let stores = vec![store("z"), store("main")];
        let env = Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
        Kernel::open(env, KernelConfig::default(), &[&SERVICE], stores).unwrap()
    }

    #[test]
    fn ker_37_a_backup_that_a_tenant_once_asked_for_is_not_made_and_told_there() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = kernel(folder.path());
        assert_eq!(after(&kernel, "main", &PLAN, ()), (true, 1));
        assert_eq!(after(&kernel, "z", &PLAN, ()), (false, 0));
    }

    #[test]
    fn ker_37_a_failed_backup_opens_an_alert_and_is_tried_again_and_a_good_one_closes_it() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = kernel(folder.path());
        assert_eq!(settled(&kernel, CallResult::NotMade("no room".into())), (false, 1));
        assert_eq!(settled(&kernel, CallResult::Unknown("killed".into())), (false, 1));
        assert_eq!(settled(&kernel, CallResult::Worked("{}".into())), (true, 0));
        let own = r#"{"not_in_it": [{"namespace": "own", "why": "own-postgres"}]}"#;
        assert_eq!(settled(&kernel, CallResult::Worked(own.into())), (true, 0));
        let lost = r#"{"not_in_it": [{"namespace": "shop", "why": "no-file", "last": "/backups/backup-2"}]}"#;
        let never_had = r#"{"not_in_it": [{"namespace": "shop", "why": "no-schema"}]}"#;
        let unreadable = r#"{"not_in_it": [], "unreadable": ["/backups/backup-1/manifest.json is of no use"]}"#;
        for told in [lost, never_had, unreadable] {
            assert_eq!(settled(&kernel, CallResult::Worked(told.into())), (true, 1), "{told}");
            assert_eq!(settled(&kernel, CallResult::Worked(own.into())), (true, 0));
        }
    }

    #[test]
    fn ker_37_an_alert_says_why_a_namespace_is_not_in_a_backup() {
        let told = r#"{"not_in_it": [{"namespace": "shop", "why": "no-file", "last": "/b/backup-2"},
            {"namespace": "own", "why": "own-postgres"}, {"namespace": "new", "why": "no-url"}]}"#;
        let text = lacking(told).unwrap();
        assert!(
            text.contains("`shop` is not in it: it has no file here (its last one is kept: /b/backup-2)"),
            "{text}"
        );
        assert!(
            text.contains("`new` is not in it: it is on PostgreSQL") && text.contains("no older one has it"),
            "{text}"
        );
        assert!(!text.contains("`own`"), "{text}");
    }
}
