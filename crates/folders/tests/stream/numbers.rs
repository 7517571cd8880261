//! Wire numbers (FLD-4): clients of others are compiled with them, so they never change.

use folders::wire::ask_version_increase::FileInfo;
use folders::wire::client_message::Message as Said;
use folders::wire::server_message::Message as Heard;
use folders::wire::{
    AskVersionIncrease, CheckVersion, ClientMessage, Error, FileChunk, FileMetadata, FileStatusInfo, RequestVersion,
    ServerMessage, Timestamp, VersionIncreaseDeny, error::ErrorCode, request_version,
};
use prost::Message;

/// The numbers of the fields of a message, in their order on the wire.
fn numbers(message: &impl Message) -> Vec<u32> {
    let bytes = message.encode_to_vec();
    let (mut rest, mut found) = (&bytes[..], vec![]);
    while !rest.is_empty() {
        let (number, kind) = prost::encoding::decode_key(&mut rest).unwrap();
        found.push(number);
        let context = prost::encoding::DecodeContext::default();
        prost::encoding::skip_field(kind, number, &mut rest, context).unwrap();
    }
    found
}

#[test]
fn fld_4_messages_have_the_numbers_of_the_public_protocol() {
    let said = [
        Said::DirectoryCreate(Default::default()),
        Said::DirectorySubscribe(Default::default()),
        Said::DirectoryUnsubscribe(Default::default()),
        Said::AskVersionIncrease(Default::default()),
        Said::RequestVersion(Default::default()),
        Said::RequestFileContent(Default::default()),
        Said::FileWrite(Default::default()),
        Said::FileWriteEnd(Default::default()),
    ];
    for (at, message) in said.into_iter().enumerate() {
        let message = ClientMessage { request_id: Some("r".into()), message: Some(message), ..Default::default() };
        assert_eq!(numbers(&message), [u32::try_from(at).unwrap() + 1, 100]);
    }
    let heard = [
        Heard::OkDirectoryCreated(Default::default()),
        Heard::OkSubscribed(Default::default()),
        Heard::OkUnsubscribed(Default::default()),
        Heard::VersionIncreaseAllow(Default::default()),
        Heard::VersionIncreaseDeny(Default::default()),
        Heard::VersionIncreased(Default::default()),
        Heard::CheckVersion(Default::default()),
        Heard::FileContentRequestAllow(Default::default()),
        Heard::FileContentRequestDeny(Default::default()),
        Heard::FileWrite(Default::default()),
        Heard::FileWriteEnd(Default::default()),
        Heard::Error(Default::default()),
    ];
    for (at, message) in heard.into_iter().enumerate() {
        let message = ServerMessage { request_id: Some("r".into()), message: Some(message) };
        assert_eq!(numbers(&message), [u32::try_from(at).unwrap() + 1, 100]);
    }
}

#[test]
fn fld_4_fields_have_the_numbers_of_the_public_protocol() {
    let text = || "x".to_owned();
    let meta = FileMetadata {
        id: Some(text()),
        directory_id: text(),
        version: 1,
        content_changed_version: 1,
        r#type: 1,
        current_path: text(),
        deleted: true,
        ..Default::default()
    };
    assert_eq!(numbers(&meta), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(numbers(&FileMetadata { author_hash: Some(vec![1]), ..Default::default() }), [208]);
    let chunk = FileChunk {
        id: text(),
        directory_id: text(),
        data: vec![1],
        offset: 1,
        current_path: text(),
        ..Default::default()
    };
    assert_eq!(numbers(&chunk), [1, 2, 3, 4, 5]);
    let asked = FileInfo {
        id: Some(text()),
        directory_id: text(),
        first_try_time: Some(Timestamp { time: 1 }),
        current_path: text(),
        deleted: true,
        content_changed: true,
        r#type: 1,
        ..Default::default()
    };
    assert_eq!(numbers(&asked), [1, 2, 3, 4, 5, 6, 7]);
    let status = FileStatusInfo { id: text(), directory_id: text(), status: 2, ..Default::default() };
    assert_eq!(numbers(&status), [1, 2, 3]);
    let error = Error { code: 1, message: text(), file_ids: vec![text()], paths: vec![text()] };
    assert_eq!(numbers(&error), [1, 2, 3, 200]);
    assert_eq!(numbers(&Timestamp { time: 1 }), [1]);
}

#[test]
fn fld_4_every_list_is_one_and_errors_are_counted_from_unknown() {
    assert_eq!(numbers(&AskVersionIncrease { files: vec![Default::default()] }), [1]);
    assert_eq!(numbers(&VersionIncreaseDeny { files: vec![Default::default()] }), [1]);
    assert_eq!(numbers(&CheckVersion { files: vec![Default::default()], ..Default::default() }), [1]);
    assert_eq!(numbers(&RequestVersion { requests: vec![Default::default()] }), [1]);
    let directory = request_version::file_request::Request::DirectoryId("d".into());
    let file = request_version::file_request::Request::FileId(Default::default());
    for (number, request) in [(1, directory), (2, file)] {
        let request = request_version::FileRequest { request: Some(request), after_dir_seq: None };
        assert_eq!(numbers(&request), [number]);
    }
    let codes = [
        ErrorCode::Unknown,
        ErrorCode::Timeout,
        ErrorCode::InvalidRequest,
        ErrorCode::FileNotFound,
        ErrorCode::PermissionDenied,
        ErrorCode::InternalError,
        ErrorCode::DirectoryNotFound,
        ErrorCode::AlreadySubscribed,
        ErrorCode::NotSubscribed,
    ];
    assert_eq!(codes.map(i32::from), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}
