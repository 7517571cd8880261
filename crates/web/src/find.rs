//! One box that finds everything (CON-11): what services bring to it, and the route behind it.
//!
//! Invariants: what a role may not list is not looked for, by the same table that would refuse it; a key whose scope binds it to a part
//! of the namespace is refused, because this looks at all of it.

use base::codes;
use kernel::Role;
use kernel::find::{FIND, Find, FindFn, Found, OfKind, Sought};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::answer::ApiResult;
use crate::api::Api;
use crate::error::ApiError;
use crate::params::QueryOf;
use crate::route::{Route, is_bound};
use crate::ui::Text;

/// Found things of each kind.
const EACH: usize = 5;
/// The same where one kind alone is sought.
const OF_ONE_KIND: usize = 50;

/// A kind of things that can be found.
#[derive(Clone, Copy)]
pub struct FindDef {
    /// A word of a program, for it never changes: `device`.
    pub kind: &'static str,
    /// What people call them.
    pub title: &'static Text,
    /// The route that lists them, by its label: whoever may use it may find them.
    pub route: &'static str,
    /// What finds them.
    pub find: FindFn,
    /// The page of one, below `/console/{ns}/`.
    pub page: fn(&Found) -> String,
}

/// Something that people can do on a page, found by its name: the dialog opens with the page.
#[derive(Clone, Copy)]
pub struct ActionDef {
    /// What it is called.
    pub text: &'static Text,
    /// Its route, by its label.
    pub route: &'static str,
    /// Its page, below `/console/{ns}/`.
    pub page: &'static str,
}

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/search", search)
            .roles(&[Role::Operator, Role::Reader])
            .tag("Server")
            .summary("Find anything by its id or name")
            .about(
                "Whatever has an id or a name that begins with `q`: in small letters, in capitals or as it is written; lines of the \
                 journal by words. Of each kind 5 at most, or 50 of the one that `kind` names; kinds with more are named in `more`. What the role of the key may not list \
                 is not looked for.",
            )
            .query::<SearchQuery>()
            .answers::<SearchView>(200),
    ]
}

/// What is sought.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct SearchQuery {
    /// An id, or the beginning of an id or a name; at most 200 characters.
    #[param(example = "order-7")]
    q: String,
    /// Only of this kind.
    #[param(nullable = false, example = "device")]
    kind: Option<String>,
}

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
struct SearchView {
    /// Kind after kind.
    items: Vec<FoundView>,
    /// Kinds of which there is more.
    more: Vec<&'static str>,
}

/// Something that was found.
#[derive(Debug, Serialize, ToSchema)]
struct FoundView {
    /// What it is.
    #[schema(example = "device")]
    kind: &'static str,
    /// Its id.
    id: String,
    /// What people call it.
    name: String,
    /// A few words more.
    about: String,
    /// Its page in the console.
    #[schema(example = "/console/main/exchange/devices/phone-7")]
    page: String,
}

async fn search(api: Api, QueryOf(query): QueryOf<SearchQuery>) -> ApiResult<SearchView> {
    let each = each_of(query.kind.as_deref());
    let found = everything(&api, &query.q, query.kind.as_deref(), each).await?;
    let more = found.iter().filter(|(_, of_kind)| of_kind.more).map(|(def, _)| def.kind).collect();
    let namespace = &api.namespace().name;
    let items = found.into_iter().flat_map(|(def, of_kind)| {
        of_kind.found.into_iter().map(move |found| {
            let page = format!("/console/{namespace}/{}", (def.page)(&found));
            let Found { id, name, about, .. } = found;
            FoundView { kind: def.kind, id, name, about, page }
        })
    });
    Ok(api.answer(SearchView { items: items.collect(), more }))
}

/// How many of each kind are shown: more where one kind alone is sought.
pub(crate) fn each_of(kind: Option<&str>) -> usize {
    if kind.is_some() { OF_ONE_KIND } else { EACH }
}

/// What the caller may know of that fits a text; of one kind, or of all, at most so many of each.
///
/// # Errors
/// `ABODY`: there is nothing to look for in the text; `SROLE`: the caller is bound to a part.
pub(crate) async fn everything(
    api: &Api,
    text: &str,
    kind: Option<&str>,
    each: usize,
) -> Result<Vec<(&'static FindDef, OfKind)>, ApiError> {
    if is_bound(api.caller()) {
        return Err(ApiError::refused(
            codes::SROLE,
            "the scope of this key binds it to a part, and a search looks at all",
        ));
    }
    let sought = Sought::new(text, each, api.caller().clone(), api.properties().clone())?;
    let wanted = |def: &&FindDef| kind.is_none_or(|kind| def.kind == kind) && api.may(def.route);
    let allowed: Vec<_> = api.shared().finds().filter(wanted).collect();
    let kinds = allowed.iter().map(|def| (def.kind, def.find)).collect();
    let found = api.read(&FIND, Find { kinds, sought }).await?.out;
    let of = |of_kind: OfKind| Some((*allowed.iter().find(|def| def.kind == of_kind.kind)?, of_kind));
    Ok(found.into_iter().filter_map(of).collect())
}
