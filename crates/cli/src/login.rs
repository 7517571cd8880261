//! `fastness login` and `logout`: a key of one's own for later commands, made by the right of an account.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use client::{Given, Request};
use serde_json::json;

use crate::failure::{Done, Failure};
use crate::flags::{Common, SERVER};
use crate::local;
use crate::profile::{Profile, Profiles};
use crate::program::common;
use crate::session::{ADMINISTRATION, Session, server_of};

pub(crate) const LOGIN: &str = "login";
pub(crate) const LOGOUT: &str = "logout";

/// The first account of a server.
pub(crate) const ADMINISTRATOR: &str = "admin";

const COOKIE: &str = "fastness_session";

const LOGIN_EXAMPLES: &str = "\
Examples:
  fastness login --server https://fastness.example --account anna
  fastness login --account anna --home shop            an account of the namespace shop
  fastness login --password-file ~/password            where nobody can type";

const LOGOUT_EXAMPLES: &str = "\
Examples:
  fastness logout
  fastness logout --server https://fastness.example";

/// Who logs in.
#[derive(Debug, Clone, Args)]
pub(crate) struct Login {
    /// Whose password is asked for
    #[arg(long, value_name = "NAME", default_value = ADMINISTRATOR)]
    account: String,
    /// Namespace of the account
    #[arg(long, value_name = "NS", default_value = ADMINISTRATION)]
    home: String,
    /// Read the password from here; `-` for the standard input
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

pub(crate) fn login_command() -> Command {
    let command = Login::augment_args(Command::new(LOGIN));
    let command = command.about("Make an access key for later commands, by an administrator's password");
    Common::add_to(command).after_help(LOGIN_EXAMPLES)
}

pub(crate) fn logout_command() -> Command {
    Common::add_to(Command::new(LOGOUT).about("Revoke that key and forget it")).after_help(LOGOUT_EXAMPLES)
}

pub(crate) async fn login(matches: &ArgMatches) -> Done {
    Login::from_arg_matches(matches).map_err(Failure::usage)?.run(common(matches)?).await
}

impl Login {
    /// The first account of a server, whose password is asked for.
    pub(crate) fn of_administrator() -> Self {
        Self { account: ADMINISTRATOR.into(), home: ADMINISTRATION.into(), password_file: None }
    }

    /// Login, a key, logout: the session ends at once, the key stays.
    pub(crate) async fn run(&self, mut common: Common) -> Done {
        common.reach.idempotency_key = None;
        let server = common.reach.server.clone().unwrap_or_else(|| SERVER.into());
        let (account, home) = (self.account.clone(), self.home.clone());
        common.reach.namespace.clone_from(&home);
        let session = Session::with_key(&common, &server, "")?;
        session.reach().await?;
        let password = self.password(&server)?;
        let body = json!({ "account": account, "password": password });
        let opened = session.call(Request::new("POST", &["sessions"]).json(&body)).await;
        let opened = opened.map_err(|failure| self.with_way_in(failure))?;
        // Before a key is made: one that cannot be kept would be valid, and nobody would know of it.
        let mut profiles = Profiles::load()?;
        let (key_id, key) = make_key(&common, &server, &opened, &account).await?;
        let profile = Profile { account: account.clone(), namespace: home.clone(), key_id, key };
        let before = profiles.put(&server, profile.clone());
        if let Err(failure) = profiles.save() {
            let _ = revoke(&common, &server, &profile).await;
            return Err(failure);
        }
        if opened.value["must_change"] == true {
            session
                .out
                .remark("this password was made for you: log in to the console, which asks you to choose your own");
        }
        if let Some(before) = before {
            match revoke(&common, &server, &before).await {
                Err(failure) if !is_unknown(&failure) => session.out.remark("the key of the login before stays"),
                Ok(()) | Err(_) => {}
            }
        }
        let who = json!({ "server": server, "account": account, "namespace": home, "role": opened.value["role"] });
        session.out.done(&who, &format!("logged in at {server} as {account}"), None)
    }

    /// A wrong password with whose it was taken for, and how one that is forgotten is made anew.
    fn with_way_in(&self, failure: Failure) -> Failure {
        if failure.code.as_deref() != Some("SLOGIN") {
            return failure;
        }
        let Self { account, home, .. } = self;
        let named = if account == ADMINISTRATOR { String::new() } else { format!(" --account {account}") };
        let anew = match home.as_str() {
            ADMINISTRATION => {
                format!("`fastness admin reset-password{named}` on the server's machine, with the server stopped")
            }
            _ => format!(
                "an administrator's `fastness admin account change {account} --new-password --namespace {home}`"
            ),
        };
        failure.hint(format!(
            "that was account `{account}` of namespace `{home}` (--account, --home); a password that is forgotten is made anew by {anew}"
        ))
    }

    fn password(&self, server: &str) -> Result<String, Failure> {
        if let Some(path) = &self.password_file {
            let wrong = |error| Failure::usage(format!("cannot read {}: {error}", path.display()));
            let bytes = local::read(path).map_err(wrong)?;
            return Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned());
        }
        let nobody =
            |_| Failure::usage("nobody can be asked for the password here").hint("give it by --password-file FILE");
        rpassword::prompt_password(format!("Password of {} at {server}: ", self.account)).map_err(nobody)
    }
}

async fn make_key(common: &Common, server: &str, opened: &Given, account: &str) -> Result<(String, String), Failure> {
    let cookie = opened.cookie(COOKIE).map(|token| format!("{COOKIE}={token}"));
    let cookie = cookie.ok_or_else(|| Failure::here("the server opened no session"))?;
    let csrf = opened.value["csrf"].as_str().unwrap_or_default().to_owned();
    let by_session = |request: Request| request.header("cookie", cookie.clone()).header("x-csrf-token", csrf.clone());
    // Each change has a key of its own: one command, three changes.
    let session = || Session::with_key(common, server, "");
    let body = json!({ "role": opened.value["role"], "label": format!("login of {account}") });
    let made = session()?.change(by_session(Request::new("POST", &["keys"]).json(&body))).await;
    // It would end by itself; whoever cannot make a key need not know that this failed too.
    let _ = session()?.change(by_session(Request::new("DELETE", &["sessions"]))).await;
    let made = made.map_err(|failure| match failure.code.as_deref() {
        Some("SROLE") => failure.hint("only administrators make keys: ask one for a key, and set FASTNESS_KEY"),
        _ => failure,
    })?;
    let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
    Ok((text("id"), text("key")))
}

/// Revokes the key at the server, then forgets it; a key that the server does not know any more is forgotten too.
pub(crate) async fn logout(matches: &ArgMatches) -> Done {
    let common = common(matches)?;
    let mut profiles = Profiles::load()?;
    let server = server_of(&common.reach, &profiles);
    let profile = profiles.get(&server).cloned();
    let profile = profile.ok_or_else(|| Failure::usage(format!("not logged in at {server}")))?;
    match revoke(&common, &server, &profile).await {
        Ok(()) => {}
        Err(failure) if is_unknown(&failure) => {}
        Err(failure) => return Err(failure),
    }
    profiles.remove(&server);
    profiles.save()?;
    let session = Session::with_key(&common, &server, "")?;
    session.out.done(&json!({ "server": server }), &format!("logged out at {server}"), None)
}

/// A key that the server does not know any more needs no revoking.
fn is_unknown(failure: &Failure) -> bool {
    matches!(failure.code.as_deref(), Some("SKEY" | "NKEY" | "NNAMESPACE"))
}

async fn revoke(common: &Common, server: &str, profile: &Profile) -> Done {
    let mut common = common.clone();
    common.reach.namespace.clone_from(&profile.namespace);
    let session = Session::with_key(&common, server, &profile.key)?;
    session.change(Request::new("DELETE", &["keys", &profile.key_id])).await.map(drop)
}
