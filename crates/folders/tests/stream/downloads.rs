//! REQUEST_FILE_CONTENT: ALLOW with what follows, pieces in order, the end; or why not.

use folders::form::Content;
use folders::wire::client_message::Message as Said;
use folders::wire::error::ErrorCode;
use folders::wire::request_file_content::{FileId, Range};
use folders::wire::server_message::Message as Heard;
use folders::wire::{RequestFileContent, ServerMessage};
use kernel::{Role, SessionEvent};

use crate::talk::{DIRECTORY, Talk, meta};

fn wanted(ids: &[&str]) -> Said {
    let file = |id: &&str| FileId { id: (*id).into(), directory_id: DIRECTORY.into(), ..FileId::default() };
    Said::RequestFileContent(RequestFileContent { files: ids.iter().map(file).collect() })
}

fn content(chunks: &[(&str, u64)], is_last: bool) -> Content {
    Content { chunks: chunks.iter().map(|(sha, size)| ((*sha).into(), *size)).collect(), is_last }
}

/// What was heard, in short.
fn words(heard: &[ServerMessage]) -> Vec<String> {
    let word = |one: &ServerMessage| match one.message.as_ref().unwrap() {
        Heard::FileContentRequestAllow(allow) => format!("allow {}", allow.files.len()),
        Heard::FileWrite(write) => {
            let chunk = write.chunk.as_ref().unwrap();
            format!("{}@{}:{}", chunk.id, chunk.offset, String::from_utf8_lossy(&chunk.data))
        }
        Heard::FileWriteEnd(_) => "end".into(),
        other => format!("{other:?}"),
    };
    heard.iter().map(word).collect()
}

#[test]
fn fld_8_pieces_come_in_order_whatever_order_they_are_fetched_in() {
    let mut talk = Talk::new();
    talk.ask("get", wanted(&["f1", "f2"]));
    talk.end("folders.files", [meta("f1", "a", 1, 1, "x"), meta("f2", "b", 1, 1, "x")]);
    talk.end("folders.content", content(&[("c1", 3), ("c2", 2)], true));
    talk.end("folders.content", content(&[], true));
    talk.fetched(1, b"de");
    assert_eq!(words(&talk.heard()), ["allow 2"]);
    talk.fetched(0, b"abc");
    assert_eq!(words(&talk.heard()), ["f1@0:abc", "f1@3:de", "f2@0:", "end"], "an empty file is made, too");
}

#[test]
fn fld_8_unknown_files_are_denied_and_the_free_ones_are_listed() {
    let mut talk = Talk::new();
    talk.ask("get", wanted(&["f1", "nobody", "f3"]));
    let elsewhere = folders::form::FileMeta { directory: "another".into(), ..meta("f3", "c", 1, 1, "x") };
    talk.end("folders.files", [meta("f1", "a", 1, 1, "x"), elsewhere]);
    let (id, answer) = talk.one();
    let Heard::FileContentRequestDeny(deny) = answer else { panic!("{answer:?}") };
    assert_eq!(deny.files.iter().map(|file| file.status).collect::<Vec<_>>(), [0, 2, 2]);
    assert_eq!(id.as_deref(), Some("get"));
}

#[test]
fn fld_8_a_slow_reader_costs_a_bounded_window() {
    let mut talk = Talk::new();
    talk.takes = false;
    talk.say(wanted(&["f1"]));
    talk.end("folders.files", [meta("f1", "a", 1, 1, "x")]);
    let chunks = vec![("c", 1 << 20); 500];
    talk.end("folders.content", content(&chunks, true));
    let mut fetched = 0;
    while !talk.fetches.is_empty() {
        talk.fetched(0, &vec![0; 1 << 20]);
        fetched += 1;
        assert!(fetched < 10, "bytes are fetched that nobody takes");
    }
    talk.on(SessionEvent::Sent);
    assert!(!talk.fetches.is_empty(), "and go on when they are taken");
}

#[test]
fn fld_8_a_failed_fetch_is_told_and_no_end_follows() {
    let mut talk = Talk::new();
    talk.ask("get", wanted(&["f1"]));
    talk.end("folders.files", [meta("f1", "a", 1, 1, "x")]);
    talk.end("folders.content", content(&[("c1", 3)], true));
    talk.heard();
    talk.fetched(0, b"ab");
    talk.error(Some("get"), ErrorCode::InternalError);
    talk.ask("again", wanted(&["f1"]));
    assert_eq!(talk.names(), ["folders.files"], "the next request is answered");
}

#[test]
fn fld_21_segments_are_named_and_only_those_that_are_wanted_are_listed() {
    let mut talk = Talk::with("chunks", Role::Folder);
    let ask = |file: FileId| {
        let files = vec![FileId { id: "f1".into(), ..file }];
        Said::RequestFileContent(RequestFileContent { files })
    };
    talk.say(ask(FileId { list_segments: Some(true), ..FileId::default() }));
    talk.end("folders.files", [meta("f1", "a", 1, 1, "x")]);
    talk.end("folders.segments", ["11".repeat(32), "22".repeat(32), "33".repeat(32)]);
    let heard = talk.heard();
    let is_named =
        |list: &folders::wire::FileChunks| list.last && list.segments == [[0x11; 32], [0x22; 32], [0x33; 32]];
    assert!(matches!(&heard[1].message, Some(Heard::FileChunks(list)) if is_named(list)), "{heard:?}");
    assert_eq!(words(&heard[2..]), ["end"]);
    talk.say(ask(FileId { list_chunks: Some(true), segments: vec![0, 2], ..FileId::default() }));
    talk.end("folders.files", [meta("f1", "a", 1, 1, "x")]);
    let chunk = "44".repeat(32);
    for place in [0, 2] {
        assert_eq!(talk.input("folders.content")["segment"], place);
        talk.end("folders.content", content(&[(chunk.as_str(), 4)], place == 2));
    }
    let heard = talk.heard();
    let place = |at: usize| match &heard[at].message {
        Some(Heard::FileChunks(list)) => (list.segment, list.chunks.len(), list.last),
        other => panic!("{other:?}"),
    };
    assert_eq!([place(1), place(2)], [(Some(0), 1, false), (Some(2), 1, true)]);
    assert_eq!(words(&heard[3..]), ["end"]);
    for segments in [vec![2, 1], vec![1, 1], vec![u64::MAX]] {
        talk.say(ask(FileId { list_chunks: Some(true), segments, ..FileId::default() }));
        talk.error(None, ErrorCode::InvalidRequest);
    }
}

#[test]
fn fld_21_lists_and_parts_are_for_those_who_know_chunks() {
    let part = |list| {
        let ranges = if list { vec![] } else { vec![Range { offset: 2, size: 3 }] };
        let file = FileId { id: "f1".into(), list_chunks: list.then_some(true), ranges, ..FileId::default() };
        Said::RequestFileContent(RequestFileContent { files: vec![file] })
    };
    let mut talk = Talk::new();
    talk.ask("no", part(true));
    talk.error(Some("no"), ErrorCode::InvalidRequest);
    let mut talk = Talk::with("chunks", Role::Folder);
    let (c1, c2) = ("11".repeat(32), "22".repeat(32));
    let chunks = [(c1.as_str(), 4), (c2.as_str(), 4)];
    talk.say(part(true));
    talk.end("folders.files", [meta("f1", "a", 1, 1, "x")]);
    talk.end("folders.content", content(&chunks, true));
    let heard = talk.heard();
    assert!(matches!(&heard[1].message, Some(Heard::FileChunks(list)) if list.last && list.chunks.len() == 2));
    assert_eq!(words(&heard[2..]), ["end"]);
    talk.say(part(false));
    talk.end("folders.files", [meta("f1", "a", 1, 1, "x")]);
    talk.end("folders.content", content(&chunks, false));
    assert!(!talk.names().contains(&"folders.content"), "behind the last part nothing is wanted");
    assert_eq!(talk.fetches.iter().map(|(_, _, from, len)| (*from, *len)).collect::<Vec<_>>(), [(2, 2), (0, 1)]);
    talk.fetched(0, b"cd");
    talk.fetched(0, b"e");
    assert_eq!(words(&talk.heard()), ["allow 1", "f1@2:cd", "f1@4:e", "end"]);
}
