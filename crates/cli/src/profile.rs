//! Logins that are kept for later commands: one key per server, in a file that only its owner may read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::local;

/// All logins.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Profiles {
    /// The server that was logged in to last.
    #[serde(default)]
    latest: Option<String>,
    /// By the server's address.
    #[serde(default)]
    servers: BTreeMap<String, Profile>,
}

/// One login.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Profile {
    /// Whose.
    pub(crate) account: String,
    /// The namespace of account and key.
    pub(crate) namespace: String,
    /// Id of the key, to revoke it.
    pub(crate) key_id: String,
    /// Its secret.
    pub(crate) key: String,
}

impl Profiles {
    /// Those that are kept; none if there is no file.
    pub(crate) fn load() -> Result<Self, Failure> {
        let Some(path) = path() else { return Ok(Self::default()) };
        let wrong = |error: String| Failure::usage(format!("cannot read {}: {error}", path.display()));
        match local::text(&path).map_err(|error| wrong(error.to_string()))? {
            Some(text) => serde_json::from_str(&text).map_err(|error| wrong(error.to_string())),
            None => Ok(Self::default()),
        }
    }

    /// Keeps them.
    pub(crate) fn save(&self) -> Result<(), Failure> {
        let path = path().ok_or_else(|| Failure::usage("neither XDG_CONFIG_HOME nor HOME is set"))?;
        let text = serde_json::to_string_pretty(self).map_err(Failure::here)?;
        let wrong = |error| Failure::here(format!("cannot write {}: {error}", path.display()));
        local::write_secret(&path, &text).map_err(wrong)
    }

    /// The server that was logged in to last.
    pub(crate) fn latest(&self) -> Option<&str> {
        self.latest.as_deref()
    }

    /// Adds a login; gives the one that was there.
    pub(crate) fn put(&mut self, server: &str, profile: Profile) -> Option<Profile> {
        self.latest = Some(server.to_owned());
        self.servers.insert(server.to_owned(), profile)
    }

    /// The login at a server.
    pub(crate) fn get(&self, server: &str) -> Option<&Profile> {
        self.servers.get(server)
    }

    /// Forgets a login.
    pub(crate) fn remove(&mut self, server: &str) {
        self.servers.remove(server);
        self.latest = self.latest.take().filter(|latest| latest != server);
    }
}

/// `$XDG_CONFIG_HOME/fastness/logins.json`, or below `~/.config`.
pub(crate) fn path() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    folder.map(|folder| folder.join("fastness").join("logins.json"))
}
