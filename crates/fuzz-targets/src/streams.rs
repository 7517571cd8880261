//! The stream of folders: frames of gRPC, messages of both sides, lists of chunks, and the server's side of a conversation.

use base::Ran;
use folder_agent::chunks::{read_list, segments, write_list};
use folders::stream::STREAM;
use kernel::{Caller, Opening, Out, Role, Session, SessionEvent};
use prost::Message as _;
use synxpo::segments::CHUNK_BYTES;
use synxpo::wire::{ClientMessage, ServerMessage};

/// Messages are the same however their bytes are cut.
pub(crate) fn grpc(bytes: &[u8]) {
    let whole = web::fuzzing::messages([bytes]);
    assert_eq!(web::fuzzing::messages(bytes.chunks(1)), whole, "byte by byte");
    assert_eq!(web::fuzzing::messages(bytes.chunks(6)), whole, "in sixes");
    let told: usize = whole.iter().flatten().map(|message| message.len() + 5).sum();
    assert!(told <= bytes.len());
    // The device's side.
    let whole = folder_agent::run::messages([bytes]);
    assert_eq!(folder_agent::run::messages(bytes.chunks(1)), whole, "byte by byte");
    assert_eq!(folder_agent::run::messages(bytes.chunks(6)), whole, "in sixes");
}

/// Messages of both sides read back as they were, and the session of the server takes whatever comes, in frames.
pub(crate) fn synxpo(bytes: &[u8]) {
    if let Ok(message) = ServerMessage::decode(bytes) {
        assert_eq!(ServerMessage::decode(&*message.encode_to_vec()).ok(), Some(message));
    }
    let mut session = open();
    for message in web::fuzzing::messages([bytes]).into_iter().flatten() {
        if let Ok(message) = ClientMessage::decode(&*message) {
            assert_eq!(ClientMessage::decode(&*message.encode_to_vec()).ok(), Some(message));
        }
        check(&session.on(SessionEvent::Message(message), Ran(0)));
    }
    check(&session.on(SessionEvent::Timer(0), Ran(600_000_000)));
    session.on(SessionEvent::Gone, Ran(600_000_001));
}

fn open() -> Box<dyn Session> {
    let caller = Caller { name: "key".into(), role: Role::Folder, scope: "{}".into(), proof: None, everywhere: false };
    let mut session = (STREAM.open)(&caller, Ran(0));
    let opening = Opening { connection: "one".into(), metadata: [("synxpo-caps".into(), "chunks".into())].into() };
    session.on(SessionEvent::Message(serde_json::to_vec(&opening).expect("JSON")), Ran(0));
    session
}

/// Whatever is said in answer is a message.
fn check(out: &[Out]) {
    for out in out {
        if let Out::Reply(bytes) = out {
            assert!(ServerMessage::decode(&**bytes).is_ok(), "a reply that is none");
        }
    }
}

/// A list of chunks is its bytes, without what is no whole chunk; its segments hold each chunk once.
pub(crate) fn chunks(bytes: &[u8]) {
    let list = read_list(bytes);
    let whole = bytes.len() / CHUNK_BYTES * CHUNK_BYTES;
    assert_eq!(write_list(&list), &bytes[..whole]);
    let segments = segments(&list);
    assert_eq!(segments.iter().map(|(of, _)| of.len()).sum::<usize>(), list.len());
    assert!(segments.windows(2).all(|two| two[0].0.end == two[1].0.start));
}
