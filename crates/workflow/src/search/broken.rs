//! Processes that are broken by a task of a group (WFL-17): so that a job does something with exactly what a group of broken tasks shows.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::moment;
use super::walk::Seen;
use crate::names::{check_actor, check_text};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&OF_PROCESS];

/// Broken tasks of a process that are looked at.
const TASKS_MAX: usize = 500;

static OF_PROCESS: Sql = Sql::new(
    "wfl_decision.why_broken",
    "SELECT d.error_class, COALESCE(t.actor, d.queue), d.broken_at FROM wfl_decision d \
     LEFT JOIN wfl_task t ON t.process = d.process AND t.number = d.number \
     WHERE d.process = ?1 AND d.broken_at IS NOT NULL ORDER BY d.number LIMIT 500",
);

/// A broken task: all that is said must hold of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = ProcessBrokenBy)]
pub struct BrokenBy {
    /// The actor that its process began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starter: Option<String>,
    /// Its actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The class of its error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_class: Option<String>,
    /// Broken at this moment or later, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Broken before this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// The same, read: times are times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Broken {
    by: BrokenBy,
    from: Option<Wall>,
    to: Option<Wall>,
}

impl BrokenBy {
    pub(super) fn read(&self) -> OpResult<Broken> {
        self.starter.iter().chain(&self.actor).try_for_each(|actor| check_actor(actor))?;
        // An error may have no class.
        let class = self.error_class.iter().filter(|class| !class.is_empty());
        class.into_iter().try_for_each(|class| check_text("error_class", class))?;
        Ok(Broken { from: moment("from", &self.from)?, to: moment("to", &self.to)?, by: self.clone() })
    }
}

impl Broken {
    /// Whether a process is broken by such a task.
    pub(super) fn matches(&self, tx: &mut dyn Tx, seen: &Seen) -> OpResult<bool> {
        if self.by.starter.as_ref().is_some_and(|starter| *starter != seen.starter) {
            return Ok(false);
        }
        let rows = tx.query(&OF_PROCESS, args![&seen.id], TASKS_MAX)?;
        Ok(rows.iter().any(|row| self.fits(row)))
    }

    fn fits(&self, row: &Row) -> bool {
        let is = |wish: &Option<String>, text: &str| wish.as_ref().is_none_or(|wish| wish == text);
        let at = Wall(row.int(2));
        is(&self.by.error_class, row.opt_text(0).unwrap_or_default())
            && is(&self.by.actor, row.text(1))
            && self.from.is_none_or(|from| at >= from)
            && self.to.is_none_or(|to| at < to)
    }
}
