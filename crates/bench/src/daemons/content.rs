//! What is carried: bytes that cannot be made smaller, the same for every side.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::child::output_of;

/// Files in one folder of a tree.
const IN_FOLDER: usize = 100;
const PIECE: usize = 1 << 20;

/// A source of bytes that differ everywhere.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..count.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).collect();
        bytes.truncate(count);
        bytes
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

/// Folders of a hundred files each.
#[derive(Debug, Clone, Copy)]
pub struct Tree {
    pub files: usize,
    pub bytes: usize,
    pub seed: u64,
}

impl Tree {
    fn folders(self) -> usize {
        self.files.div_ceil(IN_FOLDER)
    }

    /// Writes it, and lets the disk have it: what is measured afterwards does not wait for these bytes.
    pub fn write(self, at: &Path) -> Result<()> {
        let mut noise = Noise::new(self.seed);
        for folder in 0..self.folders() {
            let folder = at.join(format!("{folder:04}"));
            fs::create_dir_all(&folder)?;
            for file in 0..IN_FOLDER {
                fs::write(folder.join(format!("{file:02}.bin")), noise.bytes(self.bytes))?;
            }
        }
        flush(at)
    }
}

/// Lets the file system have all that was written to it.
pub fn flush(at: &Path) -> Result<()> {
    output_of(Command::new("sync").arg("-f").arg(at)).map(drop)
}

/// Watches a tree arrive: folders that were found whole are not looked at again, so that looking takes little.
pub struct Arrival {
    at: PathBuf,
    folders: usize,
    whole: usize,
}

impl Arrival {
    pub fn new(tree: Tree, at: &Path) -> Self {
        Self { at: at.to_owned(), folders: tree.folders(), whole: 0 }
    }

    /// Whether all names are there; what is being written has another name on every side.
    pub fn is_whole(&mut self) -> Result<bool> {
        while self.whole < self.folders {
            let Ok(entries) = fs::read_dir(self.at.join(format!("{:04}", self.whole))) else { return Ok(false) };
            let names = entries.flatten().filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
            if names.count() < IN_FOLDER {
                return Ok(false);
            }
            self.whole += 1;
        }
        Ok(true)
    }
}

/// Whether all that lies in one folder lies in the other, byte by byte.
pub fn check_same(one: &Path, other: &Path) -> Result<()> {
    for entry in fs::read_dir(one)? {
        let entry = entry?;
        let beside = other.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            check_same(&entry.path(), &beside)?;
        } else {
            check_same_file(&entry.path(), &beside)?;
        }
    }
    Ok(())
}

/// Whether two files hold the same.
pub fn check_same_file(one: &Path, other: &Path) -> Result<()> {
    let open = |path: &Path| File::open(path).with_context(|| path.display().to_string());
    let (mut first, mut second) = (open(one)?, open(other)?);
    let (mut left, mut right) = (vec![], vec![]);
    loop {
        left.clear();
        right.clear();
        (&mut first).take(PIECE as u64).read_to_end(&mut left)?;
        (&mut second).take(PIECE as u64).read_to_end(&mut right)?;
        ensure!(left == right, "{} is not {}", other.display(), one.display());
        if left.is_empty() {
            return Ok(());
        }
    }
}

/// Writes a large file.
pub fn write_large(at: &Path, mebibytes: usize, seed: u64) -> Result<()> {
    let (mut file, mut noise) = (File::create(at)?, Noise::new(seed));
    for _ in 0..mebibytes {
        file.write_all(&noise.bytes(PIECE))?;
    }
    file.sync_all()?;
    Ok(())
}
