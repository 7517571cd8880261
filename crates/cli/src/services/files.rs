//! Bytes into a file or down a pipe, never onto a terminal.

use std::io::{self, IsTerminal};
use std::path::Path;

use client::Request;
use serde_json::json;

use crate::failure::{Done, Failure};
use crate::local::Draft;
use crate::session::Session;

/// Writes what comes to a file, whole or not at all, or to the standard output.
pub(crate) async fn download(session: &Session, request: Request, to: Option<&Path>, what: &str) -> Done {
    let session = session.patient();
    let Some(path) = to.filter(|path| *path != Path::new("-")) else {
        if to.is_none() && io::stdout().is_terminal() {
            return Err(Failure::usage(format!("{what} is bytes, not for a terminal")).hint("give --output FILE"));
        }
        return session.pour(request, &mut io::stdout().lock()).await.map(drop);
    };
    let wrong = |error| Failure::here(format!("cannot write {}: {error}", path.display()));
    let mut draft = Draft::of(path).map_err(wrong)?;
    let bytes = session.pour(request, &mut draft).await?;
    draft.keep().map_err(wrong)?;
    let answer = json!({ "file": path.display().to_string(), "bytes": bytes });
    session.out.done(&answer, &format!("{what}: {bytes} bytes in {}", path.display()), None)
}
