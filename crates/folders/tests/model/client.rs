//! A device with one file.

use std::collections::BTreeSet;

use crate::world::{Content, Down, Mutant, Up, World};

/// What a client is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    Idle,
    /// It asked to bring this.
    Asked(Content),
    /// It sent this.
    Sent(Content),
    /// Somebody else writes: it waits to be woken.
    Blocked,
    /// It asked which version there is.
    Refreshing,
    /// It asked for the content. Whether it had an edit of its own then.
    Fetching {
        had_edit: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Client {
    number: usize,
    pub local: Content,
    /// What it last had from the server, and its version.
    synced: Content,
    base: u64,
    phase: Phase,
    /// A newer version was told while something else went on.
    has_news: bool,
    /// It was told that its edit cannot be taken.
    is_denied: bool,
    pub copies: BTreeSet<Content>,
    pub edits_left: u8,
    pub is_connected: bool,
    pub is_gone: bool,
    /// FIRST_TRY_TIME of the present edit.
    time: u8,
}

impl Client {
    pub fn new(number: usize, edits: u8) -> Self {
        Self {
            number,
            local: 0,
            synced: 0,
            base: 1,
            phase: Phase::Idle,
            has_news: false,
            is_denied: false,
            copies: BTreeSet::new(),
            edits_left: edits,
            is_connected: true,
            is_gone: false,
            time: 0,
        }
    }

    fn is_dirty(&self) -> bool {
        self.local != self.synced
    }

    pub fn waits(&self) -> bool {
        self.phase != Phase::Idle || self.is_dirty()
    }

    pub fn is_to_upload(&self) -> bool {
        self.is_connected && self.phase == Phase::Idle && self.is_dirty()
    }
}

impl World {
    pub fn edit(&mut self, number: usize) {
        let content = self.make(self.clients[number].local);
        let client = &mut self.clients[number];
        client.local = content;
        client.edits_left -= 1;
        client.is_denied = false;
        // Clocks lie: whoever has a higher number lives a year ahead.
        client.time = u8::try_from(client.number).expect("few") * 100 + content;
    }

    pub fn upload(&mut self, number: usize) {
        let client = &mut self.clients[number];
        client.phase = Phase::Asked(client.local);
        let ask = Up::Ask { base: client.base, content: client.local, time: client.time };
        self.say(number, ask);
    }

    pub fn connect(&mut self, number: usize) {
        let client = &mut self.clients[number];
        (client.is_connected, client.phase) = (true, Phase::Refreshing);
        self.say(number, Up::RequestVersion);
    }

    /// The connection is gone, with all that was on its way.
    pub fn disconnect(&mut self, number: usize) {
        self.up[number].clear();
        self.down[number].clear();
        let client = &mut self.clients[number];
        (client.is_connected, client.phase, client.has_news, client.is_denied) = (false, Phase::Idle, false, false);
    }

    pub fn hear(&mut self, number: usize, message: Down) {
        let phase = self.clients[number].phase;
        let client = &mut self.clients[number];
        match (message, phase) {
            (Down::Check { version, content }, _) => self.check(number, version, content),
            (Down::Allow, Phase::Asked(content)) => {
                client.phase = Phase::Sent(content);
                self.say(number, Up::Write { content });
            }
            (Down::Blocked, Phase::Asked(_)) if client.has_news => self.refresh(number),
            (Down::Blocked, Phase::Asked(_)) => client.phase = Phase::Blocked,
            (Down::Denied, Phase::Asked(_)) => {
                client.is_denied = true;
                self.refresh(number);
            }
            (Down::Increased { version }, Phase::Asked(content) | Phase::Sent(content)) => {
                (client.base, client.synced) = (version, content);
                self.settle(number);
            }
            (Down::Given { version, content }, Phase::Fetching { had_edit }) => {
                self.install(number, version, content, had_edit)
            }
            (Down::NotGiven, Phase::Fetching { .. }) | (Down::Timeout, Phase::Sent(_)) => self.settle(number),
            // Of something that is over.
            (
                Down::Allow
                | Down::Blocked
                | Down::Denied
                | Down::Increased { .. }
                | Down::Given { .. }
                | Down::NotGiven
                | Down::Timeout,
                _,
            ) => {}
        }
    }

    /// Asks what there is.
    fn refresh(&mut self, number: usize) {
        let client = &mut self.clients[number];
        (client.phase, client.has_news) = (Phase::Refreshing, false);
        self.say(number, Up::RequestVersion);
    }

    /// What it did is over; what was told meanwhile is looked at.
    fn settle(&mut self, number: usize) {
        self.clients[number].phase = Phase::Idle;
        if self.clients[number].has_news {
            self.refresh(number);
        }
    }

    /// It is told of a version.
    fn check(&mut self, number: usize, version: u64, content: Content) {
        let client = &mut self.clients[number];
        if matches!(client.phase, Phase::Asked(_) | Phase::Sent(_) | Phase::Fetching { .. }) {
            client.has_news |= version > client.base;
            return;
        }
        client.phase = Phase::Idle;
        if version <= client.base {
            return;
        }
        if content == client.local {
            // The same here and there.
            (client.base, client.synced, client.is_denied) = (version, content, false);
            return;
        }
        // An edit of its own is asked for first: it may be there already, if only its answer was lost.
        if client.is_dirty() && !client.is_denied {
            client.has_news = true;
            return;
        }
        client.phase = Phase::Fetching { had_edit: client.is_dirty() };
        self.say(number, Up::RequestContent);
    }

    /// What was given takes the place of what is here; an edit of its own becomes a copy that everybody sees.
    fn install(&mut self, number: usize, version: u64, content: Content, had_edit: bool) {
        let (unseen, drops) = (self.is_on(Mutant::InstallsUnseen), self.is_on(Mutant::DropsTheDenied));
        let client = &mut self.clients[number];
        let has_edit = if unseen { had_edit } else { client.is_dirty() };
        if has_edit && !client.is_denied && !unseen && client.local != content {
            // Edited while it was on its way: that edit is asked for like any other.
            self.settle(number);
            return;
        }
        if has_edit && client.local != content && !drops {
            client.copies.insert(client.local);
        }
        (client.local, client.synced, client.base, client.is_denied) = (content, content, version, false);
        self.settle(number);
    }
}
