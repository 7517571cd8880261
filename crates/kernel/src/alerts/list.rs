//! Lists alerts, newest first.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};

use super::summary::banner;
use crate::op::Query;

/// A page of alerts, and what is wrong with the channels.
pub static LIST_ALERTS: Query<AlertPage, AlertList> = Query::new("alert.list", list_alerts);

/// Alerts that are looked at for one page at most; the cursor goes on behind them.
const LOOKED_AT_MAX: usize = 2_000;
/// Alerts that are read at once.
const STEP: usize = 250;
/// Above every id.
const END: &str = "~";

/// What becomes of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertState {
    /// The condition holds and nobody acknowledged it.
    Open,
    /// The condition holds and somebody knows.
    Acknowledged,
    /// The condition ended.
    Closed,
}

impl AlertState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Open, Self::Acknowledged, Self::Closed];

    /// The word used in queries and answers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Acknowledged => "acknowledged",
            Self::Closed => "closed",
        }
    }

    /// The state of a word.
    ///
    /// # Errors
    /// It is none.
    pub fn from_word(word: &str) -> OpResult<Self> {
        let unknown = || OpError::before_start(codes::ABODY, "state must be open, acknowledged or closed");
        Self::ALL.into_iter().find(|state| state.word() == word).ok_or_else(unknown)
    }
}

/// Which page.
#[derive(Debug, Clone)]
pub struct AlertPage {
    /// Only alerts older than this id; empty for the newest.
    pub after: String,
    /// At most so many.
    pub limit: u32,
    /// Only in this state.
    pub state: Option<AlertState>,
    /// Only of this kind.
    pub kind: Option<String>,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertList {
    /// The alerts.
    pub alerts: Vec<AlertInfo>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// What is wrong with the channels.
    pub banner: Vec<String>,
}

/// An alert as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertInfo {
    /// Id of this opening.
    pub id: String,
    /// Key of the condition.
    pub key: String,
    /// Its kind.
    pub kind: String,
    /// For a person.
    pub message: String,
    /// What became of it.
    pub state: AlertState,
    /// When it opened.
    pub opened_at: Wall,
    /// When somebody acknowledged it.
    pub acknowledged_at: Option<Wall>,
    /// Who.
    pub acknowledged_by: Option<String>,
    /// When it closed.
    pub closed_at: Option<Wall>,
    /// The message that told of its opening; `None` while it waits, empty if none will.
    pub opening_message: Option<String>,
    /// The message that told of its closing.
    pub closing_message: Option<String>,
}

pub(crate) static ALL: Sql = Sql::new(
    "alert.page",
    "SELECT id, key, kind, message, opened_at, acknowledged_at, acknowledged_by, closed_at, opening_message, \
     closing_message FROM alert WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
);
pub(crate) static LIVE: Sql = Sql::new(
    "alert.page_live",
    "SELECT id, key, kind, message, opened_at, acknowledged_at, acknowledged_by, closed_at, opening_message, \
     closing_message FROM alert WHERE closed_at IS NULL AND id < ?1 ORDER BY id DESC LIMIT ?2",
);

fn list_alerts(tx: &mut dyn Tx, page: &AlertPage) -> OpResult<AlertList> {
    let sql = match page.state {
        Some(AlertState::Open | AlertState::Acknowledged) => &LIVE,
        Some(AlertState::Closed) | None => &ALL,
    };
    let (alerts, next) = walk(tx, sql, page)?;
    Ok(AlertList { alerts, next, banner: banner(tx)? })
}

/// Those that fit, and where the next page begins.
fn walk(tx: &mut dyn Tx, sql: &'static Sql, page: &AlertPage) -> OpResult<(Vec<AlertInfo>, Option<String>)> {
    let mut place = if page.after.is_empty() { END.to_owned() } else { page.after.clone() };
    let (mut alerts, step): (Vec<AlertInfo>, _) = (vec![], i64::try_from(STEP).unwrap_or(i64::MAX));
    for _ in 0..LOOKED_AT_MAX / STEP {
        let rows = tx.query(sql, args![&place, step], STEP)?;
        for alert in rows.iter().map(info) {
            place.clone_from(&alert.id);
            if fits(&alert, page) && alerts.len() == page.limit as usize {
                let next = alerts.last().map(|alert| alert.id.clone());
                return Ok((alerts, next));
            }
            if fits(&alert, page) {
                alerts.push(alert);
            }
        }
        if rows.len() < STEP {
            return Ok((alerts, None));
        }
    }
    Ok((alerts, Some(place)))
}

fn fits(alert: &AlertInfo, page: &AlertPage) -> bool {
    page.state.is_none_or(|state| alert.state == state) && page.kind.as_ref().is_none_or(|kind| alert.kind == *kind)
}

fn info(row: &Row) -> AlertInfo {
    let text = |column| row.opt_text(column).map(str::to_owned);
    let wall = |column| row.opt_int(column).map(Wall);
    AlertInfo {
        id: row.text(0).to_owned(),
        key: row.text(1).to_owned(),
        kind: row.text(2).to_owned(),
        message: row.text(3).to_owned(),
        state: match (row.opt_int(7), row.opt_int(5)) {
            (Some(_), _) => AlertState::Closed,
            (None, Some(_)) => AlertState::Acknowledged,
            (None, None) => AlertState::Open,
        },
        opened_at: Wall(row.int(4)),
        acknowledged_at: wall(5),
        acknowledged_by: text(6),
        closed_at: wall(7),
        opening_message: text(8),
        closing_message: text(9),
    }
}
