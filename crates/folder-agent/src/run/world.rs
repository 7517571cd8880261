//! The real world as far as the daemon needs it.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the daemon runs in its user's world; the machine itself takes time and chance as inputs"
)]

use std::io;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use crate::agent::Now;

fn begun() -> Instant {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    *BEGUN.get_or_init(Instant::now)
}

/// The moment.
pub(super) fn now() -> Now {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Now {
        ran_ms: u64::try_from(begun().elapsed().as_millis()).unwrap_or(u64::MAX),
        wall_us: i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
    }
}

/// Lets time pass until a moment of [`now`].
pub(super) async fn until(ran_ms: u64) {
    let at = begun() + Duration::from_millis(ran_ms);
    tokio::time::sleep_until(at.into()).await; // tidy: sleep — the daemon's own timer
}

/// Lets time pass.
pub(super) async fn pause(pause: Duration) {
    tokio::time::sleep(pause).await; // tidy: sleep — between two tries to connect
}

/// A thread that ends when its work does.
pub(super) fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work)
}

/// Some chance.
pub(super) fn chance() -> u64 {
    let mut bytes = [0; 8];
    // Without chance the pauses are alike, which is no harm.
    let _ = getrandom::fill(&mut bytes);
    u64::from_ne_bytes(bytes)
}

/// A name that nobody else has: a uuid4.
///
/// # Errors
/// The system has no chance to give.
pub fn new_uuid() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    (bytes[6], bytes[8]) = ((bytes[6] & 0x0f) | 0x40, (bytes[8] & 0x3f) | 0x80);
    Ok(crate::model::FileId(u128::from_be_bytes(bytes)).to_string())
}

/// What this machine calls itself.
#[must_use]
pub fn device_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: String = name.trim().chars().filter(|c| !c.is_control()).take(60).collect();
    if name.is_empty() { "this machine".to_owned() } else { name }
}

/// Reads a small file.
pub(super) fn read(path: &std::path::Path) -> io::Result<String> {
    std::fs::read_to_string(path)
}

/// Names in a folder; none if it is not there.
pub(super) fn names(folder: &std::path::Path) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        entries => entries?,
    };
    let mut names = vec![];
    for entry in entries {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// Writes a small file that only its owner may read, whole or not at all.
pub(super) fn write_secret(path: &std::path::Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("new");
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}

/// Forgets a folder of ours.
pub(super) fn remove_folder(path: &std::path::Path) -> io::Result<()> {
    std::fs::remove_dir_all(path)
}

/// A folder as the system knows it.
pub(super) fn real_path(path: &std::path::Path) -> io::Result<std::path::PathBuf> {
    std::fs::canonicalize(path)
}

/// Makes a folder, and all above it.
pub(super) fn make_folder(path: &std::path::Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// What lies under a name; nothing is followed.
pub(super) enum Lying {
    /// Has others in it.
    Folder,
    /// Bytes.
    File {
        /// How many.
        size: u64,
    },
    /// A link, a FIFO and the like.
    Other,
}

/// What lies in a folder, as far as its name is text; nothing if it is not there.
pub(super) fn lying(folder: &std::path::Path) -> io::Result<Vec<(String, Lying)>> {
    let mut found = vec![];
    for name in names(folder)? {
        let meta = match std::fs::symlink_metadata(folder.join(&name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            meta => meta?,
        };
        let lying = match meta.file_type() {
            kind if kind.is_dir() => Lying::Folder,
            kind if kind.is_file() => Lying::File { size: meta.len() },
            _ => Lying::Other,
        };
        found.push((name, lying));
    }
    Ok(found)
}

/// Copies a file with its permissions and its time, or a link as it is; what lay there is gone.
pub(super) fn copy(from: &std::path::Path, to: &std::path::Path) -> io::Result<()> {
    remove_file(to);
    let meta = std::fs::symlink_metadata(from)?;
    if meta.is_symlink() {
        return std::os::unix::fs::symlink(std::fs::read_link(from)?, to);
    }
    std::fs::copy(from, to)?;
    let file = std::fs::File::open(to)?;
    file.set_modified(meta.modified()?)?;
    file.sync_all()
}

/// Moves a file to a path where nothing lies; `AlreadyExists` otherwise.
pub(super) fn put_where_nothing_lies(from: &std::path::Path, to: &std::path::Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems cannot refuse: then it is looked at first.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) if std::fs::symlink_metadata(to).is_err() => {
            std::fs::rename(from, to)
        }
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => Err(io::ErrorKind::AlreadyExists.into()),
        moved => Ok(moved?),
    }
}

/// Forgets a file of ours; one that stays is overwritten by the next.
pub(super) fn remove_file(path: &std::path::Path) {
    let _ = std::fs::remove_file(path);
}

/// Removes a file; one that is not there is no error.
pub(super) fn end_file(path: &std::path::Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Whether somebody holds the lock of a file; nothing is made, and the lock is free again at once.
pub(super) fn is_locked(path: &std::path::Path) -> bool {
    let Ok(file) = std::fs::File::open(path) else { return false };
    matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))
}

/// What lies at a path, as the daemon tells files apart.
pub(super) fn stat(path: &std::path::Path) -> io::Result<Option<(crate::model::Stat, bool)>> {
    use std::os::unix::fs::MetadataExt as _;
    let meta = match std::fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        meta => meta?,
    };
    let ns = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
    let (mtime_ns, ctime_ns) = (ns(meta.mtime(), meta.mtime_nsec()), ns(meta.ctime(), meta.ctime_nsec()));
    let stat = match meta.is_dir() {
        true => crate::model::Stat { inode: meta.ino(), ..crate::model::Stat::default() },
        false => crate::model::Stat { inode: meta.ino(), size: meta.len(), mtime_ns, ctime_ns },
    };
    Ok(Some((stat, meta.is_dir())))
}
