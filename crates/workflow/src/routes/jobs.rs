//! Operators' jobs and schedules over HTTP (WFL-16, WFL-28, WFL-29).

use base::codes;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use web::{Api, ApiError, ApiResult, JsonBody, List, NoBody, PathOf, QueryOf, Route};

use super::{READERS, TAG, WRITERS, check_service, full_page};
use crate::codes::{AFLOW, AWORKFLOW, NFLOWJOB};
use crate::jobs::{
    CHANGE_JOB, CONTROL_JOB, CREATE_JOB, ChangeJob, ControlJob, CreateJob, CreatedJob, JOB, JOB_RESULTS, JOBS,
    JobControl, JobResult, JobView, JobsOf, ResultsOf,
};
use crate::schedules::{
    CREATE_SCHEDULE, CreateSchedule, CreatedSchedule, DELETE_SCHEDULE, PATCH_SCHEDULE, SCHEDULE, SCHEDULES,
    SchedulePatch, SchedulePatchOf, ScheduleView,
};

/// Rows of a page unless it says otherwise.
const PAGE: u32 = 100;

pub(super) fn routes() -> Vec<Route> {
    let mut all = jobs();
    all.extend(schedules());
    all
}

fn jobs() -> Vec<Route> {
    let look = |route: Route| route.tag(TAG).roles(READERS);
    let one = |route: Route| route.tag(TAG).param("id", "Number of the job").errors(&[NFLOWJOB]);
    vec![
        Route::post("/v1/{ns}/workflow/jobs", create)
            .tag(TAG)
            .summary("Have something done with many processes")
            .about(
                "With all that a search finds, or of the given types, as a job with progress that survives restarts. `rate`: processes \
                 changed in a second at most. `dry_run`: nothing is changed, what would be done is listed.",
            )
            .roles(WRITERS)
            .takes::<CreateJob>()
            .answers::<CreatedJob>(201)
            .errors(&[AWORKFLOW, codes::ALIMIT]),
        look(Route::get("/v1/{ns}/workflow/jobs", list))
            .summary("List jobs")
            .about("Newest first.")
            .query::<JobsQuery>()
            .answers::<List<JobView>>(200)
            .errors(&[codes::ALIMIT]),
        one(look(Route::get("/v1/{ns}/workflow/jobs/{id}", show))).summary("Show a job").answers::<JobView>(200),
        one(look(Route::get("/v1/{ns}/workflow/jobs/{id}/results", results)))
            .summary("List what a job did with each process")
            .about("The first 10,000 are kept; all are counted.")
            .query::<ResultsQuery>()
            .answers::<List<JobResult>>(200)
            .errors(&[codes::ALIMIT]),
        one(Route::post("/v1/{ns}/workflow/jobs/{id}/pause", pause)).roles(WRITERS).summary("Pause a job").answers_nothing().errors(&[AFLOW]),
        one(Route::post("/v1/{ns}/workflow/jobs/{id}/resume", resume)).roles(WRITERS).summary("Go on with a job").answers_nothing().errors(&[AFLOW]),
        one(Route::post("/v1/{ns}/workflow/jobs/{id}/cancel", cancel))
            .roles(WRITERS)
            .summary("Cancel a job")
            .about("What is done stays done.")
            .answers_nothing()
            .errors(&[AFLOW]),
        one(Route::patch("/v1/{ns}/workflow/jobs/{id}", change))
            .roles(WRITERS)
            .summary("Change the rate or the priority of a job")
            .takes::<JobPatch>()
            .answers_nothing()
            .errors(&[AFLOW, AWORKFLOW, codes::ALIMIT]),
    ]
}

fn schedules() -> Vec<Route> {
    let one = |route: Route| route.tag(TAG).param("id", "Id of the schedule").errors(&[NFLOWJOB]);
    vec![
        Route::post("/v1/{ns}/workflow/schedules", schedule)
            .tag(TAG)
            .summary("Start processes by the calendar")
            .about("`missed`: what becomes of moments at which nobody was there: `skip`, `once`, or `all` up to `missed_max`.")
            .roles(WRITERS)
            .takes::<CreateSchedule>()
            .answers::<CreatedSchedule>(201)
            .errors(&[AWORKFLOW, codes::ALIMIT]),
        Route::get("/v1/{ns}/workflow/schedules", list_schedules)
            .tag(TAG)
            .summary("List schedules")
            .about("Each with its next five dates.")
            .roles(READERS)
            .answers::<List<ScheduleView>>(200),
        one(Route::get("/v1/{ns}/workflow/schedules/{id}", show_schedule)).roles(READERS).summary("Show a schedule").answers::<ScheduleView>(200),
        one(Route::patch("/v1/{ns}/workflow/schedules/{id}", patch_schedule))
            .roles(WRITERS)
            .summary("Change or pause a schedule")
            .takes::<SchedulePatch>()
            .answers_nothing()
            .errors(&[AWORKFLOW, codes::ALIMIT]),
        one(Route::delete("/v1/{ns}/workflow/schedules/{id}", drop_schedule)).roles(WRITERS).summary("Delete a schedule").answers_nothing(),
    ]
}

/// Which jobs.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct JobsQuery {
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<i64>,
    /// At most so many; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
}

/// Which results.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ResultsQuery {
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<i64>,
    /// At most so many; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
}

/// What of a job changes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct JobPatch {
    /// Processes that are changed in a second at most.
    #[serde(default)]
    rate: Option<i64>,
    /// Jobs of a lower one wait.
    #[serde(default)]
    priority: Option<i64>,
}

#[derive(Deserialize)]
struct JobPath {
    id: String,
}

impl JobPath {
    fn number(&self) -> Result<i64, ApiError> {
        self.id.parse().map_err(|_| ApiError::refused(NFLOWJOB, format!("no job `{}`", crate::names::short(&self.id))))
    }
}

async fn create(api: Api, body: JsonBody<CreateJob>) -> ApiResult<CreatedJob> {
    check_service(&api)?;
    api.call(&CREATE_JOB, body).await
}

async fn list(api: Api, QueryOf(query): QueryOf<JobsQuery>) -> ApiResult<List<JobView>> {
    check_service(&api)?;
    let limit = query.limit.unwrap_or(PAGE);
    let jobs = api.read(&JOBS, JobsOf { before: query.after, limit }).await?;
    Ok(jobs.map(|items| full_page(items, limit, |job| job.job.to_string())))
}

async fn show(api: Api, PathOf(path): PathOf<JobPath>) -> ApiResult<JobView> {
    check_service(&api)?;
    api.read(&JOB, path.number()?).await
}

async fn results(
    api: Api,
    PathOf(path): PathOf<JobPath>,
    QueryOf(query): QueryOf<ResultsQuery>,
) -> ApiResult<List<JobResult>> {
    check_service(&api)?;
    let wanted = ResultsOf { job: path.number()?, after: query.after.unwrap_or(0), limit: query.limit.unwrap_or(PAGE) };
    let page = api.read(&JOB_RESULTS, wanted).await?;
    Ok(page.map(|page| List { items: page.results, next: page.next.map(|next| next.to_string()) }))
}

async fn pause(api: Api, PathOf(path): PathOf<JobPath>, body: NoBody) -> ApiResult<()> {
    control(&api, &path, body, JobControl::Pause).await
}

async fn resume(api: Api, PathOf(path): PathOf<JobPath>, body: NoBody) -> ApiResult<()> {
    control(&api, &path, body, JobControl::Resume).await
}

async fn cancel(api: Api, PathOf(path): PathOf<JobPath>, body: NoBody) -> ApiResult<()> {
    control(&api, &path, body, JobControl::Cancel).await
}

async fn control(api: &Api, path: &JobPath, body: NoBody, control: JobControl) -> ApiResult<()> {
    check_service(api)?;
    api.call(&CONTROL_JOB, body.with(ControlJob { job: path.number()?, control })).await
}

async fn change(api: Api, PathOf(path): PathOf<JobPath>, body: JsonBody<JobPatch>) -> ApiResult<()> {
    check_service(&api)?;
    let job = path.number()?;
    api.call(&CHANGE_JOB, body.map(|patch| ChangeJob { job, rate: patch.rate, priority: patch.priority })).await
}

async fn schedule(api: Api, body: JsonBody<CreateSchedule>) -> ApiResult<CreatedSchedule> {
    check_service(&api)?;
    api.call(&CREATE_SCHEDULE, body).await
}

async fn list_schedules(api: Api) -> ApiResult<List<ScheduleView>> {
    check_service(&api)?;
    Ok(api.read(&SCHEDULES, ()).await?.map(|items| List { items, next: None }))
}

async fn show_schedule(api: Api, PathOf(JobPath { id }): PathOf<JobPath>) -> ApiResult<ScheduleView> {
    check_service(&api)?;
    api.read(&SCHEDULE, id).await
}

async fn patch_schedule(
    api: Api,
    PathOf(JobPath { id }): PathOf<JobPath>,
    body: JsonBody<SchedulePatch>,
) -> ApiResult<()> {
    check_service(&api)?;
    api.call(&PATCH_SCHEDULE, body.map(|patch| SchedulePatchOf { id, patch })).await
}

async fn drop_schedule(api: Api, PathOf(JobPath { id }): PathOf<JobPath>, body: NoBody) -> ApiResult<()> {
    check_service(&api)?;
    api.call(&DELETE_SCHEDULE, body.with(id)).await
}
