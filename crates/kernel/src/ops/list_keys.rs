//! Lists access keys, without their secrets.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};

use crate::op::Query;

/// A page of keys, oldest first.
pub static LIST_KEYS: Query<Page, Vec<KeyInfo>> = Query::new("key.list", list_keys);

/// One key.
pub static SHOW_KEY: Query<String, KeyInfo> = Query::new("key.show", show_key);

/// Which page.
#[derive(Debug, Clone)]
pub struct Page {
    /// Only keys after this id.
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

/// A key as it is shown.
#[derive(Debug, Clone)]
pub struct KeyInfo {
    /// Its id.
    pub id: String,
    /// What it may do.
    pub role: String,
    /// What it may do it with, JSON.
    pub scope: String,
    /// For people.
    pub label: String,
    /// When it was made.
    pub created_at: Wall,
    /// When it was revoked.
    pub revoked_at: Option<Wall>,
    /// Whether it can be used.
    pub state: KeyState,
}

/// Whether a key can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// With its one secret.
    Active,
    /// It was rotated: with its secret, and still with an older one.
    Overlapping,
    /// No more.
    Revoked,
}

impl KeyState {
    /// The word that people read.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Overlapping => "overlapping",
            Self::Revoked => "revoked",
        }
    }
}

pub(crate) static PAGE: Sql = Sql::new(
    "access_key.page",
    "SELECT id, role, scope, label, created_at, revoked_at, \
     (SELECT COUNT(*) FROM access_secret s WHERE s.key_id = k.id AND s.valid_until > ?3) \
     FROM access_key k WHERE id > ?1 ORDER BY id LIMIT ?2",
);

pub(crate) static ONE: Sql = Sql::new(
    "access_key.one",
    "SELECT id, role, scope, label, created_at, revoked_at, \
     (SELECT COUNT(*) FROM access_secret s WHERE s.key_id = k.id AND s.valid_until > ?2) FROM access_key k WHERE id = ?1",
);

fn list_keys(tx: &mut dyn Tx, page: &Page) -> OpResult<Vec<KeyInfo>> {
    let rows = tx.query(&PAGE, args![&page.after, page.limit, tx.heard()], page.limit as usize)?;
    Ok(rows.iter().map(info).collect())
}

fn show_key(tx: &mut dyn Tx, id: &String) -> OpResult<KeyInfo> {
    let row = tx.query_one(&ONE, args![id, tx.heard()])?;
    row.as_ref().map(info).ok_or_else(|| OpError::new(codes::NKEY, "no such key"))
}

fn info(row: &Row) -> KeyInfo {
    KeyInfo {
        id: row.text(0).to_owned(),
        role: row.text(1).to_owned(),
        scope: row.text(2).to_owned(),
        label: row.text(3).to_owned(),
        created_at: Wall(row.int(4)),
        revoked_at: row.opt_int(5).map(Wall),
        state: state(row.opt_int(5).is_some(), row.int(6) > 0),
    }
}

fn state(revoked: bool, overlaps: bool) -> KeyState {
    match (revoked, overlaps) {
        (true, _) => KeyState::Revoked,
        (false, true) => KeyState::Overlapping,
        (false, false) => KeyState::Active,
    }
}
