//! `fastness exchange connect`: plays the database's side of the handshake until it is stopped.
//!
//! Stopping it at any moment is safe, by a signal or by force: what was committed is known by its marker.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use connector::{Connector, Round, Settings};
use serde_json::json;

use crate::failure::{Done, Failure};
use crate::local;
use crate::output::Output;
use crate::session::Session;

/// Bytes of a file of settings.
const SETTINGS_MAX: usize = 1 << 20;

/// How it is connected.
#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// Which database, and what is done with messages of each type; docs/exchange-connector.md describes it
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// One process, then end; the exit code says what became of it
    #[arg(long)]
    once: bool,
}

impl Connect {
    pub(super) async fn run(self, session: &Session) -> Done {
        let settings = self.settings()?;
        let wait = Duration::from_secs(settings.pause_s.into());
        let mut connector = Connector::new(session.client(), settings);
        loop {
            let round = connector.round().await;
            tell(session, &round, self.once)?;
            if self.once {
                return ended(&round);
            }
            // Where messages were done there may be more; after anything else somebody needs time.
            if !round.report.goes_on() {
                local::pause(client::jittered(wait)).await;
            }
        }
    }

    fn settings(&self) -> Result<Settings, Failure> {
        let path = self.config.display();
        let bytes =
            local::read(&self.config).map_err(|error| Failure::usage(format!("cannot read {path}: {error}")))?;
        if bytes.len() > SETTINGS_MAX {
            return Err(Failure::usage(format!("{path} has {} bytes, at most {SETTINGS_MAX}", bytes.len())));
        }
        let text = String::from_utf8(bytes).map_err(|_| Failure::usage(format!("{path} is no text")))?;
        Settings::read(&text).map_err(|error| Failure::usage(format!("{path}: {error}")))
    }
}

/// One line for each process and for everything that was settled; quiet times have none, unless there is only one round.
fn tell(session: &Session, round: &Round, once: bool) -> Done {
    for (process, committed) in &round.settled {
        let words = if *committed { "committed" } else { "not committed" };
        let told = json!({ "process": process, "settled": committed });
        say(session, &told, &format!("process {process} settled by its marker: {words}"))?;
    }
    for process in &round.open {
        let told = json!({ "process": process, "settled": null });
        say(session, &told, &format!("process {process} may still be open in the database: looked at again later"))?;
    }
    for trouble in &round.trouble {
        say(session, &json!({ "trouble": trouble }), trouble)?;
    }
    let report = &round.report;
    if !once && report.process.is_none() && !report.is_bad() {
        return Ok(());
    }
    let told = json!({
        "process": report.process, "ended": report.word(), "reason": report.reason(), "processed": report.processed,
        "deadlocks": report.deadlocks, "incorrect": report.incorrect, "left_out": report.left_out, "replies": report.replies,
    });
    say(session, &told, &report.to_string())
}

fn say(session: &Session, told: &serde_json::Value, line: &str) -> Done {
    match (session.out.json, session.out.quiet) {
        (true, _) => session.out.print(&format!("{}\n", Output::json_text(told))),
        (_, true) => Ok(()),
        _ => session.out.print(&format!("{} {}\n", local::now().rfc3339(), crate::output::escaped(line))),
    }
}

fn ended(round: &Round) -> Done {
    match round.report.is_bad() {
        true => Err(Failure::here(format!("the process did not go well: {}", round.report))),
        false => Ok(()),
    }
}
