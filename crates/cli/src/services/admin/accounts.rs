//! Accounts of people, and who one is (KER-32, KER-33).

use clap::Subcommand;
use client::Request;
use serde_json::Value;

use crate::failure::{Done, Failure};
use crate::flags::{Paging, Sure};
use crate::input::Body;
use crate::output::{Column, flag, moment as time, text};
use crate::page::List;
use crate::session::Session;

/// What can be done with accounts.
#[derive(Debug, Subcommand)]
pub(crate) enum AccountVerb {
    /// List accounts by name
    #[command(after_help = "Examples:\n  fastness admin account list\n  fastness admin account list --namespace z")]
    List(Paging),
    /// Show an account
    #[command(after_help = "Examples:\n  fastness admin account show anna")]
    Show {
        /// Name of the account
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Create an account; its one-time password is shown this once
    #[command(after_help = "Examples:\n  fastness admin account create anna --role operator")]
    Create {
        /// Name of the account
        #[arg(value_name = "NAME")]
        name: String,
        /// What its owner may do
        #[arg(long, value_name = "ROLE", value_parser = ROLES)]
        role: String,
    },
    /// Change its role, block it, or make a new one-time password
    #[command(
        after_help = "Examples:\n  fastness admin account change anna --role reader\n  fastness admin account change anna --block\n  fastness admin account change anna --new-password"
    )]
    Change(ChangeAccount),
    /// Delete an account
    #[command(after_help = "Examples:\n  fastness admin account delete anna --yes")]
    Delete {
        /// Name of the account
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        sure: Sure,
    },
}

/// What shall change.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangeAccount {
    /// Name of the account
    #[arg(value_name = "NAME")]
    name: String,
    /// What its owner may do
    #[arg(long, value_name = "ROLE", value_parser = ROLES)]
    role: Option<String>,
    /// Nobody can log in with it, and its sessions end
    #[arg(long, conflicts_with = "unblock")]
    block: bool,
    /// It can be used again
    #[arg(long)]
    unblock: bool,
    /// Make a new one-time password; it is shown this once
    #[arg(long)]
    new_password: bool,
}

/// What can be asked about one's own session.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionVerb {
    /// Show who I am and what I may do
    #[command(after_help = "Examples:\n  fastness admin session whoami")]
    Whoami,
}

/// What people may do, as the server knows it.
const ROLES: [&str; 3] = ["admin", "operator", "reader"];

const ACCOUNTS: List<'_> = List {
    what: "accounts",
    id: "/name",
    columns: &[
        text("NAME", "/name"),
        text("ROLE", "/role"),
        time("CREATED", "/created_at"),
        time("BLOCKED", "/blocked_at"),
        flag("MUST CHANGE PASSWORD", "/must_change"),
    ],
};

const ACCOUNT: &[Column] = &[
    text("name", "/name"),
    text("role", "/role"),
    time("created", "/created_at"),
    time("blocked", "/blocked_at"),
    flag("must change password", "/must_change"),
];

const IDENTITY: &[Column] =
    &[text("caller", "/caller"), text("role", "/role"), text("namespace", "/namespace"), text("account", "/account")];

impl AccountVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(paging) => ACCOUNTS.paged(session, Request::get(&["accounts"]), &paging).await,
            Self::Show { name } => {
                let account = session.get(Request::get(&["accounts", &name])).await?;
                session.out.show(&account, ACCOUNT, "/name")
            }
            Self::Create { name, role } => {
                let body = Body::default().with("name", Some(name.clone())).with("role", Some(role));
                let made = session.change(Request::new("POST", &["accounts"]).json(&body.value())).await?;
                session.out.done(&made, &with_password(&made, format!("account {name} is created")), Some("/password"))
            }
            Self::Change(change) => change.change(session).await,
            Self::Delete { name, sure } => {
                session.confirm(sure, &format!("delete account {name}"))?;
                let done = session.change(Request::new("DELETE", &["accounts", &name])).await?;
                session.out.done(&done, &format!("account {name} is deleted"), None)
            }
        }
    }
}

impl ChangeAccount {
    async fn change(self, session: &Session) -> Done {
        let blocked = (self.block || self.unblock).then_some(self.block);
        let body = Body::default()
            .with("role", self.role)
            .with("blocked", blocked)
            .with("new_password", self.new_password.then_some(true));
        if body.is_empty() {
            return Err(Failure::usage("nothing to change: give --role, --block, --unblock or --new-password"));
        }
        let changed = session.change(Request::new("PATCH", &["accounts", &self.name]).json(&body.value())).await?;
        let sentence = with_password(&changed, format!("account {} is changed", self.name));
        session.out.done(&changed, &sentence, changed["password"].is_string().then_some("/password"))
    }
}

fn with_password(made: &Value, sentence: String) -> String {
    match made["password"].as_str() {
        Some(password) => format!("{sentence}; its one-time password, shown this once: {password}"),
        None => sentence,
    }
}

impl SessionVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::Whoami => {
                let who = session.get(Request::get(&["sessions"])).await?;
                session.out.show(&who, IDENTITY, "/caller")
            }
        }
    }
}
