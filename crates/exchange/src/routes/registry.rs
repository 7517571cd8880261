//! Who takes part, over HTTP (EXC-1, EXC-2).

use base::codes;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use web::{Api, ApiResult, JsonBody, List, NoBody, PageQuery, PathOf, QueryOf, Route, given};

use super::{READERS, TAG, WRITERS, check_unbound};
use crate::codes::{AEXCHANGE, ATAKEN, NPARTY};
use crate::registry::{
    COMPANIES, CREATE_COMPANY, CREATE_DATABASE, CREATE_DEVICE, CREATE_SUBSYSTEM, CompanyView, DATABASES, DEVICE_STATE,
    DEVICES, DatabaseMade, DatabaseView, DeviceChange, DeviceMade, DeviceView, NEW_CODE, NewCompany, NewDatabase,
    NewDevice, NewSubsystem, PartiesOf, RENAME_COMPANY, RENAME_DEVICE, RENAME_SUBSYSTEM, Registered, RenameCompany,
    RenameDevice, RenameSubsystem, SHOW_DEVICE, SUBSYSTEMS, SubsystemView,
};

const COMPANIES_PATH: &str = "/v1/{ns}/exchange/companies";
const SUBSYSTEMS_PATH: &str = "/v1/{ns}/exchange/subsystems";
const DATABASES_PATH: &str = "/v1/{ns}/exchange/databases";
const DEVICES_PATH: &str = "/v1/{ns}/exchange/devices";
const CODE_PATH: &str = "/v1/{ns}/exchange/devices/{id}/code";

pub(super) fn routes() -> Vec<Route> {
    let mut all = new_ones();
    all.extend(new_names());
    all.extend(lists());
    all.extend(device_routes());
    all
}

fn new_ones() -> Vec<Route> {
    let new = |route: Route| route.tag(TAG).roles(WRITERS).errors(&[AEXCHANGE, ATAKEN]);
    vec![
        new(Route::post(COMPANIES_PATH, create_company))
            .summary("Register a company")
            .takes::<NewCompany>()
            .answers::<Registered>(201),
        new(Route::post(SUBSYSTEMS_PATH, create_subsystem))
            .summary("Register a subsystem of a company")
            .about("A subsystem is a mobile solution that the company uses. Its id is unique within the company.")
            .takes::<NewSubsystem>()
            .answers::<Registered>(201)
            .errors(&[NPARTY]),
        new(Route::post(DATABASES_PATH, create_database))
            .summary("Register a database of a company")
            .about(
                "The key in the answer is shown this once: the business system calls with it, and it speaks for this database alone. With \
                 an Idempotency-Key a repeat shows it again.",
            )
            .takes::<NewDatabase>()
            .answers::<DatabaseMade>(201)
            .errors(&[NPARTY]),
        new(Route::post(DEVICES_PATH, create_device))
            .summary("Register a device")
            .about(
                "The activation code in the answer is for its user to type in, once, within seven days. With an Idempotency-Key a \
                 repeat shows it again.",
            )
            .takes::<NewDevice>()
            .answers::<DeviceMade>(201)
            .errors(&[NPARTY]),
    ]
}

fn new_names() -> Vec<Route> {
    let new = |route: Route| route.tag(TAG).roles(WRITERS).answers_nothing().errors(&[AEXCHANGE, NPARTY]);
    vec![
        new(Route::patch("/v1/{ns}/exchange/companies/{id}", rename_company))
            .summary("Rename a company")
            .about("Its id stays. The journal keeps the old name for its time.")
            .param("id", "Id of the company")
            .takes::<NewName>(),
        new(Route::patch("/v1/{ns}/exchange/subsystems/{id}", rename_subsystem))
            .summary("Rename a subsystem of a company")
            .about("Its id, which is unique within the company, stays. The journal keeps the old name for its time.")
            .param("id", "Id of the subsystem")
            .takes::<NewSubsystemName>(),
        new(Route::patch("/v1/{ns}/exchange/devices/{id}", rename_device))
            .summary("Rename a device")
            .about("Its id and its key stay. The old name is kept nowhere, not even in the journal.")
            .param("id", "Id of the device")
            .takes::<NewName>(),
    ]
}

fn lists() -> Vec<Route> {
    let list = |route: Route| {
        route
            .tag(TAG)
            .roles(READERS)
            .query::<PartiesQuery>()
            .about("In the order of their ids.")
            .errors(&[codes::ALIMIT])
    };
    vec![
        list(Route::get(COMPANIES_PATH, companies)).summary("List companies").answers::<List<CompanyView>>(200),
        list(Route::get(SUBSYSTEMS_PATH, subsystems)).summary("List subsystems").answers::<List<SubsystemView>>(200),
        list(Route::get(DATABASES_PATH, databases)).summary("List databases").answers::<List<DatabaseView>>(200),
        list(Route::get(DEVICES_PATH, devices)).summary("List devices").answers::<List<DeviceView>>(200),
    ]
}

fn device_routes() -> Vec<Route> {
    let of_one = |route: Route| route.tag(TAG).param("id", "Id of the device").errors(&[NPARTY]);
    vec![
        of_one(Route::get("/v1/{ns}/exchange/devices/{id}", show))
            .summary("Show a device")
            .roles(READERS)
            .answers::<DeviceView>(200),
        of_one(Route::post("/v1/{ns}/exchange/devices/{id}/block", block))
            .summary("Block a device")
            .about("From now on whatever it calls is answered `SBLOCKED`. Blocking a blocked one is no error.")
            .roles(WRITERS)
            .answers_nothing(),
        of_one(Route::post("/v1/{ns}/exchange/devices/{id}/unblock", unblock))
            .summary("Let a device in again")
            .roles(WRITERS)
            .answers_nothing(),
        of_one(Route::post(CODE_PATH, code))
            .summary("Give a device a new activation code")
            .about("Its old code and its key end at once. With an Idempotency-Key a repeat shows the code again.")
            .roles(WRITERS)
            .answers::<DeviceMade>(200),
    ]
}

/// Which of them.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct PartiesQuery {
    /// Only those of this company.
    #[param(nullable = false)]
    company: Option<String>,
    /// Only devices of this subsystem.
    #[param(nullable = false)]
    subsystem: Option<String>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// What somebody or something is called from now on.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ExchangeNewName)]
#[serde(deny_unknown_fields)]
struct NewName {
    /// For people. 1 to 200 bytes without control characters.
    #[schema(max_length = 200)]
    name: String,
}

/// What a subsystem is called from now on.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ExchangeNewSubsystemName)]
#[serde(deny_unknown_fields)]
struct NewSubsystemName {
    /// Of which company it is.
    company: String,
    /// For people. 1 to 200 bytes without control characters.
    #[schema(max_length = 200)]
    name: String,
}

#[derive(Deserialize)]
struct IdPath {
    id: String,
}

async fn create_company(api: Api, body: JsonBody<NewCompany>) -> ApiResult<Registered> {
    check_unbound(&api)?;
    api.call(&CREATE_COMPANY, body).await
}

async fn create_subsystem(api: Api, body: JsonBody<NewSubsystem>) -> ApiResult<Registered> {
    check_unbound(&api)?;
    api.call(&CREATE_SUBSYSTEM, body).await
}

async fn create_database(api: Api, body: JsonBody<NewDatabase>) -> ApiResult<DatabaseMade> {
    check_unbound(&api)?;
    api.call(&CREATE_DATABASE, body).await
}

async fn create_device(api: Api, body: JsonBody<NewDevice>) -> ApiResult<DeviceMade> {
    check_unbound(&api)?;
    api.call(&CREATE_DEVICE, body).await
}

async fn rename_company(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: JsonBody<NewName>) -> ApiResult<()> {
    check_unbound(&api)?;
    api.call(&RENAME_COMPANY, body.map(|NewName { name }| RenameCompany { id, name })).await
}

async fn rename_subsystem(
    api: Api,
    PathOf(IdPath { id }): PathOf<IdPath>,
    body: JsonBody<NewSubsystemName>,
) -> ApiResult<()> {
    check_unbound(&api)?;
    let input = |NewSubsystemName { company, name }| RenameSubsystem { id, company, name };
    api.call(&RENAME_SUBSYSTEM, body.map(input)).await
}

async fn rename_device(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: JsonBody<NewName>) -> ApiResult<()> {
    check_unbound(&api)?;
    api.call(&RENAME_DEVICE, body.map(|NewName { name }| RenameDevice { id, name })).await
}

/// What a list is asked for, and how long a page is.
fn wanted(api: &Api, query: PartiesQuery) -> Result<(PartiesOf, u32), web::ApiError> {
    check_unbound(api)?;
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let (company, subsystem) = (given(query.company), given(query.subsystem));
    Ok((PartiesOf { company, subsystem, after: query.after.unwrap_or_default(), limit: page.and_one() }, page.limit))
}

async fn companies(api: Api, QueryOf(query): QueryOf<PartiesQuery>) -> ApiResult<List<CompanyView>> {
    let (wanted, limit) = wanted(&api, query)?;
    Ok(api.read(&COMPANIES, wanted).await?.map(|items| List::cut(items, limit, |item| item.id.clone())))
}

async fn subsystems(api: Api, QueryOf(query): QueryOf<PartiesQuery>) -> ApiResult<List<SubsystemView>> {
    let (wanted, limit) = wanted(&api, query)?;
    let cursor = |item: &SubsystemView| format!("{}/{}", item.company, item.id);
    Ok(api.read(&SUBSYSTEMS, wanted).await?.map(|items| List::cut(items, limit, cursor)))
}

async fn databases(api: Api, QueryOf(query): QueryOf<PartiesQuery>) -> ApiResult<List<DatabaseView>> {
    let (wanted, limit) = wanted(&api, query)?;
    Ok(api.read(&DATABASES, wanted).await?.map(|items| List::cut(items, limit, |item| item.id.clone())))
}

async fn devices(api: Api, QueryOf(query): QueryOf<PartiesQuery>) -> ApiResult<List<DeviceView>> {
    let (wanted, limit) = wanted(&api, query)?;
    Ok(api.read(&DEVICES, wanted).await?.map(|items| List::cut(items, limit, |item| item.id.clone())))
}

async fn show(api: Api, PathOf(IdPath { id }): PathOf<IdPath>) -> ApiResult<DeviceView> {
    check_unbound(&api)?;
    api.read(&SHOW_DEVICE, id).await
}

async fn block(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: NoBody) -> ApiResult<()> {
    check_unbound(&api)?;
    api.call_and_forget_keys(&DEVICE_STATE, body.with(DeviceChange { id, blocked: true })).await
}

async fn unblock(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: NoBody) -> ApiResult<()> {
    check_unbound(&api)?;
    api.call(&DEVICE_STATE, body.with(DeviceChange { id, blocked: false })).await
}

async fn code(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: NoBody) -> ApiResult<DeviceMade> {
    check_unbound(&api)?;
    api.call_and_forget_keys(&NEW_CODE, body.with(id)).await
}
