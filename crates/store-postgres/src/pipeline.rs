//! Several statements in one round trip: all are sent in order, then all answers are heard in order.
//!
//! Invariant: either every step of a call goes to the server, in order, or none does. A step that the driver refuses
//! to encode must not be left out while a COMMIT behind it is sent.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use base::{Row, Sql};
use futures_util::TryStreamExt;
use futures_util::future::{MaybeDone, maybe_done};
use tokio_postgres::{Client, Error, Statement};

use crate::values::{self, Param};

/// A prepared statement with its parameters.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) sql: &'static Sql,
    pub(crate) statement: Statement,
    pub(crate) params: Vec<Param<'a>>,
}

impl Call<'_> {
    /// About how many bytes it takes on its way.
    pub(crate) fn size(&self) -> usize {
        self.params.iter().map(Param::size).sum()
    }

    /// The same call without borrowing, to be sent later.
    pub(crate) fn kept(self) -> Call<'static> {
        let params = self.params.into_iter().map(Param::kept).collect();
        Call { sql: self.sql, statement: self.statement, params }
    }
}

/// One thing to send.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// A fixed text without parameters: BEGIN, SAVEPOINT, COMMIT …
    Text(&'static str),
    /// A statement whose count is wanted.
    Count(Call<'a>),
    /// A statement whose rows are wanted, at most this many and one more.
    Rows(Call<'a>, usize),
    /// A text to prepare.
    Prepare(&'static Sql, String),
}

impl Step<'_> {
    /// Whom to blame in an error.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Text(text) => text,
            Self::Count(call) | Self::Rows(call, _) => call.sql.name,
            Self::Prepare(sql, _) => sql.name,
        }
    }
}

/// What came back for a step.
#[derive(Debug)]
pub(crate) enum Answer {
    Done,
    Count(u64),
    Rows(Vec<Row>),
    Prepared(Statement),
}

/// The driver refused a step; nothing was sent, provided the connection is dropped before its task runs again.
#[derive(Debug)]
pub(crate) struct Unsent {
    pub(crate) at: usize,
    pub(crate) error: Error,
}

/// The answers, one for each step.
pub(crate) type Answers = Vec<Result<Answer, Error>>;

/// Sends all steps, then hears all answers.
pub(crate) async fn run(client: &Client, steps: &[Step<'_>]) -> Result<Answers, Unsent> {
    let mut sent: Vec<_> = steps.iter().map(|step| Box::pin(maybe_done(perform(client, step)))).collect();
    poll_each_once(&mut sent).await;
    if let Some(at) = sent.iter().position(|step| matches!(**step, MaybeDone::Done(Err(_)))) {
        return match sent[at].as_mut().take_output() {
            Some(Err(error)) => Err(Unsent { at, error }),
            _ => unreachable!("the step was done with an error"),
        };
    }
    let mut answers = Vec::with_capacity(sent.len());
    for mut step in sent {
        step.as_mut().await;
        answers.extend(step.as_mut().take_output());
    }
    Ok(answers)
}

/// The driver hands a request to the connection at the first poll of its future, so this fixes the order.
///
/// It does not let the connection's task run in between: nothing is on its way before all steps were taken.
async fn poll_each_once<F: Future>(steps: &mut [Pin<Box<F>>]) {
    poll_fn(|cx| {
        for step in &mut *steps {
            let _ = step.as_mut().poll(cx);
        }
        Poll::Ready(())
    })
    .await;
}

async fn perform(client: &Client, step: &Step<'_>) -> Result<Answer, Error> {
    match step {
        Step::Text(text) => client.batch_execute(text).await.map(|()| Answer::Done),
        Step::Count(call) => client.execute_raw(&call.statement, &call.params).await.map(Answer::Count),
        Step::Rows(call, rows_max) => rows(client, call, *rows_max).await.map(Answer::Rows),
        Step::Prepare(_, text) => client.prepare(text).await.map(Answer::Prepared),
    }
}

/// Keeps one row more than allowed, so that the caller sees the excess; what follows is thrown away unread.
async fn rows(client: &Client, call: &Call<'_>, rows_max: usize) -> Result<Vec<Row>, Error> {
    let mut stream = std::pin::pin!(client.query_raw(&call.statement, &call.params).await?);
    let mut rows = Vec::new();
    while rows.len() <= rows_max
        && let Some(row) = stream.try_next().await?
    {
        rows.push(values::row(&row)?);
    }
    Ok(rows)
}
