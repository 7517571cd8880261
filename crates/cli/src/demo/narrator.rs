//! How a demo is told: numbered lines for people, one document a line for programs; and what it claims, counted.

use std::io::IsTerminal as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::stage::Stage;
use super::{Pace, Plot};
use crate::failure::{Done, Failure};
use crate::local;
use crate::output::{Output, bar, escaped};

/// Tells one story.
pub(super) struct Narrator {
    out: Output,
    pace: Pace,
    plot: Plot,
    /// Where its pages are.
    console: String,
    steps: u32,
    /// Whether a counter stands in the last line.
    counts: bool,
    claims: u32,
    wrong: Vec<String>,
}

impl Narrator {
    pub(super) fn new(stage: &Stage, plot: Plot, pace: Pace) -> Self {
        let session = &stage.session;
        let console = format!("{}/console/{}", session.server(), session.namespace);
        Self { out: session.out.clone(), pace, plot, console, steps: 0, counts: false, claims: 0, wrong: vec![] }
    }

    /// What happens now, why that matters, and the page that shows it.
    pub(super) async fn step(&mut self, what: &str, why: &str, page: &str) -> Done {
        self.steps += 1;
        let link = format!("{}/{page}", self.console);
        let told = json!({ "demo": self.plot.word(), "step": self.steps, "what": what, "why": why, "console": link });
        let number = self.steps;
        let why = if why.is_empty() { String::new() } else { format!("    {why}\n") };
        self.tell(&told, || format!("{number:>2}. {what}\n{why}    -> {link}\n"))?;
        self.rest(3_000, 1_200).await;
        Ok(())
    }

    /// Something more of the same step.
    pub(super) fn note(&mut self, what: &str) -> Done {
        let told = json!({ "demo": self.plot.word(), "step": self.steps, "note": what });
        self.tell(&told, || format!("    {what}\n"))
    }

    /// How far it is; for a terminal only.
    pub(super) fn count(&mut self, what: &str, done: usize, of: usize) -> Done {
        if self.out.json || self.out.quiet || !self.out.is_terminal() {
            return Ok(());
        }
        self.counts = true;
        let bar = bar(done as u64, of as u64);
        self.out.print(&format!("\r\u{1b}[K    {bar}  {done} of {of} {}", escaped(what)))
    }

    /// A moment between two small things, so that eyes can follow.
    pub(super) async fn beat(&self) {
        self.rest(300, 80).await;
    }

    async fn rest(&self, slow_ms: u64, normal_ms: u64) {
        let ms = match self.pace {
            Pace::Slow => slow_ms,
            Pace::Normal => normal_ms,
            Pace::Fast => return,
        };
        local::pause(Duration::from_millis(ms)).await;
    }

    /// A claim, and whether it holds.
    pub(super) fn claim(&mut self, claim: &str, holds: bool) -> Done {
        self.claims += 1;
        let told = json!({ "demo": self.plot.word(), "claim": claim, "holds": holds });
        let word = if holds { "ok " } else { "NO " };
        self.tell(&told, || format!("    {word} {claim}\n"))?;
        if !holds {
            self.wrong.push(claim.to_owned());
        }
        Ok(())
    }

    /// What came of all claims.
    pub(super) fn verdict(&mut self) -> Done {
        let holds = self.wrong.is_empty() && self.claims > 0;
        let told = json!({ "demo": self.plot.word(), "held": holds, "claims": self.claims, "wrong": self.wrong });
        let claims = self.claims;
        self.tell(&told, || match holds {
            true => format!("\n    All {claims} claims hold.\n"),
            false => String::new(),
        })?;
        match self.wrong.first() {
            None if holds => Ok(()),
            None => Err(Failure::here("the demo claimed nothing")),
            Some(wrong) => Err(Failure::here(format!("{} of {claims} claims do not hold: {wrong}", self.wrong.len()))),
        }
    }

    /// Asks somebody who sits at a terminal, and is in no hurry, to look around before everything goes; whether there is one.
    pub(super) fn invite(&mut self) -> Result<bool, Failure> {
        let is_there = std::io::stdin().is_terminal() && self.out.is_terminal() && !self.out.json && !self.out.quiet;
        if !is_there || self.pace == Pace::Fast {
            return Ok(false);
        }
        let link = format!("{}/", self.console);
        self.tell(&Value::Null, || format!("    Look around at {link}; Enter removes it.\n"))?;
        Ok(true)
    }

    /// The last word: what became of what was made.
    pub(super) fn farewell(&self, removed: bool, words: &str) -> Done {
        let told = json!({ "demo": self.plot.word(), "removed": removed });
        self.write(&told, || format!("    {words}\n\n"))
    }

    /// Where its pages are.
    pub(super) fn console(&self) -> &str {
        &self.console
    }

    fn tell(&mut self, told: &Value, line: impl FnOnce() -> String) -> Done {
        if std::mem::take(&mut self.counts) {
            self.out.print("\n")?;
        }
        self.write(told, line)
    }

    fn write(&self, told: &Value, line: impl FnOnce() -> String) -> Done {
        match (self.out.json, self.out.quiet) {
            (true, _) => self.out.print(&format!("{}\n", Output::json_text(told))),
            (_, true) => Ok(()),
            _ => self.out.print(&lines(&line())),
        }
    }
}

/// Escaped, but for our own line ends.
fn lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrator() -> Narrator {
        let mut out = Output::plain(local::now());
        out.quiet = true;
        let console = "http://h/console/demo".into();
        let (pace, plot) = (Pace::Fast, Plot::Exchange);
        Narrator { out, pace, plot, console, steps: 0, counts: false, claims: 0, wrong: vec![] }
    }

    #[test]
    fn con_12_a_claim_that_does_not_hold_fails_the_demo_and_so_does_none_at_all() {
        let mut good = narrator();
        good.claim("2 sent = 2 booked", true).unwrap();
        assert_eq!(good.verdict(), Ok(()));
        good.claim("3 sent = 2 booked", false).unwrap();
        let failure = good.verdict().unwrap_err();
        assert_eq!(failure.message(), "1 of 2 claims do not hold: 3 sent = 2 booked");
        assert!(narrator().verdict().is_err());
    }

    #[test]
    fn con_9_lines_keep_their_ends_and_nothing_else_that_a_terminal_obeys() {
        assert_eq!(lines("a\u{1b}[31m\nb\n"), "a\\u{1b}[31m\nb\n");
    }
}
