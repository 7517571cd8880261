//! The ledger over HTTP: one table, from which come the routes, the role checks and the API description.

use kernel::Role;
use serde::Deserialize;
use utoipa::IntoParams;
use web::{Api, ApiResult, List, PageQuery, PathOf, QueryOf, Route};

use crate::ops::add_entry::ADD_ENTRY;
use crate::ops::get_account::{AccountView, GET_ACCOUNT};
use crate::ops::list_entries::{EntriesOf, Entry, LIST_ENTRIES};
use crate::ops::transfer::TRANSFER;
use crate::{AFUNDS, NACCOUNT};

const TAG: &str = "Ledger";
const WRITES: &[Role] = &[Role::Operator, Role::App];
const READS: &[Role] = &[Role::Operator, Role::App, Role::Reader];

/// The ledger's routes.
#[must_use]
pub fn routes() -> Vec<Route> {
    vec![
        Route::operation("/v1/{ns}/ledger/entries", &ADD_ENTRY)
            .tag(TAG)
            .summary("Add an entry")
            .about("The first entry of an account opens it. A balance never goes below zero.")
            .roles(WRITES)
            .errors(&[AFUNDS]),
        Route::operation("/v1/{ns}/ledger/transfers", &TRANSFER)
            .tag(TAG)
            .summary("Transfer between two accounts")
            .about("Both entries are written under one version, or neither.")
            .roles(WRITES)
            .errors(&[AFUNDS, NACCOUNT]),
        Route::get("/v1/{ns}/ledger/accounts/{id}", account)
            .tag(TAG)
            .summary("Show an account")
            .roles(READS)
            .param("id", "Name of the account")
            .answers::<AccountView>(200)
            .errors(&[NACCOUNT]),
        Route::get("/v1/{ns}/ledger/entries", entries)
            .tag(TAG)
            .summary("List entries")
            .about("Oldest first, of one account or of all.")
            .roles(READS)
            .query::<EntriesQuery>()
            .answers::<List<Entry>>(200),
    ]
}

#[derive(Deserialize)]
struct AccountPath {
    id: String,
}

async fn account(api: Api, PathOf(AccountPath { id }): PathOf<AccountPath>) -> ApiResult<AccountView> {
    api.read(&GET_ACCOUNT, id).await
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct EntriesQuery {
    /// Only entries of this account.
    account: Option<String>,
    /// At most so many items; 100 if not given.
    limit: Option<u32>,
    /// Only entries after this one: `next` of the page before.
    after: Option<String>,
}

async fn entries(api: Api, QueryOf(query): QueryOf<EntriesQuery>) -> ApiResult<List<Entry>> {
    let page = api.page(&PageQuery { limit: query.limit, after: query.after })?;
    let of = EntriesOf { account: query.account, after: page.after_text(), limit: page.and_one() };
    let entries = api.read(&LIST_ENTRIES, of).await?;
    Ok(entries.map(|entries| List::cut(entries, page.limit, |entry| entry.id.clone())))
}
