//! The data directory: there, ours, on a disk that keeps what it promises, with room, and not written later than now.

use std::io::ErrorKind;
use std::path::Path;

use base::{Clock, Engine};
use host::{DiskFacts, DiskKind, RealClock, disk_facts, sync_times_us};

use super::Line;
use crate::backup::{self, Rows, disk};
use crate::config::Config;
use crate::obstacle::{self, Obstacle};
use crate::{change_engine, first, restore};

const MIB: u64 = 1 << 20;
/// Less is too little to work with, and less than this to live with for long.
const FREE_BAD: u64 = 100 * MIB;
const FREE_WARN: u64 = 1024 * MIB;
/// A clock that was set back by more than a time server does.
const AHEAD_MS: i64 = 60_000;
/// Syncs that are measured.
const SYNCS: usize = 50;
const SLOW_US: u64 = 100_000;
/// No device that survives a power cut is as fast as this.
const INCREDIBLE_US: u64 = 15;

pub(super) fn lines(config: &Config) -> Vec<Line> {
    let data = &config.data.dir;
    let name = data.display();
    if may_not_look(data) {
        let told = obstacle::forbidden(data);
        let why = "nothing can be said of what it holds, and a server of this user does not start on it";
        return vec![Line::bad(told.what, why, told.mend)];
    }
    if !data.exists() {
        let above = data.ancestors().skip(1).find(|path| path.exists() && !path.as_os_str().is_empty());
        let above = above.unwrap_or(Path::new("."));
        let mut lines = vec![Line::ok(format!("the data directory {name} is made at the first start"))];
        lines.extend(of_disk(above, false));
        return lines;
    }
    if !data.is_dir() {
        let mend = "name another directory (--data), or move the file away";
        return vec![Line::bad(format!("{name} is not a directory"), "the server keeps its data in a directory", mend)];
    }
    let mut lines = of_disk(data, true);
    if let Err(error) = restore::refuse_unfinished(data) {
        lines.push(Line::bad(
            error.to_string(),
            "the server does not start on half a restore",
            "run that restore again",
        ));
    }
    if let Err(error) = change_engine::refuse_unfinished(data) {
        let why = "the administrators' namespace lies on both engines, and one of them may not be whole";
        lines.push(Line::bad(error.to_string(), why, "run that command again, or take the change back"));
    }
    lines.extend(other_engine(config));
    lines.extend(diagnoses(data));
    if config.store.engine == Engine::Sqlite {
        lines.extend(reserves(config));
        lines.extend(written_later(config, RealClock::new().wall().0));
    }
    lines
}

/// Data of this server on the other engine, beside which it would begin anew.
fn other_engine(config: &Config) -> Option<Line> {
    // A PostgreSQL that does not answer is told elsewhere.
    let Obstacle { what, mend } = first::left_behind(config).ok().flatten()?;
    Some(Line::bad(what, "the server does not start on it", mend))
}

#[expect(clippy::disallowed_methods, reason = "nothing is read: whether it could be is the question")]
fn may_not_look(data: &Path) -> bool {
    std::fs::read_dir(data).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}

fn of_disk(folder: &Path, is_ours: bool) -> Vec<Line> {
    let facts = match disk_facts(folder) {
        Ok(facts) => facts,
        Err(error) => {
            let what = format!("{} cannot be looked at: {error}", folder.display());
            return vec![Line::bad(
                what,
                "the server keeps its data there",
                "check who may read the directories above it",
            )];
        }
    };
    let mut lines = vec![kind(folder, facts.kind), room(folder, facts.free_bytes)];
    if is_ours {
        lines.extend(rights(folder, &facts));
    }
    lines.push(syncs(folder));
    lines
}

fn kind(folder: &Path, kind: DiskKind) -> Line {
    let (name, mend) = (folder.display(), "choose a directory on a local disk (--data)");
    match kind {
        DiskKind::Local => Line::ok(format!("{name} is on a local disk")),
        DiskKind::Memory => {
            Line::warn(format!("{name} is in memory (tmpfs)"), "everything is gone when the machine restarts", mend)
        }
        DiskKind::Layer => Line::warn(
            format!("{name} is in a container's own layer"),
            "everything is gone with the container",
            "mount a volume there",
        ),
        DiskKind::Fuse => {
            Line::warn(format!("{name} is served by a program (FUSE)"), "whether a sync is one depends on it", mend)
        }
        DiskKind::Network(what) => Line::bad(
            format!("{name} is on a network disk ({what})"),
            "its locks and syncs cannot be relied on: SQLite may be damaged",
            mend,
        ),
    }
}

fn room(folder: &Path, free: u64) -> Line {
    let what = format!("{} MiB are free on the disk of {}", free / MIB, folder.display());
    let why = "a full disk means that new work is refused";
    match free {
        ..FREE_BAD => Line::bad(what, why, "make room"),
        FREE_BAD..FREE_WARN => Line::warn(what, why, "make room"),
        FREE_WARN.. => Line::ok(what),
    }
}

fn rights(folder: &Path, facts: &DiskFacts) -> Vec<Line> {
    let (name, mode) = (folder.display(), facts.mode);
    let mut lines = vec![];
    if mode & 0o077 != 0 {
        let why = "other users of this machine may read or change the data";
        lines.push(Line::warn(format!("{name} is open to others (mode {mode:03o})"), why, format!("chmod 700 {name}")));
    }
    if facts.is_foreign {
        let why = "files made by one user cannot be written by the other";
        lines.push(Line::warn(
            format!("{name} belongs to another user"),
            why,
            "run this, and the server, as that user",
        ));
    }
    lines
}

fn syncs(folder: &Path) -> Line {
    let name = folder.display();
    let times = match sync_times_us(folder, SYNCS) {
        Ok(times) => times,
        Err(error) => {
            let why = "the server writes there";
            return Line::bad(
                format!("{name} cannot be written: {error}"),
                why,
                "check rights, room and whether it is mounted read-only",
            );
        }
    };
    let (p50, p99) = (times[SYNCS / 2], times[SYNCS - 1]);
    let ms = |us: u64| format!("{}.{:02} ms", us / 1000, us % 1000 / 10);
    let what = format!("a sync on the disk of {name} takes {} (half of {SYNCS}), {} (the slowest)", ms(p50), ms(p99));
    match (p50, p99) {
        (..INCREDIBLE_US, _) => {
            let why = "no disk is that fast: it may forget what it acknowledged at a power cut";
            Line::warn(what, why, "make sure that no cache without a battery acknowledges for the disk")
        }
        (_, SLOW_US..) => {
            Line::warn(what, "every write waits for a sync", "use a faster disk, or one that is less busy")
        }
        _ => Line::ok(what),
    }
}

fn diagnoses(data: &Path) -> Option<Line> {
    let entries = disk::entries(data).unwrap_or_default();
    let is_one = |path: &&std::path::PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("diagnosis-"))
    };
    let newest = entries.iter().rfind(is_one)?;
    let what = format!("the watchdog ended the server; the newest diagnosis is {}", newest.display());
    Some(Line::warn(what, "a part of the server was stuck", "read it, report it, then remove the file"))
}

/// Stores whose reserve is not there: made at start, given up when the disk is full.
fn reserves(config: &Config) -> Vec<Line> {
    let why = "on a full disk work that was begun cannot be ended";
    if config.store.reserve == 0 {
        return vec![Line::warn("store.reserve is 0", why, "leave it at its default, or set a few MiB")];
    }
    let lacks = |source: &backup::Source| {
        let Rows::Sqlite(path) = &source.rows else { return None };
        let held = disk::size(&path.with_extension("reserve")).unwrap_or(0);
        let what = format!("namespace {} has {held} bytes of its reserve of {}", source.name, config.store.reserve);
        (held < config.store.reserve).then(|| Line::warn(what, why, "make room; the server makes it when it starts"))
    };
    backup::sources(config).unwrap_or_default().iter().filter_map(lacks).collect()
}

/// A store that was written later than it is now: the clock was set back, or is wrong.
fn written_later(config: &Config, now_ms: i64) -> Vec<Line> {
    let ahead = |source: &backup::Source| {
        let Rows::Sqlite(path) = &source.rows else { return None };
        let written_ms = disk::written_ms(path).max(disk::written_ms(&path.with_extension("db-wal")))?;
        let ahead_ms = written_ms.saturating_sub(now_ms);
        let what = format!("the clock is {} s behind the last write of namespace {}", ahead_ms / 1000, source.name);
        let why = "new versions are numbered on from the old ones, schedules wait until the clock has caught up";
        (ahead_ms > AHEAD_MS).then(|| Line::warn(what, why, "set the clock, and let a time server keep it"))
    };
    backup::sources(config).unwrap_or_default().iter().filter_map(ahead).collect()
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn ker_37_a_disk_is_told_before_it_is_full_and_by_its_kind() {
        let folder = Path::new("data");
        let state = |free: u64| room(folder, free).state;
        assert_eq!((state(FREE_BAD - 1), state(FREE_BAD), state(FREE_WARN)), (State::Bad, State::Warn, State::Ok));
        assert_eq!(kind(folder, DiskKind::Network("NFS")).state, State::Bad);
        assert_eq!(kind(folder, DiskKind::Layer).state, State::Warn);
    }
}
