//! By what right a demo runs: a key as for every command, or, at a terminal, the administrator's password once.

use std::io::{self, IsTerminal};

use client::Request;

use crate::access::login_at;
use crate::failure::Failure;
use crate::login::Login;
use crate::session::Session;

/// A session that has a key.
pub(super) async fn with_key(session: &Session) -> Result<Session, Failure> {
    // Before anything is asked: whoever forgot to start the server is told that.
    let anybody = Session::with_key(session.common(), session.server(), "")?;
    anybody.reach().await?;
    let is_somebody_there = io::stdin().is_terminal() && io::stderr().is_terminal();
    if let Ok(key) = session.access_key() {
        if !(is_somebody_there && is_outlived(session).await) {
            return session.elsewhere(session.server(), &session.namespace, key);
        }
        session.out.remark(&format!("The login kept for {} is one that this server does not know.", session.server()));
    } else if !is_somebody_there {
        return Err(no_key(session));
    }
    session.out.remark(
        "A demo needs an administrator: the password of `admin` is the one that the first start of the server printed, \
         or, if you have logged in to the console since, the one that you chose there.",
    );
    let mut common = session.common().clone();
    common.reach.server = Some(session.server().to_owned());
    Login::of_administrator().run(common.clone()).await?;
    Session::open(&common)
}

/// Whether the key is that of an administrator's login that the server refuses, as it does when its data were made anew. Anything else
/// that goes wrong is told by what comes next.
async fn is_outlived(session: &Session) -> bool {
    if !session.origin().is_administrators_login() {
        return false;
    }
    let Ok(admin) = session.administration() else { return false };
    let refused = admin.get(Request::get(&["sessions"])).await;
    refused.is_err_and(|failure| failure.code.as_deref() == Some("SKEY"))
}

fn no_key(session: &Session) -> Failure {
    let login = login_at(session.server()).replacen("fastness", &program(), 1);
    Failure::usage("no access key: a demo needs an administrator's").hint(format!(
        "log in once, as `admin`, with the password that the first start of the server printed or that you chose since: \
         {login}   \
         (or start the server with FASTNESS_ADMIN_KEY=a-key-of-my-own-choice, and set FASTNESS_KEY to the same)"
    ))
}

/// What a person typed to call us.
pub(super) fn program() -> String {
    std::env::args().next().filter(|word| !word.is_empty()).unwrap_or_else(|| "fastness".into())
}
