//! What two mutants put off until after the commit, where a crash can lose it. Not used unless a mutant is switched on.

use std::sync::{Arc, Mutex, PoisonError};

use base::{Heard, Job, OpResult, Outcome, Stamp, Store, Tx, Verdict, Wall};

use crate::cx::OpCx;
use crate::effects::{self, Effects};
use crate::home::Home;
use crate::idempotency;
use crate::request::{Idempotency, Request};
use crate::tasks::TaskConfig;

type Work = Box<dyn FnMut(&mut dyn Tx) -> OpResult<()> + Send>;

/// What is to be done after the commit.
#[derive(Default)]
pub(crate) struct Late(Mutex<Vec<Work>>);

impl Late {
    fn push(&self, work: Work) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(work);
    }

    /// A new attempt: what the one before put off is void.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Writes the effects later.
    pub(crate) fn effects(
        &self,
        request: &Request,
        (wall, heard): (Wall, Heard),
        effects: &mut Effects,
        tasks: &Arc<TaskConfig>,
    ) {
        let (request, kept, tasks) = (request.clone(), effects.take(), tasks.clone());
        self.push(Box::new(move |tx| {
            let (mut again, home) = (Effects::of(kept.clone()), Home::nowhere());
            effects::write(tx, &mut OpCx::new((&request, "late", &home), 1, (wall, heard), &mut again), &tasks)
        }));
    }

    /// Writes the request's row later.
    pub(crate) fn request_row(
        &self,
        request: &Request,
        once: &Idempotency,
        answer: Option<String>,
        version: Option<Stamp>,
    ) {
        let expires_at = Heard(i64::MAX);
        let (request, once) = (request.clone(), once.clone());
        self.push(Box::new(move |tx| {
            idempotency::begin(tx, &request, &once, expires_at)?;
            idempotency::complete(tx, &request, &once, answer.as_deref(), version)
        }));
    }

    /// The operation is committed: now.
    pub(crate) fn submit(&self, store: &dyn Store) {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        all.into_iter().for_each(|work| store.submit(Box::new(LateJob(work))));
    }
}

struct LateJob(Work);

impl Job for LateJob {
    fn name(&self) -> &'static str {
        "mutant.late"
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        if (self.0)(tx).is_ok() { Verdict::Keep } else { Verdict::Undo }
    }

    fn done(self: Box<Self>, _: Outcome) {}
}
