//! Members, devices and locks of a directory over HTTP.

use base::codes;
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Api, ApiError, ApiResult, JsonBody, List, NoBody, PathOf, Route};

use super::{IdPath, READERS, WRITERS, of_directory, who_in};
use crate::care::{
    DEVICES, DROP_MEMBER, DeviceView, FORGET_DEVICE, LOCKS, LockView, MEMBERS, Member, MemberView, OfDevice,
    OfDirectory, OfMember, PUT_MEMBER,
};
use crate::desk::Right;

pub(super) fn routes() -> Vec<Route> {
    let look = |route: Route| of_directory(route).roles(READERS);
    let change = |route: Route| of_directory(route).roles(WRITERS).answers_nothing();
    vec![
        look(Route::get("/v1/{ns}/folders/directories/{id}/members", members))
            .summary("List the members of a directory")
            .answers::<List<MemberView>>(200),
        change(Route::post("/v1/{ns}/folders/directories/{id}/members", put))
            .summary("Give a key or a device a role in a directory")
            .about(
                "Roles are none, read, write and admin. The role of a device lowers that of its key, or stands alone where the key has none; a \
                 device is who it says it is unless the scope of its key binds it (`{\"device\": …}`). Needs the role admin.",
            )
            .takes::<NewMember>()
            .errors(&[codes::ALIMIT]),
        change(Route::delete("/v1/{ns}/folders/directories/{id}/members/{who}", remove))
            .param("who", "Id of a key, or name of a device")
            .summary("Take a key or a device its role in a directory"),
        look(Route::get("/v1/{ns}/folders/directories/{id}/devices", devices))
            .summary("List the devices that came to a directory")
            .about("Each with the commit up to which it has everything, as it said last.")
            .answers::<List<DeviceView>>(200),
        change(Route::delete("/v1/{ns}/folders/directories/{id}/devices/{who}", forget))
            .param("who", "Name of the device")
            .summary("Forget a device")
            .about("One that will not come back: what was deleted is remembered until every known device heard of it. Needs the role admin."),
        look(Route::get("/v1/{ns}/folders/directories/{id}/locks", locks))
            .summary("List who writes or waits in a directory")
            .answers::<List<LockView>>(200),
    ]
}

/// A role to be given: to a key or to a device.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewFolderMember)]
struct NewMember {
    /// Id of a key.
    #[serde(default)]
    #[schema(nullable = false)]
    key: Option<String>,
    /// Name of a device.
    #[serde(default)]
    #[schema(nullable = false)]
    device: Option<String>,
    /// What it may do.
    role: Right,
}

#[derive(Deserialize)]
struct OfOne {
    id: String,
    who: String,
}

fn of(api: &Api, directory: String) -> Result<OfDirectory, ApiError> {
    Ok(OfDirectory { who: who_in(api, &directory)?, directory })
}

async fn members(api: Api, PathOf(IdPath { id }): PathOf<IdPath>) -> ApiResult<List<MemberView>> {
    Ok(api.read(&MEMBERS, of(&api, id)?).await?.map(|items| List { items, next: None }))
}

async fn put(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: JsonBody<NewMember>) -> ApiResult<()> {
    let by = who_in(&api, &id)?;
    let who = match (&body.value().key, &body.value().device) {
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (Some(_), Some(_)) | (None, None) => {
            return Err(ApiError::refused(codes::ABODY, "a member is a key or a device: give one of them"));
        }
    };
    api.call(&PUT_MEMBER, body.map(|member| Member { by, directory: id, who, role: member.role })).await
}

async fn remove(api: Api, PathOf(OfOne { id, who }): PathOf<OfOne>, body: NoBody) -> ApiResult<()> {
    let by = who_in(&api, &id)?;
    api.call(&DROP_MEMBER, body.with(OfMember { by, directory: id, who })).await
}

async fn devices(api: Api, PathOf(IdPath { id }): PathOf<IdPath>) -> ApiResult<List<DeviceView>> {
    Ok(api.read(&DEVICES, of(&api, id)?).await?.map(|items| List { items, next: None }))
}

async fn forget(api: Api, PathOf(OfOne { id, who }): PathOf<OfOne>, body: NoBody) -> ApiResult<()> {
    let by = who_in(&api, &id)?;
    api.call(&FORGET_DEVICE, body.with(OfDevice { by, directory: id, device: who })).await
}

async fn locks(api: Api, PathOf(IdPath { id }): PathOf<IdPath>) -> ApiResult<List<LockView>> {
    Ok(api.read(&LOCKS, of(&api, id)?).await?.map(|items| List { items, next: None }))
}
