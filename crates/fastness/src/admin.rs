//! `fastness admin`: what only whoever sits at the server's machine may do, with the server stopped.

use anyhow::{Context, Result, bail, ensure};
use host::{DirLock, DirLockError};
use kernel::accounts::change_account::{CHANGE_ACCOUNT, ChangeAccount};
use kernel::accounts::create_account::NewPassword;
use kernel::accounts::password::Kept;

use crate::config::Config;
use crate::{server, welcome};

/// Gives an account of the administrators' namespace a new one-time password, unblocks it, and ends its sessions.
pub(crate) fn reset_password(config: &Config, services: &[web::Service], account: &str) -> Result<String> {
    // A mistyped path must not become a new data directory.
    ensure!(config.data.dir.exists(), "there is no data directory {}", config.data.dir.display());
    let _lock = lock(config, " (a running server's administrators can give new passwords themselves)")?;
    let (kernel, _) = server::open(config, services)?;
    let (password, hash) = welcome::new_password(&kernel);
    // Nobody can ask for it again: it is printed here, not answered.
    let kept = Kept::new(&[0; 32], [0; 32]);
    let change = ChangeAccount {
        name: account.to_owned(),
        role: None,
        blocked: Some(false),
        password: Some(NewPassword { hash, kept }),
        last_admin_stays: true,
    };
    let changed = welcome::call(&kernel, &CHANGE_ACCOUNT, change);
    kernel.namespaces().iter().for_each(|ns| ns.store.close());
    changed.with_context(|| format!("the password of `{account}` was not changed"))?;
    Ok(password)
}

/// A running server holds its data; nobody else may write there.
pub(crate) fn lock(config: &Config, hint: &str) -> Result<DirLock> {
    match DirLock::acquire(&config.data.dir) {
        Ok(lock) => Ok(lock),
        Err(held @ DirLockError::Held { .. }) => bail!("{held}: stop it first, then run this again{hint}"),
        Err(unusable) => Err(unusable.into()),
    }
}
