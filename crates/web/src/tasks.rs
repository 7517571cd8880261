//! Routes of tasks and queues (KER-22), and of what is stuck (KER-40).
//!
//! At the administrators' namespace they look at all namespaces: the manager there is that of the whole instance.

mod queues;
mod stuck;
mod views;

use std::pin::pin;

use base::{Id, Wall, codes};
use futures_util::StreamExt;
use kernel::tasks::{self, Create, Created, Kind, Move, Order, ReportDone, Search, State, Whose};
use kernel::{Role, ServiceDef};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::answer::{ApiResult, cut};
use crate::api::Api;
use crate::body::{JsonBody, NoBody};
use crate::error::ApiError;
use crate::params::{PageQuery, PathOf, QueryOf};
use crate::route::{Route, Service, is_bound, of_another_service};
use crate::seen::{Missed, one_after_the_other, seen_from};
use crate::time::moment;
use crate::ui::Text;
use views::{Done, MadeTask, NewTask, StartAt, TaskPage, TaskView};

/// The service with its routes.
pub(crate) const SERVICE: Service =
    Service::new(&kernel::tasks::SERVICE, routes).figures(&[("suspended_queues", SUSPENDED)]);

/// A figure of the overview.
const SUSPENDED: Text =
    Text { en: "Suspended queues", ru: "Приостановленные очереди", fr: "Files suspendues" };

const TAG: &str = "Tasks";
const WATCHERS: &[Role] = &[Role::Operator, Role::Reader];
const OPERATORS: &[Role] = &[Role::Operator];

fn routes() -> Vec<Route> {
    let mut routes = vec![
        Route::post("/v1/{ns}/tasks", create)
            .roles(OPERATORS)
            .summary("Create a task")
            .about(
                "Runs an operation later, again and again (`cron`), or calls a URL of yours (`target`) in its place, signed with \
                 the namespace's secret. Plain operations are for administrators whom no scope binds.",
            )
            .takes::<NewTask>()
            .answers::<MadeTask>(201)
            .errors(&[codes::ALIMIT, codes::NOPERATION]),
        Route::get("/v1/{ns}/tasks", list)
            .roles(WATCHERS)
            .summary("List tasks")
            .about(
                "In the order of their creation, or newest first. At the administrators' namespace: those of all namespaces, one \
                 after the other; those that are away right now are named in `unseen`. A page looks at a bounded number of tasks: it \
                 may hold fewer than asked for, even none, and still have a next page. Go on until `next` is null.",
            )
            .query::<TaskQuery>()
            .answers::<TaskPage>(200)
            .errors(&[codes::ALIMIT]),
        one(Route::get("/v1/{ns}/tasks/{id}", show)).roles(WATCHERS).summary("Show a task").answers::<TaskView>(200),
        one(Route::delete("/v1/{ns}/tasks/{id}", delete))
            .roles(OPERATORS)
            .summary("Delete a task")
            .about("Also one that runs: its run is then refused whole when it ends. One of the server's own only when it is parked.")
            .answers_nothing()
            .errors(&[codes::ATASK]),
        one(Route::post("/v1/{ns}/tasks/{id}/run", run))
            .roles(OPERATORS)
            .summary("Run a task now")
            .about("One that waits starts at once; one that was parked begins anew, with all its tries.")
            .answers_nothing()
            .errors(&[codes::ATASK]),
        one(Route::post("/v1/{ns}/tasks/{id}/move", move_to))
            .roles(OPERATORS)
            .summary("Move a task earlier or later")
            .takes::<StartAt>()
            .answers_nothing()
            .errors(&[codes::ATASK]),
        one(Route::post("/v1/{ns}/tasks/{id}/done", done))
            .roles(&[Role::Operator, Role::App, Role::Actor])
            .summary("Report that a target did a task")
            .about("For a target whose answer got lost. Accepted until the task is tried again.")
            .takes::<Done>()
            .answers_nothing()
            .errors(&[codes::ATASK, codes::AATTEMPT]),
    ];
    routes.extend(queues::routes());
    routes.extend(stuck::routes());
    routes.into_iter().map(|route| route.tag(TAG)).collect()
}

fn one(route: Route) -> Route {
    route.param("id", "Id of the task").errors(&[codes::NTASK])
}

#[derive(Deserialize)]
struct TaskPath {
    id: String,
}

impl TaskPath {
    /// Something that is no id is the id of no task.
    fn id(&self) -> Result<Id, ApiError> {
        self.id.parse().map_err(|_| ApiError::refused(codes::NTASK, format!("no task `{}`", short(&self.id))))
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// A time as people write it.
fn time(name: &str, text: Option<&String>) -> Result<Option<Wall>, ApiError> {
    let wrong = || ApiError::refused(codes::ABODY, format!("{name} is no time such as 2026-11-15T12:00:00Z"));
    text.map(|text| moment(text).ok_or_else(wrong)).transpose()
}

async fn create(api: Api, body: JsonBody<NewTask>) -> ApiResult<MadeTask> {
    let new = body.value();
    check_known(&api, &new.op, new.target.as_deref())?;
    let (start_at, cron) = (time("start_at", new.start_at.as_ref())?, cron(new.cron.as_ref())?);
    let input = move |new: NewTask| {
        let NewTask { op, param, info, queue, lane, target, .. } = new;
        Create { op, param, info, start_at, queue, lane, cron, target }
    };
    let made = api.call(&tasks::CREATE, body.map(input)).await?;
    Ok(made.map(|Created { id }| MadeTask { id: id.to_string() }))
}

fn cron(text: Option<&String>) -> Result<Option<tasks::Cron>, ApiError> {
    let wrong = |error: tasks::InvalidCron| ApiError::refused(codes::ABODY, format!("cron: {error}"));
    text.map(|text| text.parse().map_err(wrong)).transpose()
}

/// Whether this caller may create a task of this operation.
fn check_known(api: &Api, op: &str, target: Option<&str>) -> Result<(), ApiError> {
    match api.kernel().task_kind(op, target) {
        Kind::Target => Ok(()),
        Kind::Def(def) if def.at_administration && !api.at_administration() => Err(ApiError::refused(
            codes::NOPERATION,
            format!("`{}` is a task of the administrators' namespace, no other one creates it", short(op)),
        )),
        Kind::Def(def) if def.callable => check_service(api, def.op),
        // It runs as the server, with a parameter that only the server makes.
        Kind::Def(_) => Err(ApiError::refused(
            codes::NOPERATION,
            format!("`{}` is a task of the server's own, nobody else creates one", short(op)),
        )),
        // It runs as the server, where nobody looks at a scope.
        Kind::Operation(_) if is_bound(api.caller()) => Err(ApiError::refused(
            codes::SROLE,
            format!("the scope of this key binds it to a part, and `{}` would reach further", short(op)),
        )),
        Kind::Operation(_) if api.caller().role == Role::Admin => Ok(()),
        Kind::Operation(_) => Err(ApiError::refused(
            codes::SROLE,
            format!("only an administrator may put off the operation `{}`", short(op)),
        )),
        Kind::Unknown => Err(ApiError::refused(codes::NOPERATION, format!("no operation `{}`", short(op)))),
    }
}

/// A kind of task belongs to a service, to which the caller's scope must not be closed.
fn check_service(api: &Api, op: &str) -> Result<(), ApiError> {
    let has = |service: &&&ServiceDef| service.tasks.iter().any(|def| def.op == op);
    let owner = api.kernel().services().iter().find(has);
    let is_closed = owner.is_some_and(|service| !api.caller().may("service", service.name));
    if is_closed { Err(of_another_service()) } else { Ok(()) }
}

/// Which tasks.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct TaskQuery {
    /// Of this operation.
    #[param(nullable = false)]
    op: Option<String>,
    /// With exactly this info.
    #[param(nullable = false)]
    info: Option<String>,
    /// `waiting`, `behind`, `running` or `parked`.
    #[param(nullable = false)]
    state: Option<String>,
    /// Of this queue.
    #[param(nullable = false)]
    queue: Option<i64>,
    /// With an info that begins so.
    #[param(nullable = false)]
    info_prefix: Option<String>,
    /// Words that all occur in the operation, the info, the id or the code of the last failure, in any case.
    #[param(nullable = false)]
    q: Option<String>,
    /// `people`: those that people and programs created, and any that is parked; `server`: those of the server's own that are not;
    /// `all` if not given.
    #[param(nullable = false)]
    whose: Option<String>,
    /// `oldest` (if not given) or `newest` first.
    #[param(nullable = false)]
    order: Option<String>,
    /// With at least so many failed or lost runs.
    #[param(nullable = false)]
    retry: Option<i64>,
    /// That start at or after this time.
    #[param(nullable = false)]
    from: Option<String>,
    /// That start before this time.
    #[param(nullable = false)]
    to: Option<String>,
    /// At most so many; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

impl TaskQuery {
    fn order(&self) -> Result<Order, ApiError> {
        match self.order.as_deref() {
            None | Some("oldest") => Ok(Order::Oldest),
            Some("newest") => Ok(Order::Newest),
            Some(_) => Err(ApiError::refused(codes::ABODY, "order is neither oldest nor newest")),
        }
    }

    fn whose(&self) -> Result<Whose, ApiError> {
        let Some(word) = &self.whose else { return Ok(Whose::All) };
        let whose = serde_json::from_value(serde_json::json!(word));
        whose.map_err(|_| ApiError::refused(codes::ABODY, "whose is none of all, people, server"))
    }

    fn search(&self, limit: u32, after: Option<Id>) -> Result<Search, ApiError> {
        let state = self.state.as_ref().map(|word| {
            let state = serde_json::from_value::<State>(serde_json::json!(word));
            state.map_err(|_| ApiError::refused(codes::ABODY, "state is none of waiting, behind, running, parked"))
        });
        Ok(Search {
            op: self.op.clone(),
            info: self.info.clone(),
            info_prefix: self.info_prefix.clone(),
            words: self.q.as_deref().map_or(Ok(vec![]), kernel::watch::query_words)?,
            order: self.order()?,
            whose: self.whose()?,
            state: state.transpose()?,
            queue: self.queue,
            retry_min: self.retry.unwrap_or(0),
            from: time("from", self.from.as_ref())?,
            to: time("to", self.to.as_ref())?,
            after,
            limit,
        })
    }
}

/// Namespaces one after the other, from the one in which the page before ended. The cursor is `namespace.id`.
async fn list(api: Api, QueryOf(query): QueryOf<TaskQuery>) -> ApiResult<TaskPage> {
    let (from, after) = cursor(query.after.as_deref());
    let page = api.page(&PageQuery { limit: query.limit, after: after.map(str::to_owned) })?;
    let (mut items, mut missed) = (vec![], Missed::default());
    let search = query.search(page.and_one(), None)?;
    let read = |there: Api| {
        let after = page.after.filter(|_| from == Some(there.namespace().name.as_str()));
        let search = Search { after, ..search.clone() };
        async move { there.read(&tasks::PAGE, search).await }
    };
    let there = seen_from(&api).into_iter().filter(|ns| from.is_none_or(|from| ns.name.as_str() >= from));
    let mut pages = pin!(one_after_the_other(&api, there, read));
    while items.len() <= page.limit as usize
        && let Some((ns, found)) = pages.next().await
    {
        let Some(found) = missed.noted(&api, &ns, found)? else { continue };
        items.extend(found.out.tasks.iter().map(|task| TaskView::of(&ns.name, task)));
        // There is more to look at than one page may: the next one goes on here.
        if let Some(next) = found.out.next
            && items.len() <= page.limit as usize
        {
            return Ok(api.answer(TaskPage {
                items,
                next: Some(format!("{}.{next}", ns.name)),
                unseen: missed.unseen,
            }));
        }
    }
    let (items, next) = cut(items, page.limit, |task| format!("{}.{}", task.namespace, task.id));
    Ok(api.answer(TaskPage { items, next, unseen: missed.unseen }))
}

fn cursor(after: Option<&str>) -> (Option<&str>, Option<&str>) {
    after.map_or((None, None), |after| match after.split_once('.') {
        Some((from, id)) => (Some(from), Some(id)),
        None => (None, Some(after)),
    })
}

async fn show(api: Api, PathOf(path): PathOf<TaskPath>) -> ApiResult<TaskView> {
    let id = path.id()?;
    let task = api.read(&tasks::SHOW, id).await?;
    let name = api.namespace().name.clone();
    Ok(task.map(|task| TaskView::of(&name, &task)))
}

async fn delete(api: Api, PathOf(path): PathOf<TaskPath>, body: NoBody) -> ApiResult<tasks::Changed> {
    let id = path.id()?;
    api.call(&tasks::DELETE, body.with(id)).await
}

async fn run(api: Api, PathOf(path): PathOf<TaskPath>, body: NoBody) -> ApiResult<tasks::Changed> {
    let id = path.id()?;
    api.call(&tasks::MOVE, body.with(Move { id, start_at: None })).await
}

async fn move_to(api: Api, PathOf(path): PathOf<TaskPath>, body: JsonBody<StartAt>) -> ApiResult<tasks::Changed> {
    let (id, start_at) = (path.id()?, time("start_at", Some(&body.value().start_at))?);
    if start_at.is_some_and(|at| at >= tasks::parked_at()) {
        return Err(ApiError::refused(codes::ALIMIT, "start_at lies beyond this century"));
    }
    api.call(&tasks::MOVE, body.map(|_| Move { id, start_at })).await
}

async fn done(api: Api, PathOf(path): PathOf<TaskPath>, body: JsonBody<Done>) -> ApiResult<tasks::Ended> {
    let id = path.id()?;
    api.call(&tasks::REPORT_DONE, body.map(|done| ReportDone { id, attempt: done.attempt })).await
}
