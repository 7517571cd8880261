//! Documents: read, changed, found, exported.

use std::path::PathBuf;

use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

use super::changes::{condition, expected, item, name, removed};
use super::operation;
use crate::failure::{Done, Failure};
use crate::flags::{Paging, Sure};
use crate::input::{Body, json_file, seconds};
use crate::output::{Column, Table, json as as_json, moment, number, text};
use crate::page::List;
use crate::services::files;
use crate::session::Session;

/// What can be done with documents.
#[derive(Debug, Subcommand)]
pub(crate) enum DocumentVerb {
    /// List the documents of a class by id, with who changed each of them last
    #[command(
        after_help = "Examples:\n  fastness documents document list Contact\n  fastness documents document list Contact --prefix a --all -q"
    )]
    List {
        /// Class of the documents
        #[arg(value_name = "CLASS")]
        class: String,
        /// Only ids that start with this
        #[arg(long, value_name = "TEXT")]
        prefix: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
    /// List the last changes of a document whose class keeps a history, newest first
    #[command(after_help = "Examples:\n  fastness documents document changes Contact ada")]
    Changes(Name),
    /// Read a document
    #[command(
        after_help = "Examples:\n  fastness documents document get Contact ada\n  fastness documents document get Contact ada --json"
    )]
    Get {
        #[command(flatten)]
        of: Name,
        /// How old it may be
        #[arg(long, value_name = "TIME", value_parser = seconds(0..=u64::from(u32::MAX)))]
        tolerance_s: Option<u64>,
    },
    /// Put items into a document, or take them out; one that is not there is made
    #[command(
        after_help = "Examples:\n  fastness documents document put Contact ada --expect new --item 'Card={\"name\": \"Ada\"}' --item 'Tel:home={\"number\": \"1\"}'\n  fastness documents document put Contact ada --remove Tel:home"
    )]
    Put(Put),
    /// Change up to 32 documents together, all or none
    #[command(after_help = "Examples:\n  fastness documents document commit --file changes.json")]
    Commit {
        /// List of changes as doc.commit takes them, JSON; `-` for the standard input
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
    },
    /// Find documents by indexed fields
    #[command(
        after_help = "Examples:\n  fastness documents document search Contact Card --where 'name SW A' --where 'born GELT 1800 1900'\n  fastness documents document search Contact Card --where 'name EQ Ada' --items --json"
    )]
    Search(Search),
    /// Delete a document
    #[command(after_help = "Examples:\n  fastness documents document delete Contact ada --yes")]
    Delete {
        #[command(flatten)]
        of: Name,
        /// Only if it stands at this version
        #[arg(long, value_name = "VERSION", value_parser = expected)]
        expect: Option<Value>,
        #[command(flatten)]
        sure: Sure,
    },
    /// Export documents as they are together at one moment, with their attachments, as a tar file
    #[command(
        after_help = "Examples:\n  fastness documents document export Contact/ada Contact/bob --output contacts.tar\n  fastness documents document export Contact/ada | tar t"
    )]
    Export {
        /// The documents, each CLASS/ID
        #[arg(value_name = "CLASS/ID", value_parser = name, required = true)]
        documents: Vec<Value>,
        /// SHA-256 of attachments that need not be sent
        #[arg(long, value_name = "SHA")]
        have: Vec<String>,
        /// Where to; the standard output if it is no terminal
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// A document's class and id.
#[derive(Debug, clap::Args)]
pub(crate) struct Name {
    /// Class of the document
    #[arg(value_name = "CLASS")]
    class: String,
    /// Id of the document
    #[arg(value_name = "ID")]
    id: String,
}

/// What is put.
#[derive(Debug, clap::Args)]
pub(crate) struct Put {
    #[command(flatten)]
    of: Name,
    /// An item: CLASS=JSON, CLASS:KEY=JSON, or CLASS=text:… for an opaque text
    #[arg(long, value_name = "ITEM", value_parser = item)]
    item: Vec<Value>,
    /// An item to delete: CLASS or CLASS:KEY
    #[arg(long, value_name = "ITEM", value_parser = removed)]
    remove: Vec<Value>,
    /// What must be there: `new`, `any` or a version
    #[arg(long, value_name = "VERSION", value_parser = expected)]
    expect: Option<Value>,
}

/// What is looked for.
#[derive(Debug, clap::Args)]
pub(crate) struct Search {
    /// Class of documents
    #[arg(value_name = "CLASS")]
    class: String,
    /// Class of items
    #[arg(value_name = "ITEM")]
    item: String,
    /// A condition: FIELD COND VALUE [VALUE]; COND is EQ, SW, LT, LE, GE, GT, GELE, GELT, GTLE or GTLT
    #[arg(long = "where", value_name = "CONDITION", value_parser = condition)]
    conditions: Vec<Value>,
    /// The items too, and not only the ids of documents
    #[arg(long)]
    items: bool,
    #[command(flatten)]
    paging: Paging,
}

const DOCUMENTS: List<'_> = List {
    what: "documents",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        number("VERSION", "/v"),
        moment("CHANGED", "/changed_at"),
        text("OPERATION", "/op"),
        text("BY", "/who"),
    ],
};

const CHANGES: List<'_> = List {
    what: "changes: either nothing changed, or the class is declared without `history`",
    id: "/v",
    columns: &[
        number("VERSION", "/v"),
        moment("CHANGED", "/changed_at"),
        text("KIND", "/kind"),
        text("OPERATION", "/op"),
        text("BY", "/who"),
        number("ITEMS", "/item_count"),
    ],
};

const FOUND: List<'_> = List { what: "documents", id: "/id", columns: &[text("ID", "/id")] };

const FOUND_ITEMS: List<'_> = List {
    what: "items",
    id: "/id",
    columns: &[text("ID", "/id"), text("KEY", "/k"), as_json("ITEM", "/j"), text("TEXT", "/s")],
};

const DOCUMENT: &[Column] = &[
    text("class", "/c"),
    text("id", "/id"),
    number("version", "/v"),
    number("created", "/ct"),
    number("volume", "/v1"),
    number("attached", "/v2"),
];

const ITEMS: &[Column] =
    &[text("ITEM", "/c"), text("KEY", "/k"), number("VERSION", "/v"), as_json("CONTENT", "/j"), text("TEXT", "/s")];

impl DocumentVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { class, prefix, paging } => {
                let request = super::super::filtered(Request::get(&["docs", &class]), [("prefix", prefix)]);
                DOCUMENTS.paged(session, request, &paging).await
            }
            Self::Changes(Name { class, id }) => {
                CHANGES.whole(session, Request::get(&["docs", &class, &id, "changes"])).await
            }
            Self::Get { of, tolerance_s } => get(session, &of, tolerance_s).await,
            Self::Put(put) => put.put(session).await,
            Self::Commit { file } => {
                let changes = json_file(&file)?;
                let count = changes.as_array().map_or(0, Vec::len);
                commit(session, changes, &format!("{count} documents are changed")).await
            }
            Self::Search(search) => search.run(session).await,
            Self::Delete { of: Name { class, id }, expect, sure } => {
                session.confirm(sure, &format!("delete document {class}/{id}"))?;
                let change = change(&class, &id).with("delete", Some(true)).with("expect", expect);
                commit(session, json!([change.value()]), &format!("document {class}/{id} is deleted")).await
            }
            Self::Export { documents, have, output } => {
                let body = json!({ "docs": documents, "have": have });
                let request = Request::new("POST", &["docs", "export"]).json(&body);
                files::download(session, request, output.as_deref(), "the export").await
            }
        }
    }
}

/// About one document.
fn change(class: &str, id: &str) -> Body {
    Body::default().with("c", Some(class)).with("id", Some(id))
}

async fn get(session: &Session, of: &Name, tolerance_s: Option<u64>) -> Done {
    let param = change(&of.class, &of.id).with("tolerance_s", tolerance_s);
    let given = session.get(operation("doc.get", Some(param.value()))).await?;
    let document = &given["out"];
    session.out.show(document, DOCUMENT, "/id")?;
    let items = document["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    match session.out.json || session.out.quiet || items.is_empty() {
        true => Ok(()),
        false => session.out.print(&format!("\n{}", Table::new(&session.out, ITEMS).page(items))),
    }
}

impl Put {
    async fn put(self, session: &Session) -> Done {
        let Self { of: Name { class, id }, item, remove, expect } = self;
        let items: Vec<Value> = item.into_iter().chain(remove).collect();
        let change = change(&class, &id).with("items", Some(items)).with("expect", expect);
        commit(session, json!([change.value()]), &format!("document {class}/{id} is put")).await
    }
}

async fn commit(session: &Session, changes: Value, sentence: &str) -> Done {
    if !changes.is_array() {
        return Err(Failure::usage("changes are a list: [{\"c\": …, \"id\": …, \"items\": […]}]"));
    }
    let done = session.change(operation("doc.commit", Some(json!({ "changes": changes })))).await?;
    let out = &done["out"];
    let version = match &out["version"] {
        Value::Null => "nothing changed".to_owned(),
        version => format!("{sentence}; version {version}"),
    };
    session.out.done(out, &version, Some("/version"))
}

impl Search {
    async fn run(self, session: &Session) -> Done {
        let mut param = json!({ "c": self.class, "item": self.item, "where": self.conditions });
        if self.items {
            param["items"] = true.into();
        }
        let list = if self.items { FOUND_ITEMS } else { FOUND };
        let ask = |limit: u64, after: Option<&str>| {
            let mut param = param.clone();
            param["limit"] = limit.into();
            if let Some(after) = after {
                param["after"] = after.into();
            }
            operation("doc.search", Some(param))
        };
        list.asked(session, &self.paging, "/out", ask).await
    }
}
