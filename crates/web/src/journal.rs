//! Routes of the journal (KER-28).

use base::{Wall, codes};
use kernel::Role;
use kernel::journal::search::{Found, Line, Place, SEARCH_JOURNAL, Search};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::answer::{ApiResult, List};
use crate::api::Api;
use crate::error::ApiError;
use crate::params::{PageQuery, QueryOf};
use crate::route::{Route, Service};
use crate::time::{moment, rfc3339};

/// The service with its routes.
pub(crate) const SERVICE: Service = Service::new(&kernel::journal::SERVICE, routes);

fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/journal", search)
            .roles(&[Role::Operator, Role::Reader])
            .tag("Journal")
            .summary("Search the journal")
            .about(
                "Newest first. A page looks at 2,000 lines at most, so it may hold fewer than asked for, even none, and still \
                 have a next one: go on until `next` is null. A narrow `from` and `to` make it quick.",
            )
            .query::<JournalQuery>()
            .answers::<List<LineView>>(200)
            .errors(&[codes::ALIMIT]),
    ]
}

/// What is looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct JournalQuery {
    /// Not before this moment, such as `2026-11-15T12:00:00Z` or `2026-11-15`.
    #[param(nullable = false)]
    from: Option<String>,
    /// Before this moment.
    #[param(nullable = false)]
    to: Option<String>,
    /// A kind or its beginning: `login.` finds all about logins.
    #[param(nullable = false)]
    kind: Option<String>,
    /// Exactly this subject.
    #[param(nullable = false)]
    subject: Option<String>,
    /// A part of the caller's name, in any case: `account.z.` finds what administrators of the server did.
    #[param(nullable = false)]
    caller: Option<String>,
    /// Words that all occur in kind, subject, caller or text, in any case; 10 at most.
    #[param(nullable = false)]
    q: Option<String>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// A line of the journal.
#[derive(Serialize, ToSchema)]
struct LineView {
    /// Its id.
    #[schema(example = "01KA2B3C4D5E6F7G8H9JKMNPQR")]
    id: String,
    /// When it happened.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    at: String,
    /// Its kind.
    #[schema(example = "key.created")]
    kind: String,
    /// What it is about.
    subject: String,
    /// Who did it: a key's id, or a part of the server.
    caller: String,
    /// For a person; one line without control characters.
    text: String,
}

impl From<Line> for LineView {
    fn from(line: Line) -> Self {
        let Line { id, at, kind, subject, caller, text } = line;
        Self { id, at: rfc3339(at), kind, subject, caller, text }
    }
}

async fn search(api: Api, QueryOf(query): QueryOf<JournalQuery>) -> ApiResult<List<LineView>> {
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let input = Search {
        from: moment_of("from", query.from.as_deref())?,
        to: moment_of("to", query.to.as_deref())?,
        kind: query.kind,
        subject: query.subject,
        caller: query.caller.map(|caller| caller.to_lowercase()),
        words: kernel::watch::query_words(query.q.as_deref().unwrap_or_default())?,
        after: query.after.as_deref().map(Place::read).transpose()?,
        limit: page.limit as usize,
    };
    let found = api.read(&SEARCH_JOURNAL, input).await?;
    Ok(found.map(|Found { lines, next }| List {
        items: lines.into_iter().map(LineView::from).collect(),
        next: next.map(|place| place.text()),
    }))
}

fn moment_of(name: &str, text: Option<&str>) -> Result<Option<Wall>, ApiError> {
    let wrong = || {
        let message = format!("{name} is not a moment such as 2026-11-15T12:00:00Z or 2026-11-15");
        ApiError::refused(codes::ABODY, message)
    };
    text.map(|text| moment(text).ok_or_else(wrong)).transpose()
}
