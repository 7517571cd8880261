//! Who asks, and what comes with the asking.

use std::fmt;
use std::sync::Arc;

use base::{Clock, Entropy, Id, Stamp};
use serde::{Deserialize, Serialize};

/// What a key may do. Services check the scope; the edge checks the role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Everything.
    Admin,
    /// Everything but accounts and configuration.
    Operator,
    /// Looks, changes nothing.
    Reader,
    /// A business database (exchange).
    Database,
    /// A device (exchange).
    Device,
    /// A worker (workflow).
    Actor,
    /// Sends signals in (sensors).
    Gateway,
    /// A folder client.
    Folder,
    /// An application (documents and own services).
    App,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 9] = [
        Self::Admin,
        Self::Operator,
        Self::Reader,
        Self::Database,
        Self::Device,
        Self::Actor,
        Self::Gateway,
        Self::Folder,
        Self::App,
    ];

    /// The word used in keys, tables and pages.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Operator => "operator",
            Self::Reader => "reader",
            Self::Database => "database",
            Self::Device => "device",
            Self::Actor => "actor",
            Self::Gateway => "gateway",
            Self::Folder => "folder",
            Self::App => "app",
        }
    }

    /// The role of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// Whoever a request comes from.
#[derive(Clone, PartialEq, Eq)]
pub struct Caller {
    /// Id of the access key, or the name of a part of ours.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// What it may do it with, JSON; services read and check it.
    pub scope: Arc<str>,
    /// Derived from the secret that the caller showed; secrets made for the caller can be made again from it. Whoever
    /// showed none cannot be made a secret for.
    pub proof: Option<[u8; 32]>,
    /// An administrator of the administrators' namespace, or a part of ours: valid in every namespace, whatever its state
    /// (KER-2).
    pub everywhere: bool,
}

impl Caller {
    /// Whoever uses a public route.
    #[must_use]
    pub fn public() -> Self {
        Self { name: "public".into(), role: Role::Reader, scope: "{}".into(), proof: None, everywhere: false }
    }

    /// A part of the server itself, e.g. `server.housekeeping`.
    #[must_use]
    pub fn server(part: &str) -> Self {
        Self { name: format!("server.{part}"), role: Role::Admin, scope: "{}".into(), proof: None, everywhere: true }
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Caller({}, {})", self.name, self.role.word())
    }
}

/// The caller's wish that a repeat gives the first answer (KER-10). The scope is (caller, route, key).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// The route's pattern, the same for every call of the route.
    pub route: String,
    /// The caller's key.
    pub key: String,
    /// SHA-256 of what was asked: path and body.
    pub body_hash: [u8; 32],
}

/// What the application says of itself (KER-32): own operations read and check it, so that logins and sessions of its own
/// can be written as operations. The kernel believes none of it, and no log shows it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Properties {
    /// Who it says that it works for.
    pub account: Option<String>,
    /// What proves it.
    pub key: Option<String>,
    /// What proves that it is an administrator of the application.
    pub admin: Option<String>,
}

impl Properties {
    /// Bytes of one property.
    pub const MAX: usize = 1_024;

    /// Whether each keeps its limit.
    #[must_use]
    pub fn fits(&self) -> bool {
        [&self.account, &self.key, &self.admin].into_iter().flatten().all(|text| text.len() <= Self::MAX)
    }
}

impl fmt::Debug for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Properties(hidden)")
    }
}

/// One request, with everything that stays the same over its attempts.
#[derive(Debug, Clone)]
pub struct Request {
    /// First of the request's ids.
    pub id: Id,
    /// The request's chance, fixed over attempts.
    pub seed: [u8; 32],
    /// Who asks.
    pub caller: Caller,
    /// Whether a repeat gives the first answer.
    pub idempotency: Option<Idempotency>,
    /// When the caller says that it asked.
    pub op_time: Option<Stamp>,
    /// The caller's build.
    pub build: Option<u64>,
    /// What the application says of itself.
    pub properties: Properties,
}

impl Request {
    /// A request of `caller`, now.
    #[must_use]
    pub fn new(caller: Caller, clock: &dyn Clock, entropy: &dyn Entropy) -> Self {
        // One fill for both: asking the system for chance costs more than the chance itself.
        let mut bytes = [0; 42];
        entropy.fill(&mut bytes);
        let (mut chance, mut seed) = ([0; 10], [0; 32]);
        chance.copy_from_slice(&bytes[..10]);
        seed.copy_from_slice(&bytes[10..]);
        let (id, properties) = (Id::new(clock.wall(), chance), Properties::default());
        Self { id, seed, caller, idempotency: None, op_time: None, build: None, properties }
    }

    /// The same request with an idempotency key.
    #[must_use]
    pub fn once(self, route: &str, key: &str, body_hash: [u8; 32]) -> Self {
        let idempotency = Idempotency { route: route.to_owned(), key: key.to_owned(), body_hash };
        Self { idempotency: Some(idempotency), ..self }
    }
}
