//! What a disk is like: its kind, its room, and how long a sync takes.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;

/// Facts about the disk of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskFacts {
    /// Room for us in bytes.
    pub free_bytes: u64,
    /// Its kind.
    pub kind: DiskKind,
    /// Which disk it is, to tell two folders on one.
    pub device: u64,
    /// Permission bits of the folder.
    pub mode: u32,
    /// Whether the folder belongs to another user.
    pub is_foreign: bool,
}

/// Kinds of file systems that differ in what they promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskKind {
    /// In memory: gone with the machine.
    Memory,
    /// Of another machine: locks and syncs are promises of others.
    Network(&'static str),
    /// A container's own layer: gone with the container.
    Layer,
    /// Served by a program.
    Fuse,
    /// Anything else.
    Local,
}

impl DiskKind {
    /// By the number that the system gives it (`statfs(2)`).
    fn of(number: u64) -> Self {
        match number & 0xFFFF_FFFF {
            0x0102_1994 | 0x8584_58F6 => Self::Memory,
            0x6969 => Self::Network("NFS"),
            0x517B | 0xFE53_4D42 | 0xFF53_4D42 => Self::Network("SMB"),
            0x0102_1997 => Self::Network("9P"),
            0x00C3_6400 => Self::Network("Ceph"),
            0x794C_7630 => Self::Layer,
            0x6573_5546 => Self::Fuse,
            _ => Self::Local,
        }
    }
}

/// Looks at the disk of a folder.
///
/// # Errors
/// The folder is missing or may not be looked at.
pub fn disk_facts(folder: &Path) -> io::Result<DiskFacts> {
    let (room, kind) = (rustix::fs::statvfs(folder)?, rustix::fs::statfs(folder)?.f_type);
    let meta = std::fs::metadata(folder)?;
    #[expect(clippy::cast_sign_loss, reason = "a magic number, of which the bits count")]
    let kind = DiskKind::of(kind as u64);
    Ok(DiskFacts {
        free_bytes: room.f_bavail.saturating_mul(room.f_frsize),
        kind,
        device: meta.dev(),
        mode: meta.mode() & 0o777,
        is_foreign: meta.uid() != rustix::process::geteuid().as_raw(),
    })
}

/// How long each of `count` syncs of a small write took, in microseconds, sorted. The file is removed.
///
/// # Errors
/// The disk refuses.
pub fn sync_times_us(folder: &Path, count: usize) -> io::Result<Vec<u64>> {
    let path = folder.join(format!(".sync-probe-{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    let times = (0..count).map(|_| sync_time_us(&mut file)).collect::<io::Result<Vec<u64>>>();
    std::fs::remove_file(&path)?;
    let mut times = times?;
    times.sort_unstable();
    Ok(times)
}

fn sync_time_us(file: &mut File) -> io::Result<u64> {
    file.write_all(&[0; 4096])?;
    let begun = Instant::now();
    file.sync_data()?;
    Ok(u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_37_kinds_of_disks_are_told_apart() {
        assert_eq!(DiskKind::of(0x0102_1994), DiskKind::Memory);
        assert_eq!(DiskKind::of(0x6969), DiskKind::Network("NFS"));
        assert_eq!(DiskKind::of(0xEF53), DiskKind::Local, "ext4");
        assert_eq!(DiskKind::of(0xFFFF_FFFF_FF53_4D42), DiskKind::Network("SMB"), "with a sign");
    }

    #[test]
    fn ker_37_a_folder_has_room_and_its_syncs_take_time() {
        let folder = tempfile::tempdir().unwrap();
        let facts = disk_facts(folder.path()).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(folder.path()).unwrap().permissions());
        assert!(facts.free_bytes > 0 && !facts.is_foreign && facts.mode == mode & 0o777, "{facts:?}");
        let times = sync_times_us(folder.path(), 5).unwrap();
        assert!(times.len() == 5 && times.is_sorted());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
