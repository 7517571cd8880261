//! What an operation is: a name and plain functions. No trait to implement, no state, no await.

use base::limits::OP_TIME_MS;
use base::{Isolation, Keys, OpResult, Stamp, Tx, Urgency};

use crate::cx::OpCx;
use crate::home::Home;
use crate::request::Role;

/// The work of an operation: (transaction, context, input) to result.
pub type Work<I, O> = fn(&mut dyn Tx, &mut OpCx<'_>, &I) -> OpResult<O>;

/// An operation from `I` to `O`.
pub struct Op<I, O> {
    /// `service.verb`, unique in the program.
    pub name: &'static str,
    /// The work: reads, decides, writes, in one transaction. It may run more than once and must then do the same.
    pub run: Work<I, O>,
    /// What it must not overlap with, within this process.
    pub keys: fn(&I) -> Keys,
    /// Puts the validation stamp into the result; it may do nothing else (KER-7).
    pub afterwork: fn(&mut O, Stamp),
    /// Rebuilds the answer of a repeated request from rows, for answers too large or too secret to keep (KER-10).
    pub rebuild: Option<Work<I, O>>,
    /// Whether it may run when the disk is full.
    pub urgency: Urgency,
    /// How isolated it must be.
    pub isolation: Isolation,
    /// Time for everything, waiting and attempts included.
    pub limit_ms: u64,
    /// Whether faults and detected bugs of its own are tried again at once, as KER-7 says. One that has a schedule of its own
    /// for that is run again only after contention.
    pub tries_again: bool,
    /// Who may call it by its name (`POST /v1/{ns}/op/{name}`), beside administrators; nobody may unless it is said.
    pub named_for: Option<&'static [Role]>,
}

impl<I, O> Op<I, O> {
    /// An operation with a name and its work.
    #[must_use]
    pub const fn new(name: &'static str, run: Work<I, O>) -> Self {
        Self {
            name,
            run,
            keys: |_| Keys::NONE,
            afterwork: |_, _| {},
            rebuild: None,
            urgency: Urgency::Normal,
            isolation: Isolation::Serial,
            limit_ms: OP_TIME_MS,
            tries_again: true,
            named_for: None,
        }
    }

    /// With contention keys.
    #[must_use]
    pub const fn keyed(self, keys: fn(&I) -> Keys) -> Self {
        Self { keys, ..self }
    }

    /// With an afterwork.
    #[must_use]
    pub const fn then(self, afterwork: fn(&mut O, Stamp)) -> Self {
        Self { afterwork, ..self }
    }

    /// With an answer that is rebuilt, not kept.
    #[must_use]
    pub const fn rebuilt(self, rebuild: Work<I, O>) -> Self {
        Self { rebuild: Some(rebuild), ..self }
    }

    /// One that ends work or frees room, so that it also runs on the reserve (KER-31).
    #[must_use]
    pub const fn ending(self) -> Self {
        Self { urgency: Urgency::Ending, ..self }
    }
}

impl<I, O> Op<I, O> {
    /// One that claims: what its one read finds it locks, seeing each row as it is then, so that it need not fight as serial
    /// ones do.
    #[must_use]
    pub const fn claiming(self) -> Self {
        Self { isolation: Isolation::Claim, ..self }
    }

    /// One whose faults are final here, because whoever calls it has a schedule of tries (tasks).
    #[must_use]
    pub const fn failing_at_once(self) -> Self {
        Self { tries_again: false, ..self }
    }

    /// One that keys of these roles, and administrators, may call by its name.
    #[must_use]
    pub const fn named_for(self, roles: &'static [Role]) -> Self {
        Self { named_for: Some(roles), ..self }
    }

    /// With another time limit (a cycle of a task has 60 s).
    #[must_use]
    pub const fn within_ms(self, limit_ms: u64) -> Self {
        Self { limit_ms, ..self }
    }
}

/// The reading of a query.
pub enum Reading<I, O> {
    /// Of rows alone.
    Plain(fn(&mut dyn Tx, &I) -> OpResult<O>),
    /// Of rows, and what is around them.
    AtHome(fn(&mut dyn Tx, &Home, &I) -> OpResult<O>),
}

/// A read from `I` to `O` on a snapshot of committed state, never behind the writer.
pub struct Query<I, O> {
    /// `service.noun`, unique in the program.
    pub name: &'static str,
    /// The reading.
    pub run: Reading<I, O>,
    /// Who may ask it by its name (`POST /v1/{ns}/op/{name}`), beside administrators; nobody may unless it is said.
    pub named_for: Option<&'static [Role]>,
}

impl<I, O> Query<I, O> {
    /// A query with a name and its reading.
    #[must_use]
    pub const fn new(name: &'static str, run: fn(&mut dyn Tx, &I) -> OpResult<O>) -> Self {
        Self { name, run: Reading::Plain(run), named_for: None }
    }

    /// Runs it within another's transaction, at home in that one's namespace.
    ///
    /// # Errors
    /// What it answers.
    pub fn run_in(&self, tx: &mut dyn Tx, home: &Home, input: &I) -> OpResult<O> {
        match self.run {
            Reading::Plain(run) => run(tx, input),
            Reading::AtHome(run) => run(tx, home, input),
        }
    }

    /// One that needs what is around it in its namespace: memory of its service, offers of others.
    #[must_use]
    pub const fn at_home(name: &'static str, run: fn(&mut dyn Tx, &Home, &I) -> OpResult<O>) -> Self {
        Self { name, run: Reading::AtHome(run), named_for: None }
    }

    /// One that keys of these roles, and administrators, may ask by its name.
    #[must_use]
    pub const fn named_for(self, roles: &'static [Role]) -> Self {
        Self { named_for: Some(roles), ..self }
    }
}
