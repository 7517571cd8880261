//! REQUEST_VERSION: of whole directories, page by page as the client takes them, and of single files.

use std::collections::VecDeque;

use base::OpError;
use serde_json::Value;

use super::answers::Fault;
use super::limits::{PAGE_FILES, REQUESTS_MAX, SOUGHT_MAX, SUBSCRIPTIONS_MAX, WINDOW_BYTES};
use super::{Call, RequestId, Stream, read_as};
use crate::form::{Changes, ChangesOf, FileMeta, FilesOf};
use crate::wire::request_version::file_request::Request;
use crate::wire::{CheckVersion, RequestVersion};

/// What was asked for and is not answered yet, in its order.
#[derive(Debug, Default)]
pub(super) struct Paging {
    waiting: VecDeque<(RequestId, Wanted)>,
    reading: bool,
}

#[derive(Debug)]
enum Wanted {
    /// A directory, from a place on; whether what a moved folder holds is told again.
    Directory { name: String, after: u64, after_file: String, each: bool },
    /// Files: id and directory.
    Files(Vec<(String, String)>),
}

impl Stream {
    pub(super) fn request_version(&mut self, request: RequestId, wanted: RequestVersion) {
        let (mut files, mut directories) = (vec![], vec![]);
        for one in wanted.requests {
            match one.request {
                Some(Request::DirectoryId(name)) if !self.caller.may("folder", &name) => {
                    return self.fault(&request, Fault::forbidden(&format!("this key is not for directory {name}")));
                }
                Some(Request::DirectoryId(name)) => {
                    let after = one.after_dir_seq.unwrap_or(0);
                    let each = after > 0 && !self.caps.tree;
                    directories.push(Wanted::Directory { name, after, after_file: String::new(), each });
                }
                Some(Request::FileId(file)) => files.push((file.id, file.directory_id)),
                None => return self.fault(&request, Fault::invalid("a request names a directory or a file")),
            }
        }
        if directories.len() > SUBSCRIPTIONS_MAX {
            let text = format!("at most {SUBSCRIPTIONS_MAX} directories are asked for at once");
            return self.fault(&request, Fault::invalid(&text));
        }
        let files = files.chunks(SOUGHT_MAX).map(|some| Wanted::Files(some.to_vec()));
        let wanted: Vec<Wanted> = files.chain(directories).collect();
        if wanted.is_empty() {
            return self.check_version(&request, CheckVersion::default());
        }
        if self.paging.waiting.len() + wanted.len() > REQUESTS_MAX.max(wanted.len()) {
            return self.fault(&request, Fault::invalid("too many requests for versions wait, take the answers first"));
        }
        self.paging.waiting.extend(wanted.into_iter().map(|one| (request.clone(), one)));
    }

    /// Reads the next page, if the client took the last one.
    pub(super) fn next_page(&mut self) {
        if self.paging.reading || self.unsent >= WINDOW_BYTES {
            return;
        }
        let who = self.who.clone();
        match self.paging.waiting.front() {
            None => return,
            Some((_, Wanted::Directory { name, after, after_file, each })) => {
                let (directory, after, after_file) = (name.clone(), *after, after_file.clone());
                // With tombstones: nothing is to be deleted for want of being listed (FLD-13).
                let input = ChangesOf { who, directory, after, after_file, limit: PAGE_FILES, each: *each };
                self.read("folders.changes", &input, Call::Page);
            }
            Some((_, Wanted::Files(files))) => {
                let input = FilesOf { who, ids: files.iter().map(|(id, _)| id.clone()).collect() };
                self.read("folders.files", &input, Call::Page);
            }
        }
        self.paging.reading = true;
    }

    pub(super) fn paged(&mut self, result: Result<Value, OpError>) {
        self.paging.reading = false;
        let Some((request, wanted)) = self.paging.waiting.pop_front() else { return };
        match wanted {
            Wanted::Directory { name, each, .. } => match read_as::<Changes>(result) {
                Ok(page) => self.page_of_directory(request, (name, each), page),
                Err(fault) => self.fault(&request, fault),
            },
            Wanted::Files(files) => match read_as::<Vec<FileMeta>>(result) {
                Ok(found) => self.page_of_files(&request, &files, &found),
                Err(fault) => self.fault(&request, fault),
            },
        }
    }

    fn page_of_directory(&mut self, request: RequestId, (name, each): (String, bool), page: Changes) {
        let files = self.as_told(&page.files);
        if let Ok(directory) = self.directory(&name) {
            page.files.iter().for_each(|meta| directory.known.seen(&meta.id));
            directory.listed(page.seq);
        }
        let (directory_id, more) = (Some(name.clone()), Some(page.more));
        let dir_seq = Some(page.seq);
        self.check_version(&request, CheckVersion { files, directory_id, dir_seq, more });
        if page.more {
            let next = Wanted::Directory { name, after: page.seq, after_file: page.file, each };
            self.paging.waiting.push_front((request, next));
        }
    }

    /// A file of another directory than was said is unknown, too.
    fn page_of_files(&mut self, request: &RequestId, wanted: &[(String, String)], found: &[FileMeta]) {
        let is_meant = |meta: &FileMeta| {
            self.caller.may("folder", &meta.directory)
                && wanted
                    .iter()
                    .any(|(id, directory)| *id == meta.id && (directory.is_empty() || *directory == meta.directory))
        };
        let (known, _): (Vec<&FileMeta>, Vec<&FileMeta>) = found.iter().partition(|meta| is_meant(meta));
        let is_unknown = |id: &String| !known.iter().any(|meta| meta.id == *id);
        let unknown: Vec<String> = wanted.iter().map(|(id, _)| id.clone()).filter(is_unknown).collect();
        for meta in &known {
            if let Ok(directory) = self.directory(&meta.directory) {
                directory.known.seen(&meta.id);
                directory.known.add(meta, false);
            }
        }
        let files = self.as_told(known.iter().copied());
        if !files.is_empty() || unknown.is_empty() {
            self.check_version(request, CheckVersion { files, ..CheckVersion::default() });
        }
        if !unknown.is_empty() {
            self.fault(request, Fault::no_files(unknown));
        }
    }
}
