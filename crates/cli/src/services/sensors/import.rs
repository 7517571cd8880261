//! Many sensors or links from a file, with how far it is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::client::Request;
use clap::Subcommand;
use serde_json::Value;

use crate::failure::{Done, Failure};
use crate::flags::Paging;
use crate::local;
use crate::output::{Column, Progress, bar, json, moment as time, number, state, text};
use crate::page::List;
use crate::session::Session;

/// Between two looks at how far it is.
const LOOK: Duration = Duration::from_millis(500);

/// What can be done with imports.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportVerb {
    /// Register many sensors: id, address, silence_s
    #[command(
        after_help = "Examples:\n  fastness sensors import sensors doors.csv\n  generate | fastness sensors import sensors - --format ndjson"
    )]
    Sensors(File),
    /// Link many sensors to clients: sensor_id, client
    #[command(after_help = "Examples:\n  fastness sensors import links links.ndjson --no-wait")]
    Links(File),
    /// List imports, newest first
    #[command(after_help = "Examples:\n  fastness sensors import list")]
    List {
        #[command(flatten)]
        paging: Paging,
    },
    /// Show an import with the lines that were rejected
    #[command(after_help = "Examples:\n  fastness sensors import show 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Show {
        /// Id of the import
        #[arg(value_name = "ID")]
        id: String,
    },
    /// End an import that runs; what it did so far stays
    #[command(after_help = "Examples:\n  fastness sensors import cancel 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Cancel {
        /// Id of the import
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// A file to import.
#[derive(Debug, clap::Args)]
pub(crate) struct File {
    /// The file; `-` for the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How its lines are written [default: by the file's name, else ndjson]
    #[arg(long, value_name = "FORMAT", value_parser = ["csv", "ndjson"])]
    format: Option<String>,
    /// Do not wait until it is done
    #[arg(long)]
    no_wait: bool,
}

const IMPORTS: List<'_> = List {
    what: "imports",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        text("KIND", "/kind"),
        state("STATE", "/state"),
        number("LINES", "/lines"),
        number("REJECTED", "/rejected"),
        time("BEGUN", "/begun_at"),
    ],
};

const IMPORT: &[Column] = &[
    text("id", "/id"),
    text("kind", "/kind"),
    state("state", "/state"),
    text("reason", "/reason"),
    number("lines", "/lines"),
    number("created", "/created"),
    number("changed", "/changed"),
    number("unchanged", "/unchanged"),
    number("rejected", "/rejected"),
    json("rejected lines", "/rejected_lines"),
    time("begun", "/begun_at"),
    time("ended", "/ended_at"),
];

impl ImportVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::Sensors(file) => file.import(session, "sensors").await,
            Self::Links(file) => file.import(session, "sensor-links").await,
            Self::List { paging } => IMPORTS.paged(session, Request::get(&["sensor-imports"]), &paging).await,
            Self::Show { id } => session.out.show(&looked_at(session, &id).await?, IMPORT, "/id"),
            Self::Cancel { id } => {
                let ended = session.change(Request::new("DELETE", &["sensor-imports", &id])).await?;
                session.out.show(&ended, IMPORT, "/id")
            }
        }
    }
}

async fn looked_at(session: &Session, id: &str) -> Result<Value, Failure> {
    session.get(Request::get(&["sensor-imports", id])).await
}

impl File {
    async fn import(&self, session: &Session, what: &str) -> Done {
        let wrong = |error| Failure::usage(format!("cannot read {}: {error}", self.file.display()));
        let bytes = local::read(&self.file).map_err(wrong)?;
        let request = Request::new("POST", &[what, "import"]).bytes(mime(self.format.as_deref(), &self.file), bytes);
        let mut import = session.patient().change(request).await?;
        let id = import["id"].as_str().unwrap_or_default().to_owned();
        let mut meter = Progress::of(&session.out);
        while !self.no_wait && import["state"] == "running" {
            meter.show(&far(&import));
            local::pause(LOOK).await;
            import = looked_at(session, &id).await?;
        }
        meter.clear();
        session.out.show(&import, IMPORT, "/id")?;
        match import["state"].as_str() {
            Some("failed") => Err(Failure::here("the import failed")),
            _ => Ok(()),
        }
    }
}

/// The media type of a format.
fn mime(format: Option<&str>, file: &Path) -> &'static str {
    let csv = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    match format {
        Some("csv") => "text/csv",
        None if csv => "text/csv",
        _ => "application/x-ndjson",
    }
}

/// How far an import is, for people.
fn far(import: &Value) -> String {
    let (done, size) = (import["done"].as_u64().unwrap_or(0), import["size"].as_u64().unwrap_or(0));
    format!("{}, {} lines, {} rejected", bar(done, size), import["lines"], import["rejected"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sen_1_progress_is_a_bar_that_never_overflows() {
        let said = |done| far(&json!({ "done": done, "size": 200, "lines": 3, "rejected": 1 }));
        assert_eq!(said(0), "[....................] 0 %, 3 lines, 1 rejected");
        assert_eq!(said(100), "[##########..........] 50 %, 3 lines, 1 rejected");
        assert_eq!(said(900), "[####################] 100 %, 3 lines, 1 rejected");
        assert!(far(&json!({})).starts_with("[....................] 0 %"));
    }

    #[test]
    fn sen_1_the_format_is_said_or_read_from_the_name() {
        assert_eq!(mime(None, Path::new("a.CSV")), "text/csv");
        assert_eq!(mime(None, Path::new("-")), "application/x-ndjson");
        assert_eq!(mime(Some("csv"), Path::new("-")), "text/csv");
        assert_eq!(mime(Some("ndjson"), Path::new("a.csv")), "application/x-ndjson");
    }
}
