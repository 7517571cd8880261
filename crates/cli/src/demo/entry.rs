//! By what right a demo runs: a key as for every command, or, at a terminal, the administrator's password once.

use std::io::{self, IsTerminal};

use crate::failure::Failure;
use crate::flags::SERVER;
use crate::login::Login;
use crate::session::Session;

/// A session that has a key.
pub(super) async fn with_key(session: &Session) -> Result<Session, Failure> {
    if session.access_key().is_ok() {
        return session.elsewhere(session.server(), &session.namespace, session.access_key()?);
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(no_key(session));
    }
    session.out.remark(
        "A demo needs an administrator: the password of `admin` is the one that the first start of the server printed, \
         or, if you have logged in to the console since, the one that you chose there.",
    );
    Login::of_administrator().run(session.common().clone()).await?;
    Session::open(session.common())
}

fn no_key(session: &Session) -> Failure {
    let (program, server) = (program(), at(session));
    Failure::usage("no access key: a demo needs an administrator's").hint(format!(
        "log in once, as `admin`, with the password that the first start of the server printed or that you chose since: \
         {program} login{server}   \
         (or start the server with FASTNESS_ADMIN_KEY=a-key-of-my-own-choice, and set FASTNESS_KEY to the same)"
    ))
}

/// What a person typed to call us.
pub(super) fn program() -> String {
    std::env::args().next().filter(|word| !word.is_empty()).unwrap_or_else(|| "fastness".into())
}

fn at(session: &Session) -> String {
    if session.server() == SERVER { String::new() } else { format!(" --server {}", session.server()) }
}
