//! Looking at what lies where.

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{self, FileType};
use rustix::io::Errno;
use synxpo::names::{self, OWN_NAME, Policy};

use super::RealDisk;
use super::stages::is_executable;
use super::tree::{self, Seen};
use crate::disk::{Found, checked, join};
use crate::model::{Content, Local};

impl RealDisk {
    pub(super) fn list_folder(&self, folder: &str) -> io::Result<Vec<(String, Found)>> {
        let parts = if folder.is_empty() { Vec::new() } else { checked(folder)? };
        let handle = match self.tree.folder(&parts) {
            Err(error) if tree::is_stale(&error) => return Err(io::ErrorKind::NotFound.into()),
            opened => opened?,
        };
        let mut found = Vec::new();
        for name in tree::names_in(&handle)? {
            if !(folder.is_empty() && is_own(&name)) {
                found.extend(self.named(folder, &handle, &name)?);
            }
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(found)
    }

    /// What lies under a name of this disk; `None` if it is gone by now.
    fn named(&self, folder: &str, handle: &OwnedFd, local: &CStr) -> io::Result<Option<(String, Found)>> {
        let other = |name: &str, why: String| Ok(Some((name.to_owned(), Found::Other(why))));
        let Ok(text) = local.to_str() else {
            return other(&local.to_string_lossy(), "a name that is no text".to_owned());
        };
        let Some(name) = self.tree.names.from_local(text) else {
            return other(text, "a name that would read as another".to_owned());
        };
        match crate::disk::parts(&join(folder, &name)) {
            Ok(_) => Ok(self.at(handle, local)?.map(|found| (name.into_owned(), found))),
            Err(why) => other(&name, why),
        }
    }

    pub(super) fn look_at(&self, path: &str) -> io::Result<Option<Found>> {
        let Some(spot) = self.tree.spot(&checked(path)?)? else { return Ok(None) };
        self.at(&spot.folder, rustix::path::Arg::as_cow_c_str(&spot.name.as_str())?.as_ref())
    }

    fn at(&self, folder: &OwnedFd, name: &CStr) -> io::Result<Option<Found>> {
        let seen = match tree::look(folder, name) {
            Err(error) if tree::is_stale(&error) => return Ok(None),
            looked => looked?,
        };
        if self.tree.is_elsewhere(&seen) {
            return Ok(Some(Found::Other("another file system".to_owned())));
        }
        self.found(folder, name, &seen)
    }

    fn found(&self, folder: &OwnedFd, name: &CStr, seen: &Seen) -> io::Result<Option<Found>> {
        let content = match seen.kind {
            FileType::RegularFile => {
                Content::File { hash: None, size: seen.stat.size, executable: is_executable(seen.mode) }
            }
            FileType::Directory => Content::Folder,
            FileType::Symlink => match fs::readlinkat(folder, name, Vec::new()) {
                Ok(target) => match target.into_string() {
                    Ok(target) => Content::Symlink(target),
                    Err(_) => return Ok(Some(Found::Other("a link to a name that is no text".to_owned()))),
                },
                Err(Errno::NOENT | Errno::INVAL) => return Ok(None),
                Err(errno) => return Err(errno.into()),
            },
            FileType::Fifo => return Ok(Some(Found::Other("a FIFO".to_owned()))),
            FileType::Socket => return Ok(Some(Found::Other("a socket".to_owned()))),
            FileType::CharacterDevice | FileType::BlockDevice => {
                return Ok(Some(Found::Other("a device".to_owned())));
            }
            FileType::Unknown => return Ok(Some(Found::Other("of a kind that is not known".to_owned()))),
        };
        Ok(Some(Found::File(Local { stat: seen.stat, content })))
    }
}

/// In whatever case: some file systems do not tell.
pub(crate) fn is_own(name: &CStr) -> bool {
    name.to_str().is_ok_and(|name| names::slot(Policy::Folded, name) == OWN_NAME)
}
