//! Which folders of this machine are kept in step with what: one file per link, beside its state.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use synxpo::names::Policy;

use super::connection::Address;
use super::world;
use crate::agent::{LARGE_BYTES, Settings};
use crate::disk::real::RealDisk;
use crate::disk::{Disk as _, Marker};
use crate::model::Stat;
use crate::state::{Peek, State, StateError};

/// Why something about links cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// A file of ours, or the folder, refused.
    #[error("{0}: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// A file of ours says what none does.
    #[error("{0} cannot be read: {1}")]
    Damaged(PathBuf, String),
    /// The state refused.
    #[error(transparent)]
    State(#[from] StateError),
    /// It cannot be linked.
    #[error("{0}")]
    Refused(String),
}

/// A folder of this machine that is kept in step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Which one: the marker at its root names it.
    pub link: String,
    /// Where it is.
    pub root: PathBuf,
    /// With what.
    pub directory: String,
    /// Where that is.
    #[serde(flatten)]
    pub address: Address,
    /// This device, for people.
    pub device: String,
    /// This daemon, for the server.
    pub client_id: String,
    /// Names are compared byte by byte.
    #[serde(default)]
    pub exact_names: bool,
    /// Symbolic links are kept in step.
    #[serde(default = "yes")]
    pub links: bool,
    /// Seconds between two looks at everything.
    #[serde(default = "ten_minutes")]
    pub rescan_s: u64,
}

fn yes() -> bool {
    true
}

fn ten_minutes() -> u64 {
    600
}

impl Link {
    /// As the machine wants it.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            directory: self.directory.clone(),
            device: self.device.clone(),
            client_id: self.client_id.clone(),
            policy: if self.exact_names { Policy::Exact } else { Policy::Folded },
            links: self.links,
            link: self.link.clone(),
            large_bytes: LARGE_BYTES,
            rescan_ms: self.rescan_s.max(1) * 1_000,
        }
    }
}

/// Where links and their states are: `$FASTNESS_FOLDERS_HOME`, else `fastness/folders` below the user's state.
#[derive(Debug, Clone)]
pub struct Home(PathBuf);

impl Home {
    /// The user's own.
    ///
    /// # Errors
    /// Nothing says where that is.
    pub fn of_user() -> Result<Self, LinkError> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let state = || set("XDG_STATE_HOME").or_else(|| set("HOME").map(|home| home.join(".local/state")));
        set("FASTNESS_FOLDERS_HOME")
            .or_else(|| state().map(|state| state.join("fastness/folders")))
            .map(Self)
            .ok_or_else(|| LinkError::Refused("neither XDG_STATE_HOME nor HOME is set".to_owned()))
    }

    /// This one.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    fn folder(&self, link: &str) -> PathBuf {
        self.0.join(link)
    }

    /// The state of a link.
    #[must_use]
    pub fn state_path(&self, link: &Link) -> PathBuf {
        self.folder(&link.link).join("state.db")
    }

    /// All links.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn links(&self) -> Result<Vec<Link>, LinkError> {
        let names = world::names(&self.0).map_err(|error| LinkError::Io(self.0.clone(), error))?;
        let mut links = vec![];
        for name in names {
            let path = self.folder(&name).join("link.json");
            match world::read(&path) {
                Ok(text) => links
                    .push(serde_json::from_str(&text).map_err(|error| LinkError::Damaged(path, error.to_string()))?),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(LinkError::Io(path, error)),
            }
        }
        Ok(links)
    }

    /// The link of the folder that a path lies in, and the path within it.
    ///
    /// # Errors
    /// A file cannot be read, or no folder that is linked holds it.
    pub fn link_of(&self, path: &Path) -> Result<(Link, String), LinkError> {
        let io = |error| LinkError::Io(path.to_owned(), error);
        let (named, real) = (named_path(path).map_err(io)?, full_path(path).map_err(io)?);
        let links = self.links()?;
        let inside = |link: &Link, full: &Path| Some(full.strip_prefix(&link.root).ok()?.to_str()?.to_owned());
        // A symbolic link in a folder is a file of it; one that leads to a folder is that folder.
        let found = [named, real]
            .iter()
            .find_map(|full| links.iter().find_map(|link| Some((link.clone(), inside(link, full)?))));
        found.ok_or_else(|| LinkError::Refused(format!("`{}` lies in no folder that is linked", path.display())))
    }

    /// Links a folder, which is made if it is not there.
    ///
    /// # Errors
    /// It is linked already, or lies in one that is, or cannot be written.
    pub fn add(&self, mut link: Link) -> Result<Link, LinkError> {
        let io = |error| LinkError::Io(link.root.clone(), error);
        world::make_folder(&link.root).map_err(io)?;
        link.root = world::real_path(&link.root).map_err(io)?;
        self.keep_out(&link.root)?;
        for other in self.links()? {
            if other.root.starts_with(&link.root) || link.root.starts_with(&other.root) {
                let text = format!("`{}` is linked already ({})", other.root.display(), other.directory);
                return Err(LinkError::Refused(text));
            }
        }
        let io = |error| LinkError::Io(link.root.clone(), error);
        let mut disk = RealDisk::open(&link.root).map_err(io)?;
        let marker = Marker { directory: link.directory.clone(), link: link.link.clone() };
        disk.put_marker(&marker).map_err(io)?;
        self.save(&link)?;
        Ok(link)
    }

    /// Keys and states are nobody else's: a folder that holds them is not linked.
    fn keep_out(&self, root: &Path) -> Result<(), LinkError> {
        world::make_folder(&self.0).map_err(|error| LinkError::Io(self.0.clone(), error))?;
        let own = world::real_path(&self.0).map_err(|error| LinkError::Io(self.0.clone(), error))?;
        if own.starts_with(root) || root.starts_with(&own) {
            let text = format!("`{}` holds what the daemon remembers (`{}`), keys too", root.display(), own.display());
            return Err(LinkError::Refused(text));
        }
        Ok(())
    }

    /// Writes down a link.
    ///
    /// # Errors
    /// The disk refused.
    pub fn save(&self, link: &Link) -> Result<(), LinkError> {
        let path = self.folder(&link.link).join("link.json");
        let text =
            serde_json::to_string_pretty(link).map_err(|error| LinkError::Damaged(path.clone(), error.to_string()))?;
        world::write_secret(&path, &text).map_err(|error| LinkError::Io(path, error))
    }

    /// Ends a link: whoever keeps it in step notices and stops. What is remembered of it stays until [`Home::remove`].
    ///
    /// # Errors
    /// The disk refused.
    pub fn end(&self, link: &Link) -> Result<(), LinkError> {
        let path = self.folder(&link.link).join("link.json");
        world::end_file(&path).map_err(|error| LinkError::Io(path, error))
    }

    /// Whether a daemon keeps a folder in step now.
    #[must_use]
    pub fn is_kept(&self, link: &Link) -> bool {
        world::is_locked(&link.root.join(synxpo::names::OWN_NAME).join("lock"))
    }

    /// What lies at a path of a folder, and whether that is a folder; nothing is followed.
    ///
    /// # Errors
    /// The disk refused.
    pub fn stat(&self, link: &Link, inside: &str) -> Result<Option<(Stat, bool)>, LinkError> {
        let path = link.root.join(inside);
        world::stat(&path).map_err(|error| LinkError::Io(path, error))
    }

    /// A look into the state of a link; `None` if it was never kept in step.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn peek(&self, link: &Link) -> Result<Option<Peek>, LinkError> {
        Ok(Peek::open(&self.state_path(link))?)
    }

    /// Forgets a link; what is in the folder stays, backups too.
    ///
    /// # Errors
    /// The disk refused.
    pub fn remove(&self, link: &Link) -> Result<(), LinkError> {
        let folder = self.folder(&link.link);
        world::remove_folder(&folder).map_err(|error| LinkError::Io(folder, error))
    }

    /// The state of a link, to be looked at.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn state(&self, link: &Link) -> Result<State, LinkError> {
        Ok(State::open(&self.state_path(link))?)
    }
}

/// The path with its own name, whatever lies there, in a folder as the system knows it.
fn named_path(path: &Path) -> io::Result<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if parent.as_os_str().is_empty() => Ok(full_path(Path::new("."))?.join(name)),
        (Some(parent), Some(name)) => Ok(full_path(parent)?.join(name)),
        _ => full_path(path),
    }
}

/// Also of what is not there (any more).
fn full_path(path: &Path) -> io::Result<PathBuf> {
    match world::real_path(path) {
        Ok(real) => Ok(real),
        Err(error) if path.file_name().is_none() => Err(error),
        Err(_) => named_path(path),
    }
}
