//! A process and the one that started it.

use std::{fs, io};

use rustix::process::{Pid, Signal, getppid, kill_process, set_parent_process_death_signal};

/// Asks a child to stop (SIGTERM), as somebody asked us.
///
/// # Errors
/// There is no such process.
pub fn ask_to_stop(pid: u32) -> io::Result<()> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(kill_process(pid, Signal::TERM)?)
}

/// From now on we are asked to stop when our parent ends, however it ends: an orphan would hold the data directory
/// against its parent's successor. `false` if the parent is gone already.
///
/// # Errors
/// The system cannot do that.
pub fn stop_with_parent(parent: u32) -> io::Result<bool> {
    set_parent_process_death_signal(Some(Signal::TERM))?;
    Ok(getppid().and_then(|pid| u32::try_from(pid.as_raw_pid()).ok()) == Some(parent))
}

/// How it stands with a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// It lives; also where the system does not tell.
    Lives,
    /// It was killed, and what it holds is free in a moment.
    Ends,
    /// There is none of this number here: it is gone, or it runs where we do not see it, as in another container.
    Unseen,
}

/// How it stands with the process of this number.
#[must_use]
pub fn life(pid: u32) -> Life {
    let read = |of: &str, what: &str| fs::read_to_string(format!("/proc/{of}/{what}")).ok();
    if read("self", "stat").is_none() {
        return Life::Lives;
    }
    match (read(&pid.to_string(), "stat"), read(&pid.to_string(), "status")) {
        (Some(stat), Some(status)) if is_exiting(&stat) || has_kill_pending(&status) => Life::Ends,
        (Some(_), Some(_)) => Life::Lives,
        (None, _) | (_, None) => Life::Unseen,
    }
}

/// A zombie, dead, or on its way there, from the line that the system has of a process. What follows its name is split at blanks.
fn is_exiting(stat: &str) -> bool {
    const PF_EXITING: u64 = 4;
    let words = stat.rsplit_once(')').map_or("", |(_, words)| words);
    let mut words = words.split_whitespace();
    let state = words.next().unwrap_or_default();
    let flags: u64 = words.nth(5).and_then(|flags| flags.parse().ok()).unwrap_or(0);
    matches!(state, "Z" | "X") || flags & PF_EXITING != 0
}

/// Whether SIGKILL waits for it, as its own or as one of all its threads.
fn has_kill_pending(status: &str) -> bool {
    const KILL: u64 = 1 << 8;
    let pending = status.lines().filter_map(|line| line.strip_prefix("SigPnd:").or(line.strip_prefix("ShdPnd:")));
    pending.filter_map(|mask| u64::from_str_radix(mask.trim(), 16).ok()).any(|mask| mask & KILL != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn ker_42_a_process_is_ending_from_its_kill_on_and_not_before() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        assert_eq!((life(child.id()), life(std::process::id())), (Life::Lives, Life::Lives));
        child.kill().unwrap();
        assert_eq!(life(child.id()), Life::Ends, "nobody has asked for its end yet");
        child.wait().unwrap();
        assert_eq!((life(child.id()), life(4_000_000_001)), (Life::Unseen, Life::Unseen));
    }

    #[test]
    fn ker_42_a_zombie_and_one_whose_kill_waits_are_ending() {
        for (stat, ending) in [
            ("7 (a ) b) S 1 7 7 0 -1 4194560 0 0", false),
            ("7 (a ) b) Z 1 7 7 0 -1 4194560 0 0", true),
            ("7 (a ) b) R 1 7 7 0 -1 4194564 0 0", true),
            ("", false),
        ] {
            assert_eq!(is_exiting(stat), ending, "{stat}");
        }
        assert!(has_kill_pending("Name:\tx\nSigPnd:\t0000000000000100\nShdPnd:\t0000000000000000\n"));
        assert!(has_kill_pending("SigPnd:\t0000000000000000\nShdPnd:\t0000000000000100\n"));
        assert!(!has_kill_pending("SigPnd:\t0000000000000000\nShdPnd:\t0000000000004000\n"));
    }
}
