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
    CheckVersion, FileChunk, FileContentRequestAllow, FileMetadata, FileStatus, FileStatusInfo, FileType, FileWrite,
    FileWriteEnd, OkSubscribed, ServerMessage, VersionIncreaseAllow, VersionIncreaseDeny, VersionIncreased,
    version_increase_allow,
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
