//! Namespaces and grants (KER-1, KER-2). They are asked for at the administrators' namespace, whatever `--namespace` says.

use clap::Subcommand;
use client::Request;
use serde_json::Value;

use crate::failure::{Done, Failure};
use crate::flags::Sure;
use crate::input::{Body, moment};
use crate::output::{Column, flag, json, moment as time, number, state, text};
use crate::page::List;
use crate::session::Session;

/// What can be done with namespaces.
#[derive(Debug, Subcommand)]
pub(crate) enum NamespaceVerb {
    /// List all namespaces
    #[command(after_help = "Examples:\n  fastness admin namespace list\n  fastness admin namespace list -q")]
    List,
    /// Show a namespace, and why its store is not good on this node
    #[command(after_help = "Examples:\n  fastness admin namespace show shop")]
    Show {
        /// Name of the namespace
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Create a namespace
    #[command(after_help = "Examples:\n  fastness admin namespace create shop --label 'the shop in Lyon'")]
    Create(CreateNamespace),
    /// Change its label, its limits, or its state and what people are told
    #[command(
        after_help = "Examples:\n  fastness admin namespace change shop --state closed --message 'moving house' --reopens-at +8h\n  fastness admin namespace change shop --state open"
    )]
    Change(ChangeNamespace),
    /// Remove a namespace; its data is kept aside, as the answer says
    #[command(after_help = "Examples:\n  fastness admin namespace delete shop --yes")]
    Delete {
        /// Name of the namespace
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        sure: Sure,
    },
}

/// A namespace to create.
#[derive(Debug, clap::Args)]
pub(crate) struct CreateNamespace {
    /// 1 to 16 of a-z and 0-9
    #[arg(value_name = "NAME")]
    name: String,
    /// For people
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Its engine [default: as the server is configured]
    #[arg(long, value_name = "ENGINE", value_parser = ["sqlite", "postgres"])]
    engine: Option<String>,
    /// File with the URL of its own PostgreSQL, if it is not the server's
    #[arg(long, value_name = "FILE")]
    url_file: Option<std::path::PathBuf>,
    /// Only to try things in: its data is destroyed when it is removed, and its webhooks may reach the server's own machine
    #[arg(long)]
    temporary: bool,
}

/// What shall change.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangeNamespace {
    /// Name of the namespace
    #[arg(value_name = "NAME")]
    name: String,
    /// For people
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Its state
    #[arg(long, value_name = "STATE", value_parser = ["open", "read-only", "closed"])]
    state: Option<String>,
    /// What people are told, with a state
    #[arg(long, value_name = "TEXT", requires = "state")]
    message: Option<String>,
    /// When it is expected to be open again, with a state
    #[arg(long, value_name = "MOMENT", value_parser = moment, requires = "state")]
    reopens_at: Option<String>,
    /// All of its own limits, JSON: {"requests_max": 100, "readers": 4}
    #[arg(long, value_name = "JSON", value_parser = crate::input::json)]
    limits: Option<Value>,
}

/// What can be done with grants.
#[derive(Debug, Subcommand)]
pub(crate) enum GrantVerb {
    /// List the grants of an owner
    #[command(after_help = "Examples:\n  fastness admin grant list shop")]
    List {
        /// Namespace whose documents they are
        #[arg(value_name = "OWNER")]
        owner: String,
    },
    /// Let a namespace read the owner's documents of a class
    #[command(after_help = "Examples:\n  fastness admin grant give shop office Contact")]
    Give(Grant),
    /// Take a grant back
    #[command(after_help = "Examples:\n  fastness admin grant take shop office Contact --yes")]
    Take {
        #[command(flatten)]
        grant: Grant,
        #[command(flatten)]
        sure: Sure,
    },
}

/// What can be done with resources.
#[derive(Debug, Subcommand)]
pub(crate) enum ResourceVerb {
    /// List the resources of a namespace; those of `z` are common to all
    #[command(after_help = "Examples:\n  fastness admin resource list shop")]
    List {
        /// Name of the namespace
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Put a file of at most 1 MiB; one that is there is replaced
    #[command(after_help = "Examples:\n  fastness admin resource put shop img/logo.png logo.png --type image/png")]
    Put {
        /// Name of the namespace
        #[arg(value_name = "NAME")]
        name: String,
        /// Where it is read from: /v1/NAME/resources/PATH
        #[arg(value_name = "PATH")]
        path: String,
        /// The file; `-` for the standard input
        #[arg(value_name = "FILE")]
        file: std::path::PathBuf,
        /// Its media type
        #[arg(long = "type", value_name = "MIME")]
        mime: String,
    },
    /// Remove a resource
    #[command(after_help = "Examples:\n  fastness admin resource delete shop img/logo.png --yes")]
    Delete {
        /// Name of the namespace
        #[arg(value_name = "NAME")]
        name: String,
        /// Its path
        #[arg(value_name = "PATH")]
        path: String,
        #[command(flatten)]
        sure: Sure,
    },
}

/// A grant.
#[derive(Debug, clap::Args)]
pub(crate) struct Grant {
    /// Namespace whose documents they are
    #[arg(value_name = "OWNER")]
    owner: String,
    /// Namespace that may read them
    #[arg(value_name = "READER")]
    reader: String,
    /// Class of the documents
    #[arg(value_name = "CLASS")]
    class: String,
}

const NAMESPACES: List<'_> = List {
    what: "namespaces",
    id: "/name",
    columns: &[
        text("NAME", "/name"),
        state("STATE", "/state"),
        text("ENGINE", "/engine"),
        state("STORE", "/health"),
        time("CREATED", "/created_at"),
        text("LABEL", "/label"),
        text("MESSAGE", "/message"),
    ],
};

const NAMESPACE: &[Column] = &[
    text("name", "/name"),
    text("label", "/label"),
    state("state", "/state"),
    text("message", "/message"),
    time("reopens", "/reopens_at"),
    text("engine", "/engine"),
    text("place", "/place"),
    flag("own database", "/own_url"),
    json("limits", "/limits"),
    time("created", "/created_at"),
    state("store", "/health"),
    text("fault", "/fault"),
];

const GRANTS: List<'_> = List {
    what: "grants",
    id: "/reader",
    columns: &[text("READER", "/reader"), text("CLASS", "/class"), time("GRANTED", "/granted_at")],
};

const RESOURCES: List<'_> = List {
    what: "resources",
    id: "/path",
    columns: &[
        text("PATH", "/path"),
        text("TYPE", "/media_type"),
        number("BYTES", "/size"),
        time("CHANGED", "/changed_at"),
    ],
};

impl ResourceVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        let session = &session.administration()?;
        match self {
            Self::List { name } => RESOURCES.whole(session, Request::get(&["namespaces", &name, "resources"])).await,
            Self::Put { name, path, file, mime } => {
                let wrong = |error| Failure::usage(format!("cannot read {}: {error}", file.display()));
                let bytes = crate::local::read(&file).map_err(wrong)?;
                let done = session.change(resource("PUT", &name, &path).bytes(&mime, bytes)).await?;
                session.out.done(&done, &format!("resource {path} of {name} is put"), None)
            }
            Self::Delete { name, path, sure } => {
                session.confirm(sure, &format!("remove resource {path} of {name}"))?;
                let done = session.change(resource("DELETE", &name, &path)).await?;
                session.out.done(&done, &format!("resource {path} of {name} is removed"), None)
            }
        }
    }
}

/// Its path has steps of its own.
fn resource(method: &str, name: &str, path: &str) -> Request {
    let steps = ["namespaces", name, "resources"].into_iter().chain(path.split('/'));
    Request::new(method, &steps.collect::<Vec<_>>())
}

impl NamespaceVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        let session = &session.administration()?;
        match self {
            Self::List => NAMESPACES.whole(session, Request::get(&["namespaces"])).await,
            Self::Show { name } => {
                let namespace = session.get(Request::get(&["namespaces", &name])).await?;
                session.out.show(&namespace, NAMESPACE, "/name")
            }
            Self::Create(new) => new.create(session).await,
            Self::Change(change) => change.change(session).await,
            Self::Delete { name, sure } => {
                session.confirm(sure, &format!("remove namespace {name}"))?;
                let removed = session.change(Request::new("DELETE", &["namespaces", &name])).await?;
                let kept = removed["kept_as"].as_str().map(|kept| format!("kept as {kept}"));
                let fate = kept.unwrap_or_else(|| "destroyed".into());
                session.out.done(&removed, &format!("namespace {name} is removed; its data is {fate}"), None)
            }
        }
    }
}

impl CreateNamespace {
    async fn create(self, session: &Session) -> Done {
        let body = Body::default()
            .with("name", Some(self.name.clone()))
            .with("label", self.label)
            .with("engine", self.engine)
            .with("url", self.url_file.as_deref().map(url_in).transpose()?)
            .with("temporary", self.temporary.then_some(true));
        let made = session.change(Request::new("POST", &["namespaces"]).json(&body.value())).await?;
        let state = made["state"].as_str().unwrap_or_default();
        session.out.done(&made, &format!("namespace {} is {state}", self.name), Some("/name"))
    }
}

/// A URL with a password does not belong on a command line.
fn url_in(path: &std::path::Path) -> Result<String, Failure> {
    let wrong = |error| Failure::usage(format!("cannot read {}: {error}", path.display()));
    let bytes = crate::local::read(path).map_err(wrong)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

impl ChangeNamespace {
    async fn change(self, session: &Session) -> Done {
        let body = Body::default()
            .with("label", self.label)
            .with("state", self.state)
            .with("message", self.message)
            .with("reopens_at", self.reopens_at)
            .with("limits", self.limits);
        if body.is_empty() {
            return Err(Failure::usage("nothing to change: give --label, --state or --limits"));
        }
        let changed = session.change(Request::new("PATCH", &["namespaces", &self.name]).json(&body.value())).await?;
        let state = changed["state"].as_str().unwrap_or_default();
        session.out.done(&changed, &format!("namespace {} is {state}", self.name), Some("/name"))
    }
}

impl GrantVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        let session = &session.administration()?;
        let steps = |grant: &Grant| -> Vec<String> {
            ["namespaces", &grant.owner, "grants", &grant.reader, &grant.class].map(str::to_owned).to_vec()
        };
        let (method, grant, word) = match &self {
            Self::List { owner } => return GRANTS.whole(session, Request::get(&["namespaces", owner, "grants"])).await,
            Self::Give(grant) => ("PUT", grant, "may read"),
            Self::Take { grant, sure } => {
                let Grant { owner, reader, class } = grant;
                session.confirm(*sure, &format!("take from {reader} the right to read {class} of {owner}"))?;
                ("DELETE", grant, "may no longer read")
            }
        };
        let steps = steps(grant);
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        let done = session.change(Request::new(method, &steps)).await?;
        let Grant { owner, reader, class } = grant;
        session.out.done(&done, &format!("{reader} {word} documents of class {class} of {owner}"), None)
    }
}
