//! Reading history, wherever it lies: the store first, then the archive.

use std::sync::Arc;

use base::OpError;
use tokio::sync::oneshot;
use web::{Api, ApiError};

use super::archive::{Archive, ArchiveError, Archived, Archives};
use super::merge;
use super::question::{Question, Tries};
use super::row::{HistoryRow, TryRow};
use super::store::{HISTORY, SENSORS, TRIES};
use crate::codes::XHISTORY;

/// Rows of history, newest first. Without the archive, if there is one, it answers nothing: half of a history would look whole.
///
/// # Errors
/// `ALIMIT`: too many sensors; `XHISTORY`: the archive does not answer; a fault of the store.
pub async fn read(api: &Api, question: Question) -> Result<Vec<HistoryRow>, ApiError> {
    // The store first: what leaves it meanwhile is in the archive by then.
    let rows = api.read(&HISTORY, question.clone()).await?.out;
    let (Some(archive), limit) = (archive(api), question.limit) else { return Ok(rows) };
    let sensors = api.read(&SENSORS, question.which.clone()).await?.out;
    if sensors.as_ref().is_some_and(Vec::is_empty) {
        return Ok(rows);
    }
    let sensors = sensors.unwrap_or_default();
    let place = api.namespace().place();
    let archived = told(|done| archive.history(&place, &question, &sensors, done)).await?;
    Ok(merge::history(rows, archived, limit))
}

/// Tries to tell a client, in order of event and number.
///
/// # Errors
/// As [`read`].
pub async fn tries(api: &Api, tries: Tries) -> Result<Vec<TryRow>, ApiError> {
    let rows = api.read(&TRIES, tries.clone()).await?.out;
    let Some(archive) = archive(api) else { return Ok(rows) };
    let place = api.namespace().place();
    let archived = told(|done| archive.tries(&place, &tries, done)).await?;
    Ok(merge::tries(rows, archived))
}

fn archive(api: &Api) -> Option<Arc<dyn Archive>> {
    api.namespace().home.common::<Archives>().get()
}

async fn told<T: Send + 'static>(ask: impl FnOnce(Archived<T>)) -> Result<T, ApiError> {
    let (tell, told) = oneshot::channel();
    ask(Box::new(move |answer| drop(tell.send(answer))));
    let away = |ArchiveError(reason)| ApiError(OpError::before_start(XHISTORY, reason));
    told.await
        .unwrap_or_else(|_| Err(ArchiveError("the archive of history ended without an answer".into())))
        .map_err(away)
}
