//! The journal and the counters (KER-28, KER-29).

use std::collections::BTreeSet;
use std::time::Duration;

use base::Wall;
use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

use crate::failure::{Done, Failure, Kind};
use crate::flags::Paging;
use crate::input::moment;
use crate::local;
use crate::output::{Output, Table, clock, moment as time, number, state, text};
use crate::page::{List, items_of};
use crate::session::Session;

/// Between two looks at the journal.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Lines may be written a little after their moment: so far back every look goes again.
const LATE_MS: i64 = 10_000;

/// What can be done with the journal.
#[derive(Debug, Subcommand)]
pub(crate) enum JournalVerb {
    /// Search the journal, newest first
    #[command(
        after_help = "Examples:\n  fastness admin journal list --from -1h\n  fastness admin journal list --kind login. --q anna\n  fastness admin journal list --subject 01KA2B3C4D5E6F7G8H9JKMNPQR\n  fastness admin journal list --follow --json | jq -r .text"
    )]
    List(Search),
}

/// What is looked for.
#[derive(Debug, clap::Args)]
pub(crate) struct Search {
    /// Not before this moment: 2026-11-15T12:00:00Z, 2026-11-15, or so long ago: -1h
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    from: Option<String>,
    /// Before this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    to: Option<String>,
    /// A kind or its beginning: `login.` finds all about logins
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Exactly this subject
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// Words that all occur, in any case
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// Show what is there oldest first, then lines as they come; one JSON document per line with --json
    #[arg(long, conflicts_with_all = ["to", "all", "after"])]
    follow: bool,
    #[command(flatten)]
    paging: Paging,
}

/// What can be done with counters.
#[derive(Debug, Subcommand)]
pub(crate) enum CounterVerb {
    /// List counters by kind and name, summed over all nodes
    #[command(after_help = "Examples:\n  fastness admin counter list --kind operation")]
    List {
        /// Only of this kind
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
        /// Only of this name
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
}

/// What can be asked about everything.
#[derive(Debug, Subcommand)]
pub(crate) enum OverviewVerb {
    /// Show tasks, alerts, what is stuck and the store; with `--namespace z` of all namespaces
    #[command(
        after_help = "Examples:\n  fastness admin overview show --namespace z\n  fastness admin overview show --json"
    )]
    Show,
}

const OVERVIEW: List<'_> = List {
    what: "namespaces",
    id: "/namespace",
    columns: &[
        text("NAMESPACE", "/namespace"),
        state("STORE", "/store/health"),
        number("DUE", "/inside/tasks/due"),
        number("RUNNING", "/inside/tasks/running"),
        number("PARKED", "/inside/tasks/parked"),
        time("OLDEST", "/inside/tasks/oldest/since"),
        number("ALERTS", "/inside/alerts_open"),
        number("STUCK", "/inside/stuck"),
        number("BLOBS", "/inside/blobs"),
        number("DATA BYTES", "/store/data_bytes"),
        number("FREE BYTES", "/store/free_bytes"),
    ],
};

const JOURNAL: List<'_> = List {
    what: "lines",
    id: "/id",
    columns: &[
        clock("AT", "/at"),
        text("KIND", "/kind"),
        text("SUBJECT", "/subject"),
        text("BY", "/caller"),
        text("TEXT", "/text"),
    ],
};

const COUNTERS: List<'_> = List {
    what: "counters",
    id: "/name",
    columns: &[
        text("KIND", "/kind"),
        text("NAME", "/name"),
        number("SENT", "/sent"),
        number("PROCESSED", "/processed"),
        number("ERRORS", "/errors"),
        number("DEADLOCKS", "/deadlocks"),
        number("RETRIES", "/retries"),
        time("LAST SEEN", "/last_seen"),
    ],
};

impl JournalVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(search) if search.follow => search.follow(session).await,
            Self::List(search) => {
                let filters = [("from", search.from.clone()), ("to", search.to.clone())];
                let request = super::super::filtered(search.request(), filters);
                JOURNAL.paged(session, request, &search.paging).await
            }
        }
    }
}

impl Search {
    fn request(&self) -> Request {
        let filters = [("kind", self.kind.clone()), ("subject", self.subject.clone()), ("q", self.q.clone())];
        super::super::filtered(Request::get(&["journal"]), filters)
    }

    /// Looks again and again, until somebody ends it. A server that is away for a while is waited for.
    async fn follow(self, session: &Session) -> Done {
        let mut tail = Tail::new(session);
        let mut newest = self.newest(session).await?;
        newest.reverse();
        let mut told = false;
        loop {
            tail.show(&newest)?;
            local::pause(LOOK_EVERY).await;
            newest = match self.since(session, tail.from()).await {
                Ok(lines) => lines,
                Err(failure) if failure.kind == Kind::Unreached => {
                    if !std::mem::replace(&mut told, true) {
                        session.out.remark("the server is away; waiting for it");
                    }
                    vec![]
                }
                Err(failure) => return Err(failure),
            };
            told &= newest.is_empty();
        }
    }

    /// The last lines before following begins, newest first.
    async fn newest(&self, session: &Session) -> Result<Vec<Value>, Failure> {
        let request = super::super::filtered(self.request(), [("from", self.from.clone())]);
        let given = session.get(request.query("limit", self.paging.limit.min(1000).to_string())).await?;
        items_of(&given).cloned()
    }

    /// All lines since a moment, oldest first.
    async fn since(&self, session: &Session, from: Wall) -> Result<Vec<Value>, Failure> {
        let (mut lines, mut after) = (vec![], None::<String>);
        loop {
            let page = [("from", Some(from.rfc3339())), ("limit", Some("1000".into())), ("after", after)];
            let given = session.get(super::super::filtered(self.request(), page)).await?;
            lines.extend(items_of(&given)?.iter().cloned());
            after = given["next"].as_str().map(str::to_owned);
            if after.is_none() {
                lines.reverse();
                return Ok(lines);
            }
        }
    }
}

/// What was shown already.
struct Tail<'a> {
    out: &'a Output,
    table: Table<'a>,
    shown: BTreeSet<(i64, String)>,
    begun: Wall,
}

impl<'a> Tail<'a> {
    fn new(session: &'a Session) -> Self {
        let (out, columns) = (&session.out, JOURNAL.columns);
        Self { out, table: Table::new(out, columns), shown: BTreeSet::new(), begun: local::now() }
    }

    /// From where the next look goes: before the last line by as much as lines may be late.
    fn from(&self) -> Wall {
        let last = self.shown.last().map_or(self.begun, |(at, _)| Wall(*at));
        last.plus_ms(-LATE_MS)
    }

    /// Shows those that were not shown yet, and forgets what no look can bring again.
    fn show(&mut self, lines: &[Value]) -> Done {
        let new: Vec<Value> = lines.iter().filter(|line| self.shown.insert(name_of(line))).cloned().collect();
        let from = self.from().0;
        self.shown = self.shown.split_off(&(from, String::new()));
        let text = match (self.out.json, self.out.quiet, new.is_empty()) {
            (_, _, true) => return Ok(()),
            (true, ..) => new.iter().map(|line| format!("{}\n", Output::json_text(line))).collect(),
            (_, true, _) => new.iter().map(|line| format!("{}\n", crate::output::id_of(line, "/id"))).collect(),
            _ => self.table.page(&new),
        };
        self.out.print(&text)
    }
}

fn name_of(line: &Value) -> (i64, String) {
    let text = |name: &str| line[name].as_str().unwrap_or_default();
    (Wall::parse_rfc3339(text("at")).map_or(0, |at| at.0), text("id").to_owned())
}

impl OverviewVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::Show => {
                let given = session.get(Request::get(&["overview"])).await?;
                match session.out.json {
                    true => session.out.document(&given),
                    false => OVERVIEW.show(session, &items_of(&given)?.iter().map(row).collect::<Vec<_>>()),
                }
            }
        }
    }
}

/// A namespace as the table names its parts.
fn row(item: &Value) -> Value {
    json!({ "namespace": item["namespace"], "store": item["store"], "inside": item["work"] })
}

impl CounterVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { kind, name, paging } => {
                let request = super::super::filtered(Request::get(&["counters"]), [("kind", kind), ("name", name)]);
                COUNTERS.paged(session, request, &paging).await
            }
        }
    }
}
