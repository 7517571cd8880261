//! The first start: an administrator's account, a key for automation, and what a newcomer needs to read.

use std::sync::mpsc::channel;

use anyhow::{Context, Result, ensure};
use base::OpResult;
use kernel::accounts::bootstrap_account::{BOOTSTRAP_ACCOUNT, BootstrapAccount, FIRST, FirstAccount};
use kernel::accounts::password;
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey, Bootstrapped};
use kernel::{Caller, Kernel, Op, Query, Reply, keys};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Shortest administrator's key that is taken from the environment.
const KEY_MIN: usize = 16;

/// The variable that gives the first administrator's key, for automation.
pub(crate) const ADMIN_KEY: &str = "FASTNESS_ADMIN_KEY";

/// Makes the key of the environment the first administrator's key, if there was never one.
pub(crate) fn first_key(kernel: &Kernel, given: Option<&str>) -> Result<()> {
    let Some(secret) = given else { return Ok(()) };
    ensure!(secret.len() >= KEY_MIN, "{ADMIN_KEY} is shorter than {KEY_MIN} characters");
    let sendable = secret.bytes().all(|byte| byte.is_ascii_graphic());
    ensure!(sendable, "{ADMIN_KEY} has characters that an Authorization header cannot carry");
    let key = call(kernel, &BOOTSTRAP_KEY, BootstrapKey { hash: keys::hash(secret) })?;
    if key == Bootstrapped::NotNeeded {
        // Whoever follows a guide on data of an earlier start would otherwise wonder why the key is refused.
        tracing::info!(
            "{ADMIN_KEY} counts at the first start only, and changed nothing: this data has its keys already, that one among them if it was given \
             then; `fastness login` makes another"
        );
    }
    Ok(())
}

/// Makes sure that there is an administrator's account. Gives the password to show if it was made now.
pub(crate) fn first_account(kernel: &Kernel) -> Result<Option<String>> {
    let (password, hash) = new_password(kernel);
    let added = call(kernel, &BOOTSTRAP_ACCOUNT, BootstrapAccount { password: hash })?;
    Ok((added == FirstAccount::Added).then_some(password))
}

/// A new one-time password and its hash.
pub(crate) fn new_password(kernel: &Kernel) -> (String, String) {
    let (mut chance, mut salt) = ([0; 32], [0; 16]);
    kernel.env().entropy.fill(&mut chance);
    kernel.env().entropy.fill(&mut salt);
    let password = password::one_time(&chance);
    let hash = password::hash(&password, &salt);
    (password, hash)
}

/// Runs an operation in the administrators' namespace and waits for it.
pub(crate) fn call<I, O>(kernel: &Kernel, op: &'static Op<I, O>, input: I) -> Result<O>
where
    I: Send + 'static,
    O: Serialize + DeserializeOwned + Send + 'static,
{
    let (tell, told) = channel();
    let request = kernel.request(Caller::server("start"));
    let done = Box::new(move |reply: OpResult<Reply<O>>| {
        let _ = tell.send(reply);
    });
    kernel.call(&kernel.admin_namespace(), op, request, input, done);
    Ok(told.recv().context("the store gave no answer")??.out)
}

/// Asks the administrators' store, before there is a server.
pub(crate) fn read<I, O>(kernel: &Kernel, query: &'static Query<I, O>, input: I) -> Result<O>
where
    I: Send + 'static,
    O: Send + 'static,
{
    let (tell, told) = channel();
    let done = Box::new(move |answer: OpResult<O>| {
        let _ = tell.send(answer);
    });
    kernel.read(&kernel.admin_namespace(), query, input, done);
    Ok(told.recv().context("the store gave no answer")??)
}

/// How we are called in a terminal of this machine: by our name where that is found, else by our path. Others need not know it.
pub(crate) fn program(is_near: bool) -> String {
    const NAME: &str = "fastness";
    let Some(path) = std::env::current_exe().ok().filter(|_| is_near) else { return NAME.into() };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_found = std::env::split_paths(&folders).any(|folder| folder.join(NAME) == path);
    match path.to_str() {
        Some(path) if !is_found && !path.contains(|c: char| c.is_whitespace() || "'\"\\$`".contains(c)) => path.into(),
        _ => NAME.into(),
    }
}

/// What is printed when the server is ready.
pub(crate) fn text(url: &str, data: &str, admins: &str, password: Option<&str>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text =
        format!("Fastness {version} is ready\n  console   {url}/console\n  API       {url}/docs\n  data      {data}\n");
    text += &format!("  demos     {}\n", demos(url));
    if let Some(password) = password {
        text += &first_start(url, admins, password);
    }
    text + "\n  Ctrl-C stops.\n"
}

/// One command to begin with, and where the others are.
fn demos(url: &str) -> String {
    let at = if url == "http://127.0.0.1:7400" { String::new() } else { format!(" --server {url}") };
    format!("{} demo exchange{at}   (the others: {url}/console/main/start)", program(true))
}

/// Two commands that a newcomer can copy: a login, and with it a key for programs. The password is asked for: in a command it would stand in the
/// list of processes and in the history of the shell.
fn first_start(url: &str, admins: &str, password: &str) -> String {
    let program = program(true);
    let at = if url == "http://127.0.0.1:7400" { String::new() } else { format!(" --server {url}") };
    let home = if admins == "z" { String::new() } else { format!(" --home {admins}") };
    format!(
        r"
  First start: log in to the console as `{FIRST}`. The password is shown this once:

      password  {password}

  For a program, make a key for the namespace `main`. The login asks for the password; the key is shown once, too:

  {program} login{at}{home}
  {program} admin key create --role admin --label 'my program'
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_19_the_first_start_offers_no_command_that_holds_the_password() {
        let text = text("http://127.0.0.1:7401", "./data", "boss", Some("a-secret-of-once"));
        let with_it: Vec<&str> = text.lines().filter(|line| line.contains("a-secret-of-once")).collect();
        assert_eq!(with_it, ["      password  a-secret-of-once"]);
        assert!(text.contains("login --server http://127.0.0.1:7401 --home boss\n"), "{text}");
    }

    #[test]
    fn ker_19_the_commands_of_the_first_start_are_the_shortest_that_work() {
        let text = text("http://127.0.0.1:7400", "./data", "z", Some("a-secret-of-once"));
        assert!(text.contains("login\n") && text.contains("admin key create --role admin"), "{text}");
    }
}
