#![expect(clippy::disallowed_methods, reason = "the user's side of a real folder is made with the plain calls")]

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use super::moves::Swapped;
use super::tree::Spot;
use super::{RealDisk, open_root};
use crate::disk::suite::{Real, Rig as _, stat};
use crate::disk::{Disk as _, Expected, Found, Marker, Outcome, Stage};
use crate::model::Stat;

fn spot(folder: &Path, name: &str) -> Spot {
    Spot { folder: open_root(folder).unwrap(), name: name.to_owned() }
}

fn inode(path: &Path) -> u64 {
    fs::symlink_metadata(path).unwrap().ino()
}

impl RealDisk {
    /// The bytes of all backups.
    fn backed_up(&self) -> Vec<Vec<u8>> {
        let ids = self.backups().unwrap().into_iter().map(|backup| backup.id);
        ids.map(|id| fs::read(self.path.join(".fastness/backup").join(id)).unwrap()).collect()
    }
}

#[test]
fn fld_13_a_second_daemon_on_one_folder_is_refused() {
    let real = Real::new();
    let refused = RealDisk::open(real.root()).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::ResourceBusy);
    assert!(refused.to_string().contains("another daemon"));
    let (root, Real { disk, folder: _folder }) = (real.root().to_owned(), real);
    drop(disk);
    RealDisk::open(&root).unwrap();
}

#[test]
fn fld_13_a_folder_that_was_replaced_has_no_marker() {
    let above = tempfile::tempdir().unwrap();
    let root = above.path().join("root");
    assert_eq!(RealDisk::open(&root).unwrap_err().kind(), io::ErrorKind::NotFound);
    fs::create_dir(&root).unwrap();
    let mut disk = RealDisk::open(&root).unwrap();
    disk.put_marker(&Marker { directory: "d".to_owned(), link: "l".to_owned() }).unwrap();
    assert!(disk.marker().unwrap().is_some());
    fs::rename(&root, above.path().join("elsewhere")).unwrap();
    assert_eq!(disk.marker().unwrap(), None, "moved away");
    fs::create_dir(&root).unwrap();
    assert_eq!(disk.marker().unwrap(), None, "another folder");
    fs::remove_dir(&root).unwrap();
    fs::rename(above.path().join("elsewhere"), &root).unwrap();
    assert!(disk.marker().unwrap().is_some());
    fs::remove_dir_all(root.join(".fastness")).unwrap();
    assert_eq!(disk.marker().unwrap(), None, "all of ours was removed");
}

#[test]
fn what_is_our_own_is_for_nobody_else() {
    let real = Real::new();
    let mode = fs::metadata(real.root().join(".fastness")).unwrap().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn fld_18_a_link_swapped_in_for_our_own_folder_is_refused() {
    let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    symlink(elsewhere.path(), root.path().join(".fastness")).unwrap();
    assert!(RealDisk::open(root.path()).is_err());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn fld_18_a_link_swapped_in_after_the_look_leads_nowhere() {
    let mut real = Real::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("a"), b"of others").unwrap();
    real.mkdir("folder");
    real.write("folder/a", b"ours");
    let planned = stat(&mut real.disk, "folder/a");
    real.rename("folder", "moved");
    symlink(elsewhere.path(), real.root().join("folder")).unwrap();
    for expected in [Expected::Nothing, Expected::File(planned)] {
        assert_eq!(real.install(b"new", "folder/a", expected), Outcome::Changed);
        assert_eq!(real.install(b"new", "folder/b", expected), Outcome::Changed);
    }
    assert_eq!(real.disk.remove("folder/a", planned).unwrap(), Outcome::Changed);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    assert_eq!(fs::read(elsewhere.path().join("a")).unwrap(), b"of others");
}

#[test]
fn fld_7_a_save_between_the_look_and_the_exchange_is_exchanged_back() {
    let mut real = Real::new();
    let root = real.root().to_owned();
    fs::write(root.join("new"), b"new").unwrap();
    fs::write(root.join("a"), b"saved meanwhile").unwrap();
    let (new, at) = (spot(&root, "new"), spot(&root, "a"));
    let ours = inode(&root.join("new"));
    let planned = Stat { inode: 1, ..Stat::default() };
    assert_eq!(real.disk.moves.exchange(&new, ours, &at, &planned).unwrap(), Swapped::Not);
    assert_eq!((fs::read(root.join("a")).unwrap(), inode(&root.join("new"))), (b"saved meanwhile".to_vec(), ours));
    // As if somebody had replaced ours before it was back: theirs stays.
    assert_eq!(real.disk.moves.exchange(&new, 1, &at, &planned).unwrap(), Swapped::Not);
    assert_eq!(inode(&root.join("a")), ours);
    let backup = spot(&root, "backup");
    assert_eq!(real.disk.moves.replace(&new, &at, &backup, &planned).unwrap(), Swapped::Not);
    assert!(!real.disk.moves.take(&at, &backup, &planned).unwrap());
    assert_eq!(real.names(""), ["a", "new"]);
}

/// Somebody saves all the time, as editors do, by rename, while the daemon installs: whatever was saved last is there.
#[test]
fn fld_7_no_save_is_lost_however_it_meets_an_install() {
    const SAVES: u32 = 400;
    let mut real = Real::new();
    let root = real.root().to_owned();
    real.write("a", b"save 0");
    let user = std::thread::spawn(move || {
        for number in 1..=SAVES {
            let temporary = root.join(".saving");
            fs::write(&temporary, format!("save {number}")).unwrap();
            fs::rename(&temporary, root.join("a")).unwrap();
        }
    });
    let mut installs = 0;
    while !user.is_finished() || installs == 0 {
        let planned = stat(&mut real.disk, "a");
        let stage = real.stage(1, b"from the server");
        if let Outcome::Done(_) = real.disk.install(stage, "a", Expected::File(planned), false, None).unwrap() {
            installs += 1;
        }
    }
    user.join().unwrap();
    let backups = real.disk.backed_up();
    let last = format!("save {SAVES}").into_bytes();
    assert!(real.bytes("a").unwrap() == last || backups.contains(&last), "the last save after {installs} installs");
}

#[test]
fn fld_7_who_writes_after_an_install_differs_from_what_was_told() {
    let mut real = Real::new();
    let Outcome::Done(told) = real.install(b"new", "a", Expected::Nothing) else { panic!("changed") };
    real.tick();
    real.write("a", b"wen");
    assert_ne!(stat(&mut real.disk, "a"), told);
}

#[test]
fn fld_23_if_no_backup_can_be_made_nothing_is_changed() {
    let mut real = Real::new();
    real.write("a", b"old");
    let planned = stat(&mut real.disk, "a");
    fs::remove_dir(real.root().join(".fastness/backup")).unwrap();
    real.stage(1, b"new");
    assert!(real.disk.install(Stage(1), "a", Expected::File(planned), false, None).is_err());
    assert!(real.disk.install_link("x", "a", Expected::File(planned)).is_err());
    assert!(real.disk.remove("a", planned).is_err());
    assert_eq!((stat(&mut real.disk, "a"), real.bytes("a")), (planned, Some(b"old".to_vec())));
    assert_eq!(real.disk.read_stage(Stage(1), 0, 9).unwrap(), b"new");
}

#[test]
fn fld_19_permissions_of_the_old_file_are_kept_and_new_ones_are_ordinary() {
    let mut real = Real::new();
    real.write("a", b"old");
    let ordinary = fs::metadata(real.root().join("a")).unwrap().mode();
    fs::set_permissions(real.root().join("a"), fs::Permissions::from_mode(0o640)).unwrap();
    let planned = stat(&mut real.disk, "a");
    let stage = real.stage(1, b"new");
    real.disk.install(stage, "a", Expected::File(planned), true, None).unwrap();
    assert_eq!(fs::metadata(real.root().join("a")).unwrap().mode() & 0o777, 0o750);
    real.install(b"new", "b", Expected::Nothing);
    assert_eq!(fs::metadata(real.root().join("b")).unwrap().mode(), ordinary);
}

#[test]
fn fld_23_a_backup_is_restored_to_its_path_or_beside_it() {
    let mut real = Real::new();
    real.mkdir("folder");
    for bytes in [b"one".as_slice(), b"two!", b"three"] {
        real.write("folder/a.txt", bytes);
        let there = stat(&mut real.disk, "folder/a.txt");
        real.disk.remove("folder/a.txt", there).unwrap();
        real.tick();
    }
    real.remove("folder");
    let backups = real.disk.backups().unwrap();
    assert_eq!(
        backups.iter().map(|b| (b.path.as_str(), b.size)).collect::<Vec<_>>(),
        [("folder/a.txt", 3), ("folder/a.txt", 4), ("folder/a.txt", 5)]
    );
    let now_ms = real.disk.now_ns().unwrap() / 1_000_000;
    assert!(backups.iter().all(|backup| (now_ms - 60_000..=now_ms).contains(&backup.when_ms)));
    let mut restore = |nth: usize| real.disk.restore_backup(&backups[nth].id, &backups[nth].path).unwrap();
    assert_eq!(restore(1), "folder/a.txt");
    let beside = restore(0);
    assert!(beside.starts_with("folder/a (restored, 20") && beside.ends_with(").txt"), "{beside}");
    assert_ne!(restore(2), beside);
    assert_eq!(real.bytes("folder/a.txt").unwrap(), b"two!");
    assert_eq!(real.bytes(&beside).unwrap(), b"one");
    assert!(real.disk.backups().unwrap().is_empty());
    assert!(real.disk.restore_backup("2026-11-18/1-0/folder/a.txt", "a").is_err());
}

#[test]
fn fld_23_a_very_long_path_has_a_backup_too() {
    let mut real = Real::new();
    let mut path = String::new();
    for _ in 0..199 {
        path = crate::disk::join(&path, "a-name-of-20-bytes-.");
        if path.len() > 4_096 - 11 {
            break;
        }
        real.disk.make_folder(&path).unwrap();
    }
    let path = format!("{}/f", &path[..path.rfind('/').unwrap()]);
    assert!(path.len() > 4_040, "{}", path.len());
    assert!(matches!(real.install(b"x", &path, Expected::Nothing), Outcome::Done(_)));
    let there = stat(&mut real.disk, &path);
    assert!(matches!(real.disk.remove(&path, there).unwrap(), Outcome::Done(_)));
    let backups = real.disk.backups().unwrap();
    assert_eq!(real.disk.restore_backup(&backups[0].id, &backups[0].path).unwrap(), path);
    real.disk.prune_backups(i64::MAX, 0).unwrap();
    real.disk.settle().unwrap();
    assert_eq!(fs::read_dir(real.root().join(".fastness/backup")).unwrap().count(), 0, "empty folders go, too");
}

#[test]
fn fld_18_names_that_are_no_text_are_told_and_left_alone() {
    use std::os::unix::ffi::OsStrExt as _;
    let mut real = Real::new();
    fs::write(real.root().join(std::ffi::OsStr::from_bytes(b"bad\xff")), b"").unwrap();
    symlink(std::ffi::OsStr::from_bytes(b"bad\xff"), real.root().join("link")).unwrap();
    let listed = real.disk.list("").unwrap();
    assert!(listed.len() == 2 && listed.iter().all(|(_, found)| matches!(found, Found::Other(_))), "{listed:?}");
}

/// Root may read everything: then another user looks.
#[test]
fn an_unreadable_file_is_an_error_and_no_empty_file() {
    const ROLE: &str = "FOLDER_AGENT_TEST_UNPRIVILEGED";
    let folder = tempfile::tempdir().unwrap();
    if fs::metadata(folder.path()).unwrap().uid() != 0 || std::env::var_os(ROLE).is_some() {
        let mut disk = RealDisk::open(folder.path()).unwrap();
        fs::write(folder.path().join("a"), b"secret").unwrap();
        fs::set_permissions(folder.path().join("a"), fs::Permissions::from_mode(0o000)).unwrap();
        assert_eq!(disk.set_aside("a", Stage(1)).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        return;
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (program, theirs) = (folder.path().join("tests"), folder.path().join("theirs"));
    fs::create_dir(&theirs).unwrap();
    fs::set_permissions(&theirs, fs::Permissions::from_mode(0o777)).unwrap();
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let test = "disk::real::tests::an_unreadable_file_is_an_error_and_no_empty_file";
    let mut command = Command::new(program);
    command.args(["--exact", test]).env(ROLE, "1").env("TMPDIR", &theirs).current_dir("/").uid(65_534).gid(65_534);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
}

/// A small file system of its own. Only root may mount one: for others these tests have no disk to be run on.
struct Mounted {
    folder: tempfile::TempDir,
}

impl Mounted {
    fn new(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        if fs::metadata(folder.path()).unwrap().uid() != 0 {
            eprintln!("left out: only root may mount");
            return None;
        }
        let mounted = Self { folder };
        mounted.mount(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"], "");
        Some(mounted)
    }

    fn mount(&self, arguments: &[&str], below: &str) {
        let status = Command::new("mount").args(arguments).arg(self.folder.path().join(below)).status().unwrap();
        assert!(status.success(), "root may mount");
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["--recursive".as_ref(), self.folder.path().as_os_str()]).status();
    }
}

#[test]
fn fld_20_a_disk_that_is_full_in_mid_download_changes_nothing() {
    let Some(mounted) = Mounted::new("1m") else { return };
    let root = mounted.folder.path();
    fs::write(root.join("a"), b"old").unwrap();
    let mut disk = RealDisk::open(root).unwrap();
    let planned = stat(&mut disk, "a");
    let mut offset = 0;
    let full = loop {
        match disk.write_stage(Stage(1), offset, &[7; 100_000]) {
            Ok(()) => offset += 100_000,
            Err(error) => break error,
        }
        assert!(offset < 10_000_000, "it has an end");
    };
    assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    assert_eq!(disk.set_aside("a", Stage(2)).unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(stat(&mut disk, "a"), planned);
    disk.drop_stage(Stage(1)).unwrap();
    disk.drop_stage(Stage(2)).unwrap();
    // A process that another test begins just now has this one's files open for a moment: their room comes back when it does not.
    let is_written = (0..1_000_000).any(|_| disk.write_stage(Stage(1), 0, b"new").is_ok());
    assert!(is_written, "there is room again");
    disk.sync_stage(Stage(1), 3).unwrap();
    assert!(matches!(disk.install(Stage(1), "a", Expected::File(planned), false, None).unwrap(), Outcome::Done(_)));
}

#[test]
fn fld_23_backups_take_at_most_a_tenth_of_the_disk() {
    let Some(mounted) = Mounted::new("4m") else { return };
    let mut disk = RealDisk::open(mounted.folder.path()).unwrap();
    for number in 0..10 {
        let path = format!("file {number}");
        fs::write(mounted.folder.path().join(&path), vec![7; 100_000]).unwrap();
        let there = stat(&mut disk, &path);
        disk.remove(&path, there).unwrap();
        disk.settle().unwrap();
    }
    let now_ms = disk.now_ns().unwrap() / 1_000_000;
    disk.prune_backups(now_ms, i64::MAX).unwrap();
    let left: Vec<String> = disk.backups().unwrap().into_iter().map(|backup| backup.path).collect();
    assert!(left.len() >= 3 && left.len() <= 4 && left.contains(&"file 9".to_owned()), "the youngest stay: {left:?}");
}

#[test]
fn fld_18_another_file_system_below_the_root_is_left_alone() {
    let Some(mounted) = Mounted::new("1m") else { return };
    let root = mounted.folder.path();
    fs::create_dir(root.join("mounted")).unwrap();
    fs::create_dir(root.join("bound")).unwrap();
    fs::create_dir(root.join("real")).unwrap();
    mounted.mount(&["-t", "tmpfs", "tmpfs"], "mounted");
    mounted.mount(&["--bind", root.join("real").to_str().unwrap()], "bound");
    for is_old in [false, true] {
        let mut disk = RealDisk::open(root).unwrap();
        if is_old {
            disk.as_if_old();
        }
        for path in ["mounted", "bound"] {
            assert_eq!(disk.look(path).unwrap(), Some(Found::Other("another file system".to_owned())), "{path}");
            assert_eq!(disk.list(path).unwrap_err().kind(), io::ErrorKind::NotFound);
            assert_eq!(disk.make_folder(path).unwrap(), Outcome::Changed);
            assert_eq!(disk.make_folder(&format!("{path}/a")).unwrap(), Outcome::Changed);
        }
        assert!(matches!(disk.make_folder("real/a").unwrap(), Outcome::Done(_)));
    }
}
