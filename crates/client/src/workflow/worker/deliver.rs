//! Results on their way to the server: in batches, each under one key until its outcome is known.

use std::time::Duration;

use super::super::calls::Workflow;
use super::super::failure::Failure;
use super::super::wire::{Beat, Brought, Verdict};
use crate::chance::new_key;
use crate::error::ClientError;

/// Results of one call, and the tasks that they lay out together: as much as the server takes.
const RESULTS_MAX: usize = 500;
const TASKS_MAX: usize = 1_500;
/// Bytes of one call, well below what the server takes.
const BYTES_MAX: usize = 4 << 20;
/// How long the question may take whose a task is.
const PATIENCE: Duration = Duration::from_secs(10);

/// Results that are brought together, and repeated together.
#[derive(Debug)]
pub(super) struct Batch {
    key: String,
    pub(super) results: Vec<Brought>,
}

/// What came of a batch.
#[derive(Debug)]
pub(super) enum Delivery {
    /// The server told of each.
    Told(Vec<(Brought, Verdict)>),
    /// It is not known: the same once more.
    Unknown(Batch, ClientError),
    /// The server does not take it.
    Refused(Vec<Brought>, ClientError),
}

impl Batch {
    pub(super) fn of(results: Vec<Brought>) -> Self {
        Self { key: new_key(), results }
    }

    /// As many of the first results as fit into one call; one at least, if there is any.
    pub(super) fn first_of(outbox: &mut Vec<Brought>) -> Self {
        let (mut tasks, mut bytes, mut count) = (0, 0, 0);
        for result in outbox.iter().take(RESULTS_MAX) {
            tasks += result.tasks.len();
            bytes += size_of(result);
            if count > 0 && (tasks > TASKS_MAX || bytes > BYTES_MAX) {
                break;
            }
            count += 1;
        }
        Self::of(outbox.drain(..count).collect())
    }
}

fn size_of(result: &Brought) -> usize {
    serde_json::to_string(result).map_or(0, |text| text.len())
}

/// Brings a batch. A value that the server cannot take for its own sake ends its task with an error: else the task would be done again and
/// again, to the same end.
pub(super) async fn deliver(workflow: Workflow, batch: Batch) -> Delivery {
    match workflow.release(&batch.results, &batch.key).await {
        Ok(verdicts) => {
            let told: Vec<(Brought, Verdict)> = batch.results.into_iter().zip(verdicts).collect();
            tell_why(&workflow, &told).await;
            Delivery::Told(told)
        }
        Err(error) if is_final(&error) => Delivery::Refused(batch.results, error),
        Err(error) => Delivery::Unknown(batch, error),
    }
}

/// The errors of values that were refused though their tasks are still whose they were. What cannot be said now is left to their silence.
async fn tell_why(workflow: &Workflow, told: &[(Brought, Verdict)]) {
    let refused = |(result, verdict): &&(Brought, Verdict)| !verdict.accepted && result.error.is_none();
    let refused: Vec<&(Brought, Verdict)> = told.iter().filter(refused).collect();
    if refused.is_empty() {
        return;
    }
    let beats: Vec<Beat> = refused.iter().map(|(result, _)| Beat::of(&result.pass)).collect();
    let Ok(mine) = workflow.beat(&beats, PATIENCE).await else { return };
    let mine = refused.iter().zip(mine).filter_map(|(refused, is_mine)| is_mine.then_some(*refused));
    let errors: Vec<Brought> = mine.map(|(result, verdict)| refusal(result, verdict.reason.as_deref())).collect();
    if !errors.is_empty() {
        let _ = workflow.release(&errors, &new_key()).await;
    }
}

/// The error that a result becomes which cannot be taken.
pub(super) fn refusal(result: &Brought, reason: Option<&str>) -> Brought {
    let reason = reason.unwrap_or("the server gave no reason");
    Brought::error(result.pass.clone(), Failure::new("RefusedResult", reason))
}

/// Whether asking again will not help.
pub(super) fn is_final(error: &ClientError) -> bool {
    match error {
        ClientError::Api(told) => (400..500).contains(&told.status) && !matches!(told.status, 408 | 425 | 429),
        ClientError::Invalid(_) | ClientError::Replica(_) => true,
        ClientError::Unreachable { .. } | ClientError::Unreadable { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::task::Task;
    use super::super::super::wire::Pass;
    use super::*;

    fn result(number: usize, tasks: usize) -> Brought {
        let pass = Pass { task_id: format!("p.{number}"), attempt: 1, pass: "x".into() };
        Brought { pass, value: None, error: None, tasks: vec![Task::new("a#1", "b"); tasks] }
    }

    #[test]
    fn wfl_7_results_go_in_batches_that_the_server_takes() {
        let mut outbox: Vec<Brought> = (0..1_100).map(|number| result(number, 0)).collect();
        let sizes: Vec<usize> = (0..4).map(|_| Batch::first_of(&mut outbox).results.len()).collect();
        assert_eq!(sizes, [500, 500, 100, 0]);
        let mut outbox = vec![result(1, 1_000), result(2, 600), result(3, 5)];
        assert_eq!(Batch::first_of(&mut outbox).results.len(), 1, "more tasks than a call may lay out");
        assert_eq!(Batch::first_of(&mut outbox).results.len(), 2);
        assert_ne!(Batch::of(vec![]).key, Batch::of(vec![]).key, "each batch has a key of its own");
    }
}
