//! gRPC on the common port, with a client that knows HTTP/2 only: frames, statuses, keys, limits and the end.

use axum::body::Bytes;
use axum::http::{HeaderMap, Request};
use h2::client::SendRequest;
use h2::{RecvStream, SendStream};
use serde_json::Value;
use tokio::net::TcpStream;
use web::AppConfig;

use crate::world::{ADMIN, Setup, World};

const TALK: &str = "/probe.Echo/Talk";

/// A call that was answered with a stream.
struct Call {
    to: SendStream<Bytes>,
    from: RecvStream,
    heard: Vec<u8>,
}

async fn connect(world: &World) -> SendRequest<Bytes> {
    let stream = TcpStream::connect(world.addr).await.unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    client.ready().await.unwrap()
}

fn request(metadata: &[(&str, &str)]) -> Request<()> {
    let request = Request::builder().method("POST").uri(format!("http://x{TALK}")).header("te", "trailers");
    let with = |request: axum::http::request::Builder, (name, value): &(&str, &str)| request.header(*name, *value);
    metadata.iter().fold(request, with).body(()).unwrap()
}

const GRPC: (&str, &str) = ("content-type", "application/grpc+proto");

/// Calls; the head of the answer, and the stream.
async fn call(client: &mut SendRequest<Bytes>, metadata: &[(&str, &str)]) -> (u16, HeaderMap, Call) {
    let (answer, to) = client.send_request(request(metadata), false).unwrap();
    let answer = answer.await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    (status, headers, Call { to, from: answer.into_body(), heard: vec![] })
}

impl Call {
    fn say(&mut self, text: &str) {
        let length = u32::try_from(text.len()).unwrap().to_be_bytes();
        let frame = [&[0][..], &length, text.as_bytes()].concat();
        self.to.send_data(frame.into(), false).unwrap();
    }

    /// The next message; `None` at the end.
    async fn hear(&mut self) -> Option<String> {
        loop {
            if let Some((head, rest)) = self.heard.split_first_chunk::<5>() {
                let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
                if rest.len() >= length {
                    let text = String::from_utf8_lossy(&rest[..length]).into_owned();
                    self.heard.drain(..5 + length);
                    return Some(text);
                }
            }
            let data = self.from.data().await?.unwrap();
            self.from.flow_control().release_capacity(data.len()).unwrap();
            self.heard.extend_from_slice(&data);
        }
    }

    async fn status(&mut self) -> String {
        let trailers = self.from.trailers().await.unwrap().unwrap();
        trailers["grpc-status"].to_str().unwrap().to_owned()
    }
}

fn bearer(key: &str) -> String {
    format!("Bearer {key}")
}

#[test]
fn fld_1_a_stream_converses_keeps_and_fetches_on_the_common_port() {
    let world = World::new();
    let key = bearer(&world.key("main", "app"));
    world.block_on(async {
        let mut client = connect(&world).await;
        let metadata = [GRPC, ("authorization", &key), ("fastness-namespace", "main"), ("synxpo-caps", "chunks")];
        let (status, headers, mut call) = call(&mut client, &metadata).await;
        assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, "application/grpc"));
        let opening: Value = serde_json::from_str(&call.hear().await.unwrap()).unwrap();
        assert_eq!(opening["metadata"]["synxpo-caps"], "chunks");
        assert!(opening["metadata"].get("authorization").is_none(), "{opening}");
        call.say("hello");
        assert_eq!(call.hear().await.unwrap(), "hello");
        call.say("keep bytes");
        let sha = call.hear().await.unwrap();
        assert_eq!(sha.len(), 64, "{sha}");
        call.say(&format!("fetch {sha}"));
        assert_eq!(call.hear().await.unwrap(), "yte");
        call.say("watch topic");
        assert_eq!(call.hear().await.unwrap(), "watching");
        let ns = world.kernel.namespace("main").unwrap();
        ns.wakes.send(kernel::Hint::Changed(kernel::Topic::of("another")));
        ns.wakes.send(kernel::Hint::Changed(kernel::Topic::of("topic")));
        assert_eq!(call.hear().await.unwrap(), "news");
        call.say("close");
        assert_eq!((call.hear().await, call.status().await.as_str()), (None, "0"));
    });
    assert_eq!(world.get("/healthz", ADMIN).status, 200, "HTTP/1.1 as before");
}

#[test]
fn fld_1_refusals_are_statuses_of_grpc_and_other_media_types_are_not_taken() {
    let world = World::new();
    let (app, reader) = (bearer(&world.key("main", "app")), bearer(&world.key("main", "reader")));
    let check = |metadata: &[(&str, &str)], expected: &str| {
        world.block_on(async {
            let mut client = connect(&world).await;
            let (status, headers, _) = call(&mut client, metadata).await;
            let told = headers.get("grpc-status").map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(told.unwrap_or(status.to_string()), expected, "{metadata:?} {headers:?}");
        });
    };
    check(&[GRPC], "16");
    check(&[GRPC, ("authorization", "Bearer wrong")], "16");
    check(&[GRPC, ("authorization", &app), ("fastness-namespace", "nowhere")], "16");
    check(&[GRPC, ("authorization", &reader)], "7");
    check(&[("content-type", "application/json"), ("authorization", &app)], "415");
}

#[test]
fn fld_1_live_places_are_bounded_and_given_back() {
    let world =
        World::with(Setup { app: AppConfig { live_per_key_max: 1, ..AppConfig::default() }, ..Setup::default() });
    let key = bearer(&world.key("main", "app"));
    world.block_on(async {
        let mut client = connect(&world).await;
        let metadata = [GRPC, ("authorization", key.as_str())];
        let (_, _, mut first) = call(&mut client, &metadata).await;
        let (_, headers, _) = call(&mut client, &metadata).await;
        assert_eq!(headers["grpc-status"], "14");
        first.hear().await.unwrap();
        first.to.send_data(Bytes::new(), true).unwrap();
        assert_eq!((first.hear().await, first.status().await.as_str()), (None, "0"), "all was said");
        drop(first);
        while call(&mut client, &metadata).await.1.contains_key("grpc-status") {}
    });
}

#[test]
fn fld_20_a_message_that_is_too_large_ends_the_call() {
    let world = World::new();
    let key = bearer(&world.key("main", "app"));
    world.block_on(async {
        let mut client = connect(&world).await;
        let (_, _, mut call) = call(&mut client, &[GRPC, ("authorization", &key)]).await;
        call.hear().await.unwrap();
        call.to.send_data(Bytes::from_static(&[0, 0xff, 0xff, 0xff, 0xff]), false).unwrap();
        assert_eq!((call.hear().await, call.status().await.as_str()), (None, "8"));
    });
}

#[test]
fn fld_20_a_message_that_is_compressed_or_breaks_off_is_no_message() {
    let world = World::new();
    let key = bearer(&world.key("main", "app"));
    // "name" is announced with nine bytes and has four; the next one claims to be compressed.
    for (said, ends, status) in
        [(&[0, 0, 0, 0, 9, b'n', b'a', b'm', b'e'][..], true, "3"), (&[1, 0, 0, 0, 1, 0], false, "12")]
    {
        world.block_on(async {
            let mut client = connect(&world).await;
            let (_, _, mut call) = call(&mut client, &[GRPC, ("authorization", &key)]).await;
            call.hear().await.unwrap();
            call.to.send_data(Bytes::copy_from_slice(said), ends).unwrap();
            assert_eq!((call.hear().await, call.status().await.as_str()), (None, status), "{said:?}");
        });
    }
}

#[test]
fn fld_1_deadlines_that_a_client_names_end_nothing() {
    let world = World::new();
    let key = bearer(&world.key("main", "app"));
    for deadline in ["0n", "1n", "99999999H", "-1S", "18446744073709551616S", "soon", ""] {
        world.block_on(async {
            let mut client = connect(&world).await;
            let metadata = [GRPC, ("authorization", key.as_str()), ("grpc-timeout", deadline)];
            let (status, _, mut call) = call(&mut client, &metadata).await;
            assert_eq!(status, 200, "{deadline}");
            call.hear().await.unwrap();
            call.say("hello");
            assert_eq!(call.hear().await.as_deref(), Some("hello"), "{deadline}");
        });
    }
}

#[test]
fn fld_6_a_session_hears_that_its_client_is_gone() {
    let world = World::new();
    let key = bearer(&world.key("main", "app"));
    world.block_on(async {
        let mut client = connect(&world).await;
        let (_, _, mut call) = call(&mut client, &[GRPC, ("authorization", &key)]).await;
        call.hear().await.unwrap();
        call.to.send_reset(h2::Reason::CANCEL);
    });
    // It happens at once, but in a task of its own.
    while world.count("gone") == 0 {
        std::thread::yield_now();
    }
}

#[test]
fn fld_1_a_server_that_stops_says_so() {
    let mut world = World::new();
    let key = bearer(&world.key("main", "app"));
    let mut call = world.block_on(async {
        let mut client = connect(&world).await;
        let (_, _, mut call) = call(&mut client, &[GRPC, ("authorization", &key)]).await;
        call.hear().await.unwrap();
        world.shutdown.begin();
        assert_eq!(call.hear().await.unwrap(), "good-bye");
        call
    });
    let status = world.block_on(async { (call.hear().await, call.status().await) });
    assert_eq!(status, (None, "14".to_owned()));
    assert_eq!(world.stop().cut, 0);
}
