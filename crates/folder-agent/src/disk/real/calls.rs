//! The real disk as the daemon sees it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;

use rustix::fs::OFlags;

use super::RealDisk;
use super::stages;
use crate::chunks::Chunk;
use crate::disk::{Aside, Disk, Expected, Found, Marker, Outcome, Stage};
use crate::model::{Hash, Stat};

impl Disk for RealDisk {
    fn list(&mut self, folder: &str) -> io::Result<Vec<(String, Found)>> {
        self.list_folder(folder)
    }

    fn look(&mut self, path: &str) -> io::Result<Option<Found>> {
        self.look_at(path)
    }

    fn set_aside(&mut self, path: &str, stage: Stage) -> io::Result<Option<Aside>> {
        self.copy_aside(path, stage)
    }

    fn set_aside_chunks(
        &mut self,
        path: &str,
        stage: Stage,
        known: &BTreeSet<Hash>,
    ) -> io::Result<Option<(Aside, Vec<Chunk>)>> {
        self.cut_aside(path, stage, known)
    }

    fn copy_to_stage(&mut self, path: &str, from: u64, stage: Stage, to: u64, bytes: u64) -> io::Result<u64> {
        self.copy_of_file(path, from, stage, to, bytes)
    }

    fn read_stage(&mut self, stage: Stage, offset: u64, bytes_max: usize) -> io::Result<Vec<u8>> {
        stages::read_piece(&File::from(self.open_stage(stage, OFlags::RDONLY)?), offset, bytes_max)
    }

    fn write_stage(&mut self, stage: Stage, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_to_stage(stage, offset, bytes)
    }

    fn stage_size(&mut self, stage: Stage) -> io::Result<Option<u64>> {
        Ok(self.stage_spot(stage)?.look()?.map(|seen| seen.stat.size))
    }

    fn sync_stage(&mut self, stage: Stage, size: u64) -> io::Result<Hash> {
        self.end_stage(stage, size)
    }

    fn read_file(&mut self, path: &str, offset: u64, bytes_max: usize) -> io::Result<Vec<u8>> {
        self.read_of_file(path, offset, bytes_max)
    }

    fn room(&mut self) -> io::Result<u64> {
        let disk = rustix::fs::fstatvfs(&self.tree.root)?;
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    fn stages(&mut self) -> io::Result<Vec<Stage>> {
        self.all_stages()
    }

    fn drop_stage(&mut self, stage: Stage) -> io::Result<()> {
        self.forget_stage(stage)
    }

    fn install(
        &mut self,
        stage: Stage,
        path: &str,
        expected: Expected,
        executable: bool,
        mtime_us: Option<i64>,
    ) -> io::Result<Outcome> {
        self.install_stage(stage, path, expected, executable, mtime_us)
    }

    fn install_link(&mut self, target: &str, path: &str, expected: Expected) -> io::Result<Outcome> {
        self.install_symlink(target, path, expected)
    }

    fn make_folder(&mut self, path: &str) -> io::Result<Outcome> {
        self.make_one_folder(path)
    }

    fn rename(&mut self, from: &str, expected: Stat, to: &str) -> io::Result<Outcome> {
        self.rename_one(from, expected, to)
    }

    fn remove(&mut self, path: &str, expected: Stat) -> io::Result<Outcome> {
        self.remove_one(path, expected)
    }

    fn set_executable(&mut self, path: &str, expected: Stat, executable: bool) -> io::Result<Outcome> {
        self.make_executable(path, expected, executable)
    }

    fn settle(&mut self) -> io::Result<()> {
        self.settle_all()
    }

    fn marker(&mut self) -> io::Result<Option<Marker>> {
        self.read_marker()
    }

    fn put_marker(&mut self, marker: &Marker) -> io::Result<()> {
        self.write_marker(marker)
    }

    fn prune_backups(&mut self, now_ms: i64, kept_ms: i64) -> io::Result<()> {
        self.prune(now_ms, kept_ms)
    }

    fn now_ns(&mut self) -> io::Result<i64> {
        self.own.now_ns()
    }
}
