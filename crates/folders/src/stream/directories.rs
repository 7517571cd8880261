//! Directories of a connection: creating, subscribing, what was told of each, and what changed since.

use base::OpError;
use base::mutants::{self, Mutant};
use kernel::{Out, Topic, Watch};
use serde_json::Value;

use super::answers::Fault;
use super::known::Known;
use super::limits::{DIRECTORIES_MAX, LOOK_AGAIN_MS, LOOK_MS, PAGE_FILES, SUBSCRIPTIONS_MAX, WINDOW_BYTES};
use super::waiting::Waiting;
use super::{Call, RequestId, Stream, read_as};
use crate::form::{Changes, ChangesOf, Create, Created, FileMeta, Join, Joined};
use crate::wire::server_message::Message;
use crate::wire::{
    CheckVersion, DirectoryCreate, DirectorySubscribe, OkDirectoryCreated, OkSubscribed, OkUnsubscribed,
};

/// A directory as this connection knows it.
#[derive(Debug, Default)]
pub(super) struct Directory {
    pub(super) subscribed: bool,
    pub(super) known: Known,
    /// Everything after this commit is still to be told as an event.
    heard: u64,
    /// Where the page that is being read begins within a commit.
    page: Option<(u64, String)>,
    /// A look is under way; whether another is wanted after it.
    looking: bool,
    again: bool,
    look_at: Option<u64>,
    pub(super) waiting: Waiting,
}

impl Directory {
    /// The client has all up to a commit: whatever came before it is no news any more.
    pub(super) fn listed(&mut self, seq: u64) {
        self.known.advance(seq);
        if self.page.is_none() {
            self.heard = self.heard.max(seq);
        }
    }

    pub(super) fn due_at(&self) -> Option<u64> {
        let look = self.look_at.filter(|_| self.subscribed && !self.looking);
        [look, self.waiting.due_at()].into_iter().flatten().min()
    }
}

impl Stream {
    pub(super) fn create(&mut self, request: RequestId, create: DirectoryCreate) {
        if !self.may_write {
            return self.fault(&request, read_only());
        }
        let input = Create { who: self.who.clone(), name: create.name.unwrap_or_default() };
        self.call("folders.create", &input, Call::Create(request));
    }

    pub(super) fn created(&mut self, request: &RequestId, result: Result<Value, OpError>) {
        match read_as::<Created>(result) {
            Ok(Created { directory: directory_id }) => {
                self.reply(request, Message::OkDirectoryCreated(OkDirectoryCreated { directory_id }));
            }
            Err(fault) => self.fault(request, fault),
        }
    }

    /// Subscribing again is no error: it is answered the same.
    pub(super) fn subscribe(&mut self, request: RequestId, wanted: DirectorySubscribe) {
        let directory = wanted.directory_id;
        let is_new = !self.directories.get(&directory).is_some_and(|known| known.subscribed);
        if is_new && self.subscriptions() >= SUBSCRIPTIONS_MAX {
            let text = format!("one connection hears of at most {SUBSCRIPTIONS_MAX} directories");
            return self.fault(&request, Fault::invalid(&text));
        }
        let known = wanted.dir_seq.map(|seq| (seq, wanted.directory_epoch));
        let seq = known.as_ref().map_or(0, |(seq, _)| *seq);
        let epoch = known.as_ref().and_then(|(_, epoch)| epoch.clone());
        let input = Join { who: self.who.clone(), directory: directory.clone(), seq, epoch };
        self.call("folders.join", &input, Call::Join { request, directory, known });
    }

    /// Those that are being joined count.
    fn subscriptions(&self) -> usize {
        let joining = self.open.values().filter(|call| matches!(call, Call::Join { .. })).count();
        joining + self.directories.values().filter(|directory| directory.subscribed).count()
    }

    pub(super) fn joined(
        &mut self,
        request: &RequestId,
        name: String,
        known: Option<(u64, Option<String>)>,
        result: Result<Value, OpError>,
    ) {
        let joined: Joined = match read_as(result) {
            Ok(joined) => joined,
            Err(fault) => return self.fault(request, fault),
        };
        let Ok(directory) = self.directory(&name) else { return self.fault(request, too_many()) };
        // Of another epoch, or of a future that a backup took away, nothing is known.
        let is_same = |epoch: &Option<String>| epoch.as_ref().is_none_or(|epoch| *epoch == joined.epoch);
        let from = known.filter(|(seq, epoch)| is_same(epoch) && *seq <= joined.seq).map(|(seq, _)| seq);
        if !directory.subscribed {
            directory.heard = from.unwrap_or(joined.seq);
            directory.subscribed = true;
        }
        from.into_iter().for_each(|seq| directory.known.advance(seq));
        let answer = OkSubscribed {
            directory_id: name.clone(),
            dir_seq: Some(joined.seq),
            directory_epoch: Some(joined.epoch.clone()),
        };
        self.out.push(Out::Watch(watch(&name)));
        self.reply(request, Message::OkSubscribed(answer));
        // Something may have changed between the joining and the watching.
        self.look(&name);
    }

    pub(super) fn unsubscribe(&mut self, request: RequestId, directory_id: String) {
        if let Some(directory) = self.directories.get_mut(&directory_id) {
            (directory.subscribed, directory.page) = (false, None);
            if directory.waiting.is_empty() {
                self.out.push(Out::Unwatch(watch(&directory_id)));
            }
        }
        self.reply(&request, Message::OkUnsubscribed(OkUnsubscribed { directory_id }));
    }

    /// A directory of this connection, new or known.
    pub(super) fn directory(&mut self, name: &str) -> Result<&mut Directory, Fault> {
        let is_full = self.directories.len() >= DIRECTORIES_MAX && !self.directories.contains_key(name);
        if is_full { Err(too_many()) } else { Ok(self.directories.entry(name.to_owned()).or_default()) }
    }

    pub(super) fn all_woken(&mut self) {
        let names: Vec<String> = self.directories.keys().cloned().collect();
        names.iter().for_each(|name| self.look(name));
    }

    pub(super) fn woken(&mut self, topic: Topic) {
        let names: Vec<String> = self.directories.keys().filter(|name| crate::topic(name) == topic).cloned().collect();
        names.iter().for_each(|name| self.look(name));
    }

    /// There may be news of a directory: a commit, or a seat that got free.
    pub(super) fn look(&mut self, name: &str) {
        self.wake_waiters(name);
        let is_full = self.unsent >= WINDOW_BYTES;
        let Some(directory) = self.directories.get_mut(name).filter(|directory| directory.subscribed) else { return };
        // Whoever does not take what was sent is told the rest when it does.
        if is_full || std::mem::replace(&mut directory.looking, true) {
            directory.again = true;
            return;
        }
        let (after, after_file) = directory.page.clone().unwrap_or((directory.heard, String::new()));
        let from = directory.heard;
        let input = ChangesOf {
            who: self.who.clone(),
            directory: name.to_owned(),
            after,
            after_file,
            limit: PAGE_FILES,
            each: !self.caps.tree,
        };
        self.read("folders.changes", &input, Call::Changes { directory: name.to_owned(), from });
    }

    pub(super) fn changed(&mut self, name: &str, from: u64, result: Result<Value, OpError>) {
        let (now, changes) = (self.now, read_as::<Changes>(result));
        let is_early = changes.as_ref().is_ok_and(|changes| self.is_answered_soon(name, changes));
        let Some(directory) = self.directories.get_mut(name) else { return };
        directory.looking = false;
        match changes {
            // Told by the answer, which is on its way: looked at again after it.
            Ok(_) if is_early => directory.again = true,
            Ok(_) if !directory.subscribed => {}
            Ok(changes) => self.tell_changes(name, from, &changes),
            // The right to read may be gone, or the directory: whoever asks for it is told. Here it is only tried again.
            Err(_) => directory.look_at = Some(now + LOOK_AGAIN_MS.max(LOOK_MS / 10)),
        }
    }

    fn tell_changes(&mut self, name: &str, from: u64, changes: &Changes) {
        let files = self.as_told(changes.files.iter().filter(|meta| !self.is_own(name, meta)));
        let now = self.now;
        let Some(directory) = self.directories.get_mut(name) else { return };
        let others = changes.files.iter().filter(|meta| meta.client != self.who.client);
        let are_remembered = others.filter(|meta| !directory.known.tell(meta)).count() == 0;
        let before = directory.known.seq;
        let is_behind = before < from || !are_remembered;
        // Whoever never had the whole listing knows these alone.
        changes.files.iter().filter(|_| is_behind && are_remembered).for_each(|meta| directory.known.add(meta, false));
        directory.page = changes.more.then(|| (changes.seq, changes.file.clone()));
        if !changes.more {
            directory.heard = directory.heard.max(changes.seq);
        }
        if !is_behind {
            directory.known.advance(changes.seq);
        }
        directory.look_at = Some(now + LOOK_MS);
        let look_again = std::mem::take(&mut directory.again) || changes.more;
        let dir_seq = (!is_behind).then_some(changes.seq);
        let directory_id = Some(name.to_owned());
        // How far everything was told is news to those who keep it, also after changes of their own.
        let is_news = self.caps.is_any() && dir_seq.is_some_and(|seq| seq > before) && !changes.more;
        if !files.is_empty() || is_news {
            self.check_version(&None, CheckVersion { files, directory_id, dir_seq, more: Some(changes.more) });
        }
        if look_again {
            self.look(name);
        }
    }

    /// Nobody is told of their own changes: those that this connection was answered with. What followed from them is told: folders that were
    /// missing, files that were overwritten, and what an earlier connection of the same client brought and never heard of.
    fn is_own(&self, name: &str, meta: &FileMeta) -> bool {
        let Some(directory) = self.directories.get(name) else { return false };
        let is_told = directory.known.version(&meta.id) == Some(meta.version) || meta.seq <= directory.known.seq;
        meta.client == self.who.client && (is_told || mutants::on(Mutant::FoldersFollowedUntold))
    }

    /// A change of the client's own is seen before the answer of the call that made it.
    fn is_answered_soon(&self, name: &str, changes: &Changes) -> bool {
        let is_new = |meta: &&FileMeta| meta.client == self.who.client && !self.is_own(name, meta);
        self.is_committing(name) && changes.files.iter().any(|meta| is_new(&meta))
    }

    fn is_committing(&self, name: &str) -> bool {
        let lies_there = |group: &u64, part: usize| {
            let part = self.groups.get(group).and_then(|group| group.parts.get(part));
            part.is_some_and(|part| part.ask.directory == name)
        };
        self.open.values().any(|call| match call {
            Call::Ask { group, part } | Call::Finish { group, part, .. } => lies_there(group, *part),
            _ => false,
        })
    }

    /// Looks that are due by themselves.
    pub(super) fn look_at_directories(&mut self) {
        let now = self.now;
        let is_due = |directory: &Directory| directory.due_at().is_some_and(|at| at <= now);
        let waits =
            |name: &str, one: &Directory| one.subscribed && one.again && !one.looking && !self.is_committing(name);
        let is_due = |(name, one): &(&String, &Directory)| is_due(one) || waits(name, one);
        let due: Vec<String> = self.directories.iter().filter(is_due).map(|(name, _)| name.clone()).collect();
        for name in due {
            if let Some(directory) = self.directories.get_mut(&name) {
                directory.look_at = Some(now + LOOK_MS);
            }
            self.look(&name);
        }
    }
}

/// What calls out the changes of a directory.
pub(super) fn watch(directory: &str) -> Watch {
    Watch::Topic(crate::topic(directory))
}

pub(super) fn read_only() -> Fault {
    Fault::forbidden("this key may only read")
}

fn too_many() -> Fault {
    Fault::invalid(&format!("one connection has to do with at most {DIRECTORIES_MAX} directories"))
}
