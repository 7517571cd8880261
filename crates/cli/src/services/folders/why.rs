//! `fastness folders why`: everything that is known of one file.

use std::path::PathBuf;

use clap::Args;
use folder_agent::run::{Home, Link};
use folder_agent::state::{LogLine, State};
use serde_json::{Value, json};
use synxpo::names::OWN_NAME;

use super::rules::Rules;
use super::standing::{Facts, Standing, find_synced, held};
use super::{conflicts, place, tell};
use crate::failure::{Done, Failure};
use crate::output::escaped;
use crate::session::Session;

/// Lines of the log that are shown.
const LINES: u32 = 10;

/// Which file.
#[derive(Debug, Args)]
pub(crate) struct Why {
    /// The file or folder; also one that is not there any more
    #[arg(value_name = "PATH")]
    path: PathBuf,
}

/// What is told of it.
struct Answer {
    standing: Standing,
    /// More sentences, in their order.
    more: Vec<String>,
    lines: Vec<LogLine>,
}

impl Why {
    pub(super) fn run(self, session: &Session) -> Done {
        let home = place::home()?;
        let (link, path) = place::link_of(&home, &self.path)?;
        if path.is_empty() {
            return Err(Failure::usage(format!("{} is the linked folder itself", place::folder(&link)))
                .hint("`fastness folders status PATH` tells how it is"));
        }
        let answer = answer(&home, &link, &path)?;
        match (session.out.json, session.out.quiet) {
            (true, _) => session.out.document(&answer.json(&link, &path)),
            (_, true) => session.out.print(&format!("{}\n", answer.standing.word)),
            _ => session.out.print(&answer.text(&link, &path)),
        }
    }
}

fn answer(home: &Home, link: &Link, path: &str) -> Result<Answer, Failure> {
    let state = home.state(link).map_err(place::failure)?;
    let lines = state.lines(Some(path), LINES).map_err(place::state_failure)?;
    if path.split('/').next() == Some(OWN_NAME) {
        let words = "it is the daemon's own: it lies here and nowhere else".to_owned();
        return Ok(Answer { standing: Standing { word: "own", words }, more: vec![], lines });
    }
    let here = home.stat(link, path).map_err(place::failure)?;
    let rule = Rules::about(&link.root, path)?.deciding(path, here.is_some_and(|(_, is_folder)| is_folder));
    let facts = Facts::of(&state, path, here.map(|(stat, _)| stat), rule);
    let standing = facts.standing();
    let more = more(home, link, path, &state)?;
    Ok(Answer { standing, more, lines })
}

fn more(home: &Home, link: &Link, path: &str, state: &State) -> Result<Vec<String>, Failure> {
    let mut more = vec![];
    if let Some((id, both)) = find_synced(state.synced(), path) {
        more.push(format!("both sides had {}; the server knows it as {id}", held(&both.content)));
    }
    if let Some(copy) = conflicts::copy(path) {
        let (of, device, date) = (&copy.of, copy.device, copy.date);
        more.push(format!("it is a conflict copy of {of}: what {device} had on {date}, when another was quicker"));
    }
    if !home.is_kept(link) {
        more.push("nobody keeps this folder in step now: `fastness folders run` does".to_owned());
        return Ok(more);
    }
    let report: Option<folder_agent::agent::Report> =
        state.value("report").and_then(|text| serde_json::from_str(text).ok());
    let Some(report) = report else { return Ok(more) };
    if !report.connected {
        let why = state.value("offline").map(|why| format!(": {why}")).unwrap_or_default();
        more.push(format!("there is no connection to the server now{why}"));
    }
    if let Some((here, there)) = report.held {
        more.push(format!("{here} removals here and {there} on the server wait for `fastness folders confirm`"));
    }
    more.extend(report.trouble.map(|trouble| format!("the whole folder has a trouble: {trouble}")));
    Ok(more)
}

impl Answer {
    /// Escaped line by line.
    fn text(&self, link: &Link, path: &str) -> String {
        let file = link.root.join(path).display().to_string();
        let mut lines = vec![file, format!("  {}", self.standing.words)];
        lines.extend(self.more.iter().map(|more| format!("  {more}")));
        if !self.lines.is_empty() {
            lines.push("what happened to it, newest first:".to_owned());
            lines.extend(self.lines.iter().map(|line| format!("  {} {}", tell::moment(line), tell::words(line))));
        }
        lines.iter().map(|line| format!("{}\n", escaped(line))).collect()
    }

    fn json(&self, link: &Link, path: &str) -> Value {
        let folder = place::folder(link);
        let lines: Vec<Value> = self.lines.iter().map(|line| tell::line_json(&folder, line)).collect();
        json!({
            "folder": folder, "path": path, "standing": self.standing.word, "because": self.standing.words,
            "more": self.more, "log": lines,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::tests::link;
    use super::*;

    #[test]
    fn fld_22_an_answer_is_plain_lines_whatever_the_name() {
        let line = LogLine { at_us: 0, what: "sent".into(), path: "a\nb".into(), text: "content".into() };
        let standing = Standing { word: "in step", words: "it is in step with the server, as version 4".to_owned() };
        let answer = Answer { standing, more: vec!["more".to_owned()], lines: vec![line] };
        expect_test::expect![[r#"
            /plans/a\nb
              it is in step with the server, as version 4
              more
            what happened to it, newest first:
              1970-01-01T00:00:00.000Z sent a\nb (content)
        "#]]
        .assert_eq(&answer.text(&link("/plans"), "a\nb"));
    }
}
