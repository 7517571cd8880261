//! Keeps folders in step: as many as are linked, each by itself. What cannot be kept is told and tried again; the others go on.

use std::path::PathBuf;

use folder_agent::run::{Home, Keeper, Link, Progress, keep};
use folder_agent::state::{LogLine, Peek};

use super::place;
use crate::failure::Failure;

/// Rounds until what could not be kept is tried again.
const AGAIN: u32 = 20;
/// Lines that are told at once; what is beyond comes with the next round.
const LINES_MAX: u32 = 1_000;

/// All folders that are kept.
pub(super) struct Keeping {
    home: Home,
    /// Only these folders; none: all that are linked.
    only: Vec<PathBuf>,
    pub(super) folders: Vec<Kept>,
}

/// One that is kept, or should be.
pub(super) struct Kept {
    pub(super) link: Link,
    keeper: Option<Keeper>,
    peek: Option<Peek>,
    /// The last line of its log that was told.
    told: i64,
    /// Why it is not kept.
    pub(super) trouble: Option<String>,
    /// Rounds until it is tried again.
    wait: u32,
}

impl Keeping {
    /// Of all links, or of these folders, which must be linked.
    pub(super) fn new(home: Home, paths: &[PathBuf]) -> Result<Self, Failure> {
        let roots = paths.iter().map(|path| Ok(place::link_of(&home, path)?.0.root)).collect::<Result<_, Failure>>()?;
        Ok(Self { home, only: roots, folders: vec![] })
    }

    /// Takes up what is linked now, drops what is not any more, and begins anew with what was changed.
    pub(super) fn look_at_links(&mut self) -> Result<(), Failure> {
        let is_meant = |link: &Link| self.only.is_empty() || self.only.contains(&link.root);
        let mut links = self.home.links().map_err(place::failure)?;
        links.retain(is_meant);
        self.folders.retain(|kept| links.contains(&kept.link));
        for link in links {
            if !self.folders.iter().any(|kept| kept.link == link) {
                self.folders.push(Kept::new(link));
            }
        }
        Ok(())
    }

    /// Begins with what is not kept, if its time has come.
    pub(super) fn start(&mut self) {
        let home = &self.home;
        self.folders.iter_mut().for_each(|kept| kept.start(home));
    }
}

impl Kept {
    fn new(link: Link) -> Self {
        Self { link, keeper: None, peek: None, told: 0, trouble: None, wait: 0 }
    }

    fn start(&mut self, home: &Home) {
        if let Some(why) = self.keeper.as_ref().and_then(Keeper::why_ended) {
            (self.keeper, self.trouble, self.wait) = (None, Some(why), AGAIN);
        }
        if self.keeper.is_some() {
            return;
        }
        if self.wait > 0 {
            self.wait -= 1;
            return;
        }
        match self.try_to_start(home) {
            Ok(keeper) => (self.keeper, self.trouble) = (Some(keeper), None),
            Err(failure) => (self.trouble, self.wait) = (Some(failure.message().to_owned()), AGAIN),
        }
    }

    /// What the log says from here on is told; what it said before was.
    fn try_to_start(&mut self, home: &Home) -> Result<Keeper, Failure> {
        let told = match home.peek(&self.link).map_err(place::failure)? {
            Some(peek) => peek.newest_line().map_err(place::state_failure)?,
            None => 0,
        };
        let keeper = keep(home, &self.link).map_err(place::failure)?;
        self.peek = home.peek(&self.link).map_err(place::failure)?;
        self.told = told;
        Ok(keeper)
    }

    /// What it is at; `None` while it is not kept.
    pub(super) fn progress(&self) -> Option<Progress> {
        self.keeper.as_ref().map(Keeper::progress)
    }

    /// What happened since this was asked last.
    pub(super) fn lines(&mut self) -> Result<Vec<LogLine>, Failure> {
        let Some(peek) = &self.peek else { return Ok(vec![]) };
        let lines = peek.lines_after(self.told, LINES_MAX).map_err(place::state_failure)?;
        self.told = lines.last().map_or(self.told, |(number, _)| *number);
        Ok(lines.into_iter().map(|(_, line)| line).collect())
    }
}
