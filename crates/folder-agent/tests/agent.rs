//! The daemon's machine, told by hand what happens: what it says, and what it does to a disk in memory.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it should be")]

use folder_agent::agent::{Agent, Event, LARGE_BYTES, Now, Settings};
use folder_agent::disk::memory::{Fault, MemoryDisk};
use folder_agent::disk::{Disk as _, Marker};
use folder_agent::model::FileId;
use folder_agent::state::State;
use sha2::{Digest as _, Sha256};
use synxpo::names::Policy;
use synxpo::wire::client_message::Message as Said;
use synxpo::wire::server_message::Message as Told;
use synxpo::wire::{
    CheckVersion, ChunkRef, ChunksMissing, FileChunk, FileChunks, FileContentRequestAllow, FileMetadata, FileStatus,
    FileStatusInfo, FileType, FileWrite, FileWriteEnd, OkSubscribed, ServerMessage, VersionIncreaseAllow,
    VersionIncreaseDeny, VersionIncreased, version_increase_allow,
};

const DIRECTORY: &str = "directory";

struct Rig {
    agent: Option<Agent<MemoryDisk>>,
    now_ms: u64,
    said: Vec<(String, Said)>,
}

fn settings() -> Settings {
    Settings {
        directory: DIRECTORY.into(),
        device: "laptop".into(),
        client_id: "client".into(),
        policy: Policy::Folded,
        links: true,
        link: "link".into(),
        large_bytes: LARGE_BYTES,
        rescan_ms: 600_000,
    }
}

impl Rig {
    fn new() -> Self {
        let mut disk = MemoryDisk::new();
        disk.put_marker(&Marker { directory: DIRECTORY.into(), link: "link".into() }).unwrap();
        disk.settle().unwrap();
        let agent = Some(Agent::start(disk, State::in_memory().unwrap(), settings(), 1));
        Self { agent, now_ms: 1_000, said: vec![] }
    }

    fn agent(&mut self) -> &mut Agent<MemoryDisk> {
        self.agent.as_mut().unwrap()
    }

    fn disk(&mut self) -> &mut MemoryDisk {
        let now_ns = i64::try_from(self.now_ms).unwrap() * 1_000_000;
        let disk = self.agent().disk();
        disk.set_now(now_ns);
        disk
    }

    fn on(&mut self, event: Event) {
        let now = Now { ran_ms: self.now_ms, wall_us: i64::try_from(self.now_ms).unwrap() * 1_000 };
        self.disk();
        let mut out = self.agent().on(event, now).unwrap();
        loop {
            let is_empty = out.say.is_empty();
            let said = out.say.into_iter().map(|said| (said.request_id.unwrap(), said.message.unwrap()));
            self.said.extend(said);
            out = self.agent().more(now).unwrap();
            if is_empty && out.say.is_empty() {
                return;
            }
        }
    }

    /// Time passes, and the machine is woken whenever it wants to be.
    fn pass(&mut self, ms: u64) {
        let until = self.now_ms + ms;
        while let Some(at) = self.agent().wake_at().filter(|at| *at <= until) {
            self.now_ms = at.max(self.now_ms + 1);
            self.on(Event::Woke);
        }
        self.now_ms = until;
        self.on(Event::Woke);
    }

    fn told(&mut self, request: Option<&str>, message: Told) {
        let message = ServerMessage { request_id: request.map(str::to_owned), message: Some(message) };
        self.on(Event::Heard(Box::new(message)));
    }

    /// The last thing that was said, and under which name.
    fn last(&self) -> (String, Said) {
        self.said.last().cloned().unwrap()
    }

    fn connect(&mut self, epoch: &str, files: Vec<FileMetadata>) {
        self.on(Event::Opened);
        let (request, subscribe) = self.last();
        assert!(matches!(subscribe, Said::DirectorySubscribe(_)), "{subscribe:?}");
        let directory_id = DIRECTORY.to_owned();
        let ok = OkSubscribed { directory_id, dir_seq: Some(1), directory_epoch: Some(epoch.into()) };
        self.told(Some(&request), Told::OkSubscribed(ok));
        let (request, list) = self.last();
        assert!(matches!(list, Said::RequestVersion(_)), "{list:?}");
        self.told(Some(&request), versions(files));
    }

    /// A file that was fetched.
    fn fetch(&mut self, file: &FileMetadata, text: &str) {
        let is_request = |(_, said): &&(String, Said)| matches!(said, Said::RequestFileContent(_));
        let (request, _) = self.said.iter().rev().find(is_request).cloned().unwrap();
        self.told(Some(&request), allow(file));
        self.told(None, piece(file, text));
        self.told(None, Told::FileWriteEnd(FileWriteEnd::default()));
    }

    fn tree(&mut self) -> Vec<String> {
        self.agent().disk_now().tree().into_keys().collect()
    }

    fn bytes(&mut self, path: &str) -> Option<Vec<u8>> {
        self.agent().disk_now().bytes(path)
    }

    fn asks(&self) -> Vec<String> {
        let asked = self.said.iter().filter_map(|(_, said)| match said {
            Said::AskVersionIncrease(ask) => Some(&ask.files),
            _ => None,
        });
        asked.flatten().map(|file| format!("{}{}", if file.deleted { "-" } else { "+" }, file.current_path)).collect()
    }
}

fn id(number: u128) -> String {
    FileId(number).to_string()
}

fn file(number: u128, name: &str, version: u64, text: &str) -> FileMetadata {
    FileMetadata {
        id: Some(id(number)),
        directory_id: DIRECTORY.into(),
        version,
        content_changed_version: version,
        r#type: FileType::File.into(),
        current_path: name.into(),
        size: Some(text.len() as u64),
        hash: Some(Sha256::digest(text).to_vec()),
        parent_id: Some(String::new()),
        name: Some(name.into()),
        ..FileMetadata::default()
    }
}

fn versions(files: Vec<FileMetadata>) -> Told {
    let directory_id = Some(DIRECTORY.to_owned());
    Told::CheckVersion(CheckVersion { files, directory_id, dir_seq: Some(1), more: Some(false) })
}

fn allow(file: &FileMetadata) -> Told {
    Told::FileContentRequestAllow(FileContentRequestAllow { files: vec![file.clone()] })
}

fn piece(file: &FileMetadata, text: &str) -> Told {
    let chunk = FileChunk { id: file.id.clone().unwrap(), data: text.into(), ..FileChunk::default() };
    Told::FileWrite(FileWrite { chunk: Some(chunk) })
}

#[test]
fn fld_8_a_download_that_stalls_is_asked_for_again_and_what_comes_late_is_passed_over() {
    let mut rig = Rig::new();
    let a = file(1, "a", 1, "hello");
    rig.connect("e", vec![a.clone()]);
    let (first, _) = rig.last();
    rig.told(Some(&first), allow(&a));
    rig.pass(29_000);
    assert_eq!(rig.last().0, first, "it is patient");
    rig.pass(5_000);
    let (second, again) = rig.last();
    assert!(second != first && matches!(again, Said::RequestFileContent(_)), "{again:?}");
    rig.told(None, piece(&a, "hel"));
    rig.told(None, Told::FileWriteEnd(FileWriteEnd::default()));
    assert!(rig.tree().is_empty());
    rig.fetch(&a, "hello");
    assert_eq!(rig.bytes("a").unwrap(), b"hello");
}

#[test]
fn fld_20_what_comes_otherwise_than_announced_is_not_taken() {
    let mut rig = Rig::new();
    let a = file(1, "a", 1, "hello");
    rig.connect("e", vec![a.clone()]);
    rig.fetch(&a, "hellO");
    assert!(rig.tree().is_empty());
    rig.pass(5_000);
    rig.fetch(&a, "hello");
    assert_eq!(rig.tree(), ["a"]);
}

#[test]
fn fld_7_a_file_that_was_made_meanwhile_is_not_replaced_and_both_stay() {
    let mut rig = Rig::new();
    let a = file(1, "a", 1, "theirs");
    rig.connect("e", vec![a.clone()]);
    rig.disk().user().write("a", b"mine").unwrap();
    rig.fetch(&a, "theirs");
    assert_eq!(rig.bytes("a").unwrap(), b"mine");
    rig.pass(2_000);
    rig.fetch(&a, "theirs");
    assert_eq!(rig.bytes("a").unwrap(), b"theirs");
    assert!(rig.asks().iter().any(|ask| ask.starts_with("+a (conflict, laptop, ")), "{:?}", rig.asks());
}

#[test]
fn fld_13_without_its_marker_a_folder_is_another_one_and_nothing_is_sent_or_removed() {
    let mut rig = Rig::new();
    let a = file(1, "a", 1, "hello");
    rig.connect("e", vec![a.clone()]);
    rig.fetch(&a, "hello");
    let mut other = MemoryDisk::new();
    std::mem::swap(rig.disk(), &mut other);
    rig.now_ms += 2_000;
    rig.on(Event::ChangedSomewhere);
    rig.pass(120_000);
    assert_eq!(rig.asks(), [""; 0]);
    assert!(rig.agent().report().trouble.as_deref().unwrap().contains("marker"));
    std::mem::swap(rig.disk(), &mut other);
    rig.pass(120_000);
    assert_eq!((rig.agent().report().trouble.clone(), rig.tree()), (None, vec!["a".to_owned()]));
}

#[test]
fn fld_13_what_cannot_be_read_is_not_gone() {
    let mut rig = Rig::new();
    let folder = FileMetadata {
        r#type: FileType::Folder.into(),
        content_changed_version: 0,
        hash: None,
        size: None,
        ..file(1, "d", 1, "")
    };
    let inside = FileMetadata { parent_id: Some(id(1)), current_path: "d/x".into(), ..file(2, "x", 1, "x") };
    rig.connect("e", vec![folder, inside.clone()]);
    rig.fetch(&inside, "x");
    for calls in 0..20 {
        rig.disk().fail_after(calls, Fault::Device);
        rig.on(Event::ChangedSomewhere);
        rig.pass(120_000);
    }
    assert_eq!((rig.asks(), rig.tree()), (vec![], vec!["d".to_owned(), "d/x".to_owned()]));
}

/// The server tells that these are removed.
fn gone(files: &[FileMetadata]) -> Told {
    versions(files.iter().map(|file| FileMetadata { version: 2, deleted: true, ..file.clone() }).collect())
}

/// Twenty files that are here.
fn twenty(rig: &mut Rig) -> Vec<FileMetadata> {
    let files: Vec<FileMetadata> = (1..=20).map(|number| file(number, &format!("f{number}"), 1, "x")).collect();
    rig.connect("e", vec![]);
    for file in &files {
        rig.told(None, versions(vec![file.clone()]));
        rig.fetch(file, "x");
    }
    assert_eq!(rig.tree().len(), 20);
    files
}

#[test]
fn fld_13_removals_that_come_in_parts_within_a_minute_are_held_until_a_word_also_over_a_restart() {
    let mut rig = Rig::new();
    let files = twenty(&mut rig);
    rig.told(None, gone(&files[..9]));
    rig.pass(30_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (11, None), "nine are a handful");
    rig.told(None, gone(&files[9..13]));
    rig.pass(500_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (11, Some((4, 0))), "most of it would be gone");
    rig.on(Event::Closed);
    let (disk, state) = rig.agent.take().unwrap().into_parts();
    rig.agent = Some(Agent::start(disk, state.reopened().unwrap(), settings(), 2));
    rig.connect("e", vec![]);
    rig.pass(10_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (11, Some((4, 0))));
    let (disk, state) = rig.agent.take().unwrap().into_parts();
    state.wish("confirm").unwrap();
    rig.agent = Some(Agent::start(disk, state.reopened().unwrap(), settings(), 3));
    rig.connect("e", vec![]);
    rig.pass(10_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (7, None));
    rig.told(None, gone(&files[13..14]));
    rig.pass(1_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (6, None), "what a person knows of counts no more");
}

impl Rig {
    /// The daemon is killed, and another one begins with what was saved.
    fn restart(&mut self) {
        let (disk, state) = self.agent.take().unwrap().into_parts();
        self.agent = Some(Agent::start(disk, state.reopened().unwrap(), settings(), 2));
        // Its time begins anew.
        self.now_ms = 1;
        self.connect("e", vec![]);
    }
}

#[test]
fn fld_13_removals_before_a_restart_count_with_those_after_it() {
    let mut rig = Rig::new();
    let files = twenty(&mut rig);
    rig.told(None, gone(&files[..9]));
    rig.restart();
    rig.pass(50_000);
    rig.told(None, gone(&files[9..11]));
    rig.pass(5_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (11, Some((2, 0))), "eleven of twenty would be gone");
}

#[test]
fn fld_13_removals_long_before_a_restart_hold_up_nothing_after_it() {
    let mut rig = Rig::new();
    let files = twenty(&mut rig);
    rig.told(None, gone(&files[..9]));
    rig.pass(61_000);
    rig.restart();
    rig.told(None, gone(&files[9..14]));
    rig.pass(1_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (6, None), "nothing of the nine was kept");
    rig.restart();
    rig.pass(61_000);
    rig.told(None, gone(&files[14..20]));
    rig.pass(1_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (0, None), "a minute after a restart they are over");
}

#[test]
fn fld_13_files_that_come_and_go_one_after_the_other_are_not_held() {
    let mut rig = Rig::new();
    let files: Vec<FileMetadata> = (1..=5).map(|number| file(number, &format!("f{number}"), 1, "x")).collect();
    rig.connect("e", vec![]);
    for number in 0..40_u8 {
        let temporary = file(100 + u128::from(number), &format!("tmp{number}"), 1, "x");
        let comes = files.get(usize::from(number)).unwrap_or(&temporary);
        rig.told(None, versions(vec![comes.clone()]));
        rig.fetch(comes, "x");
        rig.pass(1_000);
        if *comes == temporary {
            rig.told(None, gone(&[temporary]));
            rig.pass(1_000);
        }
        assert_eq!(rig.agent().report().held, None, "the temporary file {number}");
    }
    assert_eq!(rig.tree(), ["f1", "f2", "f3", "f4", "f5"]);
}

#[test]
fn fld_13_what_is_held_stays_so_whatever_files_come_meanwhile() {
    let mut rig = Rig::new();
    let files = twenty(&mut rig);
    rig.told(None, gone(&files[..13]));
    rig.pass(1_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (20, Some((13, 0))));
    for number in 21..=60 {
        let more = file(number, &format!("f{number}"), 1, "x");
        rig.told(None, versions(vec![more.clone()]));
        rig.fetch(&more, "x");
    }
    rig.pass(120_000);
    assert_eq!((rig.tree().len(), rig.agent().report().held), (60, Some((13, 0))), "nobody said that they may go");
}

#[test]
fn fld_13_removals_that_come_slowly_are_not_held() {
    let mut rig = Rig::new();
    let files = twenty(&mut rig);
    for part in files.chunks(5) {
        rig.told(None, gone(part));
        rig.pass(61_000);
        assert_eq!(rig.agent().report().held, None);
    }
    assert!(rig.tree().is_empty());
}

#[test]
fn fld_13_a_server_put_back_from_a_backup_heals_by_contents_and_removes_nothing() {
    let mut rig = Rig::new();
    let (a, b) = (file(1, "a", 3, "new"), file(2, "b", 1, "b"));
    rig.connect("before", vec![a.clone()]);
    rig.fetch(&a, "new");
    rig.told(None, versions(vec![b.clone()]));
    rig.fetch(&b, "b");
    rig.on(Event::Closed);
    rig.now_ms += 1_000;
    // Of `b` the backup knows nothing, and of `a` an older content.
    rig.connect("after", vec![file(1, "a", 1, "old")]);
    rig.pass(2_000);
    let tree = rig.tree();
    assert!(tree.contains(&"b".to_owned()), "{tree:?}");
    assert!(tree.iter().any(|path| path.starts_with("a (conflict, laptop, ")), "{tree:?}");
    assert!(rig.asks().contains(&"+b".to_owned()) && rig.asks().iter().all(|ask| ask.starts_with('+')));
}

#[test]
fn fld_6_whoever_waits_for_a_file_asks_when_it_is_told_and_by_itself_after_35_seconds() {
    let mut rig = Rig::new();
    rig.connect("e", vec![]);
    rig.disk().user().write("a", b"mine").unwrap();
    rig.on(Event::Changed(vec![String::new()]));
    rig.pass(1_000);
    let deny = |rig: &mut Rig| {
        let (request, asked) = rig.last();
        assert!(matches!(asked, Said::AskVersionIncrease(_)), "{asked:?}");
        let (status, current_path) = (FileStatus::Blocked.into(), Some("a".into()));
        let blocked = FileStatusInfo { status, current_path, ..FileStatusInfo::default() };
        rig.told(Some(&request), Told::VersionIncreaseDeny(VersionIncreaseDeny { files: vec![blocked] }));
    };
    deny(&mut rig);
    rig.pass(34_000);
    assert_eq!(rig.asks().len(), 1, "no hot loop");
    rig.pass(12_000);
    assert_eq!(rig.asks().len(), 2, "by itself");
    deny(&mut rig);
    rig.told(None, versions(vec![]));
    assert_eq!(rig.asks().len(), 3, "when it is told");
}

#[test]
fn fld_2_a_change_keeps_its_time_over_connections_and_starts_until_the_file_is_modified_again() {
    let mut rig = Rig::new();
    rig.connect("e", vec![]);
    rig.disk().user().write("a", b"one").unwrap();
    rig.on(Event::Changed(vec![String::new()]));
    rig.pass(1_000);
    rig.on(Event::Closed);
    rig.now_ms += 50_000;
    let (disk, state) = rig.agent.take().unwrap().into_parts();
    rig.agent = Some(Agent::start(disk, state.reopened().unwrap(), settings(), 2));
    rig.connect("e", vec![]);
    rig.pass(1_000);
    rig.on(Event::Closed);
    rig.disk().user().write("a", b"two").unwrap();
    rig.on(Event::Changed(vec![String::new()]));
    rig.pass(10_000);
    rig.connect("e", vec![]);
    rig.pass(1_000);
    let times = rig.said.iter().filter_map(|(_, said)| match said {
        Said::AskVersionIncrease(ask) => Some(ask.files[0].first_try_time.unwrap().time),
        _ => None,
    });
    let times: Vec<u64> = times.collect();
    assert!(times.len() == 3 && times[0] == times[1] && times[2] > times[1], "{times:?}");
}

#[test]
fn fld_3_what_is_sent_is_what_was_set_aside_whatever_becomes_of_the_file() {
    let mut rig = Rig::new();
    rig.connect("e", vec![]);
    rig.disk().user().write("a", b"one").unwrap();
    rig.on(Event::Changed(vec![String::new()]));
    rig.pass(1_000);
    let (request, _) = rig.last();
    rig.disk().user().write("a", b"other").unwrap();
    let (directory_id, current_path) = (DIRECTORY.to_owned(), "a".to_owned());
    let wanted = version_increase_allow::Wanted { id: id(1), directory_id, current_path };
    let allow = VersionIncreaseAllow { upload: Some("u".into()), files: vec![wanted] };
    rig.told(Some(&request), Told::VersionIncreaseAllow(allow));
    let bytes = rig.said.iter().filter_map(|(_, said)| match said {
        Said::FileWrite(write) => Some(write.chunk.clone().unwrap().data),
        _ => None,
    });
    assert_eq!(bytes.collect::<Vec<_>>(), [b"one".to_vec()]);
    let (end, _) = rig.last();
    rig.told(Some(&end), Told::VersionIncreased(VersionIncreased { files: vec![file(1, "a", 1, "one")] }));
    rig.on(Event::Changed(vec![String::new()]));
    rig.pass(1_000);
    assert_eq!(rig.asks(), ["+a", "+a"], "what was written since is the next change");
}

#[test]
fn fld_17_a_folder_that_cannot_be_removed_holds_up_nobody() {
    let mut rig = Rig::new();
    let folder = FileMetadata {
        r#type: FileType::Folder.into(),
        content_changed_version: 0,
        hash: None,
        size: None,
        ..file(1, "d", 1, "")
    };
    rig.connect("e", vec![folder.clone()]);
    assert_eq!(rig.tree(), ["d"]);
    // Nothing that is kept in step, and so nothing that the server knows of.
    rig.disk().user().fifo("d/pipe").unwrap();
    rig.on(Event::Changed(vec!["d".into()]));
    rig.pass(100);
    let gone = FileMetadata { version: 2, deleted: true, ..folder };
    let a = file(2, "a", 1, "hello");
    rig.told(None, versions(vec![gone, a.clone()]));
    rig.pass(100);
    rig.fetch(&a, "hello");
    assert_eq!(rig.bytes("a").unwrap(), b"hello");
    rig.disk().user().remove("d/pipe").unwrap();
    rig.on(Event::Changed(vec!["d".into()]));
    rig.pass(120_000);
    assert_eq!(rig.tree(), ["a"]);
}

#[test]
fn fld_10_what_was_brought_and_never_heard_of_is_no_conflict_with_what_was_written_since() {
    let mut rig = Rig::new();
    rig.connect("e", vec![]);
    rig.disk().user().write("a", b"one").unwrap();
    rig.on(Event::Changed(vec![String::new()]));
    rig.pass(1_000);
    // The server took it, and the answer was lost; meanwhile the person goes on.
    rig.on(Event::Closed);
    rig.disk().user().write("a", b"two").unwrap();
    rig.on(Event::Changed(vec![String::new()]));
    rig.pass(30_000);
    rig.connect("e", vec![file(1, "a", 1, "one")]);
    rig.pass(1_000);
    let Said::AskVersionIncrease(ask) = rig.last().1 else { panic!("{:?}", rig.last()) };
    assert_eq!((ask.files[0].id.clone(), ask.files[0].base_version), (Some(id(1)), Some(1)));
    assert_eq!(rig.tree(), ["a"]);
}

#[test]
fn fld_10_a_rename_whose_answer_was_lost_does_not_undo_the_next_one() {
    let mut rig = Rig::new();
    let a = file(1, "a", 1, "hello");
    rig.connect("e", vec![a.clone()]);
    rig.fetch(&a, "hello");
    rig.disk().user().rename("a", "b").unwrap();
    rig.on(Event::Changed(vec![String::new()]));
    rig.pass(1_000);
    assert_eq!(rig.asks(), ["+b"]);
    rig.on(Event::Closed);
    rig.disk().user().rename("b", "c").unwrap();
    rig.on(Event::Changed(vec![String::new()]));
    rig.pass(30_000);
    let renamed = FileMetadata { version: 2, current_path: "b".into(), name: Some("b".into()), ..a };
    rig.connect("e", vec![renamed]);
    rig.pass(1_000);
    assert_eq!((rig.tree(), rig.asks()), (vec!["c".to_owned()], vec!["+b".to_owned(), "+c".to_owned()]));
}

fn noise(size: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..size).map(|_| next()).collect()
}

fn large(version: u64, bytes: &[u8]) -> FileMetadata {
    let (size, hash) = (Some(bytes.len() as u64), Some(Sha256::digest(bytes).to_vec()));
    FileMetadata { size, hash, ..file(1, "a", version, "") }
}

impl Rig {
    /// The server allows the last ask, and has these segments: the lists that it asks for, and the chunks that come.
    fn upload_large(&mut self, known: &[Vec<u8>], is_known: impl Fn(&[u8]) -> bool) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let (request, asked) = self.last();
        assert!(matches!(asked, Said::AskVersionIncrease(_)), "{asked:?}");
        let (directory_id, current_path) = (DIRECTORY.to_owned(), "a".to_owned());
        let wanted = version_increase_allow::Wanted { id: id(1), directory_id, current_path };
        let allow = VersionIncreaseAllow { upload: Some("u".into()), files: vec![wanted] };
        self.said.clear();
        self.told(Some(&request), Told::VersionIncreaseAllow(allow));
        let Some((_, Said::FileChunks(names))) = self.said.first().cloned() else { panic!("{:?}", self.said) };
        let is_new = |at: &u64| !known.contains(&names.segments[usize::try_from(*at).unwrap()]);
        let segments: Vec<u64> = (0..names.segments.len() as u64).filter(is_new).collect();
        let mut answered = 1;
        self.told(Some(&request), Told::ChunksMissing(ChunksMissing { segments, ..ChunksMissing::default() }));
        while let Some((_, said)) = self.said.get(answered).cloned() {
            answered += 1;
            let Said::FileChunks(list) = said else { continue };
            let is_missing = |at: &u64| !is_known(&list.chunks[usize::try_from(*at).unwrap()].digest);
            let indexes = (0..list.chunks.len() as u64).filter(is_missing).collect();
            let missing = ChunksMissing { indexes, segment: list.segment, ..ChunksMissing::default() };
            self.told(Some(&request), Told::ChunksMissing(missing));
        }
        let came = self.said.iter().filter_map(|(_, said)| match said {
            Said::FileWrite(write) => Some(write.chunk.clone().unwrap().data),
            _ => None,
        });
        (names.segments, came.collect())
    }

    fn save(&mut self, bytes: &[u8]) {
        self.disk().user().write("a", bytes).unwrap();
        self.on(Event::Changed(vec![String::new()]));
        self.pass(10_000);
    }

    fn increased(&mut self, meta: FileMetadata) {
        let (end, last) = self.last();
        assert!(matches!(last, Said::FileWriteEnd(_)), "{last:?}");
        self.told(Some(&end), Told::VersionIncreased(VersionIncreased { files: vec![meta] }));
    }
}

#[test]
fn fld_21_of_a_large_edit_only_what_is_new_is_listed_and_sent() {
    let mut rig = Rig::new();
    rig.connect("e", vec![]);
    let mut bytes = noise(3 << 20);
    rig.save(&bytes);
    let (before, came) = rig.upload_large(&[], |_| false);
    assert_eq!(came.concat(), bytes, "all of it, in its order");
    let known: Vec<Vec<u8>> = came.iter().map(|chunk| Sha256::digest(chunk).to_vec()).collect();
    rig.increased(large(1, &bytes));
    bytes[2_000_000..2_000_009].copy_from_slice(b"something");
    rig.save(&bytes);
    let (_, came) = rig.upload_large(&before, |digest| known.iter().any(|one| one == digest));
    let sent: usize = came.iter().map(Vec::len).sum();
    assert!(!came.is_empty() && sent < 600_000, "{sent} bytes");
    assert!(came.iter().any(|chunk| chunk.windows(9).any(|at| at == b"something")));
    rig.increased(large(2, &bytes));
    assert!(rig.agent().is_idle());
}

#[test]
fn fld_21_a_server_that_has_less_than_was_thought_is_brought_all_of_it() {
    let mut rig = Rig::new();
    rig.connect("e", vec![]);
    let mut bytes = noise(1_500_000);
    rig.save(&bytes);
    rig.upload_large(&[], |_| false);
    rig.increased(large(1, &bytes));
    bytes.extend_from_slice(b"more");
    rig.save(&bytes);
    let (_, came) = rig.upload_large(&[], |_| false);
    assert!(came.concat().len() < bytes.len(), "what was thought to be there is not at hand");
    rig.now_ms += 1_000;
    rig.connect("e", vec![large(1, &bytes[..1_500_000])]);
    rig.pass(10_000);
    let (_, came) = rig.upload_large(&[], |_| false);
    assert_eq!(came.concat(), bytes);
    rig.increased(large(2, &bytes));
}

#[test]
fn fld_21_of_a_large_edit_elsewhere_only_what_is_new_is_fetched() {
    let mut rig = Rig::new();
    rig.connect("e", vec![]);
    let mut bytes = noise(3 << 20);
    rig.save(&bytes);
    let (names, _) = rig.upload_large(&[], |_| false);
    rig.increased(large(1, &bytes));
    let cut = |bytes: &[u8]| {
        let mut cutter = folder_agent::chunks::Cutter::default();
        let mut chunks = cutter.push(bytes);
        chunks.extend(cutter.end());
        chunks
    };
    bytes[2_000_000..2_000_009].copy_from_slice(b"something");
    let chunks = cut(&bytes);
    let segments = folder_agent::chunks::segments(&chunks);
    let told = large(2, &bytes);
    rig.told(None, versions(vec![told.clone()]));
    let (request, asked) = rig.last();
    assert!(matches!(&asked, Said::RequestFileContent(wanted) if wanted.files[0].list_segments == Some(true)));
    rig.told(Some(&request), allow(&told));
    let of = |list: FileChunks| Told::FileChunks(FileChunks { id: id(1), ..list });
    rig.told(
        None,
        of(FileChunks { segments: segments.iter().map(|(_, name)| name.to_vec()).collect(), ..FileChunks::default() }),
    );
    rig.told(None, Told::FileWriteEnd(FileWriteEnd::default()));
    let (request, Said::RequestFileContent(asked)) = rig.last() else { panic!("{:?}", rig.last()) };
    let unknown: Vec<u64> =
        (0..).zip(&segments).filter(|(_, (_, name))| !names.contains(&name.to_vec())).map(|(at, _)| at).collect();
    assert_eq!((&asked.files[0].segments, asked.files[0].version), (&unknown, Some(2)));
    rig.told(Some(&request), allow(&told));
    for at in unknown {
        let listed = &chunks[segments[usize::try_from(at).unwrap()].0.clone()];
        let listed = listed.iter().map(|chunk| ChunkRef { digest: chunk.digest.to_vec(), size: chunk.size }).collect();
        rig.told(None, of(FileChunks { segment: Some(at), chunks: listed, ..FileChunks::default() }));
    }
    rig.told(None, Told::FileWriteEnd(FileWriteEnd::default()));
    rig.pass(1_000);
    let (request, Said::RequestFileContent(asked)) = rig.last() else { panic!("{:?}", rig.last()) };
    let ranges = asked.files[0].ranges.clone();
    let wanted: u64 = ranges.iter().map(|range| range.size).sum();
    assert!(wanted > 0 && wanted < 600_000, "{ranges:?}");
    rig.told(Some(&request), allow(&told));
    for range in ranges {
        let (from, until) =
            (usize::try_from(range.offset).unwrap(), usize::try_from(range.offset + range.size).unwrap());
        let chunk =
            FileChunk { id: id(1), offset: range.offset, data: bytes[from..until].to_vec(), ..FileChunk::default() };
        rig.told(None, Told::FileWrite(FileWrite { chunk: Some(chunk) }));
    }
    rig.told(None, Told::FileWriteEnd(FileWriteEnd::default()));
    rig.pass(1_000);
    assert_eq!(rig.bytes("a").unwrap(), bytes);
    assert!(rig.agent().is_idle());
}

impl Rig {
    /// Answers every request for contents since the last time, as a server that has this content.
    fn serve(&mut self, served: &mut usize, told: &FileMetadata, bytes: &[u8]) {
        let mut cutter = folder_agent::chunks::Cutter::default();
        let mut chunks = cutter.push(bytes);
        chunks.extend(cutter.end());
        let segments = folder_agent::chunks::segments(&chunks);
        while let Some((request, said)) = self.said.get(*served).cloned() {
            *served += 1;
            let Said::RequestFileContent(asked) = said else { continue };
            let file = &asked.files[0];
            self.told(Some(&request), allow(told));
            if file.list_segments == Some(true) {
                let segments = segments.iter().map(|(_, name)| name.to_vec()).collect();
                self.told(None, Told::FileChunks(FileChunks { id: id(1), segments, ..FileChunks::default() }));
            }
            for at in &file.segments {
                let listed = &chunks[segments[usize::try_from(*at).unwrap()].0.clone()];
                let reference =
                    |chunk: &folder_agent::chunks::Chunk| ChunkRef { digest: chunk.digest.to_vec(), size: chunk.size };
                let chunks = listed.iter().map(reference).collect();
                self.told(
                    None,
                    Told::FileChunks(FileChunks { id: id(1), segment: Some(*at), chunks, ..FileChunks::default() }),
                );
            }
            for range in &file.ranges {
                let (from, until) =
                    (usize::try_from(range.offset).unwrap(), usize::try_from(range.offset + range.size).unwrap());
                let chunk = FileChunk {
                    id: id(1),
                    offset: range.offset,
                    data: bytes[from..until].to_vec(),
                    ..FileChunk::default()
                };
                self.told(None, Told::FileWrite(FileWrite { chunk: Some(chunk) }));
            }
            self.told(None, Told::FileWriteEnd(FileWriteEnd::default()));
        }
    }
}

#[test]
fn fld_21_a_disk_that_refuses_anywhere_in_a_large_download_ends_it_and_it_comes_again() {
    let before = noise(1_300_000);
    let mut after = before.clone();
    after[600_000..600_009].copy_from_slice(b"something");
    for (calls, fault) in (0..24).flat_map(|calls| [(calls, Fault::Device), (calls, Fault::NoSpace)]) {
        let mut rig = Rig::new();
        let (mut served, old, new) = (0, large(1, &before), large(2, &after));
        rig.connect("e", vec![old.clone()]);
        rig.serve(&mut served, &old, &before);
        rig.pass(1_000);
        assert_eq!(rig.bytes("a").unwrap(), before);
        rig.disk().fail_after(calls, fault);
        rig.told(None, versions(vec![new.clone()]));
        for _ in 0..20 {
            rig.serve(&mut served, &new, &after);
            if rig.agent().wake_at().is_some() {
                rig.pass(20_000);
            }
            if rig.said.last().is_some_and(|(_, said)| !matches!(said, Said::RequestFileContent(_))) {
                break;
            }
        }
        if rig.bytes("a").unwrap() != after {
            // It was closed: the next connection brings it.
            rig.connect("e", vec![new.clone()]);
            served = rig.said.len() - 1;
            for _ in 0..20 {
                rig.serve(&mut served, &new, &after);
                rig.pass(20_000);
            }
        }
        assert_eq!(rig.bytes("a").unwrap(), after, "{calls} {fault:?}");
    }
}

#[test]
fn fld_13_what_an_earlier_connection_told_is_not_believed_after_its_end() {
    let mut rig = Rig::new();
    rig.connect("e", vec![]);
    rig.on(Event::Closed);
    rig.told(None, versions(vec![file(1, "a", 1, "hello")]));
    assert!(rig.agent().state().remote().is_empty(), "it is told again on the next one");
}
