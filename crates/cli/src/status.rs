//! `fastness status`: whether the server takes work.

use clap::{ArgMatches, Command};
use client::Request;
use serde_json::Value;

use crate::failure::{Done, Failure};
use crate::flags::Common;
use crate::output::{Column, Table, number, state, text};
use crate::profile::Profiles;
use crate::program::common;
use crate::session::{Session, server_of};

pub(crate) const NAME: &str = "status";

const EXAMPLES: &str = "\
Examples:
  fastness status
  fastness status --server https://fastness.example --json";

const NAMESPACES: &[Column] = &[
    text("NAMESPACE", "/name"),
    text("ENGINE", "/engine"),
    state("STORE", "/health"),
    number("WAITING", "/waiting"),
    number("ALERTS", "/alerts_open"),
    number("CHANNELS FAILING", "/alert_channels_failing"),
];

pub(crate) fn command() -> Command {
    Common::add_to(Command::new(NAME).about("Say whether the server takes work; no key is needed")).after_help(EXAMPLES)
}

/// Not being ready is told like being busy: exit code 4.
pub(crate) async fn run(matches: &ArgMatches) -> Done {
    let common = common(matches)?;
    let server = server_of(&common.reach, &Profiles::load()?);
    let session = Session::with_key(&common, &server, "")?;
    let ready = session.get(Request::get(&["readyz"]).of_server().also(503)).await?;
    let is_ready = ready["ready"] == true;
    if session.out.json {
        session.out.document(&ready)?;
    } else if !session.out.quiet {
        let word = match (is_ready, ready["draining"] == true) {
            (true, _) => "ready",
            (false, true) => "stopping",
            (false, false) => "not ready",
        };
        session.out.print(&format!("{server} is {word}\n\n"))?;
        let rows = ready["namespaces"].as_array().cloned().unwrap_or_default();
        session.out.print(&Table::new(&session.out, NAMESPACES).page(&rows))?;
        advice(&rows).iter().for_each(|hint| session.out.remark(hint));
    }
    if is_ready { Ok(()) } else { Err(Failure::unready(&server)) }
}

/// What is worth doing, though nothing fails: it changes no exit code.
fn advice(namespaces: &[Value]) -> Option<String> {
    let untold = namespaces.iter().filter(|it| it["alerts_reach_nobody"] == true);
    let names: Vec<&str> = untold.filter_map(|it| it["name"].as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "hint: nobody is told of the alerts in {}, as no channel is set: set alerts.mail_to or alerts.webhook_url for the server, or \
             `fastness admin channel set --mail ops@example.org --namespace z`",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn con_10_alerts_that_reach_nobody_are_a_hint() {
        let told = |reach: [bool; 2]| {
            let [main, z] = reach;
            let rows = [
                json!({ "name": "main", "alert_channels_failing": 0, "alerts_reach_nobody": main }),
                json!({ "name": "z", "alert_channels_failing": 1, "alerts_reach_nobody": z }),
            ];
            advice(&rows)
        };
        assert_eq!(told([false, false]), None);
        assert!(
            told([true, false]).is_some_and(|hint| hint.starts_with("hint: nobody is told of the alerts in main, as"))
        );
        assert!(told([true, true]).is_some_and(|hint| hint.contains(" in main, z, as no channel is set")));
    }
}
