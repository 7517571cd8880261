//! The key that a server is shown, and where it came from, so that one that is refused can be told from others.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::flags::{Reach, SERVER};
use crate::local;
use crate::profile::{self, Profiles};
use crate::session::ADMINISTRATION;

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
    /// A login, of an account of this namespace.
    Login {
        /// The namespace.
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
        let origin = Origin::Login { namespace: profile.namespace.clone() };
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
        matches!(self, Self::Login { namespace } if namespace == ADMINISTRATION)
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
            Self::Login { .. } => {
                let file = profile::path().unwrap_or_default();
                let file = file.display();
                format!("shown was the key of the login kept in {file}; {unknown}: log in again: {login}")
            }
            Self::Other => return None,
        })
    }
}

/// The command that logs in at a server.
pub(crate) fn login_at(server: &str) -> String {
    if server == SERVER { "fastness login".into() } else { format!("fastness login --server {server}") }
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
        let login = Origin::Login { namespace: "z".into() };
        assert!(login.is_administrators_login());
        assert!(told(login).starts_with("shown was the key of the login kept in "));
        assert_eq!(Origin::Other.hint("http://h:1", "main"), None);
        assert!(!format!("{:?}", Access::of("secret")).contains("secret"));
    }
}
