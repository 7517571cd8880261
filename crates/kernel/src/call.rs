//! One call of one operation: the cycle around its attempts (KER-7), from submission to answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use base::mutants::{self, Mutant};
use base::{
    Isolation, Job, Keys, OpError, OpResult, Outcome, Phase, Stamp, Store, StoreError, Tx, Urgency, Verdict, codes,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::counters::{Counted, Field, OPERATION, is_counted};
use crate::cx::OpCx;
use crate::cycle::{Next, next};
use crate::effects::{self, After, Effects, Settled};
use crate::home::Home;
use crate::idempotency::{self, Before, Told};
use crate::kernel::Env;
use crate::late::Late;
use crate::op::{Op, Work};
use crate::request::{Idempotency, Request};
use crate::tasks::TaskConfig;
use crate::wake::Wakes;
use crate::watch::Watched;

/// What a successful operation answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply<O> {
    /// The result.
    pub out: O,
    /// The version under which it was committed, if it took one.
    pub version: Option<Stamp>,
    /// Whether this is the stored answer of an earlier call.
    pub replayed: bool,
}

/// Told the answer, exactly once, from any thread; must return quickly.
pub type Done<O> = Box<dyn FnOnce(OpResult<Reply<O>>) + Send>;

pub(crate) struct CallJob<I: 'static, O: 'static> {
    pub(crate) env: Env,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) home: Arc<Home>,
    pub(crate) tasks: Arc<TaskConfig>,
    pub(crate) wakes: Arc<Wakes>,
    pub(crate) watched: Arc<Watched>,
    pub(crate) op: &'static Op<I, O>,
    pub(crate) request: Request,
    pub(crate) input: I,
    pub(crate) keys: Keys,
    pub(crate) kept_ms: i64,
    pub(crate) attempt: u32,
    pub(crate) deadline_us: u64,
    /// An earlier attempt may have been committed: until the row tells, no later failure can say "not done".
    pub(crate) unknown_before: bool,
    pub(crate) result: Option<OpResult<Reply<O>>>,
    /// What follows the attempt.
    pub(crate) after: After,
    pub(crate) late: Late,
    pub(crate) done: Done<O>,
}

impl<I, O> Job for CallJob<I, O>
where
    I: Send + 'static,
    O: Serialize + DeserializeOwned + Send + 'static,
{
    fn name(&self) -> &'static str {
        self.op.name
    }

    fn keys(&self) -> &Keys {
        &self.keys
    }

    fn isolation(&self) -> Isolation {
        self.op.isolation
    }

    fn urgency(&self) -> Urgency {
        self.op.urgency
    }

    fn deadline_us(&self) -> u64 {
        self.deadline_us
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        self.result = None;
        self.settle(Settled::Undone);
        self.late.forget();
        let mut fx = Effects::default();
        let result = self.work(tx, &mut fx);
        self.after = fx.after();
        let keep = matches!(&result, Ok(reply) if !reply.replayed) || mutants::on(Mutant::RefusalKept);
        self.result = Some(result);
        if keep { Verdict::Keep } else { Verdict::Undo }
    }

    fn done(mut self: Box<Self>, outcome: Outcome) {
        self.settle(settled(&outcome));
        if outcome == Outcome::Committed {
            self.late.submit(self.store.as_ref());
            self.count_committed();
            let now = self.env.clock.wall();
            self.after.hints.drain(..).for_each(|hint| hint.tell(&self.wakes, self.store.as_ref(), now));
            if crate::counters::is_counted(self.op.name) {
                self.wakes.committed();
            }
        }
        let result = match outcome {
            Outcome::Committed | Outcome::Undone => self.result.take().unwrap_or_else(|| Err(not_run())),
            Outcome::Panicked(text) => Err(OpError::new(codes::BPANIC, format!("{} panicked: {text}", self.op.name))),
            Outcome::Failed(error) => Err(error.into()),
        };
        match result {
            Ok(reply) => self.answer(Ok(reply)),
            Err(error) => self.answer_or_run_again(error),
        }
    }
}

impl<I, O> CallJob<I, O>
where
    I: Send + 'static,
    O: Serialize + DeserializeOwned + Send + 'static,
{
    fn settle(&mut self, how: Settled) {
        self.after.settles.drain(..).for_each(|settle| settle.tell(how));
    }

    fn count_committed(&mut self) {
        let now = self.env.clock.wall();
        for Counted { kind, name, counts } in self.after.counts.drain(..) {
            self.watched.counters.add_all(kind, &name, &counts, now);
        }
    }

    fn asked<'a>(&'a self, request: &'a Request) -> (&'a Request, &'static str, &'a Home) {
        (request, self.op.name, &self.home)
    }

    /// Everything inside the transaction: the request's row, the operation, its effects.
    fn work(&self, tx: &mut dyn Tx, fx: &mut Effects) -> OpResult<Reply<O>> {
        let mut cx = OpCx::new(self.asked(&self.request), self.attempt, (self.env.clock.wall(), tx.heard()), fx);
        match &self.request.idempotency {
            None => self.work_once(tx, &mut cx),
            Some(_) if mutants::on(Mutant::RequestRowIgnored) => self.work_once(tx, &mut cx),
            Some(once) if mutants::on(Mutant::RequestRowAfterCommit) => {
                self.work_and_keep_answer_late(tx, &mut cx, once)
            }
            Some(once) => match idempotency::begin(tx, &self.request, once, cx.heard.plus_ms(self.kept_ms))? {
                Told::New => self.work_and_keep_answer(tx, &mut cx, once),
                Told::Done(before) => self.replay(tx, before),
            },
        }
    }

    fn work_once(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<Reply<O>> {
        let out = (self.op.run)(tx, cx, &self.input)?;
        if mutants::on(Mutant::EffectsAfterCommit) {
            self.late.effects(&self.request, (cx.wall, cx.heard), cx.fx, &self.tasks);
        }
        effects::write(tx, cx, &self.tasks)?;
        Ok(Reply { out, version: cx.stamp_taken(), replayed: false })
    }

    fn work_and_keep_answer(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, once: &Idempotency) -> OpResult<Reply<O>> {
        let reply = self.work_once(tx, cx)?;
        let answer = match self.op.rebuild {
            Some(_) => None,
            None => Some(serde_json::to_string(&reply.out).map_err(|e| unkept(self.op.name, &e))?),
        };
        idempotency::complete(tx, &self.request, once, answer.as_deref(), reply.version)?;
        Ok(reply)
    }

    /// What a mutant does: looks for the row, and writes it after the commit.
    fn work_and_keep_answer_late(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, once: &Idempotency) -> OpResult<Reply<O>> {
        if let Some(before) = idempotency::find(tx, &self.request, once)? {
            return self.replay(tx, before);
        }
        let reply = self.work_once(tx, cx)?;
        let answer = serde_json::to_string(&reply.out).ok();
        self.late.request_row(&self.request, once, answer, reply.version);
        Ok(reply)
    }

    fn replay(&self, tx: &mut dyn Tx, before: Before) -> OpResult<Reply<O>> {
        let out = match (before.answer, self.op.rebuild) {
            (Some(answer), _) => serde_json::from_str(&answer).map_err(|e| unkept(self.op.name, &e))?,
            (None, Some(rebuild)) => self.rebuild(tx, before.request_id, rebuild)?,
            (None, None) => {
                return Err(OpError::new(codes::BDETECTED, "an answer was neither kept nor can be rebuilt"));
            }
        };
        Ok(Reply { out, version: before.version, replayed: true })
    }

    fn rebuild(&self, tx: &mut dyn Tx, first_id: base::Id, rebuild: Work<I, O>) -> OpResult<O> {
        let first_call = Request { id: first_id, ..self.request.clone() };
        let mut fx = Effects::default();
        let mut cx = OpCx::new(self.asked(&first_call), self.attempt, (self.env.clock.wall(), tx.heard()), &mut fx);
        rebuild(tx, &mut cx, &self.input)
    }

    /// A failure without work done says nothing about an earlier attempt whose outcome is unknown. A refusal does: the
    /// operation ran, so the row was not there.
    fn remember_unknown(&mut self, error: OpError) -> OpError {
        self.unknown_before |= error.outcome_unknown;
        if !self.unknown_before || told_by_running(&error) {
            return error;
        }
        OpError { outcome_unknown: true, ..error.at(Phase::Validation) }
    }

    fn answer(self, result: OpResult<Reply<O>>) {
        let result = result.and_then(|reply| completed(self.op, reply));
        let label = match &result {
            Ok(reply) if reply.replayed => "replayed",
            Ok(_) => "ok",
            Err(error) => error.code.name,
        };
        metrics::counter!("fastness_operations_total", "operation" => self.op.name, "result" => label).increment(1);
        self.count(result.as_ref().err());
        (self.done)(result);
    }

    /// Counts the call (KER-29), in memory and outside of the operation.
    fn count(&self, error: Option<&OpError>) {
        if !is_counted(self.op.name) {
            return;
        }
        let lost = error.is_some_and(|error| error.code == codes::CSERIAL);
        let counts = [
            (Field::Processed, i64::from(error.is_none())),
            (Field::Errors, i64::from(error.is_some())),
            (Field::Deadlocks, i64::from(lost)),
            (Field::Retries, i64::from(self.attempt) - 1),
        ];
        self.watched.counters.add_all(OPERATION, self.op.name, &counts, self.env.clock.wall());
    }

    fn answer_or_run_again(mut self: Box<Self>, error: OpError) {
        let error = self.remember_unknown(error);
        if !self.op.tries_again && error.code != codes::CSERIAL {
            return self.answer(Err(error));
        }
        let told_by_row = self.request.idempotency.is_some();
        let Next::Again { pause_ms } = next(self.attempt, &error, told_by_row) else { return self.answer(Err(error)) };
        if self.env.clock.monotonic_us() >= self.deadline_us {
            return self.answer(Err(out_of_time(error)));
        }
        tracing::debug!(operation = self.op.name, attempt = self.attempt, %error, "run again");
        self.attempt += 1;
        let pause_ms = pause_ms / 2 + self.env.entropy.below(pause_ms.max(1));
        let (timers, store) = (self.env.timers.clone(), self.store.clone());
        timers.after(pause_ms, Box::new(move || store.submit(self)));
    }
}

/// What those who were told of a change may rely on.
fn settled(outcome: &Outcome) -> Settled {
    match outcome {
        Outcome::Committed => Settled::Committed,
        Outcome::Failed(StoreError::Unknown(_)) => Settled::Unknown,
        Outcome::Undone | Outcome::Panicked(_) | Outcome::Failed(_) => Settled::Undone,
    }
}

/// Puts the stamp into the result. From here on the operation is committed, whatever happens.
fn completed<I, O>(op: &Op<I, O>, mut reply: Reply<O>) -> OpResult<Reply<O>> {
    let Some(version) = reply.version else { return Ok(reply) };
    let afterwork = catch_unwind(AssertUnwindSafe(|| (op.afterwork)(&mut reply.out, version)));
    afterwork.map(|()| reply).map_err(|_| {
        let error = OpError::new(codes::BPANIC, format!("{} panicked in its afterwork", op.name)).at(Phase::Afterwork);
        OpError { version: Some(version), ..error }
    })
}

/// Whether the operation itself ran and decided, having found no row of an earlier attempt.
fn told_by_running(error: &OpError) -> bool {
    matches!(error.code.letter(), 'A' | 'N' | 'D' | 'S' | 'O')
}

fn out_of_time(error: OpError) -> OpError {
    let last = format!("last error: {error}");
    OpError { code: codes::TTIME, message: "no time left for another attempt".into(), ..error }.with(last)
}

fn not_run() -> OpError {
    OpError::new(codes::BDETECTED, "the store ended a job that it did not run")
}

fn unkept(op: &str, error: &serde_json::Error) -> OpError {
    OpError::new(codes::BDETECTED, format!("the answer of {op} cannot be kept: {error}"))
}
