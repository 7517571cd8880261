//! Creating, subscribing, versions and events.

use folders::form::{Asking, Changes, Joined};
use folders::wire::client_message::Message as Said;
use folders::wire::error::ErrorCode;
use folders::wire::request_version::{FileId, FileRequest, file_request::Request};
use folders::wire::server_message::Message as Heard;
use folders::wire::{ClientMessage, DirectoryCreate, DirectorySubscribe, DirectoryUnsubscribe, RequestVersion};
use kernel::{Role, SessionEvent, Watch};
use serde_json::json;

use crate::talk::{DIRECTORY, Talk, meta};

fn subscribe(name: &str) -> Said {
    Said::DirectorySubscribe(DirectorySubscribe { directory_id: name.into(), ..DirectorySubscribe::default() })
}

fn joined(talk: &mut Talk, seq: u64) {
    talk.ask("s", subscribe(DIRECTORY));
    talk.end("folders.join", Joined { seq, epoch: "e".into() });
    assert!(matches!(talk.one(), (Some(_), Heard::OkSubscribed(ok)) if ok.dir_seq == Some(seq)));
    talk.end("folders.changes", Changes { files: vec![], seq, file: String::new(), more: false });
}

fn all_of(name: &str) -> Said {
    let request = FileRequest { request: Some(Request::DirectoryId(name.into())), after_dir_seq: None };
    Said::RequestVersion(RequestVersion { requests: vec![request] })
}

#[test]
fn fld_1_a_request_id_comes_back_in_every_answer() {
    let mut talk = Talk::new();
    talk.ask("one", Said::DirectoryCreate(DirectoryCreate::default()));
    talk.end("folders.create", json!({ "directory": "new" }));
    let (id, answer) = talk.one();
    assert!(matches!(answer, Heard::OkDirectoryCreated(ok) if ok.directory_id == "new"));
    assert_eq!(id.as_deref(), Some("one"));
    talk.send(ClientMessage { request_id: Some("two".into()), ..ClientMessage::default() });
    talk.error(Some("two"), ErrorCode::InvalidRequest);
    talk.on(SessionEvent::Message(vec![0xff; 9]));
    talk.error(None, ErrorCode::InvalidRequest);
}

#[test]
fn fld_3_subscribing_and_unsubscribing_again_are_answered_the_same() {
    let mut talk = Talk::new();
    joined(&mut talk, 7);
    talk.ask("again", subscribe(DIRECTORY));
    talk.end("folders.join", Joined { seq: 7, epoch: "e".into() });
    assert!(matches!(talk.one(), (Some(id), Heard::OkSubscribed(_)) if id == "again"));
    for _ in 0..2 {
        let unsubscribe = DirectoryUnsubscribe { directory_id: DIRECTORY.into() };
        talk.ask("u", Said::DirectoryUnsubscribe(unsubscribe));
        assert!(matches!(talk.one(), (Some(id), Heard::OkUnsubscribed(_)) if id == "u"));
    }
    assert_eq!(talk.watched, []);
}

#[test]
fn fld_3_events_tell_what_others_changed_and_carry_no_id() {
    let mut talk = Talk::new();
    joined(&mut talk, 4);
    assert!(talk.watched.contains(&Watch::Topic(folders::topic(DIRECTORY))));
    let renamed = folders::wire::ask_version_increase::FileInfo {
        content_changed: false,
        ..crate::talk::edit(Some("mine"), "a", 1)
    };
    talk.say(Said::AskVersionIncrease(folders::wire::AskVersionIncrease { files: vec![renamed] }));
    talk.end("folders.ask", Asking::Increased { files: vec![meta("mine", "a", 2, 5, "connection")], seq: 5 });
    assert!(matches!(talk.one().1, Heard::VersionIncreased(_)), "its own change is told by the answer");
    talk.on(SessionEvent::News(Watch::Topic(folders::topic("another"))));
    assert_eq!(talk.names(), [""; 0], "of another directory");
    talk.on(SessionEvent::News(Watch::Topic(folders::topic(DIRECTORY))));
    talk.on(SessionEvent::Wake);
    assert_eq!((&talk.input("folders.changes")["after"], talk.names().len()), (&json!(4), 1), "one look at a time");
    let files = vec![meta("mine", "a", 2, 5, "connection"), meta("theirs", "b", 1, 6, "other")];
    talk.end("folders.changes", Changes { files, seq: 6, file: "theirs".into(), more: false });
    let (id, event) = talk.one();
    let Heard::CheckVersion(check) = event else { panic!("{event:?}") };
    assert_eq!((id, check.files.len(), check.files[0].id.as_deref()), (None, 1, Some("theirs")));
    assert_eq!(talk.input("folders.changes")["after"], 6, "it was woken once more meanwhile");
}

#[test]
fn fld_1_versions_of_a_directory_come_in_pages_with_the_id_on_each() {
    let mut talk = Talk::new();
    talk.ask("v", all_of(DIRECTORY));
    let page = |id: &str, seq, more| Changes { files: vec![meta(id, id, 1, seq, "x")], seq, file: id.into(), more };
    talk.end("folders.changes", page("f1", 1, true));
    assert_eq!(talk.input("folders.changes")["after_file"], "f1");
    talk.end("folders.changes", page("f2", 2, false));
    let heard = talk.heard();
    assert_eq!(heard.len(), 2);
    assert!(heard.iter().all(|one| one.request_id.as_deref() == Some("v")));
    talk.ask("none", Said::RequestVersion(RequestVersion::default()));
    assert!(matches!(talk.one(), (Some(_), Heard::CheckVersion(check)) if check.files.is_empty()));
}

#[test]
fn fld_1_pages_wait_for_a_client_that_does_not_take_them() {
    let mut talk = Talk::new();
    talk.takes = false;
    talk.ask("v", all_of(DIRECTORY));
    let long = "x".repeat(4_000);
    let mut pages = 0;
    while !talk.names().is_empty() {
        let files = (0..500).map(|at| meta(&at.to_string(), &long, 1, 1, "x")).collect();
        talk.end("folders.changes", Changes { files, seq: 1, file: "f".into(), more: true });
        pages += 1;
        assert!(pages < 10, "pages are read that nobody takes");
    }
    talk.on(SessionEvent::Sent);
    assert_eq!(talk.names(), ["folders.changes"], "and go on when they are taken");
}

#[test]
fn fld_1_unknown_files_and_those_of_another_directory_are_told() {
    let mut talk = Talk::new();
    let file = |id: &str, directory: &str| FileRequest {
        request: Some(Request::FileId(FileId { id: id.into(), directory_id: directory.into() })),
        after_dir_seq: None,
    };
    let requests = vec![file("f1", DIRECTORY), file("f2", "another"), file("f3", DIRECTORY)];
    talk.ask("v", Said::RequestVersion(RequestVersion { requests }));
    talk.end("folders.files", [meta("f1", "a", 1, 1, "x"), meta("f2", "b", 1, 1, "x")]);
    let heard = talk.heard();
    assert!(matches!(&heard[0].message, Some(Heard::CheckVersion(check)) if check.files.len() == 1));
    assert!(matches!(&heard[1].message, Some(Heard::Error(error)) if error.file_ids == ["f2", "f3"]), "{heard:?}");
}

#[test]
fn fld_1_an_unknown_directory_is_told_and_words_of_the_store_are_not() {
    let mut talk = Talk::new();
    talk.ask("s", subscribe("nowhere"));
    talk.fail("folders.join", base::Code::new("NDIRECTORY", 404));
    talk.error(Some("s"), ErrorCode::DirectoryNotFound);
    talk.ask("t", subscribe("nowhere"));
    talk.fail("folders.join", base::codes::XSTORE);
    let text = talk.error(Some("t"), ErrorCode::InternalError);
    assert!(!text.contains('/'), "{text}");
}

#[test]
fn fld_3_thousands_of_subscriptions_are_refused_at_a_bound() {
    let mut talk = Talk::new();
    for number in 0..folders::stream::SUBSCRIPTIONS_MAX {
        talk.say(subscribe(&format!("d{number}")));
    }
    talk.ask("more", subscribe("one-more"));
    talk.error(Some("more"), ErrorCode::InvalidRequest);
}

#[test]
fn fld_25_a_key_that_only_reads_creates_and_asks_nothing() {
    let mut talk = Talk::with("", Role::Reader);
    talk.ask("c", Said::DirectoryCreate(DirectoryCreate::default()));
    talk.error(Some("c"), ErrorCode::PermissionDenied);
    let files = vec![crate::talk::edit(None, "a", 1)];
    talk.ask("a", Said::AskVersionIncrease(folders::wire::AskVersionIncrease { files }));
    talk.error(Some("a"), ErrorCode::PermissionDenied);
    assert_eq!(talk.names(), [""; 0]);
}

#[test]
fn fld_13_whoever_says_what_it_knows_is_told_the_rest_unless_the_epoch_changed() {
    for (epoch, after) in [("e", 3), ("before-the-backup", 9)] {
        let mut talk = Talk::new();
        talk.say(Said::DirectorySubscribe(DirectorySubscribe {
            directory_id: DIRECTORY.into(),
            dir_seq: Some(3),
            directory_epoch: Some(epoch.into()),
        }));
        talk.end("folders.join", Joined { seq: 9, epoch: "e".into() });
        assert_eq!(talk.input("folders.changes")["after"], after, "{epoch}");
    }
}

#[test]
fn fld_5_the_first_message_says_who_the_client_is_and_its_key_stands_before_it() {
    let mut talk = Talk::new();
    let message = |client: &str| ClientMessage {
        client_id: Some(client.into()),
        device: Some("laptop".into()),
        message: Some(subscribe(DIRECTORY)),
        ..ClientMessage::default()
    };
    talk.send(message("mine"));
    talk.send(message("another"));
    for _ in 0..2 {
        let who = talk.input("folders.join")["who"].clone();
        assert_eq!((&who["client"], &who["device"]), (&json!("key/mine"), &json!("laptop")));
        talk.end("folders.join", Joined { seq: 0, epoch: "e".into() });
    }
}

#[test]
fn fld_10_a_commit_whose_connection_broke_is_told_on_the_next() {
    let mut talk = Talk::new();
    let client_id = Some("mine".into());
    talk.send(ClientMessage { client_id, message: Some(subscribe(DIRECTORY)), ..ClientMessage::default() });
    talk.end("folders.join", Joined { seq: 4, epoch: "e".into() });
    talk.heard();
    let files = vec![meta("f", "a", 2, 5, "key/mine")];
    talk.end("folders.changes", Changes { files, seq: 5, file: "f".into(), more: false });
    assert!(matches!(talk.one(), (None, Heard::CheckVersion(_))), "its answer was lost");
}

fn folder_gone(seen_dir_seq: Option<u64>) -> Said {
    let file = folders::wire::ask_version_increase::FileInfo {
        r#type: 1,
        deleted: true,
        content_changed: false,
        seen_dir_seq,
        ..crate::talk::edit(Some("folder"), "f", 1)
    };
    Said::AskVersionIncrease(folders::wire::AskVersionIncrease { files: vec![file] })
}

#[test]
fn fld_17_what_goes_with_a_folder_is_what_its_client_says_that_it_has() {
    for (seen, told) in [
        (None, json!({ "seq": 6, "beyond": [["mine", 2]] })),
        (Some(5), json!({ "seq": 5, "beyond": [["mine", 2]] })),
        (Some(u64::MAX), json!({ "seq": 6, "beyond": [["mine", 2]] })),
    ] {
        let mut talk = Talk::new();
        talk.say(all_of(DIRECTORY));
        let files = vec![meta("folder", "f", 1, 1, "x"), meta("theirs", "f/b", 1, 6, "x")];
        talk.end("folders.changes", Changes { files, seq: 6, file: String::new(), more: false });
        talk.say(Said::AskVersionIncrease(folders::wire::AskVersionIncrease {
            files: vec![crate::talk::edit(None, "f/mine", 7)],
        }));
        talk.end("folders.ask", Asking::Increased { files: vec![meta("mine", "f/mine", 2, 7, "connection")], seq: 7 });
        talk.say(folder_gone(seen));
        assert_eq!(talk.input("folders.ask")["told"], told, "never more than was told: {seen:?}");
    }
}

#[test]
fn fld_17_what_was_told_alone_counts_as_had_only_for_those_who_say_nothing() {
    for (seen, beyond) in [(None, json!([["f1", 3]])), (Some(1), json!([]))] {
        let mut talk = Talk::new();
        let file = FileId { id: "f1".into(), directory_id: DIRECTORY.into() };
        let request = FileRequest { request: Some(Request::FileId(file)), after_dir_seq: None };
        talk.say(Said::RequestVersion(RequestVersion { requests: vec![request] }));
        talk.end("folders.files", [meta("f1", "f/a", 3, 9, "other")]);
        talk.say(folder_gone(seen));
        assert_eq!(talk.input("folders.ask")["told"]["beyond"], beyond);
    }
}

#[test]
fn fld_15_who_knows_the_tree_hears_of_a_renamed_folder_alone() {
    for (caps, each) in [("tree", false), ("", true)] {
        let mut talk = Talk::with(caps, Role::Folder);
        joined(&mut talk, 4);
        talk.on(SessionEvent::Wake);
        assert_eq!(talk.input("folders.changes")["each"], each, "{caps}");
        let folder = folders::form::FileMeta { kind: folders::form::Kind::Folder, ..meta("f", "new", 2, 5, "other") };
        talk.end("folders.changes", Changes { files: vec![folder], seq: 5, file: String::new(), more: false });
        let (_, event) = talk.one();
        let Heard::CheckVersion(check) = event else { panic!("{event:?}") };
        assert_eq!(
            check.files[0].name.as_deref(),
            (!each).then_some("new"),
            "the place in the tree for those who know it"
        );
        let request = FileRequest { request: Some(Request::DirectoryId(DIRECTORY.into())), after_dir_seq: Some(4) };
        talk.say(Said::RequestVersion(RequestVersion { requests: vec![request] }));
        assert_eq!(talk.input("folders.changes")["each"], each, "also when it asks");
    }
}

#[test]
fn fld_12_the_author_of_a_folder_s_deletion_is_told_of_every_tombstone() {
    let mut talk = Talk::with("tree", Role::Folder);
    joined(&mut talk, 4);
    talk.say(folder_gone(None));
    let tombstone =
        |id: &str, path: &str| folders::form::FileMeta { deleted: true, ..meta(id, path, 2, 5, "connection") };
    talk.end("folders.ask", Asking::Increased { files: vec![tombstone("folder", "f")], seq: 5 });
    assert!(matches!(talk.one().1, Heard::VersionIncreased(told) if told.files.len() == 1), "what was asked for");
    talk.on(SessionEvent::Wake);
    let files = vec![tombstone("folder", "f"), tombstone("in-it", "f/a"), tombstone("in-it-too", "f/b")];
    talk.end("folders.changes", Changes { files, seq: 5, file: String::new(), more: false });
    let (id, event) = talk.one();
    let Heard::CheckVersion(check) = event else { panic!("{event:?}") };
    let told: Vec<(&str, bool)> = check.files.iter().map(|file| (file.current_path.as_str(), file.deleted)).collect();
    assert_eq!((id, told), (None, vec![("f/a", true), ("f/b", true)]), "what followed from it");
}

#[test]
fn fld_13_who_keeps_how_far_it_was_told_hears_of_that_after_its_own_changes() {
    for (caps, events) in [("tree", 1), ("", 0)] {
        let mut talk = Talk::with(caps, Role::Folder);
        let known = DirectorySubscribe { directory_id: DIRECTORY.into(), dir_seq: Some(4), directory_epoch: None };
        talk.say(Said::DirectorySubscribe(known));
        talk.end("folders.join", Joined { seq: 4, epoch: "e".into() });
        talk.end("folders.changes", Changes { files: vec![], seq: 4, file: String::new(), more: false });
        talk.say(folder_gone(None));
        let gone = || folders::form::FileMeta { deleted: true, ..meta("folder", "f", 2, 5, "connection") };
        talk.end("folders.ask", Asking::Increased { files: vec![gone()], seq: 5 });
        talk.heard();
        for _ in 0..2 {
            talk.on(SessionEvent::Wake);
            talk.end("folders.changes", Changes { files: vec![gone()], seq: 5, file: String::new(), more: false });
        }
        let heard = talk.heard();
        assert_eq!(heard.len(), events, "{caps}: {heard:?}");
        let told = |one: &folders::wire::ServerMessage| match &one.message {
            Some(Heard::CheckVersion(check)) => check.files.is_empty() && check.dir_seq == Some(5),
            _ => false,
        };
        assert!(heard.iter().all(told), "{heard:?}");
    }
}

#[test]
fn fld_19_links_are_told_to_those_who_know_them_and_attributes_to_all() {
    for (caps, told) in [("links", 2), ("", 1)] {
        let mut talk = Talk::with(caps, Role::Folder);
        talk.say(all_of(DIRECTORY));
        let file =
            folders::form::FileMeta { mtime_us: Some(-5), executable: Some(true), ..meta("file", "run.sh", 1, 1, "x") };
        let link = folders::form::FileMeta {
            kind: folders::form::Kind::Symlink,
            target: Some("../elsewhere".into()),
            ..meta("link", "link", 1, 2, "x")
        };
        talk.end("folders.changes", Changes { files: vec![file, link], seq: 2, file: String::new(), more: false });
        let (_, answer) = talk.one();
        let Heard::CheckVersion(check) = answer else { panic!("{answer:?}") };
        assert_eq!(check.files.len(), told, "{caps}");
        assert_eq!((check.files[0].mtime_us, check.files[0].executable), (Some(-5), Some(true)));
        let target = check.files.get(1).and_then(|link| link.symlink_target.as_deref());
        assert_eq!(target, (told == 2).then_some("../elsewhere"), "as it is, never followed");
    }
}
