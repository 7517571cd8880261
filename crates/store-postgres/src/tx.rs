//! What a job sees of a session: statements, buffered where their result is not wanted.

use base::{Heard, Row, Sql, StoreError, StoreResult, Tx, Value, limits};
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
            self.need_savepoint();
        }
        let rows_max_here = rows_max.min(self.rows_left());
        let Answer::Rows(rows) = self.send(Step::Rows(call, rows_max_here))? else {
            unreachable!("rows were asked for")
        };
        if rows.len() > rows_max {
            return Err(self.fail(mistake(sql, format!("gave more than {rows_max} rows")), false));
        }
        Ok(rows)
    }

    fn execute(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<u64> {
        let call = self.call(sql, args)?;
        self.need_savepoint();
        match self.send(Step::Count(call))? {
            Answer::Count(count) => Ok(count),
            _ => unreachable!("a count was asked for"),
        }
    }

    fn write(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<()> {
        if self.eager {
            return self.execute(sql, args).map(drop);
        }
        let call = self.call(sql, args)?;
        if self.pending.len() - self.part.start >= self.rows_left() {
            return Err(self.over_budget());
        }
        self.need_savepoint();
        self.pending_bytes += call.size();
        let step = Step::Count(call.kept());
        if self.pending.len() >= PENDING_STEPS_MAX || self.pending_bytes >= PENDING_BYTES_MAX {
            return self.send(step).map(drop);
        }
        self.pending.push(step);
        Ok(())
    }

    fn heard(&self) -> Heard {
        self.heard
    }
}

impl Session {
    fn call<'a>(&mut self, sql: &'static Sql, args: &[Value<'a>]) -> StoreResult<Call<'a>> {
        if self.part.first_error.is_some() || !self.is_open {
            return Err(StoreError::Poisoned);
        }
        let statement = self.statement(sql)?;
        match values::params(args, statement.params()) {
            Ok(params) => Ok(Call { sql, statement, params }),
            Err(wrong) => Err(self.fail(mistake(sql, wrong), false)),
        }
    }

    /// What waits is sent before a text is prepared, for a mistake in the text fails the transaction at that point.
    fn statement(&mut self, sql: &'static Sql) -> StoreResult<Statement> {
        let known = self.link.as_ref().map_or(Ok(None), |link| link.known(sql));
        match known {
            Ok(Some(statement)) => return Ok(statement),
            Ok(None) => {}
            Err(error) => return Err(self.fail(error, false)),
        }
        let Answer::Prepared(statement) = self.send(prepare_step(sql))? else {
            unreachable!("a statement was asked for")
        };
        let Some(link) = &mut self.link else { return Err(StoreError::Poisoned) };
        link.learn(sql, statement).map_err(|error| self.fail(error, false))
    }

    /// A `write` is counted with what it changed when its answer comes, which may be with COMMIT: too late to refuse.
    pub(super) fn count_rows(&mut self, answers: &[Answer]) -> StoreResult<()> {
        let rows = |answer: &Answer| match answer {
            Answer::Count(count) => usize::try_from(*count).unwrap_or(usize::MAX),
            Answer::Rows(rows) => rows.len(),
            Answer::Done | Answer::Prepared(_) => 0,
        };
        let sum = answers.iter().map(rows).fold(self.part.rows, usize::saturating_add);
        self.part.rows = sum;
        if self.mode == Mode::Write && sum > limits::OP_ROWS_MAX { Err(self.over_budget()) } else { Ok(()) }
    }

    fn rows_left(&self) -> usize {
        match self.mode {
            Mode::Write => limits::OP_ROWS_MAX.saturating_sub(self.part.rows),
            Mode::Read => usize::MAX - 1,
        }
    }

    fn over_budget(&mut self) -> StoreError {
        self.fail(StoreError::Budget(format!("more than {} rows", limits::OP_ROWS_MAX)), false)
    }
}

/// Whether a statement changes nothing, so that there is nothing to undo after it. In doubt it is none.
fn is_plain_read(sql: &Sql) -> bool {
    sql.text.trim_start().get(..7).is_some_and(|word| word.eq_ignore_ascii_case("SELECT "))
}
