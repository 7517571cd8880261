//! Tells what happens while folders are kept in step: lines, or a bar while much is to be done and somebody looks.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};

use base::Wall;
use folder_agent::run::Progress;
use folder_agent::state::LogLine;
use serde_json::{Value, json};

use super::keeping::Kept;
use super::place;
use crate::failure::Done;
use crate::local;
use crate::output::{Output, bar, escaped};

/// Less is told line by line.
const MUCH: u64 = 20;

/// Tells it, each thing once.
pub(super) struct Teller<'a> {
    out: &'a Output,
    /// A bar can be drawn.
    can_draw: bool,
    is_drawn: bool,
    /// The most that was to be done since nothing was.
    most: u64,
    /// By folder: what was last said of its connection and its troubles.
    said: BTreeMap<String, String>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(out: &'a Output) -> Self {
        let can_draw = !out.json && !out.quiet && std::io::stderr().is_terminal();
        Self { out, can_draw, is_drawn: false, most: 0, said: BTreeMap::new() }
    }

    /// What happened since the last time.
    pub(super) fn tell(&mut self, folders: &mut [Kept]) -> Done {
        let left: u64 = folders.iter().filter_map(Kept::progress).map(|progress| left(&progress)).sum();
        self.most = if left == 0 { 0 } else { self.most.max(left) };
        let is_much = self.can_draw && self.most >= MUCH;
        for kept in folders.iter_mut() {
            let folder = place::folder(&kept.link);
            self.say_state(&folder, &state_of(kept))?;
            let (lines, counts) = shortened(kept.lines()?, self.can_draw, is_much);
            for line in &lines {
                self.say(&line_json(&folder, line), &line_text(&folder, line))?;
            }
            for (what, count) in counts {
                self.say(&Value::Null, &format!("{} {folder}: {what} {count} files", local::now().rfc3339()))?;
            }
        }
        if is_much {
            self.draw(left)
        } else {
            self.wipe()
        }
        Ok(())
    }

    fn say_state(&mut self, folder: &str, (word, why): &(&str, String)) -> Done {
        let text = format!("{folder}: {word}{}{why}", if why.is_empty() { "" } else { ": " });
        if self.said.get(folder) == Some(&text) {
            return Ok(());
        }
        self.said.insert(folder.to_owned(), text.clone());
        let now = local::now().rfc3339();
        let told = json!({ "at": now, "folder": folder, "what": word, "path": "", "text": why });
        self.say(&told, &format!("{now} {text}"))
    }

    fn say(&mut self, told: &Value, line: &str) -> Done {
        self.wipe();
        match (self.out.json, self.out.quiet) {
            (true, _) => self.out.print(&format!("{}\n", Output::json_text(told))),
            (_, true) => Ok(()),
            _ => self.out.print(&format!("{}\n", escaped(line))),
        }
    }

    /// On the standard error, so that what is told can be kept in a file.
    fn draw(&mut self, left: u64) {
        let done = self.most - left;
        let text = format!("\r\u{1b}[K{} {done} of {} files", bar(done, self.most), self.most);
        self.is_drawn = std::io::stderr().write_all(text.as_bytes()).is_ok();
    }

    /// Takes the bar away.
    pub(super) fn wipe(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            // A bar that stays is a flaw of the looks and nothing else.
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

/// What is to be sent and fetched.
fn left(progress: &Progress) -> u64 {
    progress.report.to_send + progress.report.to_fetch
}

/// How a folder is, in a word, and why.
pub(super) fn state_of(kept: &Kept) -> (&'static str, String) {
    let Some(progress) = kept.progress() else {
        return ("not kept in step", kept.trouble.clone().unwrap_or_default());
    };
    match (progress.report.trouble, progress.offline) {
        (Some(trouble), _) => ("trouble", trouble),
        (None, Some(offline)) => ("offline", offline.why),
        (None, None) if progress.report.connected => ("connected", String::new()),
        (None, None) => ("connecting", String::new()),
    }
}

/// For whoever looks at a terminal: of many lines only the news, and counts of the rest; while there is a bar it stands for these.
fn shortened(lines: Vec<LogLine>, can_draw: bool, is_much: bool) -> (Vec<LogLine>, BTreeMap<String, usize>) {
    if !can_draw || (!is_much && (lines.len() as u64) < MUCH) {
        return (lines, BTreeMap::new());
    }
    let (news, rest): (Vec<LogLine>, Vec<LogLine>) = lines.into_iter().partition(is_news);
    let mut counts = BTreeMap::new();
    for line in rest.into_iter().filter(|_| !is_much) {
        *counts.entry(line.what).or_default() += 1;
    }
    (news, counts)
}

fn is_news(line: &LogLine) -> bool {
    matches!(line.what.as_str(), "conflict" | "trouble" | "refused" | "held" | "epoch")
}

/// A line for people; not escaped yet.
pub(super) fn line_text(folder: &str, line: &LogLine) -> String {
    format!("{} {folder}: {}", moment(line), words(line))
}

/// `sent a.txt (content)`.
pub(super) fn words(line: &LogLine) -> String {
    match (line.path.as_str(), line.text.as_str()) {
        ("", text) => format!("{}: {text}", line.what),
        (path, "") => format!("{} {path}", line.what),
        (path, text) => format!("{} {path} ({text})", line.what),
    }
}

pub(super) fn moment(line: &LogLine) -> String {
    Wall(line.at_us / 1_000).rfc3339()
}

pub(super) fn line_json(folder: &str, line: &LogLine) -> Value {
    json!({ "at": moment(line), "folder": folder, "what": line.what, "path": line.path, "text": line.text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_22_many_lines_are_counted_where_somebody_looks_and_news_are_told() {
        let line = |what: &str| LogLine { at_us: 0, what: what.to_owned(), path: "a".to_owned(), text: String::new() };
        let many = || (0..30).map(|_| line("fetched")).chain([line("conflict")]).collect::<Vec<_>>();
        assert_eq!(shortened(many(), false, false).0.len(), 31, "a file gets all of it");
        let (news, counts) = shortened(many(), true, false);
        assert_eq!((news.len(), counts.get("fetched")), (1, Some(&30)));
        let (news, counts) = shortened(many(), true, true);
        assert_eq!((news.len(), counts.len()), (1, 0), "the bar counts");
        assert_eq!(shortened(vec![line("sent")], true, false).0.len(), 1);
    }

    #[test]
    fn fld_22_a_line_says_when_where_and_what_and_a_name_cannot_write_another_line() {
        let line = |path: &str, text: &str| LogLine {
            at_us: 1_795_000_000_000_000,
            what: "sent".to_owned(),
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let text = line_text("/plans", &line("a.txt", "content"));
        assert_eq!(text, "2026-11-18T11:06:40.000Z /plans: sent a.txt (content)");
        assert_eq!(words(&line("", "what")), "sent: what");
        assert_eq!(words(&line("a", "")), "sent a");
        let odd = escaped(&line_text("/plans", &line("a\n2026 /plans: removed b\u{1b}[2J", "")));
        assert!(!odd.contains(['\n', '\u{1b}']), "{odd}");
    }
}
