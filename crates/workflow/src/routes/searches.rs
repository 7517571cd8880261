//! Searches for processes and broken tasks over HTTP (WFL-17, WFL-18).

use base::codes;
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;
use web::{Api, ApiResult, JsonBody, List, NoBody, PathOf, QueryOf, Route};

use super::{READERS, TAG, WRITERS, check_service};
use crate::broken::{BROKEN, BROKEN_TASKS, BrokenOf, BrokenTask, BrokenTasksOf, Group, Grouping, RETRY, Retry};
use crate::codes::{AFLOW, AWORKFLOW, NFLOWJOB, NFLOWTASK};
use crate::search::{
    DELETE_SEARCH, Order, PROCESSES, ProcessLine, ProcessesOf, SAVE_SEARCH, SEARCHES, SaveSearch, SavedSearch, Search,
};

/// Rows of a page unless it says otherwise.
const PAGE: u32 = 100;
/// Broken tasks of a page: they come with their traces.
const BROKEN_PAGE: u32 = 50;

pub(super) fn routes() -> Vec<Route> {
    let look = |route: Route| route.tag(TAG).roles(READERS).errors(&[AWORKFLOW, codes::ALIMIT]);
    let write = |route: Route| route.tag(TAG).roles(WRITERS);
    vec![
        look(Route::get("/v1/{ns}/workflow/processes", processes))
            .summary("Search for processes")
            .about(
                "Everything that is said must hold. A page looks at a bounded number of processes, so it may have fewer than `limit`, or \
                 none, and still a `next`: go on until there is none.",
            )
            .query::<SearchQuery>()
            .answers::<List<ProcessLine>>(200),
        write(Route::post("/v1/{ns}/workflow/searches", save))
            .summary("Save a search under a name")
            .about("A search of this name is replaced.")
            .takes::<SaveSearch>()
            .answers_nothing()
            .errors(&[AWORKFLOW, codes::ALIMIT]),
        look(Route::get("/v1/{ns}/workflow/searches", saved)).summary("List saved searches").answers::<List<SavedSearch>>(200),
        write(Route::delete("/v1/{ns}/workflow/searches/{name}", forget))
            .summary("Delete a saved search")
            .param("name", "Its name")
            .answers_nothing()
            .errors(&[NFLOWJOB]),
        look(Route::get("/v1/{ns}/workflow/broken", broken))
            .summary("Count broken tasks by group")
            .about("By the actor that their process began with (`starter`), by their `actor`, or by the class of their `error`.")
            .query::<BrokenQuery>()
            .answers::<List<Group>>(200),
        look(Route::get("/v1/{ns}/workflow/broken/tasks", broken_tasks))
            .summary("List broken tasks")
            .about("Newest first, with message and trace; all, or those of a group.")
            .query::<BrokenTasksQuery>()
            .answers::<List<BrokenTask>>(200),
        write(Route::post("/v1/{ns}/workflow/broken/{task}/retry", retry))
            .summary("Try a broken task again")
            .about("The process is active again when none of its tasks is broken any more.")
            .param("task", "Id of the task")
            .answers_nothing()
            .errors(&[AFLOW, NFLOWTASK]),
    ]
}

/// What is looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct SearchQuery {
    /// Its id.
    #[param(nullable = false)]
    id: Option<String>,
    /// The id that whoever started it gave.
    #[param(nullable = false)]
    custom_id: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    #[param(nullable = false)]
    kind: Option<String>,
    /// An actor that has a task in it.
    #[param(nullable = false)]
    actor: Option<String>,
    /// ACTIVE, FINISHED, BROKEN or ABORTED.
    #[param(nullable = false)]
    state: Option<String>,
    /// Started at this moment or later, RFC 3339.
    #[param(nullable = false)]
    started_from: Option<String>,
    /// Started before this moment.
    #[param(nullable = false)]
    started_to: Option<String>,
    /// Ended at this moment or later.
    #[param(nullable = false)]
    ended_from: Option<String>,
    /// Ended before this moment.
    #[param(nullable = false)]
    ended_to: Option<String>,
    /// A text that occurs in the message or the trace of its error.
    #[param(nullable = false)]
    error: Option<String>,
    /// The class of its error.
    #[param(nullable = false)]
    error_class: Option<String>,
    /// A text that occurs in a text of the arguments that it was started with, or a JSON value that is one of them.
    #[param(nullable = false)]
    argument: Option<String>,
    /// It took so long at least.
    #[param(nullable = false)]
    duration_min_ms: Option<i64>,
    /// It took so long at most.
    #[param(nullable = false)]
    duration_max_ms: Option<i64>,
    /// Its state is as it is for so long at least.
    #[param(nullable = false)]
    unchanged_min_ms: Option<i64>,
    /// Its state is as it is for so long at most.
    #[param(nullable = false)]
    unchanged_max_ms: Option<i64>,
    /// `newest` first unless it says `oldest`.
    #[param(inline, nullable = false)]
    order: Option<Order>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
    /// At most so many; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
}

impl SearchQuery {
    fn search(self) -> Search {
        // A number or an object is meant as such; everything else is a text.
        let value = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
        Search {
            id: self.id,
            custom_id: self.custom_id,
            kind: self.kind,
            actor: self.actor,
            state: self.state,
            started_from: self.started_from,
            started_to: self.started_to,
            ended_from: self.ended_from,
            ended_to: self.ended_to,
            error: self.error,
            error_class: self.error_class,
            argument: self.argument.map(value),
            broken: None,
            duration_min_ms: self.duration_min_ms,
            duration_max_ms: self.duration_max_ms,
            unchanged_min_ms: self.unchanged_min_ms,
            unchanged_max_ms: self.unchanged_max_ms,
        }
    }
}

/// Which broken tasks, and how they are grouped.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct BrokenQuery {
    /// By `starter`, `actor` or `error`.
    #[param(inline, nullable = false)]
    group: Option<Grouping>,
    /// Broken at this moment or later, RFC 3339.
    #[param(nullable = false)]
    from: Option<String>,
    /// Broken before this moment.
    #[param(nullable = false)]
    to: Option<String>,
}

/// Which broken tasks.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct BrokenTasksQuery {
    /// By `starter`, `actor` or `error`.
    #[param(inline, nullable = false)]
    group: Option<Grouping>,
    /// Only of this group.
    #[param(nullable = false)]
    name: Option<String>,
    /// Broken at this moment or later, RFC 3339.
    #[param(nullable = false)]
    from: Option<String>,
    /// Broken before this moment.
    #[param(nullable = false)]
    to: Option<String>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
    /// At most so many; 50 if not given.
    #[param(minimum = 1, maximum = 100, nullable = false)]
    limit: Option<u32>,
}

#[derive(Deserialize)]
struct NamePath {
    name: String,
}

#[derive(Deserialize)]
struct TaskPath {
    task: String,
}

async fn processes(api: Api, QueryOf(mut query): QueryOf<SearchQuery>) -> ApiResult<List<ProcessLine>> {
    check_service(&api)?;
    let (after, limit) = (query.after.take(), query.limit.unwrap_or(PAGE));
    let order = query.order.unwrap_or_default();
    let now = api.kernel().env().clock.wall();
    let found = api.read(&PROCESSES, ProcessesOf { search: query.search(), order, after, limit, now }).await?;
    Ok(found.map(|found| List { items: found.processes, next: found.next }))
}

async fn save(api: Api, body: JsonBody<SaveSearch>) -> ApiResult<()> {
    check_service(&api)?;
    api.call(&SAVE_SEARCH, body).await
}

async fn saved(api: Api) -> ApiResult<List<SavedSearch>> {
    check_service(&api)?;
    Ok(api.read(&SEARCHES, ()).await?.map(|items| List { items, next: None }))
}

async fn forget(api: Api, PathOf(NamePath { name }): PathOf<NamePath>, body: NoBody) -> ApiResult<()> {
    check_service(&api)?;
    api.call(&DELETE_SEARCH, body.with(name)).await
}

async fn broken(api: Api, QueryOf(query): QueryOf<BrokenQuery>) -> ApiResult<List<Group>> {
    check_service(&api)?;
    let wanted = BrokenOf { group: query.group.unwrap_or_default(), from: query.from, to: query.to };
    Ok(api.read(&BROKEN, wanted).await?.map(|found| List { items: found.groups, next: None }))
}

async fn broken_tasks(api: Api, QueryOf(query): QueryOf<BrokenTasksQuery>) -> ApiResult<List<BrokenTask>> {
    check_service(&api)?;
    let BrokenTasksQuery { group, name, from, to, after, limit } = query;
    let (group, limit) = (group.unwrap_or_default(), limit.unwrap_or(BROKEN_PAGE));
    let page = api.read(&BROKEN_TASKS, BrokenTasksOf { group, name, from, to, after, limit }).await?;
    Ok(page.map(|page| List { items: page.tasks, next: page.next }))
}

async fn retry(api: Api, PathOf(TaskPath { task }): PathOf<TaskPath>, body: NoBody) -> ApiResult<()> {
    check_service(&api)?;
    api.call(&RETRY, body.with(Retry { task_id: task, source: None })).await
}
