//! Namespaces as the API shows and takes them.

use base::{Engine, Health, Stamp, Wall, codes};
use kernel::Kernel;
use kernel::namespaces::{Limits, NamespaceRow, State, word_of};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::time::rfc3339;

/// An engine.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Engine)]
pub(super) enum EngineWord {
    Sqlite,
    Postgres,
}

impl From<EngineWord> for Engine {
    fn from(word: EngineWord) -> Self {
        match word {
            EngineWord::Sqlite => Self::Sqlite,
            EngineWord::Postgres => Self::Postgres,
        }
    }
}

/// A namespace to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "shop", "label": "the shop in Lyon" }))]
pub(super) struct NewNamespace {
    /// 1 to 16 of a-z and 0-9.
    #[schema(pattern = "^[a-z0-9]{1,16}$", example = "shop")]
    pub(super) name: String,
    /// For people. At most 255 bytes.
    #[schema(required = false, nullable = false, max_length = 255)]
    pub(super) label: Option<String>,
    /// Its engine; as configured if not given.
    #[schema(required = false, nullable = false)]
    pub(super) engine: Option<EngineWord>,
    /// Its own PostgreSQL, if it is not the server's. Never shown.
    #[schema(required = false, nullable = false, max_length = 1024, format = Password)]
    pub(super) url: Option<String>,
    /// Only to try things in: its data is destroyed when it is removed, and its calls may reach this machine's loopback addresses.
    #[serde(default)]
    #[schema(required = false)]
    pub(super) temporary: bool,
}

/// A state to ask for.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = WishedState)]
pub(super) enum WishedState {
    Open,
    ReadOnly,
    Closed,
}

impl From<WishedState> for State {
    fn from(word: WishedState) -> Self {
        match word {
            WishedState::Open => Self::Open,
            WishedState::ReadOnly => Self::ReadOnly,
            WishedState::Closed => Self::Closed,
        }
    }
}

/// What shall change of a namespace; what is not given stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "state": "closed", "message": "moving house", "reopens_at": "2026-11-16T06:00:00Z" }))]
pub(super) struct Change {
    /// For people. At most 255 bytes.
    #[schema(required = false, nullable = false, max_length = 255)]
    pub(super) label: Option<String>,
    /// Its state.
    #[schema(required = false, nullable = false)]
    pub(super) state: Option<WishedState>,
    /// With a state: what people are told while it is not open. At most 1,024 bytes.
    #[schema(required = false, nullable = false, max_length = 1024)]
    pub(super) message: Option<String>,
    /// With a state: when it is expected to be open again, UTC.
    #[schema(required = false, nullable = false, format = DateTime)]
    pub(super) reopens_at: Option<String>,
    /// All of its own limits.
    #[schema(required = false, nullable = false)]
    pub(super) limits: Option<LimitsView>,
}

impl Change {
    pub(super) fn check(&self) -> Result<(), ApiError> {
        if self.state.is_none() && (self.message.is_some() || self.reopens_at.is_some()) {
            return Err(ApiError::refused(codes::ABODY, "message and reopens_at come with a state"));
        }
        match self.reopens_at.as_deref() {
            Some(text) if moment(text).is_none() => {
                let text: String = text.chars().take(40).collect();
                Err(ApiError::refused(codes::ABODY, format!("reopens_at `{text}` is not like 2026-11-16T06:00:00Z")))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// `2026-11-16T06:00:00Z`, with or without milliseconds, in the years 2000 to 2099.
pub(super) fn moment(text: &str) -> Option<Wall> {
    let text = text.strip_suffix('Z')?;
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let shape: String = seconds.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let good = shape == "0000-00-00T00:00:00"
        && seconds.starts_with("20")
        && (1..=3).contains(&fraction.len())
        && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let digits: String = seconds.chars().skip(2).filter(char::is_ascii_digit).collect();
    let number = format!("{digits}{fraction:0<3}").parse().ok().filter(|_| good)?;
    Stamp::new(number).ok().map(Stamp::to_wall)
}

/// Limits of a namespace's own, below those of the server.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NamespaceLimits)]
pub(super) struct LimitsView {
    /// Requests in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 1)]
    requests_max: Option<u32>,
    /// Connections of its store that only read; used when the store is opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 1, maximum = 256)]
    readers: Option<u32>,
}

impl From<LimitsView> for Limits {
    fn from(LimitsView { requests_max, readers }: LimitsView) -> Self {
        Self { requests_max, readers }
    }
}

/// A namespace as it is shown.
#[derive(Serialize, ToSchema)]
#[schema(as = Namespace)]
pub(super) struct NamespaceView {
    /// Its name.
    #[schema(example = "shop")]
    name: String,
    /// For people.
    label: String,
    /// Its engine.
    #[schema(value_type = EngineWord)]
    engine: &'static str,
    /// The folder or schema of its data, without the server's prefix.
    place: String,
    /// Whether it has a PostgreSQL of its own.
    own_url: bool,
    /// `creating`, `open`, `read-only`, `closed` or `removing`.
    #[schema(example = "open")]
    state: &'static str,
    /// What people are told while it is not open.
    message: String,
    /// When it is expected to be open again.
    #[schema(format = DateTime)]
    reopens_at: Option<String>,
    /// Its own limits.
    limits: LimitsView,
    /// Whether it is only there to try things in.
    temporary: bool,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// Its store on this node: `Good`, `ReadOnly`, `Down`, or `None` if it is not open.
    #[schema(example = "Good")]
    health: &'static str,
    /// Why its store is not good on this node.
    fault: Option<String>,
}

impl NamespaceView {
    pub(super) fn of(kernel: &Kernel, row: NamespaceRow) -> Self {
        let health = kernel.namespace(&row.name).map(|ns| ns.store.health()).ok();
        let (word, reason) = match health {
            Some(Health::Good) => ("Good", None),
            Some(Health::ReadOnly(reason)) => ("ReadOnly", Some(reason)),
            Some(Health::Down(reason)) => ("Down", Some(reason)),
            None => ("None", None),
        };
        let Limits { requests_max, readers } = row.limits;
        Self {
            fault: kernel.registry().fault(&row.name).or(reason),
            name: row.name,
            label: row.label,
            engine: word_of(row.engine),
            place: row.place,
            own_url: row.url.is_some(),
            state: row.state.word(),
            message: row.message,
            reopens_at: row.reopens_at.map(|at| rfc3339(Wall(at))),
            limits: LimitsView { requests_max, readers },
            temporary: row.temporary,
            created_at: rfc3339(Wall(row.created_at)),
            health: word,
        }
    }
}

/// A namespace that is being removed.
#[derive(Serialize, ToSchema)]
#[schema(as = RemovedNamespace)]
pub(super) struct Removed {
    /// Its name.
    name: String,
    /// `removing`: nobody gets in any more.
    state: &'static str,
    /// The folder (SQLite, in the data directory's `namespaces`) or schema (PostgreSQL, with `_` for `-`) that keeps its data; null
    /// if it is destroyed.
    kept_as: Option<String>,
}

impl Removed {
    pub(super) fn of(row: &NamespaceRow) -> Self {
        Self { name: row.name.clone(), state: row.state.word(), kept_as: (!row.temporary).then(|| row.aside()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_2_a_moment_is_read_as_it_is_written() {
        for text in ["2026-11-15T12:00:00.000Z", "2099-12-31T23:59:59.999Z", "2000-02-29T00:00:00.120Z"] {
            assert_eq!(moment(text).map(rfc3339).as_deref(), Some(text));
        }
        assert_eq!(moment("2026-11-15T12:00:00Z"), moment("2026-11-15T12:00:00.0Z"));
        for bad in ["", "2026-11-15", "2026-11-15T12:00:00", "2026-13-15T12:00:00Z", "1999-01-01T00:00:00Z"] {
            assert_eq!(moment(bad), None, "{bad}");
        }
        assert_eq!(moment("2026-11-15T12:00:00.0000Z"), None);
        assert_eq!(moment("2026-11-15T12:00:00.-1Z"), None);
    }
}
