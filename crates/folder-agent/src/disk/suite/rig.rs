#![expect(clippy::disallowed_methods, reason = "the user's side of a real folder is made with the plain calls")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::Digest as _;

use crate::disk::memory::MemoryDisk;
use crate::disk::real::RealDisk;
use crate::disk::{Disk, Expected, Found, Outcome, Stage};
use crate::model::{Hash, Local, Stat};

/// A disk and its user.
pub(crate) trait Rig {
    fn disk(&mut self) -> &mut dyn Disk;
    fn write(&mut self, path: &str, bytes: &[u8]);
    fn mkdir(&mut self, path: &str);
    fn symlink(&mut self, target: &str, path: &str);
    fn fifo(&mut self, path: &str);
    fn rename(&mut self, from: &str, to: &str);
    fn remove(&mut self, path: &str);
    fn chmod_executable(&mut self, path: &str);
    fn bytes(&mut self, path: &str) -> Option<Vec<u8>>;
    /// Paths and sizes of what is in the backups.
    fn backups(&mut self) -> Vec<(String, u64)>;
    /// Time passes, so that what is written now is told from what was written before.
    fn tick(&mut self);

    /// A stage with these bytes, ended.
    fn stage(&mut self, number: u64, bytes: &[u8]) -> Stage {
        self.disk().write_stage(Stage(number), 0, bytes).unwrap();
        assert_eq!(self.disk().sync_stage(Stage(number), bytes.len() as u64).unwrap(), hash(bytes));
        Stage(number)
    }

    fn install(&mut self, bytes: &[u8], path: &str, expected: Expected) -> Outcome {
        let stage = self.stage(1_000, bytes);
        self.disk().install(stage, path, expected, false, None).unwrap()
    }

    fn names(&mut self, folder: &str) -> Vec<String> {
        self.disk().list(folder).unwrap().into_iter().map(|(name, _)| name).collect()
    }
}

/// Runs a test on every disk there is.
pub(crate) fn both(test: impl Fn(&mut dyn Rig)) {
    test(&mut InMemory { disk: MemoryDisk::new(), now_ns: 0 });
    for kind in [Kind::Ordinary, Kind::Old, Kind::Dos] {
        test(&mut Real::of(kind));
    }
}

/// What a real disk can do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Ordinary,
    /// No way to open beneath a folder, to exchange files, to refuse when renaming.
    Old,
    /// Not every name can be held.
    Dos,
}

pub(crate) fn hash(bytes: &[u8]) -> Hash {
    sha2::Sha256::digest(bytes).into()
}

pub(crate) fn local(disk: &mut dyn Disk, path: &str) -> Local {
    match disk.look(path).unwrap() {
        Some(Found::File(local)) => local,
        other => panic!("{path}: {other:?}"),
    }
}

pub(crate) fn stat(disk: &mut dyn Disk, path: &str) -> Stat {
    local(disk, path).stat
}

/// The stat of a change that was made; the file is as it says.
pub(crate) fn done(rig: &mut dyn Rig, path: &str, outcome: Outcome) -> Stat {
    let Outcome::Done(made) = outcome else { panic!("{path} changed") };
    assert_eq!(stat(rig.disk(), path), made, "{path} is as it was told");
    made
}

struct InMemory {
    disk: MemoryDisk,
    now_ns: i64,
}

impl Rig for InMemory {
    fn disk(&mut self) -> &mut dyn Disk {
        &mut self.disk
    }
    fn write(&mut self, path: &str, bytes: &[u8]) {
        self.disk.user().write(path, bytes).unwrap();
    }
    fn mkdir(&mut self, path: &str) {
        self.disk.user().mkdir(path).unwrap();
    }
    fn symlink(&mut self, target: &str, path: &str) {
        self.disk.user().symlink(target, path).unwrap();
    }
    fn fifo(&mut self, path: &str) {
        self.disk.user().fifo(path).unwrap();
    }
    fn rename(&mut self, from: &str, to: &str) {
        self.disk.user().rename(from, to).unwrap();
    }
    fn remove(&mut self, path: &str) {
        self.disk.user().remove(path).unwrap();
    }
    fn chmod_executable(&mut self, path: &str) {
        self.disk.user().set_executable(path, true).unwrap();
    }
    fn bytes(&mut self, path: &str) -> Option<Vec<u8>> {
        self.disk.bytes(path)
    }
    fn backups(&mut self) -> Vec<(String, u64)> {
        let size = |content: &crate::model::Content| match content {
            crate::model::Content::File { size, .. } => *size,
            crate::model::Content::Symlink(target) => target.len() as u64,
            crate::model::Content::Folder => 0,
        };
        let mut backups: Vec<_> = self.disk.backups().iter().map(|b| (b.path.clone(), size(&b.content))).collect();
        backups.sort();
        backups
    }
    fn tick(&mut self) {
        self.now_ns += 1_000_000;
        self.disk.set_now(self.now_ns);
    }
}

/// A folder that is gone when the test ends.
pub(crate) struct Real {
    pub(crate) disk: RealDisk,
    pub(crate) folder: tempfile::TempDir,
}

impl Real {
    pub(crate) fn new() -> Self {
        Self::of(Kind::Ordinary)
    }

    pub(crate) fn of(kind: Kind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = RealDisk::open(folder.path()).unwrap();
        match kind {
            Kind::Ordinary => {}
            Kind::Old => disk.as_if_old(),
            Kind::Dos => disk.as_if_dos(),
        }
        Self { disk, folder }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    fn at(&self, path: &str) -> PathBuf {
        let parts = path.split('/').map(|part| self.disk.names().to_local(part).into_owned());
        self.folder.path().join(parts.collect::<PathBuf>())
    }
}

impl Rig for Real {
    fn disk(&mut self) -> &mut dyn Disk {
        &mut self.disk
    }
    fn write(&mut self, path: &str, bytes: &[u8]) {
        fs::write(self.at(path), bytes).unwrap();
    }
    fn mkdir(&mut self, path: &str) {
        fs::create_dir(self.at(path)).unwrap();
    }
    fn symlink(&mut self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.at(path)).unwrap();
    }
    fn fifo(&mut self, path: &str) {
        rustix::fs::mkfifoat(rustix::fs::CWD, self.at(path), rustix::fs::Mode::RWXU).unwrap();
    }
    fn rename(&mut self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).unwrap();
    }
    fn remove(&mut self, path: &str) {
        let path = self.at(path);
        if path.symlink_metadata().unwrap().is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
    fn chmod_executable(&mut self, path: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fn bytes(&mut self, path: &str) -> Option<Vec<u8>> {
        match fs::read(self.at(path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            read => Some(read.unwrap()),
        }
    }
    fn backups(&mut self) -> Vec<(String, u64)> {
        let mut backups: Vec<_> = self.disk.backups().unwrap().into_iter().map(|b| (b.path, b.size)).collect();
        backups.sort();
        backups
    }
    fn tick(&mut self) {
        let before = self.disk.now_ns().unwrap();
        while self.disk.now_ns().unwrap() <= before {}
    }
}
