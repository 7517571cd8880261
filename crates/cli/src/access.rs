//! The key that a server is shown, and where it came from, so that one that is refused can be told from others.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::flags::{Reach, SERVER};
use crate::local;
use crate::login::ADMINISTRATOR;
use crate::profile::{self, Profiles};
use crate::session::ADMINISTRATION;
use crate::shell::quoted;

/// A key, which nobody is shown; empty if there is none.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) key: String,
    pub(crate) origin: Origin,
}

/// Where a key came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `FASTNESS_KEY`.
    Environment,
    /// `--key-file`.
    File(PathBuf),
    /// A login.
    Login {
        /// Whose.
        account: String,
        /// The namespace of account and key.
        namespace: String,
    },
    /// Made on the way, or there is none.
    Other,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl Access {
    /// The key of a file that was named, or else of the environment.
    pub(crate) fn given(reach: &Reach) -> Result<Option<Self>, Failure> {
        if let Some(path) = &reach.key_file {
            let read = |error| Failure::usage(format!("cannot read {}: {error}", path.display()));
            let text = String::from_utf8(local::read(path).map_err(read)?);
            let text = text.map_err(|_| Failure::usage(format!("{} holds no key", path.display())))?;
            return Ok(Some(Self { key: text.trim().to_owned(), origin: Origin::File(path.clone()) }));
        }
        let set = std::env::var("FASTNESS_KEY").ok().filter(|key| !key.is_empty());
        Ok(set.map(|key| Self { key: key.trim().to_owned(), origin: Origin::Environment }))
    }

    /// The key of the login at a server.
    pub(crate) fn kept(profiles: &Profiles, server: &str) -> Option<Self> {
        let profile = profiles.get(server)?;
        let origin = Origin::Login { account: profile.account.clone(), namespace: profile.namespace.clone() };
        Some(Self { key: profile.key.clone(), origin })
    }

    /// A key of which nothing more is known.
    pub(crate) fn of(key: &str) -> Self {
        Self { key: key.to_owned(), origin: Origin::Other }
    }
}

impl Origin {
    /// Whether it is a login of an administrator of the server.
    pub(crate) fn is_administrators_login(&self) -> bool {
        matches!(self, Self::Login { namespace, .. } if namespace == ADMINISTRATION)
    }

    /// What to do about a key from here that a server refused; `None` if nothing is known of it.
    pub(crate) fn hint(&self, server: &str, namespace: &str) -> Option<String> {
        let unknown = format!("{server} does not know it in namespace `{namespace}`");
        let login = login_at(server);
        Some(match self {
            Self::Environment => {
                format!(
                    "shown was the key in FASTNESS_KEY; {unknown}: set another one, or unset it and log in: {login}"
                )
            }
            Self::File(path) => {
                let file = path.display();
                format!(
                    "shown was the key in {file}; {unknown}: name another --key-file, or leave it out and log in: {login}"
                )
            }
            Self::Login { account, namespace: home } => {
                let file = profile::path().unwrap_or_default();
                let shown = format!("shown was the key of the login kept in {}; {unknown}", file.display());
                // Such a key is good in its own namespace only: another login would not make this one right.
                if home != ADMINISTRATION && home != namespace {
                    return Some(format!("{shown}: it is one of `{home}`, so add --namespace {}", quoted(home)));
                }
                format!("{shown}: log in again: {}", login_as(server, account, home))
            }
            Self::Other => return None,
        })
    }
}

/// The command that logs in at a server.
pub(crate) fn login_at(server: &str) -> String {
    if server == SERVER { "fastness login".into() } else { format!("fastness login --server {}", quoted(server)) }
}

/// The same as an account of a namespace.
fn login_as(server: &str, account: &str, home: &str) -> String {
    let named = |flag: &str, value: &str, usual: &str| {
        if value == usual { String::new() } else { format!(" {flag} {}", quoted(value)) }
    };
    login_at(server) + &named("--account", account, ADMINISTRATOR) + &named("--home", home, ADMINISTRATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_9_a_refused_key_is_told_with_where_it_came_from_and_never_shown() {
        let told = |origin: Origin| origin.hint("http://h:1", "main").unwrap_or_default();
        assert_eq!(
            told(Origin::Environment),
            "shown was the key in FASTNESS_KEY; http://h:1 does not know it in namespace `main`: \
             set another one, or unset it and log in: fastness login --server http://h:1"
        );
        assert!(told(Origin::File("a.key".into())).starts_with("shown was the key in a.key; "));
        let login = |account: &str, home: &str| Origin::Login { account: account.into(), namespace: home.into() };
        assert!(login("admin", "z").is_administrators_login() && !login("anna", "shop").is_administrators_login());
        assert!(told(login("admin", "z")).starts_with("shown was the key of the login kept in "));
        assert!(told(login("admin", "z")).ends_with("log in again: fastness login --server http://h:1"));
        assert!(told(login("anna", "main")).ends_with("fastness login --server http://h:1 --account anna --home main"));
        assert!(told(login("anna", "shop")).ends_with(": it is one of `shop`, so add --namespace shop"));
        assert_eq!(Origin::Other.hint("http://h:1", "main"), None);
        assert!(!format!("{:?}", Access::of("secret")).contains("secret"));
    }
}
