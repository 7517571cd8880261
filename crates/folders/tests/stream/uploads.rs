//! From ASK_VERSION_INCREASE to VERSION_INCREASED, and everything that can go wrong between.

use folders::form::{Asking, FileStatus};
use folders::stream::{CHUNK_MAX, FIRST_WRITE_MS, GAP_MS};
use folders::wire::ask_version_increase::FileInfo;
use folders::wire::client_message::Message as Said;
use folders::wire::error::ErrorCode;
use folders::wire::request_version::{FileId, FileRequest, file_request::Request};
use folders::wire::server_message::Message as Heard;
use folders::wire::{AskVersionIncrease, ChunkRef, FileChunk, FileChunks, FileWrite, FileWriteEnd, RequestVersion};
use kernel::{Role, SessionEvent};
use serde_json::json;

use crate::talk::{DIRECTORY, Talk, edit, meta, sha};

fn piece(id: &str, offset: u64, data: &[u8]) -> Said {
    let chunk = FileChunk { id: id.into(), directory_id: DIRECTORY.into(), offset, ..FileChunk::default() };
    Said::FileWrite(FileWrite { chunk: Some(FileChunk { data: data.to_vec(), ..chunk }) })
}

fn end() -> Said {
    Said::FileWriteEnd(FileWriteEnd::default())
}

fn increased(id: &str) -> Asking {
    Asking::Increased { files: vec![meta(id, "a", 1, 5, "connection")], seq: 5 }
}

/// An upload of one file is allowed, and something is sent that breaks it.
fn check_broken(file: FileInfo, sent: &[Said]) {
    let mut talk = Talk::new();
    talk.allowed(vec![file]);
    sent.iter().for_each(|message| talk.say(message.clone()));
    talk.error(None, ErrorCode::InvalidRequest);
    assert_eq!(talk.input("folders.release")["upload"], "u1", "{sent:?}");
    assert!(!talk.names().contains(&"folders.finish"));
    talk.say(end());
    assert_eq!(talk.heard(), [], "it was told already");
}

#[test]
fn fld_3_a_file_is_uploaded_in_pieces_and_committed_at_the_end() {
    let mut talk = Talk::new();
    talk.allowed(vec![edit(None, "a", 1)]);
    let first = vec![1; CHUNK_MAX - 1];
    talk.say(piece("f0", 0, &first));
    let by_path = FileChunk { current_path: "a".into(), directory_id: DIRECTORY.into(), ..FileChunk::default() };
    let by_path = FileChunk { offset: first.len() as u64, data: vec![2; 5], ..by_path };
    talk.say(Said::FileWrite(FileWrite { chunk: Some(by_path) }));
    assert_eq!(talk.keep().iter().map(Vec::len).collect::<Vec<_>>(), [CHUNK_MAX], "whole chunks are kept as they fill");
    talk.ask("end", end());
    assert_eq!(talk.keep(), [[2; 4]]);
    assert_eq!(talk.input("folders.segment")["chunks"].as_array().unwrap().len(), 2);
    talk.end("folders.segment", "s1");
    let finish = talk.input("folders.finish").clone();
    let all = [first, vec![2; 5]].concat();
    assert_eq!(finish["files"], json!([{ "id": "f0", "segments": ["s1"], "hash": sha(&all) }]));
    talk.end("folders.finish", increased("f0"));
    let (id, answer) = talk.one();
    assert!(
        matches!(&answer, Heard::VersionIncreased(done) if done.files[0].id.as_deref() == Some("f0")),
        "{answer:?}"
    );
    assert_eq!(id.as_deref(), Some("end"), "FILE_WRITE_END's id, not ASK's");
    talk.say(piece("f0", 0, b"x"));
    talk.error(None, ErrorCode::InvalidRequest);
}

#[test]
fn fld_1_without_an_id_at_the_end_the_answer_has_that_of_ask() {
    let mut talk = Talk::new();
    talk.allowed(vec![edit(None, "a", 1)]);
    talk.say(end());
    assert_eq!(talk.input("folders.finish")["files"][0]["segments"], json!([]), "an empty file");
    talk.end("folders.finish", increased("f0"));
    assert_eq!(talk.one().0.as_deref(), Some("ask"));
}

#[test]
fn fld_20_gaps_overlaps_huge_offsets_and_huge_pieces_change_nothing() {
    let file = || edit(None, "a", 1);
    check_broken(file(), &[piece("f0", 0, b"abc"), piece("f0", 4, b"d")]);
    check_broken(file(), &[piece("f0", 0, b"abc"), piece("f0", 2, b"d")]);
    check_broken(file(), &[piece("f0", u64::MAX, b"abc")]);
    check_broken(file(), &[piece("f0", 0, &vec![0; CHUNK_MAX + 1])]);
}

#[test]
fn fld_20_wrong_size_and_wrong_hash_change_nothing() {
    let sized = |size| FileInfo { size: Some(size), ..edit(None, "a", 1) };
    check_broken(sized(2), &[piece("f0", 0, b"abc")]);
    check_broken(sized(4), &[piece("f0", 0, b"abc"), end()]);
    let hash = Some(vec![7; 32]);
    check_broken(FileInfo { hash, ..edit(None, "a", 1) }, &[piece("f0", 0, b"abc"), end()]);
    let mut talk = Talk::new();
    let files = vec![FileInfo { hash: Some(vec![1]), ..edit(None, "a", 1) }];
    talk.ask("a", Said::AskVersionIncrease(AskVersionIncrease { files }));
    talk.error(Some("a"), ErrorCode::InvalidRequest);
}

#[test]
fn fld_20_a_piece_of_another_file_or_directory_or_of_none_is_refused_and_the_upload_goes_on() {
    let mut talk = Talk::new();
    talk.say(piece("f0", 0, b"x"));
    talk.error(None, ErrorCode::InvalidRequest);
    talk.say(end());
    talk.error(None, ErrorCode::InvalidRequest);
    talk.allowed(vec![edit(None, "a", 1)]);
    talk.say(piece("other", 0, b"x"));
    talk.error(None, ErrorCode::InvalidRequest);
    let elsewhere = FileChunk { id: "f0".into(), directory_id: "another".into(), ..FileChunk::default() };
    talk.ask("x", Said::FileWrite(FileWrite { chunk: Some(elsewhere) }));
    talk.error(Some("x"), ErrorCode::InvalidRequest);
    talk.say(Said::FileWrite(FileWrite { chunk: None }));
    talk.error(None, ErrorCode::InvalidRequest);
    talk.say(piece("f0", 0, b"x"));
    assert_eq!(talk.heard(), []);
    assert!(!talk.names().contains(&"folders.release"));
}

#[test]
fn fld_20_what_still_comes_for_a_broken_upload_is_answered_as_what_broke_it() {
    for (code, answer) in
        [(base::codes::TTIME, ErrorCode::InternalError), (base::codes::XDISK, ErrorCode::InternalError)]
    {
        let mut talk = Talk::new();
        talk.allowed(vec![edit(None, "a", 1)]);
        talk.say(piece("f0", 0, &vec![1; CHUNK_MAX]));
        talk.keep_fails(code);
        talk.error(Some("ask"), answer);
        talk.ask("late", piece("f0", CHUNK_MAX as u64, b"x"));
        talk.error(Some("late"), answer);
        talk.ask("end", end());
        talk.error(Some("end"), answer);
    }
    let mut talk = Talk::new();
    talk.allowed(vec![edit(None, "a", 1)]);
    talk.say(piece("f0", 7, b"a gap"));
    talk.error(None, ErrorCode::InvalidRequest);
    talk.ask("late", piece("f0", 12, b"x"));
    talk.error(Some("late"), ErrorCode::InvalidRequest);
}

#[test]
fn fld_6_pieces_are_for_what_was_allowed_last_where_a_file_is_asked_for_anew() {
    let mut talk = Talk::with("chunks", Role::Folder);
    talk.allowed(vec![edit(Some("f0"), "a", 1)]);
    let files = vec![edit(Some("f0"), "a", 1)];
    talk.ask("anew", Said::AskVersionIncrease(AskVersionIncrease { files }));
    talk.end("folders.ask", Asking::Allowed { upload: "u2".into(), wanted: vec![(0, "f0".into())] });
    assert!(matches!(talk.one().1, Heard::VersionIncreaseAllow(_)));
    assert_eq!(talk.input("folders.release")["upload"], "u1", "what was allowed before is over");
    talk.say(piece("f0", 0, b"abc"));
    talk.ask("end", end());
    talk.keep();
    talk.end("folders.segment", "s1");
    assert_eq!(talk.input("folders.finish")["upload"], "u2");
    talk.end("folders.finish", increased("f0"));
    assert!(matches!(talk.one(), (Some(id), Heard::VersionIncreased(_)) if id == "end"));
}

#[test]
fn fld_3_a_silent_client_loses_its_upload_after_ten_seconds_then_after_thirty() {
    for (sent, silence_ms) in [(0, FIRST_WRITE_MS), (1, GAP_MS)] {
        let mut talk = Talk::new();
        talk.allowed(vec![edit(None, "a", 1)]);
        (0..sent).for_each(|at| talk.say(piece("f0", at, b"x")));
        talk.pass(silence_ms - 1);
        assert!(!talk.names().contains(&"folders.release"));
        talk.pass(1);
        assert_eq!(talk.input("folders.release")["upload"], "u1", "a timer of its own, no message");
        assert_eq!(talk.heard(), [], "as the text says, the next piece is told");
        talk.say(piece("f0", sent, b"x"));
        talk.error(None, ErrorCode::Timeout);
        talk.say(piece("f0", sent + 1, b"x"));
        talk.say(end());
        assert_eq!(talk.heard(), [], "what was sent before it heard of it is told once");
        talk.ask("end", end());
        talk.error(Some("end"), ErrorCode::Timeout);
    }
}

#[test]
fn fld_3_whoever_drips_bytes_loses_the_upload_too() {
    let mut talk = Talk::new();
    talk.allowed(vec![edit(None, "a", 1)]);
    let mut at = 0;
    while !talk.names().contains(&"folders.release") {
        talk.say(piece("f0", at, b"x"));
        talk.pass(20_000);
        at += 1;
        assert!(at < 100, "a byte every 20 s holds a file for ever");
    }
    assert!(talk.now >= 120_000, "{}", talk.now);
}

#[test]
fn fld_3_seats_are_renewed_while_pieces_come_but_not_with_each() {
    let mut talk = Talk::new();
    talk.allowed(vec![edit(None, "a", 1)]);
    for at in 0..100 {
        talk.say(piece("f0", at, b"x"));
        talk.pass(100);
    }
    let renewals = talk.names().iter().filter(|name| **name == "folders.renew").count();
    assert_eq!(renewals, 2, "at the first piece and after five seconds");
    talk.fail("folders.renew", base::codes::XSTORE);
    talk.say(piece("f0", 100, b"x"));
    assert_eq!(talk.heard(), [], "a store that does not answer is asked again");
    talk.fail("folders.renew", base::Code::new("NUPLOAD", 404));
    talk.say(piece("f0", 101, b"x"));
    talk.error(None, ErrorCode::Timeout);
}

#[test]
fn fld_6_a_client_that_goes_away_gives_everything_back() {
    let mut talk = Talk::new();
    talk.allowed(vec![edit(None, "a", 1)]);
    talk.say(Said::AskVersionIncrease(AskVersionIncrease { files: vec![edit(None, "b", 1)] }));
    talk.on(SessionEvent::Gone);
    assert_eq!(talk.names(), ["folders.ask", "folders.release"]);
    talk.end("folders.ask", Asking::Allowed { upload: "u2".into(), wanted: vec![] });
    assert_eq!(talk.names(), ["folders.release", "folders.release"], "also what is allowed too late");
    assert_eq!(talk.heard(), []);
}

#[test]
fn fld_3_a_denied_group_lists_all_its_files() {
    let mut talk = Talk::new();
    let files = vec![edit(Some("f1"), "a", 1), edit(None, "b", 1)];
    talk.ask("a", Said::AskVersionIncrease(AskVersionIncrease { files }));
    let status = |place, id: Option<&str>, path: &str, status| FileStatus {
        place,
        id: id.map(str::to_owned),
        path: path.into(),
        status,
        why: "why".into(),
    };
    let files = vec![status(0, Some("f1"), "a", folders::Status::Denied), status(1, None, "b", folders::Status::Free)];
    talk.end("folders.ask", Asking::Denied { files, look_ms: 5_000 });
    let (id, answer) = talk.one();
    let Heard::VersionIncreaseDeny(deny) = answer else { panic!("{answer:?}") };
    assert_eq!((id.as_deref(), deny.files.len(), deny.files[0].status), (Some("a"), 2, 2));
    assert_eq!(deny.files[1].current_path.as_deref(), Some("b"), "a new file is known by its path");
}

#[test]
fn fld_3_a_group_of_two_directories_is_asked_for_in_parts_and_answered_once() {
    let mut talk = Talk::new();
    let elsewhere = FileInfo { directory_id: "d2".into(), ..edit(None, "b", 1) };
    let files = vec![edit(None, "a", 1), elsewhere];
    talk.ask("a", Said::AskVersionIncrease(AskVersionIncrease { files }));
    assert_eq!(talk.names(), ["folders.ask"; 2]);
    talk.end("folders.ask", Asking::Allowed { upload: "u1".into(), wanted: vec![(0, "f1".into())] });
    assert_eq!(talk.heard(), []);
    talk.fail("folders.ask", base::codes::SROLE);
    talk.error(Some("a"), ErrorCode::PermissionDenied);
    assert_eq!(talk.input("folders.release")["upload"], "u1", "all or none");
    let many: Vec<FileInfo> = (0..900).map(|at| edit(None, &at.to_string(), 1)).collect();
    talk.say(Said::AskVersionIncrease(AskVersionIncrease { files: many }));
    assert_eq!(talk.names().iter().filter(|name| **name == "folders.ask").count(), 3, "no operation is too large");
}

#[test]
fn fld_5_the_same_try_is_judged_by_what_was_told_when_it_was_first_asked_for() {
    let mut talk = Talk::new();
    let ask = |time| Said::AskVersionIncrease(AskVersionIncrease { files: vec![edit(Some("f1"), "a", time)] });
    talk.say(ask(1));
    let blocked = FileStatus {
        place: 0,
        id: Some("f1".into()),
        path: "a".into(),
        status: folders::Status::Blocked,
        why: String::new(),
    };
    talk.end("folders.ask", Asking::Denied { files: vec![blocked], look_ms: 5_000 });
    talk.on(SessionEvent::Wake);
    talk.end("folders.files", [meta("f1", "a", 2, 9, "other")]);
    let file = FileId { id: "f1".into(), directory_id: DIRECTORY.into() };
    let request = FileRequest { request: Some(Request::FileId(file)), after_dir_seq: None };
    talk.say(Said::RequestVersion(RequestVersion { requests: vec![request] }));
    talk.end("folders.files", [meta("f1", "a", 2, 9, "other")]);
    assert!(matches!(talk.heard().last().unwrap().message, Some(Heard::CheckVersion(_))));
    talk.say(ask(1));
    assert_eq!(talk.input("folders.ask")["told"]["beyond"], json!([]), "it was made before the client knew version 2");
    talk.end("folders.ask", Asking::Allowed { upload: "u".into(), wanted: vec![] });
    talk.say(ask(2));
    assert_eq!(talk.input("folders.ask")["told"]["beyond"], json!([["f1", 2]]), "this one is new");
}

#[test]
fn fld_21_only_missing_chunks_are_sent() {
    let mut talk = Talk::with("chunks", Role::Folder);
    talk.allowed(vec![edit(None, "a", 1)]);
    let chunk = |data: &[u8]| ChunkRef { digest: crate::talk::digest(data), size: u32::try_from(data.len()).unwrap() };
    let chunks = vec![chunk(b"one"), chunk(b"two"), chunk(b"one")];
    let list = FileChunks { id: "f0".into(), chunks, last: true, ..FileChunks::default() };
    talk.ask("list", Said::FileChunks(list));
    talk.end("folders.missing", [sha(b"one")]);
    let (id, answer) = talk.one();
    assert!(matches!(&answer, Heard::ChunksMissing(missing) if missing.indexes == [0, 2]), "{answer:?}");
    assert_eq!(id.as_deref(), Some("list"));
    let listed = |index, data: &[u8]| {
        let chunk = FileChunk { id: "f0".into(), index: Some(index), data: data.to_vec(), ..FileChunk::default() };
        Said::FileWrite(FileWrite { chunk: Some(chunk) })
    };
    talk.say(listed(0, b"one"));
    talk.ask("end", end());
    talk.keep();
    let segment = talk.input("folders.segment")["chunks"].clone();
    assert_eq!(segment, json!([[sha(b"one"), 3], [sha(b"two"), 3], [sha(b"one"), 3]]), "the same bytes once");
    talk.end("folders.segment", "s");
    assert_eq!(talk.input("folders.finish")["files"][0]["hash"], json!(null), "not all of it was seen");
}

fn named(chunks: &[&[u8]]) -> (Vec<u8>, Vec<ChunkRef>) {
    let digests: Vec<[u8; 32]> = chunks.iter().map(|data| crate::talk::digest(data).try_into().unwrap()).collect();
    let sizes = chunks.iter().map(|data| u32::try_from(data.len()).unwrap());
    let list = synxpo::segments::list(digests.iter().zip(sizes.clone()));
    let chunks = digests.iter().zip(sizes).map(|(digest, size)| ChunkRef { digest: digest.to_vec(), size }).collect();
    (synxpo::segments::name(&list).to_vec(), chunks)
}

fn segments(names: &[&Vec<u8>]) -> Said {
    let segments = names.iter().map(|name| (*name).clone()).collect();
    Said::FileChunks(FileChunks { id: "f0".into(), segments, last: true, ..FileChunks::default() })
}

fn segment(at: u64, chunks: &[ChunkRef]) -> Said {
    let chunks = chunks.to_vec();
    Said::FileChunks(FileChunks { id: "f0".into(), segment: Some(at), chunks, ..FileChunks::default() })
}

fn chunk_of(segment: u64, index: u64, data: &[u8]) -> Said {
    let (segment, index) = (Some(segment), Some(index));
    let chunk = FileChunk { id: "f0".into(), segment, index, data: data.to_vec(), ..FileChunk::default() };
    Said::FileWrite(FileWrite { chunk: Some(chunk) })
}

#[test]
fn fld_21_segments_that_are_stored_are_not_even_listed() {
    let mut talk = Talk::with("chunks", Role::Folder);
    talk.allowed(vec![edit(None, "a", 1)]);
    let (old, (new, chunks)) = (named(&[b"old"]).0, named(&[b"one", b"two", b"one"]));
    talk.ask("names", segments(&[&old, &new]));
    talk.end("folders.known", [true, false]);
    let (id, answer) = talk.one();
    assert!(matches!(&answer, Heard::ChunksMissing(missing) if missing.segments == [1]), "{answer:?}");
    assert_eq!(id.as_deref(), Some("names"));
    talk.ask("list", segment(1, &chunks));
    talk.end("folders.missing", [sha(b"one")]);
    let (_, answer) = talk.one();
    let is_told = |missing: &folders::wire::ChunksMissing| missing.segment == Some(1) && missing.indexes == [0, 2];
    assert!(matches!(&answer, Heard::ChunksMissing(missing) if is_told(missing)), "{answer:?}");
    talk.say(chunk_of(1, 0, b"one"));
    talk.ask("end", end());
    talk.keep();
    let listed = talk.input("folders.segment")["chunks"].clone();
    assert_eq!(listed, json!([[sha(b"one"), 3], [sha(b"two"), 3], [sha(b"one"), 3]]), "the same bytes once");
    let name = |bytes: &[u8]| base::Sha(bytes.try_into().unwrap()).to_string();
    talk.end("folders.segment", name(&new));
    let files = &talk.input("folders.finish")["files"][0];
    assert_eq!((&files["segments"], &files["hash"]), (&json!([name(&old), name(&new)]), &json!(null)));
}

#[test]
fn fld_21_a_store_that_takes_its_time_is_not_the_client_s_silence() {
    let mut talk = Talk::with("chunks", Role::Folder);
    talk.allowed(vec![edit(None, "a", 1)]);
    let (name, chunks) = named(&[b"one", b"two"]);
    talk.ask("names", segments(&[&name]));
    talk.pass(60_000);
    assert!(!talk.names().contains(&"folders.release"), "{:?}", talk.names());
    talk.end("folders.known", [false]);
    talk.heard();
    talk.pass(20_000);
    talk.ask("list", segment(0, &chunks));
    talk.pass(60_000);
    talk.end("folders.missing", [sha(b"one")]);
    let (id, answer) = talk.one();
    assert!(matches!(&answer, Heard::ChunksMissing(missing) if missing.indexes == [0]), "{answer:?}");
    assert_eq!(id.as_deref(), Some("list"));
    talk.pass(31_000);
    assert_eq!(talk.input("folders.release")["upload"], "u1", "now it is the client's turn");
}

#[test]
fn fld_21_segments_that_are_not_what_was_named_change_nothing() {
    let (name, chunks) = named(&[b"one", b"two"]);
    let other = named(&[b"other"]).1;
    let wrong: [(&str, Vec<Said>); 7] = [
        ("another list", vec![segments(&[&name]), segment(0, &other)]),
        ("no list", vec![segments(&[&name]), segment(0, &[])]),
        ("a segment that was not named", vec![segments(&[&name]), segment(1, &chunks)]),
        ("named twice", vec![segments(&[&name]), segments(&[&name])]),
        ("a name that is none", vec![segments(&[&vec![1; 31]])]),
        ("bytes before the list", vec![segments(&[&name]), chunk_of(0, 0, b"one")]),
        ("the end before the bytes", vec![segments(&[&name]), end()]),
    ];
    for (what, messages) in wrong {
        let mut talk = Talk::with("chunks", Role::Folder);
        talk.allowed(vec![edit(None, "a", 1)]);
        for message in messages {
            talk.say(message);
            if talk.names().contains(&"folders.known") {
                talk.end("folders.known", [false]);
                talk.heard();
            }
        }
        // What is found only at the end is about all that was asked for.
        let request = what.starts_with("the end").then_some("ask");
        let text = talk.error(request, ErrorCode::InvalidRequest);
        assert_eq!(talk.input("folders.release")["upload"], "u1", "{what}: {text}");
    }
    let mut talk = Talk::with("chunks", Role::Folder);
    talk.allowed(vec![edit(None, "a", 1)]);
    talk.say(segments(&[&name]));
    talk.end("folders.known", [false]);
    talk.say(segment(0, &chunks));
    talk.end("folders.missing", [sha(b"one"), sha(b"two")]);
    talk.heard();
    talk.say(chunk_of(0, 0, b"two"));
    talk.keep();
    talk.error(Some("ask"), ErrorCode::InvalidRequest);
}

#[test]
fn fld_21_what_is_one_chunk_or_none_has_a_hash_that_was_checked() {
    for chunks in [&[*b"one"][..], &[]] {
        let mut talk = Talk::with("chunks", Role::Folder);
        let bytes: Vec<u8> = chunks.iter().flat_map(|chunk| chunk.iter().copied()).collect();
        talk.allowed(vec![FileInfo { hash: Some(crate::talk::digest(&bytes)), ..edit(None, "a", 1) }]);
        let chunks = chunks.iter().map(|data| ChunkRef { digest: crate::talk::digest(data), size: 3 }).collect();
        talk.say(Said::FileChunks(FileChunks { id: "f0".into(), chunks, last: true, ..FileChunks::default() }));
        talk.end("folders.missing", [(); 0]);
        talk.say(end());
        if !bytes.is_empty() {
            talk.end("folders.segment", "s");
        }
        assert_eq!(talk.input("folders.finish")["files"][0]["hash"], json!(sha(&bytes)));
    }
    let mut talk = Talk::with("chunks", Role::Folder);
    talk.allowed(vec![FileInfo { hash: Some(vec![7; 32]), ..edit(None, "a", 1) }]);
    let chunks = vec![ChunkRef { digest: crate::talk::digest(b"one"), size: 3 }];
    talk.say(Said::FileChunks(FileChunks { id: "f0".into(), chunks, last: true, ..FileChunks::default() }));
    talk.end("folders.missing", [(); 0]);
    talk.heard();
    talk.say(end());
    talk.error(None, ErrorCode::InvalidRequest);
}

#[test]
fn fld_21_a_chunk_that_is_not_what_was_listed_changes_nothing() {
    let mut talk = Talk::with("chunks", Role::Folder);
    talk.allowed(vec![edit(None, "a", 1)]);
    let chunks = vec![ChunkRef { digest: vec![9; 32], size: 3 }];
    talk.say(Said::FileChunks(FileChunks { id: "f0".into(), chunks, last: true, ..FileChunks::default() }));
    talk.end("folders.missing", [base::Sha([9; 32]).to_string()]);
    talk.heard();
    let chunk = FileChunk { id: "f0".into(), index: Some(0), data: b"abc".to_vec(), ..FileChunk::default() };
    talk.say(Said::FileWrite(FileWrite { chunk: Some(chunk) }));
    talk.keep();
    talk.error(Some("ask"), ErrorCode::InvalidRequest);
    assert_eq!(talk.input("folders.release")["upload"], "u1");
}

#[test]
fn fld_3_the_folders_of_a_large_group_are_made_before_its_parts() {
    let mut talk = Talk::new();
    let files: Vec<FileInfo> = (0..500).map(|at| edit(None, &format!("new/deep/{at}"), 1)).collect();
    let ask = Said::AskVersionIncrease(AskVersionIncrease { files });
    talk.ask("a", ask.clone());
    assert_eq!(talk.names(), ["folders.ask"]);
    let folders = talk.input("folders.ask")["files"].clone();
    assert_eq!((&folders[0]["path"], &folders[1]["path"]), (&json!("new"), &json!("new/deep")));
    talk.end("folders.ask", Asking::Increased { files: vec![], seq: 1 });
    assert_eq!(talk.names(), ["folders.ask"; 2]);
    talk.end("folders.ask", Asking::Allowed { upload: "u1".into(), wanted: vec![] });
    talk.end("folders.ask", Asking::Allowed { upload: "u2".into(), wanted: vec![] });
    assert!(matches!(talk.one().1, Heard::VersionIncreaseAllow(_)));
    talk.ask("b", ask);
    talk.end("folders.ask", Asking::Denied { files: vec![], look_ms: 100 });
    let (_, answer) = talk.one();
    let Heard::VersionIncreaseDeny(deny) = answer else { panic!("{answer:?}") };
    assert_eq!(deny.files.len(), 500);
    assert!(deny.files.iter().all(|file| file.status == 1), "somebody else makes the folder: all of it waits");
}

#[test]
fn fld_14_a_large_group_whose_folder_is_a_file_is_denied_below_it() {
    let mut talk = Talk::new();
    let folder = |at: usize| if at < 250 { "file" } else { "free" };
    let files: Vec<FileInfo> = (0..500).map(|at| edit(None, &format!("{}/{at}", folder(at)), 1)).collect();
    talk.ask("a", Said::AskVersionIncrease(AskVersionIncrease { files }));
    let said = |place, path: &str, status| FileStatus { place, id: None, path: path.into(), status, why: "why".into() };
    let files = vec![said(0, "file", folders::Status::Denied), said(1, "free", folders::Status::Free)];
    talk.end("folders.ask", Asking::Denied { files, look_ms: 100 });
    let (_, answer) = talk.one();
    let Heard::VersionIncreaseDeny(deny) = answer else { panic!("{answer:?}") };
    let of_file = |file: &&folders::wire::FileStatusInfo| file.current_path().starts_with("file/");
    let (below, free): (Vec<_>, Vec<_>) = deny.files.iter().partition(of_file);
    assert_eq!((below.len(), free.len()), (250, 250));
    assert!(below.iter().all(|file| file.status == 2) && free.iter().all(|file| file.status == 0), "{deny:?}");
    assert_eq!(talk.watched, [], "nobody is waited for");
}
