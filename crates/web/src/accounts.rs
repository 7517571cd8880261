//! Routes of accounts and console sessions (KER-32, KER-33).
//!
//! Invariant: a key that a scope binds changes no accounts, which no scope binds.

mod sessions;
mod view;

use base::{OpError, codes};
use kernel::accounts::change_account::{CHANGE_ACCOUNT, ChangeAccount};
use kernel::accounts::create_account::{CREATE_ACCOUNT, CreateAccount, Made, NewPassword};
use kernel::accounts::delete_account::{DELETE_ACCOUNT, DeleteAccount, Deleted};
use kernel::accounts::list_accounts::{LIST_ACCOUNTS, Page, SHOW_ACCOUNT};
use kernel::accounts::password::Kept;
use kernel::accounts::{Account, check_name, check_role};
use serde::Deserialize;

use crate::answer::{ApiResult, List};
use crate::api::Api;
use crate::body::{JsonBody, NoBody};
use crate::error::ApiError;
use crate::params::{PageQuery, PathOf, QueryOf};
use crate::route::{Route, Service};
use view::{AccountsQuery, ConsoleAccount, ConsoleAccountChange, MadeConsoleAccount, NewConsoleAccount};

const TAG: &str = "Accounts";

/// The service with its routes.
pub(crate) const SERVICE: Service = Service::new(&kernel::accounts::SERVICE, routes);

fn routes() -> Vec<Route> {
    let mut routes = account_routes();
    routes.extend(sessions::routes());
    routes
}

fn account_routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/accounts", create)
            .tag(TAG)
            .summary("Create an account")
            .about(
                "For a person. Its one-time password is shown in this answer and never again; its owner should change it. \
                 With an Idempotency-Key a repeat shows the same one.",
            )
            .takes::<NewConsoleAccount>()
            .answers::<MadeConsoleAccount>(201)
            .errors(&[codes::AACCOUNT])
            .for_unbound(),
        Route::get("/v1/{ns}/accounts", list)
            .tag(TAG)
            .summary("List accounts")
            .about("In the order of their names.")
            .query::<AccountsQuery>()
            .answers::<List<ConsoleAccount>>(200)
            .errors(&[codes::ALIMIT]),
        Route::get("/v1/{ns}/accounts/{name}", show)
            .tag(TAG)
            .summary("Show an account")
            .param("name", "Name of the account")
            .answers::<ConsoleAccount>(200)
            .errors(&[codes::NPERSON]),
        Route::patch("/v1/{ns}/accounts/{name}", change)
            .tag(TAG)
            .summary("Change an account")
            .about(
                "Its role, whether it is blocked, a new one-time password. A block and a new password end its sessions at once. The \
                 last administrator of the administrators' namespace stays one.",
            )
            .param("name", "Name of the account")
            .takes::<ConsoleAccountChange>()
            .answers::<MadeConsoleAccount>(200)
            .errors(&[codes::NPERSON, codes::ALASTADMIN])
            .for_unbound(),
        Route::delete("/v1/{ns}/accounts/{name}", remove)
            .tag(TAG)
            .summary("Remove an account")
            .about("Ends its sessions at once.")
            .param("name", "Name of the account")
            .answers_nothing()
            .errors(&[codes::NPERSON, codes::ALASTADMIN])
            .for_unbound(),
    ]
}

#[derive(Deserialize)]
struct AccountPath {
    name: String,
}

async fn create(api: Api, body: JsonBody<NewConsoleAccount>) -> ApiResult<MadeConsoleAccount> {
    check_name(&body.value.name)?;
    check_role(body.value.role)?;
    let password = new_password(&api).await?;
    let input = |new: NewConsoleAccount| CreateAccount { name: new.name, role: new.role, password };
    let made = api.call(&CREATE_ACCOUNT, body.map(input)).await?;
    let shown = shown_once(&api, &made.out)?;
    Ok(made.map(|made| MadeConsoleAccount::new(made.account, shown)))
}

async fn list(api: Api, QueryOf(query): QueryOf<AccountsQuery>) -> ApiResult<List<ConsoleAccount>> {
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let after = query.after.unwrap_or_default();
    if !after.is_empty() {
        check_name(&after)?;
    }
    let accounts = api.read(&LIST_ACCOUNTS, Page { after, limit: page.and_one() }).await?;
    let views = |accounts: Vec<Account>| accounts.into_iter().map(ConsoleAccount::from).collect();
    Ok(accounts.map(|accounts| List::cut(views(accounts), page.limit, |account| account.name.clone())))
}

async fn show(api: Api, PathOf(path): PathOf<AccountPath>) -> ApiResult<ConsoleAccount> {
    Ok(api.read(&SHOW_ACCOUNT, path.name).await?.map(ConsoleAccount::from))
}

async fn change(
    api: Api,
    PathOf(path): PathOf<AccountPath>,
    body: JsonBody<ConsoleAccountChange>,
) -> ApiResult<MadeConsoleAccount> {
    let password = if body.value.new_password { Some(new_password(&api).await?) } else { None };
    let last_admin_stays = is_admins(&api);
    let input = move |change: ConsoleAccountChange| ChangeAccount {
        name: path.name,
        role: change.role,
        blocked: change.blocked,
        password,
        last_admin_stays,
    };
    let made = api.clone().call_and_forget_keys(&CHANGE_ACCOUNT, body.map(input)).await?;
    let shown = shown_once(&api, &made.out)?;
    Ok(made.map(|made| MadeConsoleAccount::new(made.account, shown)))
}

async fn remove(api: Api, PathOf(AccountPath { name }): PathOf<AccountPath>, body: NoBody) -> ApiResult<Deleted> {
    let last_admin_stays = is_admins(&api);
    api.call_and_forget_keys(&DELETE_ACCOUNT, body.with(DeleteAccount { name, last_admin_stays })).await
}

/// Whether this is the namespace whose administrators nobody else can replace.
fn is_admins(api: &Api) -> bool {
    api.namespace().name == api.kernel().config().admin_namespace
}

/// Makes up a one-time password that only this caller can be shown again.
async fn new_password(api: &Api) -> Result<NewPassword, ApiError> {
    let mut chance = [0; 48];
    api.kernel().env().entropy.fill(&mut chance);
    let (mut salt, mut hash_salt) = ([0; 32], [0; 16]);
    salt.copy_from_slice(&chance[..32]);
    hash_salt.copy_from_slice(&chance[32..]);
    let proof = api.caller().proof.ok_or_else(no_proof)?;
    let kept = Kept::new(&proof, salt);
    let password = kept.password(&proof).ok_or_else(no_proof)?;
    let hash = api.shared().passwords().hash(password, hash_salt).await?;
    Ok(NewPassword { hash, kept })
}

/// The one-time password, for whom it was made.
fn shown_once(api: &Api, made: &Made) -> Result<Option<String>, ApiError> {
    let Some(kept) = &made.password else { return Ok(None) };
    let proof = api.caller().proof.ok_or_else(no_proof)?;
    let elsewhere = || {
        let message = "this password was made for another login or key; ask for a new one with new_password";
        OpError::new(codes::AKEYREUSED, message)
    };
    Ok(Some(kept.password(&proof).ok_or_else(elsewhere)?))
}

fn no_proof() -> ApiError {
    ApiError::refused(codes::BDETECTED, "the caller showed no secret to make a password from")
}
