//! A job that is answered exactly once, whatever happens to the thread that holds it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::store::{Isolation, Job, Keys, Outcome, StoreError, Tx, Urgency, Verdict};

/// Wraps a job; if it is dropped unanswered (a panic in the engine), the job hears that nobody knows.
pub struct Ticket(Option<Box<dyn Job>>);

impl Ticket {
    /// The job, wrapped.
    #[must_use]
    pub fn of(job: Box<dyn Job>) -> Box<dyn Job> {
        Box::new(Self(Some(job)))
    }

    fn job(&self) -> &dyn Job {
        match &self.0 {
            Some(job) => job.as_ref(),
            None => unreachable!("a job is gone only after its answer"),
        }
    }

    /// A panic in the answer belongs to the one who asked; the worker has others to serve.
    fn answer(&mut self, outcome: Outcome) {
        if let Some(job) = self.0.take() {
            let _ = catch_unwind(AssertUnwindSafe(|| job.done(outcome)));
        }
    }
}

impl Job for Ticket {
    fn name(&self) -> &'static str {
        self.job().name()
    }

    fn keys(&self) -> &Keys {
        self.job().keys()
    }

    fn isolation(&self) -> Isolation {
        self.job().isolation()
    }

    fn urgency(&self) -> Urgency {
        self.job().urgency()
    }

    fn deadline_us(&self) -> u64 {
        self.job().deadline_us()
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        match &mut self.0 {
            Some(job) => job.run(tx),
            None => unreachable!("a job is gone only after its answer"),
        }
    }

    fn done(mut self: Box<Self>, outcome: Outcome) {
        self.answer(outcome);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.answer(Outcome::Failed(StoreError::Unknown("the engine's worker panicked, see the log".into())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    struct Told(Sender<Outcome>);

    impl Job for Told {
        fn name(&self) -> &'static str {
            "told"
        }

        fn run(&mut self, _: &mut dyn Tx) -> Verdict {
            Verdict::Keep
        }

        fn done(self: Box<Self>, outcome: Outcome) {
            self.0.send(outcome).expect("somebody listens");
        }
    }

    #[test]
    fn a_dropped_job_hears_that_nobody_knows() {
        let (told, heard) = channel();
        drop(Ticket::of(Box::new(Told(told))));
        assert!(matches!(heard.try_recv(), Ok(Outcome::Failed(StoreError::Unknown(_)))));
        assert!(heard.try_recv().is_err(), "told once");
    }

    #[test]
    fn an_answered_job_is_told_once() {
        let (told, heard) = channel();
        Ticket::of(Box::new(Told(told))).done(Outcome::Committed);
        assert_eq!(heard.try_recv(), Ok(Outcome::Committed));
        assert!(heard.try_recv().is_err(), "told once");
    }

    #[test]
    fn a_panic_in_an_answer_is_contained() {
        let (told, heard) = channel();
        drop(heard);
        Ticket::of(Box::new(Told(told))).done(Outcome::Committed);
    }
}
