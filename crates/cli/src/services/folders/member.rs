//! Who may what in a directory, which devices came to it, and who writes right now (FLD-25).

use clap::Subcommand;
use client::Request;
use serde_json::json;

use super::directory::Which;
use crate::failure::Done;
use crate::flags::Sure;
use crate::output::{moment as time, number, text};
use crate::page::List;
use crate::session::Session;

/// What can be done with members.
#[derive(Debug, Subcommand)]
pub(crate) enum MemberVerb {
    /// List who has a role in a directory
    #[command(after_help = "Examples:\n  fastness folders member list 'Plans of 2026'")]
    List(Which),
    /// Give a key or a device a role in a directory
    #[command(
        after_help = "Examples:\n  fastness folders member set 'Plans of 2026' --key 01KA2B3C4D5E6F7G8H9JKMNPQR --role write\n  fastness folders member set 'Plans of 2026' --device laptop --role read"
    )]
    Set {
        #[command(flatten)]
        of: Which,
        /// Id of an access key
        #[arg(long, value_name = "ID", required_unless_present = "device")]
        key: Option<String>,
        /// Name of a device, whose role lowers that of its key
        #[arg(long, value_name = "NAME", conflicts_with = "key")]
        device: Option<String>,
        /// What it may; `none` shuts it out
        #[arg(long, value_name = "ROLE", value_parser = ["none", "read", "write", "admin"])]
        role: String,
    },
    /// Take a role in a directory away from a key or a device
    #[command(
        after_help = "Examples:\n  fastness folders member remove 'Plans of 2026' 01KA2B3C4D5E6F7G8H9JKMNPQR --yes"
    )]
    Remove {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        sure: Sure,
    },
}

/// What can be done with devices.
#[derive(Debug, Subcommand)]
pub(crate) enum DeviceVerb {
    /// List the devices that came to a directory, and how far each is
    #[command(after_help = "Examples:\n  fastness folders device list 'Plans of 2026'")]
    List(Which),
    /// Forget a device that will not come back: what was deleted need not wait for it
    #[command(after_help = "Examples:\n  fastness folders device forget 'Plans of 2026' old-laptop --yes")]
    Forget {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        sure: Sure,
    },
}

/// What can be asked of locks.
#[derive(Debug, Subcommand)]
pub(crate) enum LockVerb {
    /// List who writes or waits in a directory; each lock ends by itself
    #[command(after_help = "Examples:\n  fastness folders lock list 'Plans of 2026'")]
    List(Which),
}

/// Somebody in a directory.
#[derive(Debug, clap::Args)]
pub(crate) struct Of {
    #[command(flatten)]
    of: Which,
    /// Whom, as the list names them
    #[arg(value_name = "WHO")]
    who: String,
}

const MEMBERS: List<'_> = List { what: "members", id: "/who", columns: &[text("WHO", "/who"), text("ROLE", "/role")] };

const DEVICES: List<'_> = List {
    what: "devices",
    id: "/device",
    columns: &[text("DEVICE", "/device"), text("KEY", "/key"), number("LAST CHANGE", "/seq"), time("SEEN", "/seen_at")],
};

const LOCKS: List<'_> = List {
    what: "locks",
    id: "/path",
    columns: &[
        text("PATH", "/path"),
        text("HOLDER", "/holder"),
        text("RESERVED", "/reserved"),
        number("LEFT MS", "/left_ms"),
        text("WAITING", "/waiting"),
    ],
};

/// A path within a directory.
async fn below(session: &Session, of: &Which, method: &str, rest: &[&str]) -> Result<Request, crate::failure::Failure> {
    let id = of.id(session).await?;
    Ok(Request::new(method, &[&["folders", "directories", &id], rest].concat()))
}

impl MemberVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(of) => MEMBERS.whole(session, below(session, &of, "GET", &["members"]).await?).await,
            Self::Set { of, key, device, role } => {
                let (body, who) = match (key, device) {
                    (Some(key), _) => (json!({ "key": key, "role": role }), key),
                    (None, device) => (json!({ "device": device, "role": role }), device.unwrap_or_default()),
                };
                let request = below(session, &of, "POST", &["members"]).await?;
                let set = session.change(request.json(&body)).await?;
                session.out.done(&set, &format!("{who} has the role {role}"), None)
            }
            Self::Remove { of: Of { of, who }, sure } => {
                let request = below(session, &of, "DELETE", &["members", &who]).await?;
                session.confirm(sure, &format!("take the role of {who} away"))?;
                let done = session.change(request).await?;
                session.out.done(&done, &format!("{who} has no role any more"), None)
            }
        }
    }
}

impl DeviceVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(of) => DEVICES.whole(session, below(session, &of, "GET", &["devices"]).await?).await,
            Self::Forget { of: Of { of, who }, sure } => {
                let request = below(session, &of, "DELETE", &["devices", &who]).await?;
                session.confirm(sure, &format!("forget the device {who}"))?;
                let done = session.change(request).await?;
                session.out.done(&done, &format!("device {who} is forgotten"), None)
            }
        }
    }
}

impl LockVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(of) => LOCKS.whole(session, below(session, &of, "GET", &["locks"]).await?).await,
        }
    }
}
