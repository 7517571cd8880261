//! Whoever waits for a file that somebody writes is woken, by whatever ends that (FLD-6).

use folders::form::{Asking, FileStatus};
use folders::form::{Changes, Content, Joined};
use folders::wire::AskVersionIncrease;
use folders::wire::client_message::Message as Said;
use folders::wire::server_message::Message as Heard;
use folders::wire::{DirectorySubscribe, RequestFileContent, request_file_content};
use kernel::{SessionEvent, Watch};
use serde_json::json;

use crate::talk::{DIRECTORY, Talk, edit, meta};

fn blocked(id: Option<&str>, look_ms: i64) -> Talk {
    let mut talk = Talk::new();
    deny(&mut talk, id, look_ms);
    talk
}

fn deny(talk: &mut Talk, id: Option<&str>, look_ms: i64) {
    talk.say(Said::AskVersionIncrease(AskVersionIncrease { files: vec![edit(id, "a", 1)] }));
    let status = folders::Status::Blocked;
    let file = FileStatus { place: 0, id: id.map(str::to_owned), path: "a".into(), status, why: String::new() };
    talk.end("folders.ask", Asking::Denied { files: vec![file], look_ms });
    assert!(matches!(talk.one().1, Heard::VersionIncreaseDeny(_)));
}

#[test]
fn fld_6_a_change_of_the_directory_tells_whoever_waits_also_if_it_is_not_subscribed() {
    let mut talk = blocked(Some("f1"), 40_000);
    let watch = Watch::Topic(folders::topic(DIRECTORY));
    assert_eq!(talk.watched, [watch]);
    talk.on(SessionEvent::News(watch));
    assert_eq!(talk.input("folders.files")["ids"][0], "f1");
    talk.end("folders.files", [meta("f1", "a", 3, 3, "other")]);
    let (id, event) = talk.one();
    assert!(matches!(&event, Heard::CheckVersion(check) if check.files[0].version == 3), "{event:?}");
    assert_eq!((id, talk.watched.len()), (None, 0));
}

#[test]
fn fld_6_a_lost_wake_up_costs_no_more_than_the_seat_lasts() {
    let mut talk = blocked(Some("f1"), 5_000);
    talk.pass(4_999);
    assert_eq!(talk.names(), [""; 0]);
    talk.pass(1);
    talk.end("folders.files", [meta("f1", "a", 1, 1, "other")]);
    assert!(matches!(talk.one().1, Heard::CheckVersion(_)));
}

#[test]
fn fld_6_whoever_waits_for_a_path_is_told_that_nothing_is_there() {
    let mut talk = blocked(None, 5_000);
    talk.pass(5_000);
    talk.end("folders.files", [(); 0]);
    let (_, event) = talk.one();
    let Heard::CheckVersion(check) = event else { panic!("{event:?}") };
    assert_eq!((check.files[0].id.as_deref(), check.files[0].current_path.as_str()), (None, "a"));
    assert_eq!((check.files[0].version, check.files[0].directory_id.as_str()), (0, DIRECTORY));
}

#[test]
fn fld_6_a_busy_directory_makes_nobody_ask_in_a_circle() {
    let mut talk = blocked(Some("f1"), 60_000);
    let mut told = 0;
    for _ in 0..1_000 {
        talk.on(SessionEvent::Wake);
        while talk.names().contains(&"folders.files") {
            talk.end("folders.files", [meta("f1", "a", 1, 1, "other")]);
            talk.heard();
            told += 1;
            deny(&mut talk, Some("f1"), 60_000);
        }
        talk.pass(1);
    }
    assert!((2..=4).contains(&told), "{told} times in a second");
}

/// The base of a change that is asked for now: up to which commit all was told, and what alone beyond it.
fn base_of_edit(talk: &mut Talk, time: u64) -> serde_json::Value {
    talk.say(Said::AskVersionIncrease(AskVersionIncrease { files: vec![edit(Some("f1"), "a", time)] }));
    let told = talk.input("folders.ask")["told"].clone();
    talk.end("folders.ask", Asking::Denied { files: vec![], look_ms: 0 });
    talk.heard();
    told
}

#[test]
fn fld_5_an_event_that_crosses_an_ask_on_its_way_makes_nothing_known() {
    let mut talk = Talk::new();
    let (directory_id, dir_seq) = (DIRECTORY.to_owned(), Some(1));
    talk.say(Said::DirectorySubscribe(DirectorySubscribe { directory_id, dir_seq, directory_epoch: None }));
    talk.end("folders.join", Joined { seq: 1, epoch: "e".into() });
    let event = Changes { files: vec![meta("f1", "a", 2, 2, "other")], seq: 2, file: "f1".into(), more: false };
    talk.end("folders.changes", event);
    assert!(matches!(talk.heard().last().unwrap().message, Some(Heard::CheckVersion(_))));
    let before = json!({ "seq": 1, "beyond": [] });
    assert_eq!(base_of_edit(&mut talk, 1), before, "the client made this without having seen version 2");
    let file = request_file_content::FileId { id: "f1".into(), ..request_file_content::FileId::default() };
    talk.say(Said::RequestFileContent(RequestFileContent { files: vec![file] }));
    talk.end("folders.files", [meta("f1", "a", 2, 2, "other")]);
    talk.end("folders.content", Content { chunks: vec![("c".into(), 3)], is_last: true });
    assert_eq!(base_of_edit(&mut talk, 2), before, "what is being sent is not there yet");
    talk.fetched(0, b"abc");
    assert_eq!(base_of_edit(&mut talk, 3), json!({ "seq": 2, "beyond": [] }), "now it has it");
}
