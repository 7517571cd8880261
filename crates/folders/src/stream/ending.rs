//! FILE_WRITE_END: what came is checked against what was said, the rest of it is kept, then each part is committed.

use base::{OpError, Sha};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::answers::Fault;
use super::segments::Named;
use super::upload::{Answer, Content, Group, List, Phase};
use super::{Call, RequestId, Stream, read_as};
use crate::form::{Asking, Finish, OfUpload, Written};
use crate::wire::FileWriteEnd;

impl Stream {
    pub(super) fn end_writing(&mut self, request: RequestId, end: FileWriteEnd) {
        let writing = |(number, group): (&u64, &Group)| (group.phase == Phase::Writing).then_some(*number);
        let mut open = self.groups.iter().filter_map(writing);
        let found = match &end.upload {
            Some(name) => open.find(|number| number.to_string() == *name),
            None => open.next(),
        };
        let Some(number) = found else { return self.nothing_to_end(&request) };
        self.hear((number, 0));
        let Some(group) = self.groups.get_mut(&number) else { return };
        (group.phase, group.end_request) = (Phase::Ending, request.clone());
        if let Some((file, fault)) = wrong(group) {
            let fault = self.with_name((number, file), fault);
            return self.break_group(number, &request, fault);
        }
        (0..group.files.len()).for_each(|file| self.keep_rest((number, file)));
        self.try_to_finish(number);
    }

    /// The end of an upload that was given up, or of none.
    fn nothing_to_end(&mut self, request: &RequestId) {
        let given_up = self.groups.values_mut().rev().find(|group| !group.is_open());
        let (fault, is_told) = match given_up {
            Some(group) => (group.why_over(), std::mem::replace(&mut group.told, true)),
            None => (Fault::invalid("FILE_WRITE_END without VERSION_INCREASE_ALLOW"), false),
        };
        if !is_told || request.is_some() {
            self.fault(request, fault);
        }
    }

    /// Goes on with the end of a group when nothing of it is on its way any more: first its last segments, then its commits.
    pub(super) fn try_to_finish(&mut self, number: u64) {
        let is_ready = |group: &&mut Group| {
            group.phase == Phase::Ending && group.storing == 0 && group.looking_up == 0 && !group.finishing
        };
        let Some(group) = self.groups.get_mut(&number).filter(is_ready) else { return };
        if let Some(file) = group.files.iter().position(is_incomplete) {
            return self.fail((number, file), Fault::invalid("not all of its chunks came"));
        }
        let files = group.files.len();
        (0..files).for_each(|file| self.next_segments((number, file), true));
        if let Some(group) = self.groups.get_mut(&number).filter(is_ready) {
            group.finishing = true;
            self.finish(number);
        }
    }

    fn finish(&mut self, number: u64) {
        let Some(group) = self.groups.get_mut(&number) else { return };
        let uploads: Vec<(usize, String)> = group.uploads().map(|(part, upload)| (part, upload.to_owned())).collect();
        let mut finishes = vec![];
        for (part, upload) in uploads {
            let files = group.files.iter_mut().filter(|content| content.part == part).map(written).collect();
            finishes.push((part, Finish { upload, told: group.parts[part].ask.told.clone(), files }));
        }
        for (part, _) in &finishes {
            group.parts[*part].answer = Answer::Open;
        }
        for (part, finish) in finishes {
            let upload = finish.upload.clone();
            self.call("folders.finish", &finish, Call::Finish { group: number, part, upload });
        }
    }

    pub(super) fn finished(&mut self, (number, place): (u64, usize), upload: String, result: Result<Value, OpError>) {
        // A refusal ends the upload, an error does not, and one that lapsed is not there.
        if result.as_ref().is_err_and(|error| error.code.name != "NUPLOAD") {
            self.call("folders.release", &OfUpload { upload, lease_ms: 0 }, Call::Release);
        }
        let answer = match read_as::<Asking>(result) {
            Ok(Asking::Increased { files, .. }) => Answer::Increased { files },
            Ok(Asking::Denied { files, look_ms }) => Answer::Denied { files, look_ms },
            Ok(Asking::Allowed { .. }) => Answer::Failed(Fault::internal("an upload was allowed once more")),
            Err(fault) => Answer::Failed(fault),
        };
        let Some(group) = self.groups.get_mut(&number) else { return };
        group.parts[place].answer = answer;
        if group.parts.iter().any(|part| matches!(part.answer, Answer::Open)) {
            return;
        }
        if !group.parts.iter().all(|part| matches!(part.answer, Answer::Increased { .. })) {
            return self.refuse(number);
        }
        let Some(mut group) = self.groups.remove(&number) else { return };
        let request = group.end_request.take().or_else(|| group.request.clone());
        self.increased(&request, group);
    }
}

fn is_incomplete(content: &Content) -> bool {
    let is_short = |list: &List| !list.is_whole || !list.missing.is_empty();
    content.list.as_ref().is_some_and(is_short) || !content.named.iter().all(Named::is_done)
}

/// The first file whose bytes are not those that were promised.
fn wrong(group: &Group) -> Option<(usize, Fault)> {
    let size_of = |content: &Content| match &content.list {
        Some(list) => Some(list.chunks.iter().map(|(_, size)| u64::from(*size)).sum()),
        // Of what is stored only the desk knows how large it is, and it looks.
        None => content.named.is_empty().then_some(content.received),
    };
    group.files.iter().enumerate().find_map(|(file, content)| {
        let (came, hash) = (size_of(content), hash_of(content));
        let fault = match (&content.size, &content.hash) {
            (Some(size), _) if came.is_some_and(|came| *size != came) => {
                Fault::invalid(&format!("SIZE says {size} bytes, {} came", came.unwrap_or_default()))
            }
            (_, Some(said)) if hash.as_ref().is_some_and(|hash| hash != said) => {
                Fault::invalid("the bytes have another SHA-256 than HASH says")
            }
            _ => return None,
        };
        Some((file, fault))
    })
}

/// The SHA-256 of a content as far as we saw it whole: of one chunk it is the chunk's, under which that is stored.
fn hash_of(content: &Content) -> Option<String> {
    let digest = match content.list.as_ref().map(|list| list.chunks.as_slice()) {
        Some([]) => Some(Sha256::new()),
        Some([(chunk, _)]) => return Some(chunk.clone()),
        Some(_) => None,
        None => content.digest.clone(),
    };
    digest.map(|digest| Sha(digest.finalize().into()).to_string())
}

fn written(content: &mut Content) -> Written {
    let segments = std::mem::take(&mut content.segments).into_iter().flatten().collect();
    Written { id: content.id.clone(), segments, hash: hash_of(content) }
}
