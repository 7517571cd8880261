//! `fastness folders status`: how linked folders are.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use folder_agent::agent::Report;
use folder_agent::run::{Home, Link};
use serde_json::{Value, json};

use super::place;
use crate::failure::{Done, Failure};
use crate::local;
use crate::output::{Column, Output, Table, number, state, text};
use crate::page::List;
use crate::session::Session;

/// Between two looks of `--follow`.
const BETWEEN: Duration = Duration::from_secs(1);
/// Files of one folder that are named because they are not kept in step.
const OTHERS: u32 = 20;

const LINKS: List<'_> = List {
    what: "linked folders",
    id: "/folder",
    columns: &[
        text("FOLDER", "/folder"),
        text("DIRECTORY", "/directory"),
        state("STATE", "/state"),
        number("FILES", "/files"),
        number("SEND", "/to_send"),
        number("FETCH", "/to_fetch"),
        number("WAIT", "/waiting"),
        number("HELD", "/held"),
        text("TROUBLE", "/trouble"),
    ],
};

const NOT_KEPT: &[Column] = &[text("NOT KEPT IN STEP", "/path"), text("BECAUSE", "/why")];

/// Which folders.
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// The folder that this lies in [default: all that are linked]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Show it again whenever it changed, until Ctrl-C
    #[arg(long)]
    follow: bool,
}

impl Status {
    pub(super) async fn run(self, session: &Session) -> Done {
        let home = place::home()?;
        let mut before = None;
        loop {
            let rows = self.rows(&home)?;
            if before.as_ref() != Some(&rows) {
                self.show(session, &rows, before.is_none())?;
            }
            if !self.follow {
                return Ok(());
            }
            before = Some(rows);
            local::pause(BETWEEN).await;
        }
    }

    fn rows(&self, home: &Home) -> Result<Vec<Value>, Failure> {
        place::links_at(home, self.path.as_deref())?.iter().map(|link| row(home, link)).collect()
    }

    fn show(&self, session: &Session, rows: &[Value], is_first: bool) -> Done {
        let out = &session.out;
        if self.follow && out.json {
            return out.print(&format!("{}\n", Output::json_text(&json!({ "items": rows }))));
        }
        if !is_first {
            out.print("\n")?;
        }
        LINKS.show(session, rows)?;
        if out.json || out.quiet {
            return Ok(());
        }
        for row in rows {
            out.print(&not_kept(out, row))?;
        }
        Ok(())
    }
}

/// A link and what is known of it.
fn row(home: &Home, link: &Link) -> Result<Value, Failure> {
    let is_kept = home.is_kept(link);
    let mut row = place::shown(link);
    let Some(peek) = home.peek(link).map_err(place::failure)? else {
        add(&mut row, &described(is_kept, None, None));
        return Ok(row);
    };
    let offline = peek.value("offline").map_err(place::state_failure)?;
    add(&mut row, &described(is_kept, place::report(&peek)?, offline));
    row["files"] = peek.files().map_err(place::state_failure)?.into();
    let (others, count) = peek.others(OTHERS).map_err(place::state_failure)?;
    let others = others.into_iter().map(|(path, why)| json!({ "path": path, "why": why }));
    row["not_kept"] = others.collect::<Vec<_>>().into();
    row["not_kept_count"] = count.into();
    Ok(row)
}

fn add(row: &mut Value, more: &Value) {
    if let (Some(row), Some(more)) = (row.as_object_mut(), more.as_object()) {
        row.extend(more.clone());
    }
}

/// What the daemon said counts only while it runs.
fn described(is_kept: bool, report: Option<Report>, offline: Option<String>) -> Value {
    let report = match (is_kept, report) {
        (false, _) => return json!({ "state": "not running" }),
        (true, None) => return json!({ "state": "running", "trouble": offline }),
        (true, Some(report)) => report,
    };
    let state = match (report.connected, &offline) {
        (true, _) => "connected",
        (false, Some(_)) => "offline",
        (false, None) => "connecting",
    };
    let held = report.held.map(|(here, there)| here + there);
    let trouble = report.trouble.or(offline.filter(|_| !report.connected));
    json!({
        "state": state, "to_send": report.to_send, "to_fetch": report.to_fetch, "waiting": report.waiting,
        "held": held, "trouble": trouble,
    })
}

/// What of a folder is not kept in step, and why.
fn not_kept(out: &Output, row: &Value) -> String {
    let shown = row["not_kept"].as_array().cloned().unwrap_or_default();
    if shown.is_empty() {
        return String::new();
    }
    let folder = row["folder"].as_str().unwrap_or_default();
    let full = |other: &Value| {
        let path = format!("{folder}/{}", other["path"].as_str().unwrap_or_default());
        json!({ "path": path, "why": other["why"] })
    };
    let rows: Vec<Value> = shown.iter().map(full).collect();
    let more = row["not_kept_count"].as_u64().unwrap_or(0).saturating_sub(rows.len() as u64);
    let more = if more > 0 { format!("and {more} more\n") } else { String::new() };
    format!("\n{}{more}", Table::new(out, NOT_KEPT).page(&rows))
}

#[cfg(test)]
mod tests {
    use base::Wall;
    use expect_test::expect;

    use super::super::place::tests::link;
    use super::*;

    fn report(connected: bool, held: Option<(u64, u64)>, trouble: Option<&str>) -> Report {
        Report { connected, files: 9, to_send: 3, to_fetch: 2, waiting: 1, held, trouble: trouble.map(str::to_owned) }
    }

    #[test]
    fn fld_22_a_table_tells_how_each_link_is() {
        let row = |root: &str, described: Value| {
            let mut row = place::shown(&link(root));
            add(&mut row, &described);
            row["files"] = 9.into();
            row
        };
        let rows = [
            row("/plans", described(true, Some(report(true, Some((0, 20)), None)), None)),
            row("/photos", described(true, Some(report(false, None, None)), Some("no route".to_owned()))),
            row("/notes\n\u{1b}[2J", described(true, Some(report(true, None, Some("no room"))), None)),
            row("/begun", described(true, Some(report(false, None, None)), None)),
            row("/old", described(true, None, None)),
            row("/still", described(false, Some(report(true, None, Some("stale"))), None)),
        ];
        let out = Output::plain(Wall(0));
        expect![[r#"
            FOLDER             DIRECTORY  STATE        FILES  SEND  FETCH  WAIT  HELD  TROUBLE
            /plans             d          connected        9     3      2     1    20
            /photos            d          offline          9     3      2     1        no route
            /notes\n\u{1b}[2J  d          connected        9     3      2     1        no room
            /begun             d          connecting       9     3      2     1
            /old               d          running          9
            /still             d          not running      9
        "#]]
        .assert_eq(&Table::new(&out, LINKS.columns).page(&rows));
    }

    #[test]
    fn fld_22_what_is_not_kept_in_step_is_named_with_its_reason() {
        let row = json!({
            "folder": "/plans", "not_kept": [{ "path": "pipe\n", "why": "a FIFO" }], "not_kept_count": 3,
        });
        let out = Output::plain(Wall(0));
        expect![[r#"

            NOT KEPT IN STEP  BECAUSE
            /plans/pipe\n     a FIFO
            and 2 more
        "#]]
        .assert_eq(&not_kept(&out, &row));
        assert_eq!(not_kept(&out, &json!({})), "");
    }
}
