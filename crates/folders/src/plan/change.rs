//! What each change of a group means, and whether it may be, as far as that shows without its place (FLD-5, FLD-9, FLD-10, FLD-12).

use base::OpResult;

use super::known::Known;
use super::mutants::{Mutant, on};
use super::{Bytes, Entry, Landing, Planner, Seated, Verdict, Wanted, denied, refused, there};
use crate::form::{Asked, Kind};
use crate::names;

impl<'t> Planner<'t> {
    pub(super) fn read_all(&mut self) -> OpResult<()> {
        for place in 0..self.group.len() {
            if let Some(verdict) = self.read(place)? {
                self.verdicts[place] = Some(verdict);
            }
        }
        self.claim_chains();
        let moved: Vec<String> = self.landing.values().filter_map(|landing| landing.id().cloned()).collect();
        for id in moved {
            let entry = self.draft.now(&id)?;
            entry.filter(|entry| !entry.deleted).iter().for_each(|entry| self.draft.detach(entry));
        }
        Ok(())
    }

    pub(super) fn asked(&self, place: usize) -> &'t Asked {
        &self.group[place].asked
    }

    fn read(&mut self, place: usize) -> OpResult<Option<Verdict>> {
        let asked = self.asked(place);
        if let Some(id) = asked.id.as_ref().filter(|id| !self.named.insert((*id).clone())) {
            return Ok(Some(refused(format!("file {id} is twice in one group"))));
        }
        if asked.deleted {
            return self.read_delete(place);
        }
        if let Err(why) = names::parts(&asked.path) {
            return Ok(Some(refused(why)));
        }
        if asked.kind == Kind::Symlink && asked.target.is_none() {
            return Ok(Some(refused("a symbolic link has a target")));
        }
        let Some(id) = &asked.id else {
            let before = self.new_before(place)?;
            self.landing.extend(before.is_none().then_some((place, Landing::New)));
            return Ok(before);
        };
        match self.draft.was(id)? {
            Some(entry) => self.read_change(place, entry),
            None => self.read_new_id(place, id),
        }
    }

    /// A new file that this client brought before without hearing of it (FLD-10), and that somebody moved or deleted since. Where it still
    /// is in its place, it is found there.
    fn new_before(&mut self, place: usize) -> OpResult<Option<Verdict>> {
        let asked = self.asked(place);
        let (folder, name) = asked.path.rsplit_once('/').unwrap_or(("", &asked.path));
        if asked.try_us == 0 || on(Mutant::ForgetsRepeats) {
            return Ok(None);
        }
        let brought = self.draft.tree.brought_new(name, asked.try_us)?;
        if brought.is_empty() || self.at_path(&asked.path)?.is_some() {
            return Ok(None);
        }
        // Whoever detects many files at once may give them one time: only the folder tells those of one name apart.
        let parent = match folder {
            "" => Some(String::new()),
            folder => self.at_path(folder)?.map(|parent| parent.id),
        };
        let own = brought.into_iter().find(|(_, made_in)| Some(made_in) == parent.as_ref());
        let id = own.map(|(id, _)| id);
        let Some(entry) = id.map(|id| self.draft.was(&id)).transpose()?.flatten() else { return Ok(None) };
        // Its first version is what was brought: somebody may have edited it since.
        let first = self.draft.tree.version(&entry.id, 1)?;
        let is_other = first.is_some_and(|first| is_claimed_other(asked, &first));
        Ok((!is_other).then(|| there(&entry)))
    }

    fn read_new_id(&mut self, place: usize, id: &str) -> OpResult<Option<Verdict>> {
        if !is_uuid4(id) {
            return Ok(Some(refused(format!("`{id}` is no uuid4 in lower case"))));
        }
        if self.draft.tree.is_known_anywhere(id)? {
            return Ok(Some(refused(format!("file {id} is not in this directory"))));
        }
        self.landing.insert(place, Landing::New);
        Ok(None)
    }

    fn read_delete(&mut self, place: usize) -> OpResult<Option<Verdict>> {
        let asked = self.asked(place);
        let Some(entry) = self.whom_to_delete(asked)? else {
            let why = format!("nothing is known here that `{}` could be", asked.path);
            return Ok(Some(Verdict::Denied { id: asked.id.clone(), why }));
        };
        if entry.deleted {
            return Ok(Some(there(&entry)));
        }
        let known = self.known(&entry, asked.base)?;
        if let Some(verdict) = self.brought_before(place, &entry, &known)? {
            return Ok(Some(verdict));
        }
        if known.version != entry.version && !on(Mutant::DeletesUnseen) {
            let is_saved = self.is_saved(&entry)?;
            return Ok(Some(if is_saved { there(&entry) } else { made_from_older(&entry, &known) }));
        }
        self.named.insert(entry.id.clone());
        self.ids[place] = Some(entry.id.clone());
        self.doomed.insert(entry.id, place);
        Ok(None)
    }

    /// An editor's save that came before (FLD-17): what the group puts in the place of the deleted file is in it.
    fn is_saved(&mut self, entry: &Entry) -> OpResult<bool> {
        let is_save = |other: &&Wanted| !other.asked.deleted && entry.kind == Kind::File && is_equal(entry, other);
        for other in self.group.iter().filter(is_save) {
            if self.at_path(&other.asked.path)?.is_some_and(|there| there.id == entry.id) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn whom_to_delete(&mut self, asked: &Asked) -> OpResult<Option<Entry>> {
        if let Some(id) = &asked.id {
            return self.draft.was(id);
        }
        let found = self.at_path(&asked.path)?;
        Ok(found.filter(|entry| !self.named.contains(&entry.id)))
    }

    /// Who lives at a path.
    fn at_path(&mut self, path: &str) -> OpResult<Option<Entry>> {
        let Ok(parts) = names::parts(path) else { return Ok(None) };
        let mut found: Option<Entry> = None;
        for part in parts {
            let parent = found.map_or(String::new(), |entry| entry.id);
            found = self.draft.at(&parent, part)?;
            if found.is_none() {
                break;
            }
        }
        Ok(found)
    }

    /// A change of a file that the directory has, or had.
    fn read_change(&mut self, place: usize, mut entry: Entry) -> OpResult<Option<Verdict>> {
        let wanted = &self.group[place];
        if wanted.asked.kind != entry.kind {
            return Ok(Some(refused(format!("file {} does not become another kind: delete it", entry.id))));
        }
        let known = self.known(&entry, wanted.asked.base)?;
        if let Some(verdict) = self.brought_before(place, &entry, &known)? {
            self.remember(place, entry, known)?;
            return Ok(Some(verdict));
        }
        if let Some(verdict) = judge_content(&entry, &known, wanted) {
            return Ok(Some(verdict));
        }
        let Some(before) = known.entry else { return Ok(Some(made_from_older(&entry, &known))) };
        self.ids[place] = Some(entry.id.clone());
        let before = if on(Mutant::PathsAreRenames) { entry.clone() } else { before };
        let is_moved = self.is_moved(place, &before)? || entry.deleted;
        self.edit(place, &mut entry, Some(&before));
        self.draft.amend(entry.clone());
        match is_moved {
            true => {
                let (id, parent, name) = (entry.id, before.parent, before.name);
                self.landing.insert(place, Landing::Moved { id, parent, name });
            }
            false => {
                self.landed.insert(entry.id);
            }
        }
        Ok(None)
    }

    /// Paths of a group lead through folders that are there already, wherever they are by now.
    fn remember(&mut self, place: usize, entry: Entry, known: Known) -> OpResult<()> {
        if entry.kind == Kind::Folder {
            self.claimed.insert(self.asked(place).path.clone(), entry.id);
        }
        if let Some(before) = known.entry {
            let chain = self.chain(&before)?;
            self.chains.push(chain);
        }
        Ok(())
    }

    /// Whether the path is another than the client knew. Remembers the path that it knew.
    fn is_moved(&mut self, place: usize, before: &Entry) -> OpResult<bool> {
        let chain = self.chain(before)?;
        let asked: Vec<&str> = self.asked(place).path.split('/').collect();
        let policy = self.draft.policy;
        let is_same = chain.names.len() == asked.len()
            && chain.names.iter().zip(asked).all(|(one, other)| names::is_same(policy, one, other));
        if !is_same && before.kind == Kind::Folder && !before.deleted {
            self.vacated.insert(chain.names.join("/"));
        }
        self.chains.push(chain);
        Ok(!is_same)
    }

    /// What this client brought before and does not know of: its answer was lost (FLD-10).
    pub(super) fn brought_before(&mut self, place: usize, entry: &Entry, known: &Known) -> OpResult<Option<Verdict>> {
        if known.version >= entry.version || on(Mutant::ForgetsRepeats) {
            return Ok(None);
        }
        let asked = self.asked(place);
        let version = self.draft.tree.brought(&entry.id, asked.try_us)?;
        let Some(version) = version.filter(|version| *version > known.version) else { return Ok(None) };
        let brought = match version == entry.version {
            true => Some(entry.clone()),
            false => self.draft.tree.version(&entry.id, version)?,
        };
        let is_other = |brought: &Entry| {
            brought.deleted != asked.deleted || (asked.content_changed && is_claimed_other(asked, brought))
        };
        let is_it = !brought.as_ref().is_some_and(is_other);
        Ok(is_it.then(|| Verdict::There { id: entry.id.clone(), version }))
    }

    /// Makes content and attributes as they are asked for; what the client left as it knew it stays as it is now.
    pub(super) fn edit(&mut self, place: usize, entry: &mut Entry, before: Option<&Entry>) {
        let wanted = &self.group[place];
        let asked = &wanted.asked;
        if brings_content(entry, before, wanted) && (entry.deleted || !is_equal(entry, wanted)) {
            self.content.insert(entry.id.clone());
            self.take_bytes(place, entry);
        }
        if entry.kind == Kind::Folder {
            return;
        }
        // The same content at another time is the same file.
        if self.content.contains(&entry.id) || !asked.content_changed {
            merge(&asked.mtime_us, before.map(|before| &before.mtime_us), &mut entry.mtime_us);
        }
        merge(&asked.executable, before.map(|before| &before.executable), &mut entry.executable);
        merge(&asked.target, before.map(|before| &before.target), &mut entry.target);
    }

    fn take_bytes(&mut self, place: usize, entry: &mut Entry) {
        if entry.kind != Kind::File {
            return;
        }
        match &self.group[place].bytes {
            Bytes::Brought { content, hash, author_hash, size } => {
                (entry.content, entry.size) = (Some(content.clone()), *size);
                (entry.hash, entry.author_hash) = (hash.clone(), author_hash.clone());
            }
            Bytes::Kept | Bytes::Promised => {
                self.wants.insert(place);
            }
        }
    }
}

impl Landing {
    fn id(&self) -> Option<&String> {
        match self {
            Self::Moved { id, .. } => Some(id),
            Self::New => None,
        }
    }
}

/// What speaks against the content of a change (FLD-5, FLD-12), or makes all of it needless.
pub(super) fn judge_content(entry: &Entry, known: &Known, wanted: &Wanted) -> Option<Verdict> {
    let Some(before) = &known.entry else {
        // Nothing is known of what it was made from; but what is here may be what it wants.
        let is_there = !entry.deleted && entry.kind == Kind::File && is_equal(entry, wanted);
        return Some(if is_there { there(entry) } else { maybe_equal(entry, wanted, made_from_older(entry, known)) });
    };
    let brings = brings_content(entry, Some(before), wanted);
    // A tombstone has no bytes that a rename could keep, and whoever brings none is not asked for them: it may not even know of the deletion.
    let is_known = before.deleted && entry.kind != Kind::File;
    if entry.deleted && !is_known && !(brings && wanted.asked.content_changed) {
        return Some(denied(&entry.id, format!("it was deleted in version {}", entry.version)));
    }
    if entry.deleted && on(Mutant::RevivesNobody) {
        return Some(denied(&entry.id, "it was deleted"));
    }
    // A tombstone has no content that could be lost.
    let is_newer = entry.content_version > known.version && !entry.deleted && !on(Mutant::EditsUnseen);
    let is_late = brings && is_newer && !is_equal(entry, wanted);
    is_late.then(|| maybe_equal(entry, wanted, made_from_older(entry, known)))
}

pub(super) fn made_from_older(entry: &Entry, known: &Known) -> Verdict {
    let Entry { id, version, .. } = entry;
    match known.version {
        0 => denied(id, format!("it was made without knowing version {version} of the file")),
        base => denied(id, format!("it was made from version {base}, the file has {version}")),
    }
}

/// Whether a change is one of content.
fn brings_content(entry: &Entry, before: Option<&Entry>, wanted: &Wanted) -> bool {
    let asked = &wanted.asked;
    match entry.kind {
        Kind::Folder => false,
        Kind::File => asked.content_changed || entry.deleted,
        Kind::Symlink => before.is_none_or(|before| before.target != asked.target),
    }
}

/// Whether the content that is asked for is there.
pub(super) fn is_equal(entry: &Entry, wanted: &Wanted) -> bool {
    let asked = &wanted.asked;
    match (entry.kind, &wanted.bytes) {
        (Kind::Folder, _) => true,
        (Kind::Symlink, _) => entry.target == asked.target,
        (Kind::File, Bytes::Brought { content, hash, .. }) => {
            entry.content.as_ref() == Some(content) || (hash.is_some() && *hash == entry.hash)
        }
        (Kind::File, Bytes::Kept | Bytes::Promised) => {
            let is_hash = asked.hash.is_some() && !is_known_other(&asked.hash, &entry.hash) && entry.hash.is_some();
            is_hash && asked.size.is_none_or(|size| size == entry.size)
        }
    }
}

/// What is said against a change, unless it claims the hash that the author of what is there claimed: then its bytes are looked at, and
/// only their chunks tell (FLD-10, FLD-14). A claim alone decides nothing: whoever made a false one would hide a file from everybody.
pub(super) fn maybe_equal(entry: &Entry, wanted: &Wanted, against: Verdict) -> Verdict {
    let asked = &wanted.asked;
    let is_claimed = !entry.deleted
        && wanted.bytes == Bytes::Promised
        && matches!((&asked.hash, &entry.author_hash), (Some(one), Some(other)) if one.eq_ignore_ascii_case(other))
        && asked.size.is_none_or(|size| size == entry.size);
    match is_claimed {
        true => Verdict::Made { id: entry.id.clone(), seat: Seated::File(entry.id.clone()), wants_bytes: true },
        false => against,
    }
}

/// Whether a file surely has another content than is asked for, by whatever hash is known of it.
fn is_claimed_other(asked: &Asked, entry: &Entry) -> bool {
    is_known_other(&asked.hash, &entry.hash) || is_known_other(&asked.hash, &entry.author_hash)
}

fn is_known_other(one: &Option<String>, other: &Option<String>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if !one.eq_ignore_ascii_case(other))
}

/// Takes what was asked for, if the client changed it.
fn merge<T: Clone + PartialEq>(asked: &Option<T>, before: Option<&Option<T>>, now: &mut Option<T>) {
    if asked.is_some() && before != Some(asked) {
        *now = asked.clone();
    }
}

/// The text of a random uuid, as we make them ourselves.
pub(super) fn is_uuid4(id: &str) -> bool {
    let is_right = |(place, byte): (usize, u8)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        14 => byte == b'4',
        19 => matches!(byte, b'8' | b'9' | b'a' | b'b'),
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    id.len() == 36 && id.bytes().enumerate().all(is_right)
}
