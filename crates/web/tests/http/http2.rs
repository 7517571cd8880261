//! HTTP/2 with prior knowledge on the same port.

use axum::http::Request;
use base::limits::HEADERS_BYTES_MAX;
use h2::client::SendRequest;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::world::{ADMIN, World};

async fn connect(world: &World) -> SendRequest<axum::body::Bytes> {
    let stream = TcpStream::connect(world.addr).await.unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    client.ready().await.unwrap()
}

async fn ask(client: &mut SendRequest<axum::body::Bytes>, request: Request<()>, body: &'static str) -> (u16, Vec<u8>) {
    let (answer, mut sending) = client.send_request(request, body.is_empty()).unwrap();
    if !body.is_empty() {
        sending.send_data(body.into(), true).unwrap();
    }
    let answer = answer.await.unwrap();
    let status = answer.status().as_u16();
    let (mut body, mut bytes) = (answer.into_body(), vec![]);
    while let Some(data) = body.data().await {
        bytes.extend_from_slice(&data.unwrap());
    }
    (status, bytes)
}

fn request(method: &str, path: &str, key: Option<&str>) -> Request<()> {
    let mut request = Request::builder().method(method).uri(format!("http://x{path}"));
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}")).header("content-type", "application/json");
    }
    request.body(()).unwrap()
}

#[test]
fn ker_34_http_2_has_the_same_answers_and_limits() {
    let world = World::new();
    world.block_on(async {
        let mut client = connect(&world).await;
        assert_eq!(ask(&mut client, request("GET", "/healthz", None), "").await.0, 200);
        let (status, body) = ask(&mut client, request("GET", "/v1/main/keys", None), "").await;
        let error: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((status, &error["code"]), (401, &Value::from("SKEY")));
        let add = request("POST", "/v1/main/probe", Some(ADMIN));
        assert_eq!(ask(&mut client, add, "{\"name\":\"h2\"}").await.0, 200);
        let large = Request::builder().uri("http://x/healthz").header("large", "x".repeat(HEADERS_BYTES_MAX + 1));
        let (answer, _) = client.send_request(large.body(()).unwrap(), true).unwrap();
        assert_eq!(answer.await.unwrap().status(), 431);
    });
    assert_eq!(world.count("h2"), 1);
}

#[test]
fn ker_34_a_flood_of_resets_ends_the_connection_and_leaves_others_alone() {
    let world = World::new();
    world.block_on(async {
        let mut client = connect(&world).await;
        let mut resets = 0;
        while resets < 100_000 {
            let Ok(ready) = client.clone().ready().await else { break };
            client = ready;
            let Ok((answer, mut sending)) = client.send_request(request("GET", "/healthz", None), false) else { break };
            sending.send_reset(h2::Reason::CANCEL);
            drop(answer);
            resets += 1;
        }
        assert!(resets < 100_000, "resets without end are taken");
    });
    assert_eq!(world.ask("GET", "/healthz", &[], None).status, 200);
}
