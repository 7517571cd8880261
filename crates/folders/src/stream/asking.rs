//! ASK_VERSION_INCREASE up to its answer: ALLOW, DENY or INCREASED.

use std::collections::{BTreeMap, BTreeSet};

use base::OpError;
use serde_json::Value;

use super::answers::Fault;
use super::directories::read_only;
use super::limits::{ASKED_MAX, FIRST_LEASE_MS, GROUPS_MAX, PART_MAX, PATH_MAX};
use super::upload::{Answer, Content, Group, Part, Phase};
use super::{Call, RequestId, Stream, read_as};
use crate::form::{Ask, Asked, Asking, FileMeta, FileStatus, Kind, OfUpload, Told};
use crate::wire::server_message::Message;
use crate::wire::version_increase_allow::Wanted;
use crate::wire::{AskVersionIncrease, CheckVersion, VersionIncreaseAllow, VersionIncreaseDeny, VersionIncreased};

impl Stream {
    pub(super) fn ask(&mut self, request: RequestId, ask: AskVersionIncrease) {
        match self.parts(ask) {
            Err(fault) => self.fault(&request, fault),
            Ok(parts) => {
                let number = self.calls + 1;
                let parts: Vec<Part> = folders_first(&parts).into_iter().chain(parts).collect();
                let has_first = parts.iter().any(|part| part.is_first);
                self.groups.insert(number, Group::new(request, parts, self.now));
                self.ask_parts(number, has_first);
            }
        }
    }

    fn ask_parts(&mut self, number: u64, first: bool) {
        let Some(group) = self.groups.get(&number) else { return };
        let parts = group.parts.iter().enumerate().filter(|(_, part)| part.is_first == first);
        let asks: Vec<(usize, Ask)> = parts.map(|(place, part)| (place, part.ask.clone())).collect();
        for (part, ask) in asks {
            self.call("folders.ask", &ask, Call::Ask { group: number, part });
        }
    }

    /// The changes of one directory that were made from the same state, in their order, are asked for together.
    fn parts(&mut self, ask: AskVersionIncrease) -> Result<Vec<Part>, Fault> {
        if !self.may_write {
            return Err(read_only());
        }
        if self.groups.values().filter(|group| group.is_open()).count() >= GROUPS_MAX {
            return Err(Fault::invalid(&format!("at most {GROUPS_MAX} groups are asked for at once")));
        }
        if ask.files.is_empty() || ask.files.len() > ASKED_MAX {
            return Err(Fault::invalid(&format!("a group has 1 to {ASKED_MAX} files, not {}", ask.files.len())));
        }
        let mut parts: BTreeMap<(String, u64, usize), Ask> = BTreeMap::new();
        let mut counts: BTreeMap<(String, u64), usize> = BTreeMap::new();
        let only_own = ask.files.iter().any(|file| file.seen_dir_seq.is_some());
        for file in ask.files {
            let (directory, seen) = (file.directory_id.clone(), file.seen_dir_seq);
            let asked = crate::wire::asked(file).map_err(|why| Fault::invalid(&why))?;
            if asked.path.len() > PATH_MAX {
                return Err(Fault::invalid(&format!("a path has at most {PATH_MAX} bytes")));
            }
            if !asked.deleted {
                crate::names::parts(&asked.path).map_err(|why| Fault::invalid(&why))?;
            }
            let (told, seq) = self.told(&directory, &asked, seen)?;
            let count = counts.entry((directory.clone(), seq)).or_default();
            let key = (directory.clone(), seq, *count / PART_MAX);
            *count += 1;
            let part = parts.entry(key).or_insert_with(|| self.empty_ask(directory, seq));
            part.told.beyond.extend(told);
            part.files.push(asked);
        }
        parts.values_mut().for_each(|ask| self.tell_of_others(ask, only_own));
        Ok(parts.into_values().map(|ask| Part { ask, is_first: false, answer: Answer::Open }).collect())
    }

    fn empty_ask(&self, directory: String, seq: u64) -> Ask {
        let told = Told { seq, beyond: vec![] };
        Ask { who: self.who.clone(), directory, told, files: vec![], lease_ms: FIRST_LEASE_MS }
    }

    /// The version of this file that was told alone, and up to which commit all were, when this change was first asked for. `seen`: up to
    /// which the client says that it has all; what it was told since is still on its way to it.
    fn told(
        &mut self,
        directory: &str,
        asked: &Asked,
        seen: Option<u64>,
    ) -> Result<(Option<(String, u64)>, u64), Fault> {
        self.directory(directory)?;
        let Some(known) = self.directories.get(directory).map(|directory| &directory.known) else {
            return Ok((None, 0));
        };
        let snapshot = self.tries.snapshot(directory, asked, known);
        let told = asked.id.clone().zip(snapshot.version);
        Ok((told, seen.map_or(snapshot.seq, |seen| seen.min(snapshot.seq))))
    }

    /// Whoever deletes a folder, or renames onto a file, takes along what it knows there: that, too, is told with the question.
    fn tell_of_others(&self, ask: &mut Ask, only_own: bool) {
        let is_taking = |asked: &Asked| asked.id.is_some() && !asked.content_changed;
        let known = self.directories.get(&ask.directory).filter(|_| ask.files.iter().any(is_taking));
        // Versions of the files themselves come last: they stand before what was told since.
        let others = known.into_iter().flat_map(|directory| directory.known.alone(only_own));
        ask.told.beyond = others.chain(std::mem::take(&mut ask.told.beyond)).collect();
    }

    pub(super) fn answered(&mut self, number: u64, place: usize, result: Result<Value, OpError>) {
        let answer = match read_as::<Asking>(result) {
            Ok(Asking::Denied { files, look_ms }) => Answer::Denied { files, look_ms },
            Ok(Asking::Increased { files, .. }) => Answer::Increased { files },
            Ok(Asking::Allowed { upload, wanted }) => {
                self.want(number, place, &wanted);
                Answer::Allowed { upload }
            }
            Err(fault) => Answer::Failed(fault),
        };
        if self.is_gone {
            return self.give_back(&answer);
        }
        let Some(group) = self.groups.get_mut(&number) else { return };
        group.parts[place].answer = answer;
        let is_first = group.parts[place].is_first;
        if group.parts.iter().any(|part| part.is_first == is_first && matches!(part.answer, Answer::Open)) {
            return;
        }
        let mut first = group.parts.iter().filter(|part| part.is_first);
        if is_first && first.all(|part| matches!(part.answer, Answer::Increased { .. })) {
            self.ask_parts(number, false);
        } else {
            self.decide(number);
        }
    }

    /// An answer that nobody waits for any more.
    fn give_back(&mut self, answer: &Answer) {
        if let Answer::Allowed { upload } = answer {
            self.call("folders.release", &OfUpload { upload: upload.clone(), lease_ms: 0 }, Call::Release);
        }
    }

    fn want(&mut self, number: u64, place: usize, wanted: &[(usize, String)]) {
        let Some(group) = self.groups.get_mut(&number) else { return };
        for (at, id) in wanted {
            let Some(asked) = group.parts[place].ask.files.get(*at) else { continue };
            group.files.push(Content::new(place, id.clone(), asked));
        }
    }

    /// All parts are answered.
    fn decide(&mut self, number: u64) {
        let Some(group) = self.groups.get_mut(&number) else { return };
        let is = |what: fn(&Answer) -> bool| group.parts.iter().any(|part| what(&part.answer));
        let failed = is(|answer| matches!(answer, Answer::Failed(_)));
        let denied = is(|answer| matches!(answer, Answer::Denied { .. }));
        let allowed = is(|answer| matches!(answer, Answer::Allowed { .. }));
        if failed || denied {
            self.refuse(number);
        } else if allowed {
            self.allow(number);
        } else if let Some(group) = self.groups.remove(&number) {
            self.increased(&group.request.clone(), group);
        }
    }

    fn allow(&mut self, number: u64) {
        self.give_up_former(number);
        let now = self.now;
        let Some(group) = self.groups.get_mut(&number) else { return };
        (group.phase, group.began_at, group.renewed_at) = (Phase::Writing, now, now);
        let directory = |content: &Content| group.parts[content.part].ask.directory.clone();
        let wanted = |content: &Content| Wanted {
            id: content.id.clone(),
            directory_id: directory(content),
            current_path: content.path.clone(),
        };
        let files = group.files.iter().map(wanted).collect();
        let request = group.request.clone();
        let allow = VersionIncreaseAllow { upload: Some(number.to_string()), files };
        self.reply(&request, Message::VersionIncreaseAllow(allow));
    }

    /// Whoever asks anew for what they may write already begins anew: pieces that come from now on are not for what was allowed before.
    fn give_up_former(&mut self, number: u64) {
        let Some(new) = self.groups.get(&number) else { return };
        let own: BTreeSet<(&str, &str)> = new.names().collect();
        let is_former = |(other, group): &(&u64, &Group)| {
            **other != number && group.phase == Phase::Writing && group.names().any(|name| own.contains(&name))
        };
        let former: Vec<u64> = self.groups.iter().filter(is_former).map(|(other, _)| *other).collect();
        former.into_iter().for_each(|other| self.give_up(other, Phase::Lapsed));
    }

    /// Something of it cannot be: what was allowed is given back, what was made is told.
    pub(super) fn refuse(&mut self, number: u64) {
        self.release(number);
        let Some(mut group) = self.groups.remove(&number) else { return };
        let request = group.end_request.take().or_else(|| group.request.clone());
        let (made, others): (Vec<Part>, Vec<Part>) =
            group.parts.drain(..).partition(|part| matches!(part.answer, Answer::Increased { .. }));
        if made.iter().any(|part| !part.is_first) {
            group.parts = made;
            self.increased(&request, group);
        }
        let (mut statuses, barred) = (vec![], barred(&others));
        for part in others {
            match part.answer {
                Answer::Failed(fault) => return self.fault(&request, fault),
                // A folder that all of it needs cannot be made, or somebody else is about to make it.
                Answer::Denied { .. } if part.is_first => {}
                Answer::Open => {
                    let files = held_up(&part.ask, &barred);
                    statuses.extend(files.iter().map(|said| crate::wire::status(&part.ask.directory, said)));
                    let blocked = files.iter().filter(|said| said.status == crate::Status::Blocked).collect();
                    self.wait_for(&part.ask.directory, blocked, part.ask.lease_ms);
                }
                Answer::Denied { files, look_ms } => {
                    statuses.extend(files.iter().map(|said| crate::wire::status(&part.ask.directory, said)));
                    let blocked = files.iter().filter(|said| said.status == crate::Status::Blocked).collect();
                    self.wait_for(&part.ask.directory, blocked, look_ms);
                }
                // It could be had, but for others that were asked for with it.
                Answer::Allowed { .. } | Answer::Increased { .. } => {
                    let files = all_of(&part.ask, crate::Status::Free);
                    statuses.extend(files.iter().map(|said| crate::wire::status(&part.ask.directory, said)));
                }
            }
        }
        self.reply(&request, Message::VersionIncreaseDeny(VersionIncreaseDeny { files: statuses }));
    }

    /// It is done: told, and remembered as told.
    pub(super) fn increased(&mut self, request: &RequestId, group: Group) {
        let (mut all, mut moved): (Vec<FileMeta>, Vec<FileMeta>) = (vec![], vec![]);
        for part in group.parts.into_iter().filter(|part| !part.is_first) {
            part.ask.files.iter().for_each(|asked| self.tries.done(&part.ask.directory, asked));
            let Answer::Increased { files } = part.answer else { continue };
            if let Ok(directory) = self.directory(&part.ask.directory) {
                for meta in &files {
                    directory.known.seen(&meta.id);
                    directory.known.add(meta, true);
                }
            }
            // Somebody else renamed it meanwhile, and both hold: the client has to do it too.
            let is_moved = |(meta, asked): &(&FileMeta, &Asked)| meta.path != asked.path && !meta.deleted;
            moved.extend(files.iter().zip(&part.ask.files).filter(is_moved).map(|(meta, _)| meta.clone()));
            all.extend(files);
        }
        let files = self.as_told(&all);
        self.reply(request, Message::VersionIncreased(VersionIncreased { files }));
        if !moved.is_empty() {
            let files = self.as_told(&moved);
            self.check_version(&None, CheckVersion { files, ..CheckVersion::default() });
        }
    }
}

/// The same of all files of a part.
fn all_of(ask: &Ask, status: crate::Status) -> Vec<FileStatus> {
    let said = |(place, asked): (usize, &Asked)| FileStatus {
        place,
        id: asked.id.clone(),
        path: asked.path.clone(),
        status,
        why: String::new(),
    };
    ask.files.iter().enumerate().map(said).collect()
}

/// Where folders were to be made and something else is: directory and path.
fn barred(parts: &[Part]) -> Vec<(String, String)> {
    let first = parts.iter().filter(|part| part.is_first);
    let denied = first.filter_map(|part| match &part.answer {
        Answer::Denied { files, .. } => Some((&part.ask.directory, files)),
        Answer::Open | Answer::Increased { .. } | Answer::Allowed { .. } | Answer::Failed(_) => None,
    });
    let all = denied.flat_map(|(directory, files)| files.iter().map(move |said| (directory, said)));
    let denied = all.filter(|(_, said)| said.status == crate::Status::Denied);
    denied.map(|(directory, said)| (directory.clone(), said.path.clone())).collect()
}

/// What is said of files that were not even asked for, because their folders could not be made: those below what is no folder are denied, and
/// the rest can be asked for; if nothing is in the way, all wait for whoever makes the folders.
fn held_up(ask: &Ask, barred: &[(String, String)]) -> Vec<FileStatus> {
    let mut barred =
        barred.iter().filter(|(directory, _)| *directory == ask.directory).map(|(_, path)| path).peekable();
    if barred.peek().is_none() {
        return all_of(ask, crate::Status::Blocked);
    }
    let barred: BTreeSet<&str> = barred.map(String::as_str).collect();
    let folders = |path: &str| path.match_indices('/').map(|(at, _)| at).collect::<Vec<usize>>();
    let mut files = all_of(ask, crate::Status::Free);
    for said in &mut files {
        let found = folders(&said.path).into_iter().find(|at| barred.contains(&said.path[..*at]));
        if let Some(at) = found {
            (said.status, said.why) = (crate::Status::Denied, format!("`{}` is no folder", &said.path[..at]));
        }
    }
    files
}

/// The folders of what is to be written, where a directory's share is larger than one part.
fn folders_first(parts: &[Part]) -> Vec<Part> {
    let mut needed: BTreeMap<&str, (&Ask, BTreeSet<&str>)> = BTreeMap::new();
    for ask in parts.iter().map(|part| &part.ask) {
        let is_split = parts.iter().filter(|other| other.ask.directory == ask.directory).count() > 1;
        let written = ask.files.iter().filter(|asked| is_split && asked.content_changed);
        let folders = written.flat_map(|asked| asked.path.match_indices('/').map(|(at, _)| &asked.path[..at]));
        needed.entry(&ask.directory).or_insert((ask, BTreeSet::new())).1.extend(folders);
    }
    // What is renamed to such a place makes it.
    let asked = parts.iter().flat_map(|part| &part.ask.files);
    let renamed: BTreeSet<&str> = asked.filter(|asked| asked.id.is_some()).map(|asked| asked.path.as_str()).collect();
    let folder = |path: &str| Asked::folder(path);
    let mut first = vec![];
    for (ask, folders) in needed.into_values() {
        let files: Vec<Asked> = folders.into_iter().filter(|path| !renamed.contains(path)).map(folder).collect();
        first.extend(files.chunks(PART_MAX).map(|files| Part {
            ask: Ask { files: files.to_vec(), told: Told { beyond: vec![], ..ask.told.clone() }, ..ask.clone() },
            is_first: true,
            answer: Answer::Open,
        }));
    }
    first
}

impl Asked {
    /// A folder that is to be there.
    fn folder(path: &str) -> Self {
        Self {
            id: None,
            kind: Kind::Folder,
            path: path.to_owned(),
            deleted: false,
            content_changed: false,
            try_us: 0,
            base: None,
            size: None,
            hash: None,
            mtime_us: None,
            executable: None,
            target: None,
        }
    }
}
