//! One data directory, one server (KER-42): a lock that the kernel ends with the process, however it ends.
//!
//! Invariants: held by descriptor. The pid in the file is for people and proves nothing; a file left by a dead server is
//! no obstacle. Nobody deletes the file: two servers could then hold two files of the same name.
//!
//! Deliberately not here: waiting for the lock, and locks between machines (several nodes share PostgreSQL, not a
//! directory).

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::files::make_root;

const NAME: &str = "lock";
/// Bytes of the file that are read: a pid is shorter.
const PID_BYTES_MAX: u64 = 32;

/// The right to use a data directory; ends when dropped, or with the process.
#[derive(Debug)]
pub struct DirLock {
    _held: File,
}

/// Why a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DirLockError {
    /// Another server has it.
    #[error("{} is in use by another server ({})", directory.display(), holder_text(*holder))]
    Held {
        /// The directory.
        directory: PathBuf,
        /// The other's process id, if its file tells.
        holder: Option<u32>,
    },
    /// The directory or the lock file cannot be made or opened.
    #[error("{} cannot be locked: {source}", directory.display())]
    Unusable {
        /// The directory.
        directory: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
}

fn holder_text(holder: Option<u32>) -> String {
    holder.map_or_else(|| "its pid is not known".into(), |pid| format!("pid {pid}"))
}

impl DirLock {
    /// Takes the directory, which is made if it is missing, or refuses at once.
    ///
    /// # Errors
    /// Another server has it, or it cannot be used at all.
    pub fn acquire(directory: &Path) -> Result<Self, DirLockError> {
        let unusable = |source| DirLockError::Unusable { directory: directory.into(), source };
        let mut file = open(directory).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(DirLockError::Held { directory: directory.into(), holder: read_pid(&mut file) });
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        write_pid(&mut file).map_err(unusable)?;
        Ok(Self { _held: file })
    }
}

/// Not truncated: until we hold the lock the pid in it is another's.
fn open(directory: &Path) -> io::Result<File> {
    make_root(directory)?;
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(directory.join(NAME))
}

/// `None` also while the holder is about to write it.
fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(PID_BYTES_MAX).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};

    /// Names the directory that a child of this test binary holds.
    const CHILD_DIRECTORY: &str = "HOST_TEST_LOCK_DIRECTORY";
    const CHILD_HOLDS: &str = "the child holds the lock";

    #[test]
    fn ker_42_a_second_server_refuses_at_once_and_says_why() {
        let directory = tempfile::tempdir().unwrap();
        let first = DirLock::acquire(directory.path()).unwrap();
        let refused = DirLock::acquire(directory.path()).unwrap_err().to_string();
        assert!(refused.contains(&directory.path().display().to_string()), "{refused}");
        assert!(refused.contains(&format!("pid {}", std::process::id())), "{refused}");
        drop(first);
        DirLock::acquire(directory.path()).expect("free again");
    }

    #[test]
    fn ker_42_a_killed_server_leaves_no_lock() {
        let directory = tempfile::tempdir().unwrap();
        let mut child = child_that_holds(directory.path());
        match DirLock::acquire(directory.path()) {
            Err(DirLockError::Held { holder, .. }) => assert_eq!(holder, Some(child.id())),
            other => panic!("{other:?}"),
        }
        child.kill().unwrap();
        child.wait().unwrap();
        DirLock::acquire(directory.path()).expect("free again");
    }

    fn child_that_holds(directory: &Path) -> Child {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "dir_lock::tests::child_of_the_kill_test", "--nocapture"])
            .env(CHILD_DIRECTORY, directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.contains(CHILD_HOLDS)), "the child did not get the lock");
        child
    }

    /// Does nothing unless started by the kill test; then it holds the lock until it is killed, or until the end of its
    /// input when the test is gone.
    #[test]
    fn child_of_the_kill_test() {
        let Some(directory) = std::env::var_os(CHILD_DIRECTORY) else { return };
        let _held = DirLock::acquire(Path::new(&directory)).unwrap();
        println!("{CHILD_HOLDS}");
        io::stdin().read_to_end(&mut Vec::new()).unwrap();
    }

    #[test]
    fn ker_42_a_file_left_by_a_dead_server_is_no_obstacle() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(NAME), "4194303999 and more than a pid\n").unwrap();
        let _held = DirLock::acquire(directory.path()).unwrap();
        let text = std::fs::read_to_string(directory.path().join(NAME)).unwrap();
        assert_eq!(text, format!("{}\n", std::process::id()));
    }

    #[test]
    fn a_directory_that_cannot_be_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "").unwrap();
        let refused = DirLock::acquire(&file.join("data")).unwrap_err();
        assert!(matches!(refused, DirLockError::Unusable { .. }) && refused.to_string().contains("file/data"));
    }
}
