//! The rows of a namespace: how they are read, checked and named.

use std::fmt;

use base::limits::NAME_MAX;
use base::{Engine, Id, OpError, OpResult, Row, Sql, Stamp, Tx, Wall, args, codes};
use serde::{Deserialize, Serialize};

use super::state::{Standing, State};

/// The namespace that exists from the first start.
pub const FIRST: &str = "main";
/// Longest message about a closed namespace, and longest connection string.
const TEXT_MAX: usize = 1_024;
/// Characters of the id that tell one life of a name from another: its time, and a little chance.
const LIFE_LENGTH: usize = 13;

/// A namespace as its row says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceRow {
    /// 1 to 16 of `a-z0-9`.
    pub name: String,
    /// For people.
    pub label: String,
    /// Its engine.
    #[serde(with = "engine_word")]
    pub engine: Engine,
    /// The folder or schema of this life of the name; never used again.
    pub place: String,
    /// The node that makes its file, if the engine keeps it on one node's disk.
    pub home: String,
    /// Its own PostgreSQL, if it has one. May hold a password: neither shown nor kept with answers.
    #[serde(skip)]
    pub url: Option<SecretUrl>,
    /// Its state.
    pub state: State,
    /// What people are told while it is not open.
    pub message: String,
    /// When it is expected to be open again, milliseconds since 1970.
    pub reopens_at: Option<i64>,
    /// Its own limits.
    pub limits: Limits,
    /// Whether it is only there to try things in: its data is destroyed when it is removed, and its calls may reach this machine.
    #[serde(default)]
    pub temporary: bool,
    /// When it was created, milliseconds since 1970.
    pub created_at: i64,
    /// Of the row.
    pub version: i64,
}

/// How to reach a PostgreSQL; may hold a password, so it is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretUrl(pub String);

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretUrl(…)")
    }
}

/// Limits of one namespace's own, below those of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Requests in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_max: Option<u32>,
    /// Connections of its store that only read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readers: Option<u32>,
}

macro_rules! columns {
    () => {
        "name, label, engine, place, home, url, state, message, reopens_at, limits, created_at, version, temporary"
    };
}

pub(super) static INSERT: Sql = Sql::new(
    "namespace.insert",
    concat!(
        "INSERT INTO namespace (",
        columns!(),
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, '', NULL, '{}', ?8, ?9, ?10) ON CONFLICT (name) DO NOTHING"
    ),
);
pub(super) static GET: Sql =
    Sql::new("namespace.get", concat!("SELECT ", columns!(), " FROM namespace WHERE name = ?1"));
pub(super) static ALL: Sql =
    Sql::new("namespace.all", concat!("SELECT ", columns!(), " FROM namespace ORDER BY name LIMIT ?1"));
pub(super) static COUNT: Sql = Sql::new("namespace.count", "SELECT COUNT(*) FROM namespace");
pub(super) static UPDATE: Sql = Sql::new(
    "namespace.update",
    "UPDATE namespace SET label = ?2, state = ?3, message = ?4, reopens_at = ?5, limits = ?6, version = ?7 \
     WHERE name = ?1",
);

/// Adds the row of a new namespace; false if the name is taken.
pub(super) fn insert(tx: &mut dyn Tx, row: &NamespaceRow) -> OpResult<bool> {
    let values = args![
        &row.name,
        &row.label,
        word_of(row.engine),
        &row.place,
        &row.home,
        row.url.as_ref().map(|url| url.0.as_str()),
        row.state.word(),
        row.created_at,
        row.version,
        i64::from(row.temporary),
    ];
    Ok(tx.execute(&INSERT, values)? == 1)
}

/// Writes what can change of a row.
pub(super) fn update(tx: &mut dyn Tx, row: &NamespaceRow) -> OpResult<()> {
    let limits = serde_json::to_string(&row.limits).unwrap_or_default();
    let values = args![&row.name, &row.label, row.state.word(), &row.message, row.reopens_at, limits, row.version];
    Ok(tx.write(&UPDATE, values)?)
}

/// A namespace.
///
/// # Errors
/// `NNAMESPACE`.
pub(super) fn get(tx: &mut dyn Tx, name: &str) -> OpResult<NamespaceRow> {
    let row = tx.query_one(&GET, args![name])?.ok_or_else(|| unknown(name))?;
    Ok(from_row(&row))
}

pub(super) fn from_row(row: &Row) -> NamespaceRow {
    NamespaceRow {
        name: row.text(0).to_owned(),
        label: row.text(1).to_owned(),
        engine: engine_of(row.text(2)).expect("an engine that we wrote"),
        place: row.text(3).to_owned(),
        home: row.text(4).to_owned(),
        url: row.opt_text(5).map(|url| SecretUrl(url.to_owned())),
        state: State::from_word(row.text(6)).expect("a state that we wrote"),
        message: row.text(7).to_owned(),
        reopens_at: row.opt_int(8),
        limits: serde_json::from_str(row.text(9)).unwrap_or_default(),
        created_at: row.int(10),
        version: row.int(11),
        temporary: row.int(12) != 0,
    }
}

impl NamespaceRow {
    /// How it stands.
    #[must_use]
    pub fn standing(&self) -> Standing {
        Standing {
            place: self.place.clone(),
            state: self.state,
            message: self.message.clone(),
            reopens_at: self.reopens_at.map(Wall),
            requests_max: self.limits.requests_max,
            temporary: self.temporary,
        }
    }

    /// The name under which its data is kept when it is removed.
    #[must_use]
    pub fn aside(&self) -> String {
        format!("removed-{}", self.place)
    }

    /// The stamp of the row, to rise above.
    pub(super) fn stamp(&self) -> Stamp {
        Stamp::new(self.version).expect("a version that we wrote")
    }
}

/// The place of a new life of `name`.
pub(super) fn new_place(name: &str, life: Id) -> String {
    let life = life.to_string().to_ascii_lowercase();
    format!("{name}-{}", &life[..LIFE_LENGTH])
}

pub(super) fn unknown(name: &str) -> OpError {
    let name: String = name.chars().take(32).collect();
    OpError::new(codes::NNAMESPACE, format!("no namespace `{name}`"))
}

/// Whether a text can be the name of a namespace (KER-1).
#[must_use]
pub fn is_name(text: &str) -> bool {
    (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

pub(super) fn check_name(name: &str) -> OpResult<()> {
    if is_name(name) {
        return Ok(());
    }
    let shown: String = name.chars().take(32).collect();
    Err(OpError::new(codes::ABODY, format!("`{shown}` is not a namespace's name: 1 to 16 of a-z and 0-9")))
}

pub(super) fn check_label(label: &str) -> OpResult<()> {
    check_text("label", label, NAME_MAX)
}

pub(super) fn check_message(message: &str) -> OpResult<()> {
    check_text("message", message, TEXT_MAX)
}

pub(super) fn check_url(url: &SecretUrl) -> OpResult<()> {
    check_text("url", &url.0, TEXT_MAX)
}

fn check_text(what: &str, text: &str, max: usize) -> OpResult<()> {
    if text.len() > max {
        return Err(OpError::new(codes::ALIMIT, format!("{what} has {} bytes, at most {max}", text.len())));
    }
    if text.chars().any(char::is_control) {
        return Err(OpError::new(codes::ABODY, format!("{what} has control characters")));
    }
    Ok(())
}

/// The word of an engine, as in the configuration.
#[must_use]
pub const fn word_of(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
    }
}

pub(super) fn engine_of(word: &str) -> Option<Engine> {
    [Engine::Sqlite, Engine::Postgres].into_iter().find(|engine| word_of(*engine) == word)
}

pub(super) mod engine_word {
    use base::Engine;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in super::super) fn serialize<S: Serializer>(engine: &Engine, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(super::word_of(*engine))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Engine, D::Error> {
        let word = String::deserialize(from)?;
        super::engine_of(&word).ok_or_else(|| D::Error::custom(format!("`{word}` is no engine")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_1_names_are_1_to_16_of_small_letters_and_digits() {
        assert!(["a", "main", "0", "0123456789abcdef"].into_iter().all(is_name));
        assert!(!["", "A", "a-b", "a_b", "0123456789abcdefg", "é", "a b", "../x"].into_iter().any(is_name));
    }

    #[test]
    fn ker_2_two_lives_of_a_name_have_two_places_that_fit_a_schema() {
        let life = |ms, chance| new_place("0123456789abcdef", Id::new(Wall(ms), [chance; 10]));
        assert_ne!(life(1, 0), life(2, 0));
        assert_ne!(life(1, 0), life(1, 255));
        assert!(32 + life(1, 0).len() <= 63, "with the longest prefix");
    }
}
