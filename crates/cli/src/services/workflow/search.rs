//! Searches that are kept under a name.

use clap::Subcommand;
use client::Request;
use serde_json::json;

use super::find::Find;
use crate::failure::Done;
use crate::flags::Sure;
use crate::output::{json as json_column, moment as time, text};
use crate::page::List;
use crate::session::Session;

/// What can be done with searches.
#[derive(Debug, Subcommand)]
pub(crate) enum SearchVerb {
    /// List searches that are kept
    #[command(after_help = "Examples:\n  fastness workflow search list")]
    List,
    /// Keep a search, in place of one of the same name
    #[command(
        after_help = "Examples:\n  fastness workflow search save 'late orders' --type order --state active --unchanged-min 1h"
    )]
    Save {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        find: Box<Find>,
    },
    /// Delete a search that is kept
    #[command(after_help = "Examples:\n  fastness workflow search delete 'late orders' --yes")]
    Delete {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        sure: Sure,
    },
}

const SEARCHES: List<'_> = List {
    what: "searches",
    id: "/name",
    columns: &[
        text("NAME", "/name"),
        json_column("SEARCH", "/search"),
        time("SAVED", "/saved_at"),
        text("BY", "/saved_by"),
    ],
};

impl SearchVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List => SEARCHES.whole(session, Request::get(&["workflow", "searches"])).await,
            Self::Save { name, find } => {
                let body = json!({ "name": name, "search": find.value() });
                let done = session.change(Request::new("POST", &["workflow", "searches"]).json(&body)).await?;
                session.out.done(&done, &format!("search {name} is saved"), None)
            }
            Self::Delete { name, sure } => {
                session.confirm(sure, &format!("delete the search {name}"))?;
                let done = session.change(Request::new("DELETE", &["workflow", "searches", &name])).await?;
                session.out.done(&done, &format!("search {name} is deleted"), None)
            }
        }
    }
}
