//! The task that works through an import: has bytes read, does what their lines say, goes on where it came to.

use base::{CallResult, OpError, OpResult, Tx, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow, blobs};

use super::begin::end;
use super::lines::{Line, cut};
use super::row::{Did, carry_out, columns, is_refusal, said};
use super::state::{Import, ImportFormat, ImportState};

/// Works through an import.
pub(crate) const IMPORT: TaskDef = TaskDef::new("sensor.import", plan).settled_by(settle).queue(2);

/// Lines of one cycle.
const LINES: usize = 500;
/// Bytes that one cycle reads; a line is shorter.
const BYTES: u64 = 64 << 10;

fn import_of(tx: &mut dyn Tx, task: &TaskRow) -> OpResult<Option<Import>> {
    let wrong = |error| OpError::new(codes::ATASK, format!("param of {} is the id of an import: {error}", task.op));
    let id: String = serde_json::from_str(&task.param).map_err(wrong)?;
    Ok(Import::find(tx, &id)?.filter(|import| import.state == ImportState::Running))
}

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let Some(import) = import_of(tx, task)? else { return Ok(Plan::Done) };
    if import.place >= import.size {
        return end(tx, cx, import, ImportState::Done, "").map(|()| Plan::Done);
    }
    blobs::read_call(tx, import.sha, import.place..import.place + BYTES).map(Plan::Call)
}

fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, called: &CallResult) -> OpResult<Plan> {
    let Some(mut import) = import_of(tx, task)? else { return Ok(Plan::Done) };
    let (from, bytes) = blobs::read_bytes(called)?;
    if from != import.place {
        // What was read is done already: again, from where it is.
        return Ok(Plan::Checkpoint("null".into()));
    }
    let at_end = import.place + bytes.len() as u64 >= import.size;
    let portion = cut(&bytes, at_end, import.skipping, LINES);
    for line in &portion.lines {
        import.counts.lines += 1;
        if let Err(why) = take(tx, cx, &mut import, line)? {
            return end(tx, cx, import, ImportState::Failed, &why).map(|()| Plan::Done);
        }
    }
    import.place += portion.taken as u64;
    import.skipping = portion.skipping;
    if import.place >= import.size {
        return end(tx, cx, import, ImportState::Done, "").map(|()| Plan::Done);
    }
    import.save(tx)?;
    Ok(Plan::Checkpoint("null".into()))
}

/// Takes a line; the inner error ends the import.
fn take(tx: &mut dyn Tx, cx: &mut OpCx<'_>, import: &mut Import, line: &Line<'_>) -> OpResult<Result<(), String>> {
    let text = match text(line, import.counts.lines == 1) {
        Ok(text) => text,
        Err(why) => return import.reject(tx, &why).map(Ok),
    };
    if text.trim().is_empty() {
        return Ok(Ok(()));
    }
    if import.format == ImportFormat::Csv && import.columns.is_none() {
        return Ok(columns(import.kind, text).map(|columns| import.columns = Some(columns)));
    }
    match said(import.kind, import.format, import.columns.as_deref().unwrap_or_default(), text) {
        Ok(said) => match carry_out(tx, cx, &said) {
            Ok(did) => import.count(did),
            Err(error) if is_refusal(&error) => import.reject(tx, &error.message)?,
            Err(fault) => return Err(fault),
        },
        Err(why) => import.reject(tx, &why)?,
    }
    Ok(Ok(()))
}

/// The text of a line; some programs put a mark before the first.
fn text<'a>(line: &Line<'a>, is_first: bool) -> Result<&'a str, String> {
    let Line::Bytes(bytes) = line else {
        return Err(format!("the line has more than {} bytes", super::lines::LINE_MAX));
    };
    let text = std::str::from_utf8(bytes).map_err(|_| "the line is no UTF-8".to_owned())?;
    if text.contains('\0') || text.contains("\\u0000") {
        return Err("the line holds NUL".into());
    }
    Ok(if is_first { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text })
}

impl Import {
    fn count(&mut self, did: Did) {
        let count = match did {
            Did::Created => &mut self.counts.created,
            Did::Changed => &mut self.counts.changed,
            Did::Nothing => &mut self.counts.unchanged,
        };
        *count += 1;
    }
}
