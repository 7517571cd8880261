//! Routes of access keys (KER-32): the kernel's own.

use base::codes;
use kernel::ops::create_key::{CREATE_KEY, CreateKey, CreatedKey};
use kernel::ops::list_keys::{KeyInfo, LIST_KEYS, Page as KeyPage};
use kernel::ops::revoke_key::{REVOKE_KEY, RevokeKey, Revoked};
use kernel::{KERNEL, Role};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::answer::{ApiResult, List};
use crate::api::Api;
use crate::body::{JsonBody, NoBody};
use crate::error::ApiError;
use crate::params::{PageQuery, PathOf, QueryOf};
use crate::route::{Route, Service};
use crate::time::rfc3339;

const TAG: &str = "Access keys";

/// The kernel with its routes.
pub(crate) const SERVICE: Service = Service { def: &KERNEL, routes };

fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/keys", create)
            .tag(TAG)
            .summary("Create a key")
            .about(
                "The secret is shown in this answer and never again; only its hash is kept. With an Idempotency-Key a \
                 repeat shows the same secret.",
            )
            .takes::<NewKey>()
            .answers::<MadeKey>(201)
            .errors(&[codes::ALIMIT]),
        Route::get("/v1/{ns}/keys", list)
            .tag(TAG)
            .summary("List keys")
            .about("Oldest first, revoked ones included, never with their secrets.")
            .query::<PageQuery>()
            .answers::<List<KeyView>>(200)
            .errors(&[codes::ALIMIT]),
        Route::delete("/v1/{ns}/keys/{id}", revoke)
            .tag(TAG)
            .summary("Revoke a key")
            .about("Takes effect at once on this node, within 5 seconds on others. Revoking a revoked key is no error.")
            .param("id", "Id of the key")
            .answers_nothing()
            .errors(&[codes::NKEY]),
    ]
}

/// What a key may do.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Role)]
enum RoleWord {
    Admin,
    Operator,
    Reader,
    Database,
    Device,
    Actor,
    Gateway,
    Folder,
    App,
}

impl From<RoleWord> for Role {
    fn from(word: RoleWord) -> Self {
        match word {
            RoleWord::Admin => Self::Admin,
            RoleWord::Operator => Self::Operator,
            RoleWord::Reader => Self::Reader,
            RoleWord::Database => Self::Database,
            RoleWord::Device => Self::Device,
            RoleWord::Actor => Self::Actor,
            RoleWord::Gateway => Self::Gateway,
            RoleWord::Folder => Self::Folder,
            RoleWord::App => Self::App,
        }
    }
}

/// A key to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "role": "app", "label": "till 7" }))]
struct NewKey {
    /// What it may do.
    role: RoleWord,
    /// What it may do it with; services read it. At most 4,096 bytes.
    #[serde(default)]
    #[schema(value_type = Object, required = false)]
    scope: serde_json::Map<String, serde_json::Value>,
    /// For people. At most 255 bytes.
    #[serde(default)]
    #[schema(required = false, max_length = 255, example = "till 7")]
    label: String,
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
        }
    }
}

async fn create(api: Api, body: JsonBody<NewKey>) -> ApiResult<MadeKey> {
    let input = |key: NewKey| CreateKey { role: key.role.into(), scope: key.scope, label: key.label };
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

/// In a task of its own, so that the key is forgotten also when the client does not wait for the answer.
async fn revoke(api: Api, PathOf(KeyPath { id }): PathOf<KeyPath>, body: NoBody) -> ApiResult<Revoked> {
    let work = tokio::spawn(async move {
        let revoked = api.call(&REVOKE_KEY, body.with(RevokeKey { id })).await;
        // Also after a fault: it may have been committed all the same.
        api.namespace().forget_keys();
        revoked
    });
    work.await.unwrap_or_else(|error| Err(ApiError::refused(codes::BPANIC, error.to_string())))
}
