//! `fastness folders create`: a directory on the server.

use std::path::PathBuf;

use clap::Args;
use client::Request;
use serde_json::json;

use super::link::Choices;
use crate::failure::{Done, Failure};
use crate::session::Session;

/// What is made.
#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Its name, for people
    #[arg(value_name = "NAME")]
    name: String,
    /// A folder of this machine to be linked with it
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    #[command(flatten)]
    choices: Choices,
}

impl Create {
    /// By HTTP and not by the stream: what is sent twice is made once.
    pub(super) async fn run(self, session: &Session) -> Done {
        session.access_key()?;
        let request = Request::new("POST", &["folders", "directories"]).json(&json!({ "name": self.name }));
        let mut made = session.change(request).await?;
        let id = made["id"].as_str().ok_or_else(|| Failure::here("the server gave no id"))?.to_owned();
        if self.choices.exact_names {
            let exact = json!({ "names": "exact" });
            session.step(Request::new("PATCH", &["folders", "directories", &id]).json(&exact)).await?;
        }
        let mut sentence = format!("directory {id} is made");
        if let Some(path) = &self.path {
            let told = json!({ "id": id });
            let linked = self.choices.link(session, &told, path);
            let linked = linked.map_err(|failure| failure.hint(format!("the directory is made: {id}")))?;
            sentence += &format!(" and linked with {}", super::place::folder(&linked));
            made["folder"] = super::place::folder(&linked).into();
        }
        session.out.done(&made, &sentence, Some("/id"))
    }
}
