//! Inscribes many tasks in one commit: all of them or none.

use base::limits::OP_EFFECTS_MAX;
use base::{OpError, OpResult, Tx, codes};
use kernel::{NewTask, Op, OpCx};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{CallAndMark, Mark};

/// Inscribes tasks.
pub static INSCRIBE: Op<Inscribe, Inscribed> = Op::new("drill.inscribe", inscribe);

/// Most tasks of one operation: as many as it may have effects.
pub const TASKS_MAX: u32 = 2_000;
const _: () = assert!(TASKS_MAX as usize <= OP_EFFECTS_MAX);

/// Which tasks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inscribe {
    /// Start of their names; a number follows.
    pub wave: String,
    /// How many.
    pub count: u32,
    /// Who is called by those that call outside.
    pub url: String,
}

/// How many there are now.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Inscribed {
    /// So many.
    pub count: u32,
}

impl Inscribe {
    /// Cycles of the task of this number; none if it calls outside. Of ten, two call and two have three cycles.
    #[must_use]
    pub fn cycles(number: u32) -> Option<u32> {
        match number % 10 {
            0 | 5 => None,
            1 | 2 => Some(3),
            _ => Some(1),
        }
    }

    /// Name of the mark of the task of this number.
    #[must_use]
    pub fn name(&self, number: u32) -> String {
        format!("{}-{number}", self.wave)
    }
}

fn inscribe(_: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Inscribe) -> OpResult<Inscribed> {
    if input.count > TASKS_MAX {
        return Err(OpError::new(codes::ALIMIT, format!("{} tasks, at most {TASKS_MAX}", input.count)));
    }
    for number in 0..input.count {
        let (id, name) = (cx.id(), input.name(number));
        let task = match Inscribe::cycles(number) {
            Some(cycles) => NewTask::new(id, "drill.mark").param(json!(Mark { name, cycles }).to_string()),
            None => {
                let url = input.url.clone();
                NewTask::new(id, "drill.call").param(json!(CallAndMark { name, url }).to_string())
            }
        };
        cx.fx.task(task);
    }
    Ok(Inscribed { count: input.count })
}
