//! `fastness folders confirm`: many removals that wait for a word of a person (FLD-13).

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::place;
use crate::failure::{Done, Failure};
use crate::flags::Sure;
use crate::session::Session;

/// Where.
#[derive(Debug, Args)]
pub(crate) struct Confirm {
    /// The folder
    #[arg(value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    sure: Sure,
}

impl Confirm {
    pub(super) fn run(self, session: &Session) -> Done {
        let home = place::home()?;
        let (link, _) = place::link_of(&home, &self.path)?;
        let folder = place::folder(&link);
        if !home.is_kept(&link) {
            // Only a daemon that holds removals knows which: a word given before is a word for nothing.
            let why = format!("nobody keeps {folder} in step now, so nothing waits there");
            return Err(Failure::here(why).hint("start `fastness folders run`, then look at `fastness folders status`"));
        }
        let peek = home.peek(&link).map_err(place::failure)?;
        let report = peek.as_ref().map(place::report).transpose()?.flatten();
        let held = report.and_then(|report| report.held);
        let Some((peek, (here, there))) = peek.zip(held) else {
            let told = json!({ "here": 0, "there": 0 });
            return session.out.done(&told, &format!("no removals wait in {folder}"), None);
        };
        let what = format!("remove {here} files of {folder} and {there} on the server");
        session.confirm_here(self.sure, &what)?;
        peek.wish("confirm").map_err(place::state_failure)?;
        let sentence = format!("{here} removals here and {there} on the server happen now");
        session.out.done(&json!({ "here": here, "there": there }), &sentence, None)
    }
}
