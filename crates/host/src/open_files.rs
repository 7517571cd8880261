//! How many files and connections this process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of open files as far as we may, and tells it. Without a limit it is a million.
#[must_use]
pub fn open_files_max() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let limit = if raised.is_ok() { maximum } else { current };
    usize::try_from(limit.unwrap_or(1_000_000)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_is_room_for_some_files() {
        assert!(super::open_files_max() >= 64);
    }
}
