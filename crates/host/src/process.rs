//! A process and the one that started it.

use std::io;

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
