//! Rounds of the kill harness on disks that fail, fill up and forget: strace, a tmpfs and FUSE, so as root.

use kill::fault::Fault;
use kill::round::EngineName;

use crate::rounds::play;

#[test]
fn ker_31_ker_41_failing_full_and_slow_disks_are_got_over() {
    let failing = [Fault::SyncError, Fault::WriteFull, Fault::WriteError];
    play(2, EngineName::Sqlite, &[&failing[..], &[Fault::DiskFull, Fault::SlowSync, Fault::KillSlow]].concat());
}

/// Cell D9, and D6 with a sync that forgets.
#[test]
fn ker_6_ker_41_a_power_cut_takes_nothing_that_was_acknowledged() {
    for seed in 3..7 {
        play(seed, EngineName::Sqlite, &[Fault::PowerCut, Fault::SyncLost]);
    }
}
