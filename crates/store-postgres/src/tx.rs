//! What a job sees of a session: statements, buffered where their result is not wanted.

use base::{Engine, Heard, Row, Sql, StoreError, StoreResult, Tx, Value, limits};
use tokio_postgres::Statement;

use crate::link::{mistake, prepare_step};
use crate::pipeline::{Answer, Call, Step};
use crate::session::{Mode, Session};
use crate::values;

/// What may wait to be sent; more goes out at once, so that memory stays bounded and the server has work.
const PENDING_STEPS_MAX: usize = 256;
const PENDING_BYTES_MAX: usize = 1 << 20;

impl Tx for Session {
    fn query(&mut self, sql: &'static Sql, args: &[Value<'_>], rows_max: usize) -> StoreResult<Vec<Row>> {
        let call = self.call(sql, args)?;
        if !is_plain_read(sql) {
            self.parts.need_savepoint();
        }
        let rows_max_here = rows_max.min(self.rows_left());
        let Answer::Rows(rows) = self.send(Step::Rows(call, rows_max_here))? else {
            unreachable!("rows were asked for")
        };
        if rows.len() > rows_max {
            return Err(self.parts.fail(mistake(sql, format!("gave more than {rows_max} rows"))));
        }
        Ok(rows)
    }

    fn query_each(&mut self, sql: &'static Sql, sets: &[Vec<Value<'_>>]) -> StoreResult<Vec<Option<Row>>> {
        let mut rows = Vec::with_capacity(sets.len());
        for sets in sets.chunks(PENDING_STEPS_MAX) {
            rows.extend(self.query_some(sql, sets)?);
        }
        Ok(rows)
    }

    fn execute(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<u64> {
        let call = self.call(sql, args)?;
        self.parts.need_savepoint();
        match self.send(Step::Count(call))? {
            Answer::Count(count) => Ok(count),
            _ => unreachable!("a count was asked for"),
        }
    }

    fn write(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<()> {
        let call = self.call(sql, args)?;
        self.parts.need_savepoint();
        let (steps, own_writes, bytes) = self.parts.waiting();
        if own_writes >= self.rows_left() {
            return Err(self.over_budget());
        }
        let size = call.size();
        let step = Step::Count(call.kept());
        if steps >= PENDING_STEPS_MAX || bytes + size >= PENDING_BYTES_MAX {
            return self.send(step).map(drop);
        }
        self.parts.push(step, size);
        Ok(())
    }

    fn heard(&self) -> Heard {
        self.heard
    }

    fn engine(&self) -> Engine {
        Engine::Postgres
    }
}

impl Session {
    /// At most one row for each set of arguments, in one round trip.
    fn query_some(&mut self, sql: &'static Sql, sets: &[Vec<Value<'_>>]) -> StoreResult<Vec<Option<Row>>> {
        let calls: Vec<Call<'_>> = sets.iter().map(|args| self.call(sql, args)).collect::<StoreResult<_>>()?;
        if !is_plain_read(sql) {
            self.parts.need_savepoint();
        }
        let rows_max = self.rows_left().min(1);
        let answers = self.send_all(calls.into_iter().map(|call| Step::Rows(call, rows_max)).collect())?;
        answers.into_iter().map(|answer| self.only_row(sql, answer)).collect()
    }

    fn only_row(&mut self, sql: &'static Sql, answer: Answer) -> StoreResult<Option<Row>> {
        let Answer::Rows(mut rows) = answer else { unreachable!("rows were asked for") };
        if rows.len() > 1 {
            return Err(self.parts.fail(mistake(sql, "gave more than 1 rows".into())));
        }
        Ok(rows.pop())
    }

    fn call<'a>(&mut self, sql: &'static Sql, args: &[Value<'a>]) -> StoreResult<Call<'a>> {
        self.parts.go_on()?;
        self.in_time()?;
        let statement = self.statement(sql)?;
        match values::params(args, statement.params()) {
            Ok(params) => Ok(Call { sql, statement, params }),
            Err(wrong) => Err(self.parts.fail(mistake(sql, wrong))),
        }
    }

    /// Rows are bounded, and the time of one statement; many of them far away could still hold up others for very long, and make them run again.
    fn in_time(&mut self) -> StoreResult<()> {
        if self.parts.is_late(self.shared.now_us()) { Err(self.parts.fail(StoreError::Late)) } else { Ok(()) }
    }

    /// What waits is sent before a text is prepared, for a mistake in the text fails the transaction at that point.
    fn statement(&mut self, sql: &'static Sql) -> StoreResult<Statement> {
        let known = self.link.as_ref().map_or(Ok(None), |link| link.known(sql));
        match known {
            Ok(Some(statement)) => return Ok(statement),
            Ok(None) => {}
            Err(error) => return Err(self.parts.fail(error)),
        }
        let Answer::Prepared(statement) = self.send(prepare_step(sql))? else {
            unreachable!("a statement was asked for")
        };
        let Some(link) = &mut self.link else { return Err(StoreError::Poisoned) };
        link.learn(sql, statement).map_err(|error| self.parts.fail(error))
    }

    /// A `write` is counted with what it changed when its answer comes, which may be with COMMIT: too late to refuse.
    pub(crate) fn count_rows(&mut self, answers: &[Answer]) -> StoreResult<()> {
        let rows = |answer: &Answer| match answer {
            Answer::Count(count) => usize::try_from(*count).unwrap_or(usize::MAX),
            Answer::Rows(rows) => rows.len(),
            Answer::Done | Answer::Prepared(_) => 0,
        };
        let sum = self.parts.add_rows(answers.iter().map(rows).fold(0, usize::saturating_add));
        if self.mode == Mode::Write && sum > limits::OP_ROWS_MAX { Err(self.over_budget()) } else { Ok(()) }
    }

    fn rows_left(&mut self) -> usize {
        match self.mode {
            Mode::Write => limits::OP_ROWS_MAX.saturating_sub(self.parts.add_rows(0)),
            Mode::Read => usize::MAX - 1,
        }
    }

    fn over_budget(&mut self) -> StoreError {
        self.parts.fail(StoreError::Budget(format!("more than {} rows", limits::OP_ROWS_MAX)))
    }
}

/// Whether a statement changes nothing, so that there is nothing to undo after it. In doubt it is none. (A SELECT that
/// calls `pg_notify` counts as a read: a wake-up too many does no harm.)
fn is_plain_read(sql: &Sql) -> bool {
    sql.text.trim_start().get(..7).is_some_and(|word| word.eq_ignore_ascii_case("SELECT "))
}
