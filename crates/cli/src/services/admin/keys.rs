//! Access keys of programs, and the secret that signs calls to targets (KER-19, KER-32).

use clap::Subcommand;
use client::Request;
use serde_json::Value;

use crate::failure::Done;
use crate::flags::{Paging, Sure};
use crate::input::{Body, json, seconds};
use crate::output::{json as as_json, moment as time, state, text};
use crate::page::List;
use crate::session::Session;

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyVerb {
    /// List keys, oldest first, never with their secrets
    #[command(after_help = "Examples:\n  fastness admin key list\n  fastness admin key list --namespace shop --all")]
    List(Paging),
    /// Create a key; its secret is shown this once
    #[command(
        after_help = "Examples:\n  fastness admin key create --role app --label 'till 7'\n  fastness admin key create --role reader -q > reader.key"
    )]
    Create {
        /// What it may do
        #[arg(long, value_name = "ROLE", value_parser = ROLES)]
        role: String,
        /// What it may do it with, JSON: {"device": "till-7"}
        #[arg(long, value_name = "JSON", value_parser = json)]
        scope: Option<Value>,
        /// For people
        #[arg(long, value_name = "TEXT")]
        label: Option<String>,
    },
    /// Change the label of a key, which may be a revoked one
    #[command(
        after_help = "Examples:\n  fastness admin key change 01KA2B3C4D5E6F7G8H9JKMNPQR --label 'till 8'\n  fastness admin key change 01KA2B3C4D5E6F7G8H9JKMNPQR --label ''    none at all"
    )]
    Change {
        /// Id of the key
        #[arg(value_name = "ID")]
        id: String,
        /// For people; empty for none
        #[arg(long, value_name = "TEXT")]
        label: String,
    },
    /// Give a key a new secret; the old one stays valid for a while
    #[command(after_help = "Examples:\n  fastness admin key rotate 01KA2B3C4D5E6F7G8H9JKMNPQR --overlap-s 3600")]
    Rotate {
        /// Id of the key
        #[arg(value_name = "ID")]
        id: String,
        /// How long the old secret stays valid [default: a day]; 0 ends it at once
        #[arg(long, value_name = "TIME", value_parser = seconds(0..=u64::from(u32::MAX)))]
        overlap_s: Option<u64>,
    },
    /// Revoke a key at once
    #[command(after_help = "Examples:\n  fastness admin key revoke 01KA2B3C4D5E6F7G8H9JKMNPQR --yes")]
    Revoke {
        /// Id of the key
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        sure: Sure,
    },
}

/// What can be done with the secret.
#[derive(Debug, Subcommand)]
pub(crate) enum SecretVerb {
    /// Show the secret that receivers of calls configure; the journal tells that it was shown
    #[command(after_help = "Examples:\n  fastness admin secret show --namespace shop")]
    Show,
}

/// What a key may do, as the server knows it.
const ROLES: [&str; 9] = ["admin", "operator", "reader", "database", "device", "actor", "gateway", "folder", "app"];

const KEYS: List<'_> = List {
    what: "keys",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        text("ROLE", "/role"),
        state("STATE", "/state"),
        time("CREATED", "/created_at"),
        text("LABEL", "/label"),
        as_json("SCOPE", "/scope"),
    ],
};

impl KeyVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(paging) => KEYS.paged(session, Request::get(&["keys"]), &paging).await,
            Self::Create { role, scope, label } => {
                let body = Body::default().with("role", Some(role)).with("scope", scope).with("label", label);
                let made = session.change(Request::new("POST", &["keys"]).json(&body.value())).await?;
                session.out.done(&made, &sentence(&made, "is created"), Some("/key"))
            }
            Self::Change { id, label } => {
                let body = Body::default().with("label", Some(label)).value();
                let done = session.change(Request::new("PATCH", &["keys", &id]).json(&body)).await?;
                session.out.done(&done, &format!("key {id} is changed"), None)
            }
            Self::Rotate { id, overlap_s } => {
                let body = Body::default().with("overlap_s", overlap_s).value();
                let made = session.change(Request::new("POST", &["keys", &id, "rotate"]).json(&body)).await?;
                session.out.done(&made, &sentence(&made, "has a new secret"), Some("/key"))
            }
            Self::Revoke { id, sure } => {
                session.confirm(sure, &format!("revoke key {id}"))?;
                let done = session.change(Request::new("DELETE", &["keys", &id])).await?;
                session.out.done(&done, &format!("key {id} is revoked"), None)
            }
        }
    }
}

fn sentence(made: &Value, what: &str) -> String {
    let text = |name: &str| made[name].as_str().unwrap_or_default();
    format!("key {} {what}; its secret, shown this once: {}", text("id"), text("key"))
}

impl SecretVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::Show => {
                let shown = session.change(Request::new("POST", &["webhook-secret"])).await?;
                let secret = shown["secret"].as_str().unwrap_or_default().to_owned();
                session.out.done(&shown, &secret, Some("/secret"))
            }
        }
    }
}
