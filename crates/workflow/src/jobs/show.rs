//! Jobs as people and programs see them.

use base::limits::PAGE_MAX;
use base::{OpError, OpResult, Row, Sql, Tx, args, codes};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::CreateJob;
use super::row::{Job, RESULTS_MAX, State, columns};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&LIST, &RESULTS];

static LIST: Sql = Sql::new(
    "wfl_job.list",
    concat!("SELECT ", columns!(), " FROM wfl_job WHERE number < ?1 ORDER BY number DESC LIMIT ?2"),
);
static RESULTS: Sql = Sql::new(
    "wfl_job_result.page",
    "SELECT place, process, outcome, text FROM wfl_job_result WHERE job = ?1 AND place > ?2 ORDER BY job, place LIMIT ?3",
);

/// Jobs, newest first.
pub static JOBS: Query<JobsOf, Vec<JobView>> = Query::new("workflow.jobs", list);
/// A job by its number.
pub static JOB: Query<i64, JobView> = Query::new("workflow.job", |tx, number| {
    let job = Job::get(tx, *number)?;
    shown(tx, job)
});
/// What a job did, process by process, in the order of its doing.
pub static JOB_RESULTS: Query<ResultsOf, JobResults> = Query::new("workflow.job_results", results);

/// Which page of jobs.
#[derive(Debug, Clone)]
pub struct JobsOf {
    /// Older than this one.
    pub before: Option<i64>,
    /// At most so many.
    pub limit: u32,
}

/// Which page of results.
#[derive(Debug, Clone)]
pub struct ResultsOf {
    /// The job.
    pub job: i64,
    /// Behind this place; 0: from the first.
    pub after: i64,
    /// At most so many.
    pub limit: u32,
}

/// A job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct JobView {
    /// Its number.
    pub job: i64,
    /// RUNNING, PAUSED, DONE or CANCELLED.
    #[schema(example = "RUNNING")]
    pub state: String,
    /// What was asked for.
    pub wish: CreateJob,
    /// Its present priority.
    pub priority: i64,
    /// Its present rate.
    pub rate: i64,
    /// The job of a higher priority that it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<i64>,
    /// Processes that it looked at.
    pub examined: i64,
    /// Those of them that were looked for.
    pub found: i64,
    /// Those of them that were changed; of a dry run or an analysis: that would be, or of which something is wrong.
    pub repaired: i64,
    /// Those with which nothing was to be done.
    pub skipped: i64,
    /// Those with which it could not be done.
    pub failed: i64,
    /// About how many are still to be found; not given while that cannot be told yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaining: Option<i64>,
    /// How far it is through the processes that there were when it began, in percent.
    pub percent: i64,
    /// Results that are listed: the first 10,000.
    pub results: i64,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// By whom.
    pub created_by: String,
    /// When it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
}

/// A page of results.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct JobResults {
    /// In the order of their doing.
    pub results: Vec<JobResult>,
    /// Where the next page begins; not given: that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// What became of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobResult {
    /// Its place in the list.
    pub place: i64,
    /// The process.
    pub process_id: String,
    /// `changed`, `would` (a dry run, or a finding of an analysis), `skipped` or `failed`.
    pub outcome: String,
    /// What was done, or why not.
    pub text: String,
}

fn check_limit(limit: u32) -> OpResult<()> {
    if (1..=PAGE_MAX).contains(&limit) {
        return Ok(());
    }
    Err(OpError::new(codes::ALIMIT, format!("limit is 1 to {PAGE_MAX}")))
}

fn list(tx: &mut dyn Tx, page: &JobsOf) -> OpResult<Vec<JobView>> {
    check_limit(page.limit)?;
    let rows = tx.query(&LIST, args![page.before.unwrap_or(i64::MAX), page.limit], page.limit as usize)?;
    rows.iter().map(|row| Job::of(row).and_then(|job| shown(tx, job))).collect()
}

fn shown(tx: &mut dyn Tx, job: Job) -> OpResult<JobView> {
    let waits_for = if job.state == State::Running { job.higher(tx)? } else { None };
    let share = if job.state == State::Done { Some(1.0) } else { share_of(&job) };
    Ok(JobView {
        job: job.number,
        state: job.state.text().into(),
        priority: job.priority,
        rate: job.rate,
        waits_for,
        examined: job.examined,
        found: job.found,
        repaired: job.changed,
        skipped: job.skipped,
        failed: job.failed,
        remaining: share.and_then(|share| remaining(job.found, share)),
        percent: percent(share.unwrap_or(0.0)),
        results: job.results.min(RESULTS_MAX),
        created_at: job.created_at.rfc3339(),
        created_by: job.created_by,
        ended_at: job.ended_at.map(|at| at.rfc3339()),
        wish: job.wish,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "0 to 100")]
fn percent(share: f64) -> i64 {
    (share * 100.0).floor() as i64
}

/// About how many are still to be found, where so many were in this share of all. Pure.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "an estimate")]
fn remaining(found: i64, share: f64) -> Option<i64> {
    (share >= 0.01).then(|| (found as f64 * (1.0 - share) / share).round() as i64)
}

/// How far a job is, 0 to 1: by its types, and within one by the times in the ids of processes. Pure.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn share_of(job: &Job) -> Option<f64> {
    let parts = job.wish.types.len().max(1) as f64;
    let within = passed(&job.begun, &job.after, &job.until);
    let whole = job.part as f64 / parts;
    within.map(|within| whole + within / parts).or((job.part > 0).then_some(whole))
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn passed(begun: &str, after: &str, until: &str) -> Option<f64> {
    let (from, here, to) = (time_of(begun)?, time_of(after)?, time_of(until)?);
    (to > from).then(|| ((here - from) as f64 / (to - from) as f64).clamp(0.0, 1.0))
}

/// The milliseconds that an id begins with: ten letters of base 32.
fn time_of(id: &str) -> Option<i64> {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let value = |letter: u8| LETTERS.iter().position(|known| *known == letter).and_then(|at| i64::try_from(at).ok());
    let letters = id.as_bytes().get(..10)?;
    letters.iter().try_fold(0_i64, |sum, letter| value(*letter).map(|value| sum * 32 + value))
}

fn results(tx: &mut dyn Tx, page: &ResultsOf) -> OpResult<JobResults> {
    check_limit(page.limit)?;
    Job::get(tx, page.job)?;
    let rows = tx.query(&RESULTS, args![page.job, page.after, page.limit], page.limit as usize)?;
    let result = |row: &Row| JobResult {
        place: row.int(0),
        process_id: row.text(1).to_owned(),
        outcome: row.text(2).to_owned(),
        text: row.text(3).to_owned(),
    };
    let results: Vec<JobResult> = rows.iter().map(result).collect();
    let is_full = results.len() == page.limit as usize;
    let next = results.last().filter(|_| is_full).map(|last| last.place);
    Ok(JobResults { results, next })
}

#[cfg(test)]
mod tests {
    use base::{Id, Wall};

    use super::*;

    #[test]
    fn wfl_16_what_remains_is_told_by_the_times_of_ids() {
        let id = |ms: i64| Id::new(Wall(ms), [0; 10]).to_string();
        assert_eq!(time_of(&id(1_794_744_000_123)), Some(1_794_744_000_123));
        let share = passed(&id(1_000), &id(2_000), &id(5_000));
        assert_eq!(share, Some(0.25));
        assert_eq!(remaining(100, 0.25), Some(300));
        assert_eq!(remaining(5, 0.001), None, "nobody can tell yet");
        assert_eq!(passed("", "", &id(5)), None);
    }
}
