//! `fastness documents`: documents, their classes, attachments and operations (DOC-6, DOC-12, DOC-13, DOC-16).

mod attachments;
mod changes;
mod document;

use std::path::PathBuf;

use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

pub(crate) use changes::reads_typed;

use super::Nouns;
use crate::failure::Done;
use crate::input::{Param, json_file};
use crate::output::{json as as_json, text};
use crate::page::List;
use crate::session::Session;

/// Nouns of documents.
#[derive(Debug, Subcommand)]
pub(crate) enum Documents {
    /// Classes: which items documents hold, and what can be searched
    #[command(subcommand)]
    Class(ClassVerb),
    /// Documents
    #[command(subcommand)]
    Document(document::DocumentVerb),
    /// Files that are attached to documents
    #[command(subcommand)]
    Attachment(attachments::AttachmentVerb),
    /// Operations that are called by their name
    #[command(subcommand)]
    Operation(OperationVerb),
}

impl Nouns for Documents {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::Class(verb) => verb.run(session).await,
            Self::Document(verb) => verb.run(session).await,
            Self::Attachment(verb) => verb.run(session).await,
            Self::Operation(OperationVerb::Run { name, param }) => {
                let done = session.change(operation(&name, param.read()?)).await?;
                session.out.document(&done["out"])
            }
        }
    }
}

/// What can be done with classes.
#[derive(Debug, Subcommand)]
pub(crate) enum ClassVerb {
    /// List the classes, with the indexes that are still being filled
    #[command(after_help = "Examples:\n  fastness documents class list\n  fastness documents class list --json")]
    List,
    /// Declare a class, or declare it anew
    #[command(
        after_help = "Examples:\n  fastness documents class declare --file contact.json\n  echo '{\"class\": \"Contact\", \"items\": {\"Card\": {\"singleton\": true}}}' | fastness documents class declare --file -"
    )]
    Declare {
        /// The class as the API takes it, JSON; `-` for the standard input
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
    },
}

/// What can be done with operations.
#[derive(Debug, Subcommand)]
pub(crate) enum OperationVerb {
    /// Run an operation once and print its result as JSON
    #[command(
        after_help = "Examples:\n  fastness documents operation run doc.get --param '{\"c\": \"Contact\", \"id\": \"ada\"}'"
    )]
    Run {
        /// Name of the operation
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        param: Param,
    },
}

const CLASSES: List<'_> = List {
    what: "classes",
    id: "/class",
    columns: &[text("CLASS", "/class"), text("ITEMS", "/names"), as_json("FILLING", "/filling")],
};

impl ClassVerb {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::List if session.out.json => CLASSES.whole(session, Request::get(&["doc-classes"])).await,
            Self::List => {
                let given = session.get(Request::get(&["doc-classes"])).await?;
                let classes: Vec<Value> = crate::page::items_of(&given)?.iter().map(with_names).collect();
                CLASSES.show(session, &classes)
            }
            Self::Declare { file } => {
                let request = Request::new("POST", &["doc-classes"]).json(&json_file(&file)?);
                let declared = session.change(request).await?;
                let class = declared["class"].as_str().unwrap_or_default();
                session.out.done(&declared, &format!("class {class} is declared"), Some("/class"))
            }
        }
    }
}

/// With the names of its items in one list.
fn with_names(class: &Value) -> Value {
    let names: Vec<&String> = class["items"].as_object().into_iter().flat_map(|items| items.keys()).collect();
    json!({ "class": class["class"], "names": names, "filling": class["filling"] })
}

/// A named operation with its parameter.
fn operation(name: &str, param: Option<Value>) -> Request {
    let body = param.map_or_else(|| json!({}), |param| json!({ "param": param }));
    Request::new("POST", &["op", name]).json(&body)
}
