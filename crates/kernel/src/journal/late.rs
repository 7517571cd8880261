//! Writes lines that waited. Their ids were fixed when they happened, so that a repeat writes nothing.

use base::{OpResult, Tx};

use super::later::LateLine;
use crate::cx::OpCx;
use crate::effects::JournalLine;
use crate::op::Op;

/// Lines of one operation.
pub(crate) const LATE_MAX: usize = 200;

/// Writes lines that waited.
pub(crate) static JOURNAL_LATE: Op<Vec<LateLine>, ()> = Op::new("journal.late", journal_late);

fn journal_late(tx: &mut dyn Tx, cx: &mut OpCx<'_>, lines: &Vec<LateLine>) -> OpResult<()> {
    for line in lines {
        let again = if line.times > 1 { format!(" ({} times)", line.times) } else { String::new() };
        let text = format!("{}{again}", line.text);
        let written = JournalLine { kind: line.kind.clone(), subject: line.subject.clone(), text };
        super::insert(tx, line.id, (line.at, cx.heard), &cx.caller.name, &written)?;
    }
    Ok(())
}
