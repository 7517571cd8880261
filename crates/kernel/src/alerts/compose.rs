//! What a message says: what opened, what closed, what is still open, of one kind.

use base::{Id, OpResult, Row, Sql, Stamp, Tx, Wall, args};

use super::AlertSettings;
use super::kind::Kind;
use crate::cx::OpCx;

/// Changes that one message takes up; more follow with the next.
const CHANGES_MAX: usize = 500;
/// Lines of one list in a message; beyond it a number says how many more.
const LINES_MAX: usize = 20;
/// Open alerts that are counted for a message.
const LIVE_MAX: usize = 1_000;

/// A change that nobody was told of.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    id: String,
    key: String,
    message: String,
    opened_at: Wall,
    closed_at: Option<Wall>,
    /// Whether its opening is news.
    opens: bool,
}

/// What a message was made of.
pub(crate) struct Composed {
    pub(crate) subject: String,
    pub(crate) text: String,
    /// There is more to tell than one message takes.
    pub(crate) more: bool,
    /// Whether something opened.
    pub(crate) opened: bool,
}

pub(crate) static UNTOLD: Sql = Sql::new(
    "alert.untold",
    "SELECT id, key, message, opened_at, closed_at, opening_message FROM alert \
     WHERE kind = ?1 AND (opening_message IS NULL OR (closed_at IS NOT NULL AND closing_message IS NULL)) \
     ORDER BY id LIMIT ?2",
);
pub(crate) static LIVE: Sql = Sql::new(
    "alert.live_of_kind",
    "SELECT id, key, message, opened_at, closed_at, opening_message FROM alert \
     WHERE kind = ?1 AND closed_at IS NULL AND acknowledged_at IS NULL ORDER BY id LIMIT ?2",
);
pub(crate) static TOLD_OPENING: Sql =
    Sql::new("alert.told_opening", "UPDATE alert SET opening_message = ?2 WHERE id = ?1 AND opening_message IS NULL");
pub(crate) static TOLD_CLOSING: Sql = Sql::new(
    "alert.told_closing",
    "UPDATE alert SET closing_message = ?2 WHERE id = ?1 AND closed_at IS NOT NULL AND closing_message IS NULL",
);

/// Takes up what is untold of a kind: from here on, `message` is what tells of it.
pub(crate) fn compose(
    tx: &mut dyn Tx,
    cx: &OpCx<'_>,
    kind: &Kind,
    message: Id,
    settings: &AlertSettings,
) -> OpResult<Composed> {
    let mut changes = changes(tx, &UNTOLD, &kind.kind, CHANGES_MAX + 1)?;
    let more = changes.len() > CHANGES_MAX;
    changes.truncate(CHANGES_MAX);
    for change in &changes {
        if change.opens {
            tx.write(&TOLD_OPENING, args![&change.id, message])?;
        }
        if change.closed_at.is_some() {
            tx.write(&TOLD_CLOSING, args![&change.id, message])?;
        }
    }
    let live = self::changes(tx, &LIVE, &kind.kind, LIVE_MAX)?;
    let subject = subject(&settings.namespace, &kind.kind, &changes, live.len());
    Ok(Composed { subject, text: text(cx.wall, &changes, &live), more, opened: changes.iter().any(|one| one.opens) })
}

fn changes(tx: &mut dyn Tx, sql: &'static Sql, kind: &str, limit: usize) -> OpResult<Vec<Change>> {
    let rows = tx.query(sql, args![kind, i64::try_from(limit).unwrap_or(i64::MAX)], limit)?;
    Ok(rows.iter().map(change).collect())
}

fn change(row: &Row) -> Change {
    Change {
        id: row.text(0).to_owned(),
        key: row.text(1).to_owned(),
        message: row.text(2).to_owned(),
        opened_at: Wall(row.int(3)),
        closed_at: row.opt_int(4).map(Wall),
        opens: row.opt_text(5).is_none(),
    }
}

fn subject(namespace: &str, kind: &str, changes: &[Change], live: usize) -> String {
    let opened = changes.iter().filter(|change| change.opens).count();
    let closed = changes.iter().filter(|change| change.closed_at.is_some()).count();
    let what = match (opened, closed) {
        (0, 0) => format!("{live} still open"),
        (opened, 0) => format!("{opened} opened"),
        (0, closed) => format!("{closed} closed"),
        (opened, closed) => format!("{opened} opened, {closed} closed"),
    };
    format!("[{namespace}] {kind}: {what}")
}

/// The lists of a message.
fn text(now: Wall, changes: &[Change], live: &[Change]) -> String {
    let of = |fits: fn(&Change) -> bool| changes.iter().filter(|change| fits(change)).collect::<Vec<_>>();
    let opened = of(|change| change.opens && change.closed_at.is_none());
    let passed = of(|change| change.opens && change.closed_at.is_some());
    let closed = of(|change| !change.opens);
    let told: Vec<&str> = opened.iter().map(|change| change.id.as_str()).collect();
    let still = live.iter().filter(|change| !told.contains(&change.id.as_str())).collect::<Vec<_>>();
    let lists = [("Opened", opened), ("Opened and closed", passed), ("Closed", closed), ("Still open", still)];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    let parts: Vec<String> = lists.map(|(title, list)| part(title, &list)).collect();
    format!("{}\nWritten {}.\n", parts.join("\n"), moment(now))
}

fn part(title: &str, list: &[&Change]) -> String {
    let mut part = format!("{title} ({}):\n", list.len());
    for change in list.iter().take(LINES_MAX) {
        part += &format!("  {}  {}: {}\n", moment(change.opened_at), change.key, change.message);
    }
    if list.len() > LINES_MAX {
        part += &format!("  and {} more\n", list.len() - LINES_MAX);
    }
    part
}

/// `2026-11-15 12:00:00 UTC`.
fn moment(wall: Wall) -> String {
    let stamp = format!("{:015}", Stamp::from_wall(wall).number());
    let at = |from: usize| &stamp[from..from + 2];
    format!("20{}-{}-{} {}:{}:{} UTC", at(0), at(2), at(4), at(6), at(8), at(10))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn change(id: &str, opens: bool, closed: bool) -> Change {
        let (key, message) = (format!("disk {id}"), "no room".to_owned());
        let opened_at = Wall(1_794_744_000_000);
        Change { id: id.into(), key, message, opened_at, closed_at: closed.then_some(opened_at), opens }
    }

    #[test]
    fn ker_27_a_message_tells_what_came_what_went_and_what_stays() {
        let changes = [change("1", true, false), change("2", true, true), change("3", false, true)];
        let live = [change("1", false, false), change("4", false, false)];
        expect![[r#"
            Opened (1):
              2026-11-15 12:00:00 UTC  disk 1: no room

            Opened and closed (1):
              2026-11-15 12:00:00 UTC  disk 2: no room

            Closed (1):
              2026-11-15 12:00:00 UTC  disk 3: no room

            Still open (1):
              2026-11-15 12:00:00 UTC  disk 4: no room

            Written 2026-11-15 12:01:00 UTC.
        "#]]
        .assert_eq(&text(Wall(1_794_744_060_000), &changes, &live));
        assert_eq!(subject("main", "disk", &changes, 2), "[main] disk: 2 opened, 2 closed");
        assert_eq!(subject("main", "disk", &[], 2), "[main] disk: 2 still open");
    }

    #[test]
    fn ker_27_many_become_one_message_of_bounded_length() {
        let many: Vec<Change> = (0..500).map(|number| change(&number.to_string(), true, false)).collect();
        let text = text(Wall(0), &many, &[]);
        assert!(text.contains("Opened (500):") && text.contains("  and 480 more\n"), "{text}");
        assert!(text.lines().count() < 30);
    }
}
