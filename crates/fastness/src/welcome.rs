//! The first start: an administrator's key, and what a newcomer needs to read.

use std::sync::mpsc::channel;

use anyhow::{Context, Result, ensure};
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey, Bootstrapped};
use kernel::{Caller, Kernel, keys};

/// Shortest administrator's key that is taken from the environment.
const KEY_MIN: usize = 16;

/// The variable that gives the first administrator's key, for automation.
pub(crate) const ADMIN_KEY: &str = "FASTNESS_ADMIN_KEY";

/// Makes sure that there is an administrator. Gives the password to show if one was made up.
pub(crate) fn first_key(kernel: &Kernel, given: Option<String>) -> Result<Option<String>> {
    let secret = match &given {
        Some(secret) => {
            ensure!(secret.len() >= KEY_MIN, "{ADMIN_KEY} is shorter than {KEY_MIN} characters");
            let sendable = secret.bytes().all(|byte| byte.is_ascii_graphic());
            ensure!(sendable, "{ADMIN_KEY} has characters that an Authorization header cannot carry");
            secret.clone()
        }
        None => made_up(kernel),
    };
    let added = bootstrap(kernel, &secret)? == Bootstrapped::Added;
    Ok((added && given.is_none()).then_some(secret))
}

fn made_up(kernel: &Kernel) -> String {
    let mut bytes = [0; 32];
    kernel.env().entropy.fill(&mut bytes);
    keys::secret_text(&bytes)
}

fn bootstrap(kernel: &Kernel, secret: &str) -> Result<Bootstrapped> {
    let (tell, told) = channel();
    let request = kernel.request(Caller::server("start"));
    let input = BootstrapKey { hash: keys::hash(secret) };
    let done = Box::new(move |reply| {
        let _ = tell.send(reply);
    });
    kernel.call(&kernel.admin_namespace(), &BOOTSTRAP_KEY, request, input, done);
    Ok(told.recv().context("the store gave no answer")??.out)
}

/// What is printed when the server is ready.
pub(crate) fn text(url: &str, data: &str, password: Option<&str>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text =
        format!("Fastness {version} is ready\n  console   {url}/\n  API       {url}/docs\n  data      {data}\n");
    if let Some(password) = password {
        text += &format!(
            "\n  First start: this administrator password is shown once. It is also an API key:\n\n      {password}\n\n  \
             curl -H 'Authorization: Bearer {password}' {url}/v1/main/keys\n"
        );
    }
    text + "\n  Ctrl-C stops.\n"
}
