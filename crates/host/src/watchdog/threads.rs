//! Our own threads as the operating system sees them.

use std::fs;
use std::path::PathBuf;

/// One of our threads.
pub(super) struct Thread {
    folder: PathBuf,
    /// Its name, cut by the system at 15 bytes.
    pub(super) name: String,
    /// `R` runs, `S` sleeps, `D` waits for a device.
    pub(super) state: char,
}

impl Thread {
    /// A file about it, in one line; empty if it may not be read.
    pub(super) fn about(&self, file: &str) -> String {
        let text = fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        text.lines().map(str::trim).collect::<Vec<_>>().join(" < ")
    }
}

/// All threads of this process; none where there is no `/proc`.
pub(super) fn all() -> Vec<Thread> {
    let Ok(entries) = fs::read_dir("/proc/self/task") else { return vec![] };
    entries.flatten().filter_map(|entry| read(entry.path())).collect()
}

fn read(folder: PathBuf) -> Option<Thread> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name in brackets may hold blanks and brackets: its end is the last bracket.
    let (start, rest) = stat.rsplit_once(") ")?;
    let (_, name) = start.split_once('(')?;
    Some(Thread { folder, name: name.to_owned(), state: rest.chars().next()? })
}

/// Whether a thread whose name begins so waits for a device in the kernel's hands.
pub(super) fn wait_for_disk(prefix: &str) -> bool {
    all().iter().any(|thread| thread.state == 'D' && thread.name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    #[test]
    fn ker_47_our_own_threads_are_found_by_name() {
        let named = std::thread::Builder::new().name("a (odd) name".into()).spawn(super::all).unwrap();
        let seen = named.join().unwrap();
        let odd = seen.iter().find(|thread| thread.name == "a (odd) name").expect("the thread itself");
        assert_eq!(odd.state, 'R');
        assert!(!super::wait_for_disk("no such thread"));
    }
}
