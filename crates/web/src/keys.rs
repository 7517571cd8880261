//! Routes of access keys (KER-32): the kernel's own.
//!
//! Invariant: a key that a scope binds changes no keys, or it would get one that is not bound.

use std::borrow::Cow;

use base::codes;
use kernel::ops::change_key::{CHANGE_KEY, ChangeKey, Changed};
use kernel::ops::create_key::{CREATE_KEY, CreateKey, CreatedKey};
use kernel::ops::list_keys::{KeyInfo, LIST_KEYS, Page as KeyPage};
use kernel::ops::revoke_key::{REVOKE_KEY, RevokeKey, Revoked};
use kernel::ops::rotate_key::{OVERLAP_S, ROTATE_KEY, RotateKey};
use kernel::{KERNEL, Role};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::answer::{ApiResult, List};
use crate::api::Api;
use crate::body::{JsonBody, NoBody};
use crate::params::{PageQuery, PathOf, QueryOf};
use crate::route::{Route, Service};
use crate::time::rfc3339;

const TAG: &str = "Access keys";

/// The kernel with its routes.
pub(crate) const SERVICE: Service = Service::new(&KERNEL, routes);

fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/keys", create)
            .tag(TAG)
            .summary("Create a key")
            .about(
                "The secret is shown in this answer and never again; only its hash is kept. With an Idempotency-Key a \
                 repeat shows the same secret. A key that a scope binds creates, changes, rotates and revokes none: it would reach further.",
            )
            .takes::<NewKey>()
            .answers::<MadeKey>(201)
            .errors(&[codes::ALIMIT])
            .for_unbound(),
        Route::get("/v1/{ns}/keys", list)
            .tag(TAG)
            .summary("List keys")
            .about("Oldest first, revoked ones included, never with their secrets.")
            .query::<PageQuery>()
            .answers::<List<KeyView>>(200)
            .errors(&[codes::ALIMIT]),
        Route::patch("/v1/{ns}/keys/{id}", change)
            .tag(TAG)
            .summary("Change the label of a key")
            .about("Its secret, role and scope stay. A revoked key can be called otherwise, too. The journal keeps the old label for its time.")
            .param("id", "Id of the key")
            .takes::<KeyChange>()
            .answers_nothing()
            .errors(&[codes::NKEY, codes::ALIMIT])
            .for_unbound(),
        Route::delete("/v1/{ns}/keys/{id}", revoke)
            .tag(TAG)
            .summary("Revoke a key")
            .about("Takes effect at once on this node, within 5 seconds on others. Revoking a revoked key is no error.")
            .param("id", "Id of the key")
            .answers_nothing()
            .errors(&[codes::NKEY])
            .for_unbound(),
        Route::post("/v1/{ns}/keys/{id}/rotate", rotate)
            .tag(TAG)
            .summary("Give a key a new secret")
            .about(
                "The new secret is shown in this answer and never again. The old one stays valid for `overlap_s`, so that its owner can \
                 change over; with 0 every older secret ends at once.",
            )
            .param("id", "Id of the key")
            .takes::<Rotation>()
            .answers::<MadeKey>(200)
            .errors(&[codes::NKEY, codes::ALIMIT])
            .for_unbound(),
    ]
}

/// The schema of the kernel's [`Role`], which cannot describe itself: the kernel knows no OpenAPI.
pub(crate) struct RoleWord;

impl ToSchema for RoleWord {
    fn name() -> Cow<'static, str> {
        "Role".into()
    }
}

impl PartialSchema for RoleWord {
    fn schema() -> RefOr<Schema> {
        let words = Role::ALL.into_iter().map(Role::word);
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .description(Some("What a key or an account may do."))
            .enum_values(Some(words))
            .into()
    }
}

/// A key to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "role": "app", "label": "till 7" }))]
struct NewKey {
    /// What it may do.
    #[schema(value_type = RoleWord)]
    role: Role,
    /// What it may do it with: `service`, `company`, `subsystem`, `device`, `actor`, `client`, `folder`, each a name or a list of
    /// names. A field that is not there does not bind. At most 4,096 bytes.
    #[serde(default)]
    #[schema(value_type = Object, required = false)]
    scope: serde_json::Map<String, serde_json::Value>,
    /// For people. At most 255 bytes.
    #[serde(default)]
    #[schema(required = false, max_length = 255, example = "till 7")]
    label: String,
}

/// What a key is called from now on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "label": "till 8" }))]
struct KeyChange {
    /// For people; empty for none. At most 255 bytes.
    #[schema(max_length = 255, example = "till 8")]
    label: String,
}

/// How a key is rotated.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "overlap_s": 86400 }))]
struct Rotation {
    /// How long the old secret stays valid; a day if not given, 30 days at most.
    #[schema(nullable = false, maximum = 2592000)]
    overlap_s: Option<u32>,
}

/// A key that was created.
#[derive(Serialize, ToSchema)]
struct MadeKey {
    /// Its id.
    #[schema(example = "01KA2B3C4D5E6F7G8H9JKMNPQR")]
    id: String,
    /// Its secret, shown this once.
    #[schema(example = "fst_…")]
    key: String,
}

/// A key as it is shown.
#[derive(Serialize, ToSchema)]
struct KeyView {
    /// Its id.
    #[schema(example = "01KA2B3C4D5E6F7G8H9JKMNPQR")]
    id: String,
    /// What it may do.
    #[schema(value_type = RoleWord)]
    role: String,
    /// What it may do it with.
    #[schema(value_type = Object)]
    scope: serde_json::Value,
    /// For people.
    #[schema(example = "till 7")]
    label: String,
    /// When it was created.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    created_at: String,
    /// When it was revoked; null while it is valid.
    #[schema(format = DateTime)]
    revoked_at: Option<String>,
    /// `active`; `overlapping` while an older secret is still valid; `revoked`.
    #[schema(example = "active")]
    state: &'static str,
}

impl From<KeyInfo> for KeyView {
    fn from(key: KeyInfo) -> Self {
        Self {
            id: key.id,
            role: key.role,
            scope: serde_json::from_str(&key.scope).unwrap_or_default(),
            label: key.label,
            created_at: rfc3339(key.created_at),
            revoked_at: key.revoked_at.map(rfc3339),
            state: key.state.word(),
        }
    }
}

async fn create(api: Api, body: JsonBody<NewKey>) -> ApiResult<MadeKey> {
    let input = |key: NewKey| CreateKey { role: key.role, scope: key.scope, label: key.label };
    let made = api.call(&CREATE_KEY, body.map(input)).await?;
    Ok(made.map(|CreatedKey { id, key }| MadeKey { id, key }))
}

async fn list(api: Api, QueryOf(query): QueryOf<PageQuery>) -> ApiResult<List<KeyView>> {
    let page = api.page(&query)?;
    let keys = api.read(&LIST_KEYS, KeyPage { after: page.after_text(), limit: page.and_one() }).await?;
    let views = |keys: Vec<KeyInfo>| keys.into_iter().map(KeyView::from).collect();
    Ok(keys.map(|keys| List::cut(views(keys), page.limit, |key| key.id.clone())))
}

#[derive(Deserialize)]
struct KeyPath {
    id: String,
}

async fn change(api: Api, PathOf(KeyPath { id }): PathOf<KeyPath>, body: JsonBody<KeyChange>) -> ApiResult<Changed> {
    api.call(&CHANGE_KEY, body.map(|change| ChangeKey { id, label: change.label })).await
}

async fn revoke(api: Api, PathOf(KeyPath { id }): PathOf<KeyPath>, body: NoBody) -> ApiResult<Revoked> {
    api.call_and_forget_keys(&REVOKE_KEY, body.with(RevokeKey { id })).await
}

async fn rotate(api: Api, PathOf(KeyPath { id }): PathOf<KeyPath>, body: JsonBody<Rotation>) -> ApiResult<MadeKey> {
    let input = |rotation: Rotation| RotateKey { id, overlap_s: rotation.overlap_s.unwrap_or(OVERLAP_S) };
    let rotated = api.call_and_forget_keys(&ROTATE_KEY, body.map(input)).await?;
    Ok(rotated.map(|CreatedKey { id, key }| MadeKey { id, key }))
}
