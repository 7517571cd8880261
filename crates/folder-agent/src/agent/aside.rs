//! What changed is set aside (FLD-3): what is sent is that copy, never the living file.

use std::collections::BTreeSet;
use std::io;

use super::Agent;
use super::look::{folder_of, path_of};
use super::upload::{GROUP_FILES, Wait, Why};
use crate::disk::{Aside, Disk, Stage};
use crate::model::{Content, Hash, Local, Stat, Synced};
use crate::state::Put;

/// A file is read no sooner than this after its last change. File systems tell moments of several milliseconds apart at best: what is written after the
/// reading began has another time than what was read, so that a rewrite of the same size is never missed.
const QUIET_MS: u64 = 12;
/// Files that change again and again are left alone for longer each time, but not for ever.
const QUIET_MAX_MS: u64 = 5_000;
/// A file that was sent and changes again within this is hot.
const HOT_MS: u64 = 10_000;
/// A file whose reading took long and came to nothing has to be quiet for as long, up to this.
const TOOK_MAX_MS: u64 = 300_000;
/// What could not be set aside is tried again after this, growing.
const UNREAD_MS: u64 = 1_000;
const UNREAD_MAX_MS: u64 = 600_000;
/// Stages that are dropped in one turn.
const DROPPED_MAX: usize = 100;
/// What is set aside in one turn; then others have theirs.
const TURN_BYTES: u64 = 64 << 20;
/// As many as a group has: it is on its way while the next are set aside.
const TURN_FILES: usize = GROUP_FILES;

/// How often a file changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heat {
    /// Times that it was set aside, or could not be, each soon after the one before.
    times: u32,
    at_ms: u64,
    /// How long it took to find that it changed while it was read.
    took_ms: u64,
    /// As it was seen first, and when: for file systems whose clock is not ours.
    seen: Stat,
    seen_ms: u64,
}

impl<D: Disk> Agent<D> {
    /// Sets aside those of these files that are quiet; whether something was.
    pub(super) fn set_asides(&mut self, wanted: &[String]) -> io::Result<bool> {
        let (mut bytes, mut files, mut any) = (0, 0, false);
        for path in wanted {
            if bytes >= TURN_BYTES || files >= TURN_FILES {
                self.plan_at(self.now.ran_ms);
                break;
            }
            let Some(Local { stat, .. }) = self.local.get(path).cloned() else { continue };
            let is_large = stat.size > self.settings.large_bytes;
            if is_large && self.upload.is_some() || self.has_to_rest(path) {
                // To read it takes long, and whoever was allowed to send has to do so soon. Another plan follows what is sent.
                self.report.waiting += 1;
                continue;
            }
            let now_ns = self.disk.now_ns()?;
            if let Some(wait_ms) = self.wait_for_quiet(path, stat, now_ns) {
                self.report.waiting += 1;
                self.plan_at(self.now.ran_ms + wait_ms);
                continue;
            }
            (bytes, files) = (bytes + stat.size, files + 1);
            any |= self.set_one_aside(path)?;
        }
        Ok(any)
    }

    /// It could not be read, or did not fit, a while ago.
    fn has_to_rest(&mut self, path: &str) -> bool {
        let until_ms = self.unread.get(path).map_or(0, |wait| wait.until_ms);
        if until_ms > self.now.ran_ms {
            self.plan_at(until_ms);
        }
        until_ms > self.now.ran_ms
    }

    /// Milliseconds until it is quiet.
    fn wait_for_quiet(&mut self, path: &str, stat: Stat, now_ns: i64) -> Option<u64> {
        let now_ms = self.now.ran_ms;
        let fresh = Heat { times: 0, at_ms: 0, took_ms: 0, seen: stat, seen_ms: now_ms };
        let heat = self.heat.entry(path.to_owned()).or_insert(fresh);
        if heat.seen != stat {
            (heat.seen, heat.seen_ms) = (stat, now_ms);
        }
        if now_ms > heat.at_ms + HOT_MS + QUIET_MAX_MS {
            heat.times = 0;
        }
        // Whoever takes long to be read has to be quiet for so long.
        let need_ms = (QUIET_MS << heat.times.min(10)).min(QUIET_MAX_MS).max(heat.took_ms.min(TOOK_MAX_MS));
        let age_ms = match (now_ns - stat.ctime_ns) / 1_000_000 {
            age if age >= 0 => age.cast_unsigned(),
            // Its time lies ahead of the clock: only what was seen counts.
            _ => now_ms - heat.seen_ms,
        };
        (age_ms < need_ms).then(|| need_ms - age_ms)
    }

    fn set_one_aside(&mut self, path: &str) -> io::Result<bool> {
        let stage = self.state.new_stage();
        let began_ns = self.disk.now_ns()?;
        let copied = self.copy_aside(path, stage);
        let took_ms = u64::try_from((self.disk.now_ns()? - began_ns) / 1_000_000).unwrap_or(0);
        // Whoever was to be heard meanwhile could not be.
        (self.heard_at, self.piece_at) = (self.heard_at + took_ms, self.piece_at + took_ms);
        // What was judged to be quiet is what has to have been read.
        let is_it = |aside: &Aside| self.local.get(path).is_some_and(|local| local.stat == aside.stat);
        let aside = match copied.map(|aside| aside.filter(is_it)) {
            Ok(Some(aside)) => aside,
            Ok(None) => {
                self.heat_up(path);
                if let Some(heat) = self.heat.get_mut(path) {
                    heat.took_ms = took_ms;
                }
                self.disk.drop_stage(stage)?;
                self.dirty.insert(folder_of(path).to_owned());
                self.plan_at(self.now.ran_ms + QUIET_MS);
                return Ok(false);
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound) => {
                self.disk.drop_stage(stage)?;
                self.dirty.insert(folder_of(path).to_owned());
                if error.kind() == io::ErrorKind::PermissionDenied {
                    self.frozen.insert(path.to_owned(), format!("cannot be read: {error}"));
                    self.local.remove(path);
                    self.is_stale = true;
                }
                return Ok(false);
            }
            Err(error) => {
                // A copy that does not fit must not take up the room that others need; and a file that cannot be read holds up no other.
                self.disk.drop_stage(stage)?;
                self.put_off_aside(path, &error);
                return Ok(false);
            }
        };
        self.unread.remove(path);
        self.heat_up(path);
        let content = Content::File { hash: Some(aside.hash), size: aside.size, executable: aside.executable };
        self.local.insert(path.to_owned(), Local { stat: aside.stat, content });
        if let Some(before) = self.state.drop_aside(path) {
            self.drop_stage_later(before.stage);
        }
        self.state.put_aside(path, Put { stage, aside });
        self.has_unsettled = true;
        self.is_stale = true;
        Ok(true)
    }

    fn put_off_aside(&mut self, path: &str, error: &io::Error) {
        let tries = self.unread.get(path).map_or(0, |wait| wait.tries);
        let until_ms = self.now.ran_ms + (UNREAD_MS << tries.min(10)).min(UNREAD_MAX_MS);
        self.unread.insert(path.to_owned(), Wait { until_ms, tries: tries + 1, why: Why::Failed, alone: false });
        self.report.waiting += 1;
        self.plan_at(until_ms);
        self.tell("trouble", path, &format!("cannot be set aside: {error}"));
    }

    /// Of a large file only what the server may not have is copied; the chunks of all of it are remembered.
    fn copy_aside(&mut self, path: &str, stage: Stage) -> io::Result<Option<Aside>> {
        let is_large = self.local.get(path).is_some_and(|local| local.stat.size > self.settings.large_bytes);
        if !is_large {
            return self.disk.set_aside(path, stage);
        }
        let known = if self.wholes.remove(path) { BTreeSet::new() } else { self.known_chunks(path) };
        let Some((aside, chunks)) = self.disk.set_aside_chunks(path, stage, &known)? else { return Ok(None) };
        self.state.put_chunks(aside.hash, &chunks);
        Ok(Some(aside))
    }

    /// The chunks of what the server has of this file: those need not be sent.
    fn known_chunks(&self, path: &str) -> BTreeSet<Hash> {
        let large = self.settings.large_bytes;
        let is_large = |both: &Synced| matches!(&both.content, Content::File { size, .. } if *size > large);
        let synced = self.state.synced();
        let found = synced.iter().find(|(id, both)| is_large(both) && path_of(synced, **id).as_deref() == Some(path));
        let Some(Content::File { hash: Some(hash), .. }) = found.map(|(_, both)| &both.content) else {
            return BTreeSet::new();
        };
        // Chunks that cannot be read are not known: then all is copied.
        let chunks = self.state.chunks(hash).ok().flatten().unwrap_or_default();
        chunks.into_iter().map(|chunk| chunk.digest).collect()
    }

    fn heat_up(&mut self, path: &str) {
        let now_ms = self.now.ran_ms;
        if let Some(heat) = self.heat.get_mut(path) {
            heat.times = if now_ms < heat.at_ms + HOT_MS { heat.times + 1 } else { u32::from(heat.at_ms > 0) };
            heat.at_ms = now_ms.max(1);
        }
    }

    /// Drops what was set aside and is not needed any more: those not kept.
    pub(super) fn drop_asides(&mut self, is_kept: impl Fn(&str) -> bool) {
        let gone: Vec<String> = self.state.asides().keys().filter(|path| !is_kept(path)).cloned().collect();
        for path in gone {
            if let Some(put) = self.state.drop_aside(&path) {
                self.drop_stage_later(put.stage);
            }
        }
        let now_ms = self.now.ran_ms;
        self.unread.retain(|_, wait| now_ms < wait.until_ms + UNREAD_MAX_MS);
        self.heat.retain(|_, heat| now_ms <= heat.at_ms.max(heat.seen_ms) + HOT_MS + QUIET_MAX_MS);
    }

    /// Only when the state does not name it any more: a crash in between leaves a stage that the next start drops.
    pub(super) fn drop_stage_later(&mut self, stage: crate::disk::Stage) {
        self.unused_stages.push(stage);
    }

    pub(super) fn drop_unused_stages(&mut self) -> io::Result<()> {
        // A removal may wait for the disk: others have their turn in between.
        let later = self.unused_stages.split_off(self.unused_stages.len().min(DROPPED_MAX));
        if !later.is_empty() {
            self.wake_in(10);
        }
        for stage in std::mem::replace(&mut self.unused_stages, later) {
            if self.upload.as_ref().is_some_and(|upload| upload.uses(stage)) {
                self.unused_stages.push(stage);
            } else {
                self.disk.drop_stage(stage)?;
            }
        }
        Ok(())
    }
}
