//! Who takes part: companies, their subsystems and their databases (EXC-1).

use clap::Subcommand;
use client::Request;
use serde_json::json;

use super::EXCHANGE;
use crate::failure::Done;
use crate::flags::Paging;
use crate::output::{moment as time, number, text};
use crate::page::List;
use crate::services::filtered;
use crate::session::Session;

/// What can be done with companies.
#[derive(Debug, Subcommand)]
pub(crate) enum CompanyVerb {
    /// List companies
    #[command(after_help = "Examples:\n  fastness exchange company list\n  fastness exchange company list --json")]
    List {
        #[command(flatten)]
        paging: Paging,
    },
    /// Register a company
    #[command(after_help = "Examples:\n  fastness exchange company create acme --name 'Acme Trading'")]
    Create(Named),
    /// Change the name of a company; its id stays
    #[command(after_help = "Examples:\n  fastness exchange company change acme --name 'Acme Trading and Sons'")]
    Change(Named),
}

/// What can be done with subsystems.
#[derive(Debug, Subcommand)]
pub(crate) enum SubsystemVerb {
    /// List subsystems, of all companies or of one
    #[command(after_help = "Examples:\n  fastness exchange subsystem list --company acme")]
    List(Listed),
    /// Register a subsystem of a company
    #[command(
        after_help = "Examples:\n  fastness exchange subsystem create sales --company acme --name 'Orders on the road'"
    )]
    Create(NamedOf),
    /// Change the name of a subsystem of a company; its id stays
    #[command(after_help = "Examples:\n  fastness exchange subsystem change sales --company acme --name 'Field sales'")]
    Change(NamedOf),
}

/// What can be done with databases.
#[derive(Debug, Subcommand)]
pub(crate) enum DatabaseVerb {
    /// List databases with what waits for each
    #[command(
        after_help = "Examples:\n  fastness exchange database list\n  fastness exchange database list --company acme"
    )]
    List(Listed),
    /// Register a database of a company; its key is shown once
    #[command(after_help = "Examples:\n  fastness exchange database create erp --company acme")]
    Create {
        /// Its id, which the database's own settings name: 1 to 64 letters, digits, `.`, `_`, `-`
        #[arg(value_name = "ID")]
        id: String,
        /// Id of its company
        #[arg(long, value_name = "ID")]
        company: String,
    },
}

/// An id and a name for people.
#[derive(Debug, clap::Args)]
pub(crate) struct Named {
    /// Its id: 1 to 40 letters, digits and dashes
    #[arg(value_name = "ID")]
    id: String,
    /// Its name, for people
    #[arg(long, value_name = "NAME")]
    name: String,
}

/// The same, of a company.
#[derive(Debug, clap::Args)]
pub(crate) struct NamedOf {
    #[command(flatten)]
    named: Named,
    /// Id of its company
    #[arg(long, value_name = "ID")]
    company: String,
}

/// A list, of all companies or of one.
#[derive(Debug, clap::Args)]
pub(crate) struct Listed {
    /// Only of this company
    #[arg(long, value_name = "ID")]
    company: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

impl Listed {
    pub(super) async fn show(self, session: &Session, list: &List<'_>, what: &str) -> Done {
        let request = filtered(Request::get(&[EXCHANGE, what]), [("company", self.company)]);
        list.paged(session, request, &self.paging).await
    }
}

const COMPANIES: List<'_> = List {
    what: "companies",
    id: "/id",
    columns: &[text("ID", "/id"), text("NAME", "/name"), time("CREATED", "/created_at")],
};

const SUBSYSTEMS: List<'_> = List {
    what: "subsystems",
    id: "/id",
    columns: &[text("ID", "/id"), text("COMPANY", "/company"), text("NAME", "/name"), time("CREATED", "/created_at")],
};

const DATABASES: List<'_> = List {
    what: "databases",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        text("COMPANY", "/company"),
        number("QUEUED", "/queued"),
        time("HEARD", "/contact_at"),
        time("CREATED", "/created_at"),
    ],
};

impl CompanyVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { paging } => COMPANIES.paged(session, Request::get(&[EXCHANGE, "companies"]), &paging).await,
            Self::Create(Named { id, name }) => {
                let body = json!({ "id": id, "name": name });
                let made = session.change(Request::new("POST", &[EXCHANGE, "companies"]).json(&body)).await?;
                session.out.done(&made, &format!("company {id} is registered"), Some("/id"))
            }
            Self::Change(Named { id, name }) => {
                let request = Request::new("PATCH", &[EXCHANGE, "companies", &id]);
                let done = session.change(request.json(&json!({ "name": name }))).await?;
                session.out.done(&done, &format!("company {id} is changed"), None)
            }
        }
    }
}

impl SubsystemVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(listed) => listed.show(session, &SUBSYSTEMS, "subsystems").await,
            Self::Create(NamedOf { named: Named { id, name }, company }) => {
                let body = json!({ "id": id, "company": company, "name": name });
                let made = session.change(Request::new("POST", &[EXCHANGE, "subsystems"]).json(&body)).await?;
                session.out.done(&made, &format!("subsystem {id} of {company} is registered"), Some("/id"))
            }
            Self::Change(NamedOf { named: Named { id, name }, company }) => {
                let request = Request::new("PATCH", &[EXCHANGE, "subsystems", &id]);
                let done = session.change(request.json(&json!({ "company": company, "name": name }))).await?;
                session.out.done(&done, &format!("subsystem {id} of {company} is changed"), None)
            }
        }
    }
}

impl DatabaseVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(listed) => listed.show(session, &DATABASES, "databases").await,
            Self::Create { id, company } => {
                let body = json!({ "id": id, "company": company });
                let made = session.change(Request::new("POST", &[EXCHANGE, "databases"]).json(&body)).await?;
                let key = made["key"].as_str().unwrap_or_default();
                let sentence = format!("database {id} of {company} is registered\nkey, shown only now: {key}");
                // Quiet gives what cannot be asked for again.
                session.out.done(&made, &sentence, Some("/key"))
            }
        }
    }
}
