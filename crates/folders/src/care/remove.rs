//! Removes a directory with all its past: nobody sees it from now on, its rows go portion by portion.

use std::collections::BTreeMap;

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::{Hint, NewTask, Op, OpCx, Plan, TaskDef, TaskRow};
use serde::{Deserialize, Serialize};

use crate::desk::content::unused::unrefer;
use crate::desk::rights::{Right, enter};
use crate::form::Who;

/// Removes a directory; there is no way back.
pub static REMOVE: Op<Remove, ()> =
    Op::new("folders.remove", remove).keyed(|input| crate::key_of(&input.directory)).ending();
/// What lets its rows go.
pub(crate) const TASK: TaskDef = TaskDef::new(TASK_OP, portion).queue(2).ending();
const TASK_OP: &str = "folders.remove_rows";

/// Rows of one portion.
const PORTION: usize = 500;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&GONE, &VERSIONS, &DROP_VERSION, &DROP_FILES, &DROP_SEATS, &DROP_UPLOADS, &DROP_MEMBERS, &DROP_DEVICES, &DROP];

static GONE: Sql = Sql::new("fld_directory.gone", "UPDATE fld_directory SET gone = 1 WHERE id = ?1");
static VERSIONS: Sql = Sql::new(
    "fld_version.of_directory",
    "SELECT file, version, content FROM fld_version WHERE directory = ?1 ORDER BY seq, file LIMIT 500",
);
static DROP_VERSION: Sql = Sql::new("fld_version.drop", "DELETE FROM fld_version WHERE file = ?1 AND version = ?2");
static DROP_FILES: Sql = Sql::new(
    "fld_file.drop_some",
    "DELETE FROM fld_file WHERE id IN (SELECT f.id FROM fld_file f WHERE f.directory = ?1 ORDER BY f.seq, f.id LIMIT 500)",
);
static DROP_SEATS: Sql = Sql::new(
    "fld_seat.drop_some",
    "DELETE FROM fld_seat WHERE place IN (SELECT s.place FROM fld_seat s WHERE s.directory = ?1 ORDER BY s.place LIMIT 500)",
);
static DROP_UPLOADS: Sql = Sql::new(
    "fld_upload.drop_some",
    "DELETE FROM fld_upload WHERE id IN (SELECT u.id FROM fld_upload u WHERE u.directory = ?1 ORDER BY u.id LIMIT 500)",
);
static DROP_MEMBERS: Sql = Sql::new(
    "fld_member.drop_some",
    "DELETE FROM fld_member WHERE directory = ?1 AND who IN (SELECT m.who FROM fld_member m WHERE m.directory = ?1 ORDER BY m.who LIMIT 500)",
);
static DROP_DEVICES: Sql = Sql::new(
    "fld_device.drop_some",
    "DELETE FROM fld_device WHERE directory = ?1 AND device IN \
     (SELECT d.device FROM fld_device d WHERE d.directory = ?1 ORDER BY d.device LIMIT 500)",
);
static DROP: Sql = Sql::new("fld_directory.drop", "DELETE FROM fld_directory WHERE id = ?1 AND gone = 1");

/// Which directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remove {
    /// By whom.
    pub who: Who,
    /// Which.
    pub directory: String,
}

fn remove(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Remove) -> OpResult<()> {
    enter(tx, &input.directory, &input.who, Right::Admin)?;
    tx.write(&GONE, args![&input.directory])?;
    let id = cx.id();
    let param = serde_json::to_string(&input.directory).unwrap_or_default();
    cx.fx.task(NewTask::new(id, TASK_OP).param(param).info(format!("directory {}", input.directory)));
    cx.fx.journal("folders.removed", &input.directory, format!("by {}", input.who.key));
    cx.fx.wake(Hint::Changed(crate::topic(&input.directory)));
    Ok(())
}

fn portion(tx: &mut dyn Tx, cx: &mut OpCx<'_>, row: &TaskRow) -> OpResult<Plan> {
    let wrong = |error| OpError::new(codes::BDETECTED, format!("`{}` is no directory: {error}", row.param));
    let directory: String = serde_json::from_str(&row.param).map_err(wrong)?;
    if drop_versions(tx, cx, &directory)? {
        return Ok(Plan::Checkpoint("null".into()));
    }
    for sql in [&DROP_FILES, &DROP_SEATS, &DROP_UPLOADS, &DROP_MEMBERS, &DROP_DEVICES] {
        if tx.execute(sql, args![&directory])? > 0 {
            return Ok(Plan::Checkpoint("null".into()));
        }
    }
    tx.write(&DROP, args![&directory])?;
    Ok(Plan::Done)
}

/// Lets some versions go; whether there were any.
fn drop_versions(tx: &mut dyn Tx, cx: &OpCx<'_>, directory: &str) -> OpResult<bool> {
    let rows = tx.query(&VERSIONS, args![directory], PORTION)?;
    let mut uses: BTreeMap<&str, i64> = BTreeMap::new();
    for row in &rows {
        tx.write(&DROP_VERSION, args![row.text(0), row.int(1)])?;
        row.opt_text(2).into_iter().for_each(|content| *uses.entry(content).or_default() += 1);
    }
    for (content, count) in uses {
        unrefer(tx, cx, content, count)?;
    }
    Ok(!rows.is_empty())
}
