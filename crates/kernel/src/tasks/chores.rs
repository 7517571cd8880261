//! Whose a task is: somebody's who created it, or a chore of the server's own.
//!
//! A chore sees to what a service promises (retention, notifications, indexes), is made by the server and ends by itself. Nobody
//! deletes one that goes on: what it does would be left undone, or not be done again before the next start. One that is parked
//! waits for a person like any other task: it is in nobody's way, and what was to follow it was inscribed.

use base::{Sql, StoreResult, Tx, args};
use serde::{Deserialize, Serialize};

use super::list::State;
use super::row::Task;
use super::walk::Seen;
use crate::service::ServiceDef;

/// Operations of tasks that are told apart; where there are more, all tasks are walked along.
const OPS_MAX: usize = 200;

/// Whose tasks are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// Anybody's.
    #[default]
    All,
    /// What people and programs created, and whatever waits for a person: parked chores are here too.
    People,
    /// Chores that the server sees to by itself.
    Server,
}

/// The kinds of tasks that services have, with whether people and programs may create them.
#[derive(Clone, Default)]
pub struct Chores(Vec<(&'static str, bool)>);

impl Chores {
    pub(crate) fn of(services: &[&'static ServiceDef]) -> Self {
        Self(services.iter().flat_map(|service| service.tasks).map(|def| (def.op, def.callable)).collect())
    }

    /// Whether a task is the server's own.
    #[must_use]
    pub fn has(&self, task: &Task) -> bool {
        self.is_one(&task.op, task.target.is_some(), task.standing.is_some())
    }

    pub(super) fn is_one(&self, op: &str, has_target: bool, is_standing: bool) -> bool {
        is_standing || (!has_target && self.0.iter().any(|(own, callable)| *own == op && !callable))
    }

    pub(super) fn fits(&self, whose: Whose, seen: &Seen) -> bool {
        let seen_to = self.is_one(&seen.op, seen.has_target, seen.is_standing) && seen.state != State::Parked;
        match whose {
            Whose::All => true,
            Whose::People => !seen_to,
            Whose::Server => seen_to,
        }
    }

    /// Whether a task without a target and with this operation may be one of those.
    fn may_be(&self, whose: Whose, op: &str) -> bool {
        let own = self.0.iter().find(|(own, _)| *own == op);
        match whose {
            Whose::All => true,
            Whose::People => own.is_none_or(|(_, callable)| *callable),
            Whose::Server => own.is_some(),
        }
    }

    /// The operations of tasks that there are, as far as such tasks may be among them: one step of an index for each. `None` where
    /// there are too many.
    pub(super) fn ops(&self, tx: &mut dyn Tx, whose: Whose) -> StoreResult<Option<Vec<String>>> {
        let (mut ops, mut last, mut steps) = (vec![], String::new(), 0);
        while let Some(row) = tx.query_one(&NEXT_OP, args![&last])? {
            row.text(0).clone_into(&mut last);
            if self.may_be(whose, &last) {
                ops.push(last.clone());
            }
            steps += 1;
            if steps == OPS_MAX {
                return Ok(None);
            }
        }
        Ok(Some(ops))
    }
}

pub(super) static NEXT_OP: Sql =
    Sql::new("task.next_op", "SELECT op FROM task WHERE op > ?1 AND op <> '' ORDER BY op LIMIT 1");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_22_a_chore_is_what_nobody_outside_creates_and_what_stands_by_itself() {
        let chores = Chores(vec![("doc.fill", false), ("backup.write", true)]);
        assert!(chores.is_one("doc.fill", false, false));
        assert!(!chores.is_one("doc.fill", true, false), "a target of somebody's that is called so");
        assert!(!chores.is_one("backup.write", false, false));
        assert!(chores.is_one("backup.write", false, true));
        assert!(!chores.is_one("report.nightly", false, false));
        let own = [Whose::People, Whose::Server].map(|whose| chores.may_be(whose, "backup.write"));
        assert_eq!(own, [true, true], "either, as it stands by itself or not");
    }
}
