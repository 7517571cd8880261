//! `fastness namespace export|import|move` (KER-3): the server does it, this begins it and shows how far it is. Interrupted, it goes on
//! without us; the same command again finds it.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::archived::{self, ReadArchive, Unread};
use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

use super::Nouns;
use crate::failure::{Done, Failure};
use crate::input::Body;
use crate::local::{self, Draft};
use crate::output::{Column, Output, bar, escaped, moment as time, number, state, text};
use crate::session::Session;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How often the server may be away while it is waited for: it may be started again meanwhile.
const AWAY_MAX: u32 = 120;

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Namespace {
    /// Write all of a namespace to one file, while it serves
    #[command(after_help = "Examples:\n  fastness namespace export shop --to shop.archive")]
    Export {
        /// Name of the namespace
        #[arg(value_name = "NAME")]
        name: String,
        /// The file
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
    },
    /// Make a namespace of such a file; it gets a new epoch, because it is a copy
    #[command(
        after_help = "Examples:\n  fastness namespace import shop --from shop.archive\n  fastness namespace import shop2 --from shop.archive --engine postgres"
    )]
    Import(Import),
    /// Carry a namespace to the other engine; it serves meanwhile, but for a short last part
    #[command(
        after_help = "Examples:\n  fastness namespace move shop --to postgres\n  fastness namespace move shop --to sqlite --json"
    )]
    Move(Move),
    /// Show the last move or import of a namespace
    #[command(after_help = "Examples:\n  fastness namespace status shop")]
    Status {
        /// Name of the namespace
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Take a move or an import back, as long as the new side does not serve
    #[command(after_help = "Examples:\n  fastness namespace cancel shop")]
    Cancel {
        /// Name of the namespace
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// An import.
#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// Name of the namespace that is to be
    #[arg(value_name = "NAME")]
    name: String,
    /// The file
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// Its engine [default: as the server is configured]
    #[arg(long, value_name = "ENGINE", value_parser = ["sqlite", "postgres"])]
    engine: Option<String>,
    /// For people [default: as in the archive]
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Begin it and do not wait for its end
    #[arg(long)]
    no_wait: bool,
}

/// A move.
#[derive(Debug, clap::Args)]
pub(crate) struct Move {
    /// Name of the namespace
    #[arg(value_name = "NAME")]
    name: String,
    /// The engine
    #[arg(long, value_name = "ENGINE", value_parser = ["sqlite", "postgres"])]
    to: String,
    /// File with the URL of its own PostgreSQL, if it is not the server's
    #[arg(long, value_name = "FILE")]
    url_file: Option<PathBuf>,
    /// Begin it and do not wait for its end
    #[arg(long)]
    no_wait: bool,
}

const TRANSFER: &[Column] = &[
    text("name", "/name"),
    text("kind", "/kind"),
    state("state", "/state"),
    text("from", "/from"),
    text("to", "/to"),
    number("rows", "/rows"),
    text("digest", "/digest"),
    text("node", "/node"),
    number("attempts", "/attempts"),
    text("note", "/note"),
    time("started", "/started_at"),
    time("ended", "/ended_at"),
];

impl Nouns for Namespace {
    async fn run(self, session: &Session) -> Done {
        let session = &session.administration()?;
        match self {
            Self::Export { name, to } => export(session, &name, &to).await,
            Self::Import(import) => import.run(session).await,
            Self::Move(moved) => moved.run(session).await,
            Self::Status { name } => session.out.show(&transfer(session, &name).await?, TRANSFER, "/id"),
            Self::Cancel { name } => {
                let cancelled = session.change(Request::new("DELETE", &["namespaces", &name, "transfer"])).await?;
                session.out.done(&cancelled, &format!("the transfer of {name} is taken back"), Some("/id"))
            }
        }
    }
}

async fn transfer(session: &Session, name: &str) -> Result<Value, Failure> {
    session.get(Request::get(&["namespaces", name, "transfer"])).await
}

/// Written beside its place and read back before it gets its name: what has the name is whole.
async fn export(session: &Session, name: &str, to: &Path) -> Done {
    let mut draft = Draft::of(to).map_err(Failure::here)?;
    let mut shown = Poured { to: &mut draft, bytes: 0, meter: Meter::of(&session.out) };
    let request = Request::get(&["namespaces", name, "export"]);
    let poured = session.patient().pour(request, &mut shown).await;
    shown.meter.clear();
    poured?;
    let found = check(&draft.reopen().map_err(Failure::here)?).map_err(|wrong| {
        Failure::here(format!("the export did not arrive whole: {wrong}"))
            .hint("run it again; the server's log says more")
    })?;
    draft.keep().map_err(Failure::here)?;
    let counts = found.counts;
    let told = json!({ "file": to.display().to_string(), "digest": found.digest, "counts": counts, "namespace": name });
    let mut sentence = format!(
        "{name} is in {}: {} rows of {} tables, {} blobs, {} files; read back and compared",
        to.display(),
        counts.rows,
        counts.tables,
        counts.blobs,
        counts.files
    );
    if counts.missing > 0 {
        sentence += &format!("; {} blobs or files were damaged or missing already", counts.missing);
    }
    session.out.done(&told, &sentence, None)
}

fn check(file: &std::fs::File) -> Result<ReadArchive, String> {
    archived::read(io::BufReader::with_capacity(256 << 10, file), &mut Unread)
}

impl Import {
    async fn run(self, session: &Session) -> Done {
        let file = local::open(&self.from)
            .map_err(|error| Failure::usage(format!("cannot read {}: {error}", self.from.display())))?;
        // What is not whole is not sent.
        let found = check(&file).map_err(|wrong| Failure::here(format!("{}: {wrong}", self.from.display())))?;
        let file = local::open(&self.from).map_err(Failure::here)?;
        let length = file.metadata().map_err(Failure::here)?.len();
        session.out.remark(&format!("{} rows and {} blobs are sent", found.counts.rows, found.counts.blobs));
        let mut request = Request::new("POST", &["namespaces", &self.name, "import"]);
        for (name, value) in [("engine", self.engine), ("label", self.label)] {
            request = value.into_iter().fold(request, |request, value| request.query(name, value));
        }
        let begun = session.patient().upload(request, length, Box::new(file)).await?;
        if self.no_wait {
            return session.out.done(&begun, &format!("the import of {} goes on by itself", self.name), Some("/id"));
        }
        let ended = wait(session, &self.name, &begun, Some(found.counts.rows)).await?;
        let sentence = format!("{} is there with {} rows", self.name, ended["rows"]);
        session.out.done(&ended, &sentence, Some("/id"))
    }
}

impl Move {
    async fn run(self, session: &Session) -> Done {
        let url = self.url_file.as_deref().map(url_in).transpose()?;
        let body = Body::default().with("engine", Some(self.to.clone())).with("url", url);
        let request = Request::new("POST", &["namespaces", &self.name, "move"]).json(&body.value());
        let begun = session.change(request).await?;
        if self.no_wait {
            return session.out.done(&begun, &format!("the move of {} goes on by itself", self.name), Some("/id"));
        }
        let ended = wait(session, &self.name, &begun, None).await?;
        let sentence = format!(
            "{} is on {} with {} rows, the same on both sides (digest {}); the old copy is kept, see docs/operations.md",
            self.name,
            self.to,
            ended["rows"],
            ended["digest"].as_str().unwrap_or_default().chars().take(16).collect::<String>()
        );
        session.out.done(&ended, &sentence, Some("/id"))
    }
}

/// A URL with a password does not belong on a command line.
fn url_in(path: &Path) -> Result<String, Failure> {
    let wrong = |error| Failure::usage(format!("cannot read {}: {error}", path.display()));
    let bytes = local::read(path).map_err(wrong)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// Waits for the end and shows how far it is. A server that is away may come back.
async fn wait(session: &Session, name: &str, begun: &Value, rows: Option<u64>) -> Result<Value, Failure> {
    let (mut meter, mut away) = (Meter::of(&session.out), 0);
    loop {
        match transfer(session, name).await {
            Ok(now) if now["id"] != begun["id"] => {
                return Err(Failure::here("another transfer of the namespace has begun since"));
            }
            Ok(now) if now["ended"] == true => {
                meter.clear();
                return ended(now);
            }
            Ok(now) => {
                away = 0;
                meter.show(&now, rows);
            }
            Err(failure) if failure.may_pass() && away < AWAY_MAX => away += 1,
            Err(failure) => {
                meter.clear();
                return Err(failure);
            }
        }
        local::pause(LOOK_EVERY).await;
    }
}

fn ended(transfer: Value) -> Result<Value, Failure> {
    if transfer["state"] == "done" {
        return Ok(transfer);
    }
    let (kind, state) = (transfer["kind"].as_str().unwrap_or_default(), transfer["state"].as_str().unwrap_or_default());
    let note = transfer["note"].as_str().unwrap_or_default();
    Err(Failure::here(format!("the {kind} is {state}: {note}")).hint("everything is as it was before"))
}

/// How far something is: a bar on a terminal, a document per change for programs that ask for it, nothing elsewhere.
struct Meter {
    json: bool,
    quiet: bool,
    terminal: bool,
    last: String,
}

impl Meter {
    fn of(out: &Output) -> Self {
        Self { json: out.json, quiet: out.quiet, terminal: io::stderr().is_terminal(), last: String::new() }
    }

    fn show(&mut self, now: &Value, rows: Option<u64>) {
        let progress = &now["progress"];
        let number = |name: &str| progress[name].as_u64().unwrap_or(0);
        let state = now["state"].as_str().unwrap_or_default();
        let (done, of) = match rows {
            Some(rows) => (number("rows"), rows),
            None => (number("tables_done"), number("tables")),
        };
        let line =
            format!("{state} {} {}, {} rows", bar(done, of), progress["table"].as_str().unwrap_or(""), number("rows"));
        let word = if self.terminal { line.clone() } else { format!("{state} {}", progress["table"]) };
        self.tell(&line, &word, now);
    }

    /// Says a line, unless nothing has changed since the last.
    fn tell(&mut self, line: &str, word: &str, now: &Value) {
        if self.quiet || self.last == word {
            return;
        }
        word.clone_into(&mut self.last);
        // Whoever cannot be told misses how far it is, and nothing else.
        let _ = match (self.json, self.terminal) {
            (true, _) => writeln!(io::stderr(), "{}", Output::json_text(now)),
            (false, true) => write!(io::stderr(), "\r\u{1b}[K{}", escaped(line)),
            (false, false) => Ok(()),
        };
    }

    fn clear(&self) {
        if self.terminal && !self.json && !self.last.is_empty() {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

/// Bytes on their way to a file, counted.
struct Poured<'a, W> {
    to: &'a mut W,
    bytes: u64,
    meter: Meter,
}

impl<W: Write> Write for Poured<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.bytes += written as u64;
        let mib = self.bytes >> 20;
        if !self.meter.json && self.meter.terminal {
            let line = format!("{mib} MiB");
            self.meter.tell(&line, &line, &Value::Null);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
