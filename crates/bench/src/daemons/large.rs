//! A file of one gibibyte of which little changes: 4 KiB in place in its middle, 37 bytes that come in near its beginning.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};

use super::content::{Noise, check_same_file, flush, write_large};
use super::sent;
use super::side::{Kind, Side, carried, settle};
use super::table::{Figure, Unit};

const MEBIBYTES: usize = 1_024;
const EDIT_AT: u64 = (MEBIBYTES as u64) << 19;
const INSERT_AT: u64 = 5_000;

pub fn run(_: Kind, side: &mut dyn Side) -> Result<Vec<Figure>> {
    let prepared = side.places().aside("large.bin");
    write_large(&prepared, MEBIBYTES, 2)?;
    let (a, b) = (side.places().a.join("large.bin"), side.places().b.join("large.bin"));
    let begun = Instant::now();
    fs::rename(&prepared, &a)?;
    let size = (MEBIBYTES as u64) << 20;
    let is_there = || Ok(fs::metadata(&b).is_ok_and(|found| found.len() == size));
    let seconds = carried(side, begun, "the large file is in B", is_there)?;
    settle(side)?;
    let mut figures = vec![Figure::new("a file of 1 GiB appears in A, until B has it", Unit::Seconds, seconds)];
    figures.extend(edit(side, &a, &b)?);
    figures.extend(insert(side, &a, &b)?);
    Ok(figures)
}

fn edit(side: &mut dyn Side, a: &Path, b: &Path) -> Result<Vec<Figure>> {
    let bytes = Noise::new(3).bytes(4_096);
    let begun = Instant::now();
    let file = File::options().write(true).open(a).with_context(|| format!("{} is to be edited", a.display()))?;
    file.write_all_at(&bytes, EDIT_AT)?;
    measure(side, begun, "4 KiB in its middle are overwritten", (a, b), &bytes, EDIT_AT)
}

/// As editors do: another file is written and takes the place of the first. The writing is not timed.
fn insert(side: &mut dyn Side, a: &Path, b: &Path) -> Result<Vec<Figure>> {
    let bytes = Noise::new(4).bytes(37);
    let prepared = inserted(side, a, &bytes)?;
    let begun = Instant::now();
    fs::rename(&prepared, a)?;
    measure(side, begun, "37 bytes come in near its beginning", (a, b), &bytes, INSERT_AT)
}

fn inserted(side: &dyn Side, a: &Path, bytes: &[u8]) -> Result<PathBuf> {
    let prepared = side.places().aside("inserted.bin");
    let (mut from, mut to) = (File::open(a).context("the large file in A")?, File::create(&prepared)?);
    std::io::copy(&mut (&mut from).take(INSERT_AT), &mut to)?;
    to.write_all(bytes)?;
    from.seek(SeekFrom::Start(INSERT_AT))?;
    std::io::copy(&mut from, &mut to)?;
    flush(&prepared)?;
    Ok(prepared)
}

/// All sides put a whole file in the place of another, so that a part of it tells.
fn measure(
    side: &mut dyn Side,
    begun: Instant,
    what: &str,
    (a, b): (&Path, &Path),
    bytes: &[u8],
    at: u64,
) -> Result<Vec<Figure>> {
    let mut held = vec![0; bytes.len()];
    // Not there for a moment is not there yet.
    let is_there = || Ok(File::open(b).is_ok_and(|file| file.read_exact_at(&mut held, at).is_ok()) && held == bytes);
    let seconds = carried(side, begun, what, is_there)?;
    check_same_file(a, b)?;
    let passed = settle(side)?;
    let mut figures = vec![Figure::new(format!("{what}, until B has it"), Unit::Seconds, seconds).goal(4.0)];
    figures.extend(sent(what, passed, Some(256.0)));
    Ok(figures)
}
