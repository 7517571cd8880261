//! Disks that fail: syncs that return errors (strace), and a disk that is full (a small tmpfs, so as root).
