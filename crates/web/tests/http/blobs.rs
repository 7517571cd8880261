//! The routes of blobs (KER-26): streamed in and out, whole or refused.

use std::time::Duration;

use kernel::namespaces::{Standing, State};
use sha2::{Digest, Sha256};
use web::{AppConfig, BodyLimits};

use crate::bodies::{check_flat, rss_kib};
use crate::client::Answer;
use crate::world::{ADMIN, Setup, World};

fn sha(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn path(sha: &str) -> String {
    format!("/v1/main/blobs/{sha}")
}

fn head(method: &str, path: &str, key: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n{more}\r\n")
}

fn put(world: &World, sha: &str, bytes: &[u8]) -> Answer {
    let length = format!("content-length: {}\r\n", bytes.len());
    world.client().send(head("PUT", &path(sha), ADMIN, &length)).send(bytes).answer()
}

fn get(world: &World, sha: &str, more: &str) -> Answer {
    world.client().send(head("GET", &path(sha), ADMIN, more)).answer()
}

/// No two places of it are alike.
fn bytes(length: usize) -> Vec<u8> {
    (0..length.div_ceil(8)).flat_map(|at| (at as u64 ^ 0x5555).to_be_bytes()).take(length).collect()
}

#[test]
fn ker_26_bytes_come_back_as_they_were_stored_and_a_repeat_is_fine() {
    let world = World::new();
    for length in [0, 5, 300_000, 3_500_000] {
        let bytes = bytes(length);
        let sha = sha(&bytes);
        for status in [201, 200, 200] {
            let stored = put(&world, &sha, &bytes);
            assert_eq!(stored.status, status, "{}", stored.text());
            assert_eq!(
                (stored.json()["sha256"].as_str(), stored.json()["size"].as_u64()),
                (Some(&*sha), Some(length as u64))
            );
        }
        let read = get(&world, &sha, "");
        assert_eq!((read.status, read.header("content-type")), (200, Some("application/octet-stream")));
        assert_eq!(read.header("etag"), Some(&*format!("\"{sha}\"")));
        assert!(read.body == bytes, "{length} bytes");
    }
    let usage = world.get("/v1/main/blobs", ADMIN).json();
    assert_eq!((usage["blobs"].as_u64(), usage["bytes"].as_u64()), (Some(4), Some(3_800_005)));
}

#[test]
fn ker_26_a_chunked_body_of_any_type_is_taken() {
    let world = World::new();
    let sha = sha(b"hello world");
    let mut client = world.client();
    client.send(head("PUT", &path(&sha), ADMIN, "content-type: image/png\r\ntransfer-encoding: chunked\r\n"));
    client.send("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
    assert_eq!(client.answer().status, 201);
    assert_eq!(get(&world, &sha, "").text(), "hello world");
}

#[test]
fn ker_26_other_bytes_than_the_hash_says_leave_nothing() {
    let world = World::new();
    let refused = put(&world, &sha(b"this"), b"that");
    refused.check(422, "ASHA");
    assert!(refused.message().contains(&sha(b"that")), "{}", refused.message());
    for hash in [sha(b"this"), sha(b"that")] {
        get(&world, &hash, "").check(404, "NBLOB");
    }
    assert_eq!(world.blob_files(), 0);
    for bad in ["x", "ABCD", &sha(b"x").to_uppercase()] {
        put(&world, bad, b"x").check(400, "ABODY");
        get(&world, bad, "").check(400, "ABODY");
    }
}

#[test]
fn ker_26_ranges_tags_and_heads() {
    let world = World::new();
    let bytes = bytes(2_500_000);
    let sha = sha(&bytes);
    put(&world, &sha, &bytes);
    for (range, part) in [
        ("0-0", 0..1),
        ("1048570-1048600", 1_048_570..1_048_601),
        ("2499999-", 2_499_999..2_500_000),
        ("-7", 2_499_993..2_500_000),
    ] {
        let read = get(&world, &sha, &format!("range: bytes={range}\r\n"));
        let said = format!("bytes {}-{}/2500000", part.start, part.end - 1);
        assert_eq!((read.status, read.header("content-range")), (206, Some(&*said)));
        assert!(read.body == bytes[part], "{range}");
    }
    get(&world, &sha, "range: bytes=2500000-\r\n").check(416, "ARANGE");
    assert_eq!(get(&world, &sha, "range: bytes=0-1\r\nif-range: \"other\"\r\n").body.len(), 2_500_000);
    let known = get(&world, &sha, &format!("if-none-match: \"x\", W/\"{sha}\"\r\n"));
    assert_eq!((known.status, known.body.len()), (304, 0));
    let mut client = world.client();
    client.send(head("HEAD", &path(&sha), ADMIN, ""));
    client.send(head("GET", "/healthz", ADMIN, ""));
    let told = client.head_alone();
    assert_eq!(
        (told.status, told.header("content-length"), told.header("accept-ranges")),
        (200, Some("2500000"), Some("bytes"))
    );
    assert_eq!(client.answer().status, 200, "a HEAD has no body");
}

#[test]
fn ker_26_ker_32_roles_and_namespaces_hold() {
    let world = World::new();
    let (app, reader, device) = (world.key("main", "app"), world.key("main", "reader"), world.key("main", "device"));
    let sha = sha(b"x");
    let ask = |method: &str, key: &str| {
        let length = if method == "PUT" { "content-length: 1\r\n" } else { "" };
        let body = if method == "PUT" { "x" } else { "" };
        world.client().send(head(method, &path(&sha), key, length)).send(body).answer()
    };
    ask("PUT", &reader).check(403, "SROLE");
    ask("PUT", &device).check(403, "SROLE");
    assert_eq!(ask("PUT", &app).status, 201);
    assert_eq!((ask("GET", &app).status, ask("GET", &reader).status), (200, 200));
    ask("GET", &device).check(403, "SROLE");
    world.client().send(head("GET", &format!("/v1/z/blobs/{sha}"), ADMIN, "")).answer().check(404, "NBLOB");
}

fn small(max: u64, idle_ms: u64) -> Setup {
    let body = BodyLimits { idle_timeout: Duration::from_millis(idle_ms), ..BodyLimits::default() };
    Setup { app: AppConfig { blob_max: max, body, ..AppConfig::default() }, ..Setup::default() }
}

#[test]
fn ker_34_a_blob_beyond_the_limit_is_refused_said_or_not() {
    let world = World::with(small(1_000, 10_000));
    let refused = put(&world, &sha(b"x"), &[b'x'; 1_001]);
    refused.check(413, "ATOOBIG");
    assert!(refused.message().contains("1000 bytes"), "{}", refused.message());
    let mut client = world.client();
    client.send(head("PUT", &path(&sha(b"x")), ADMIN, "transfer-encoding: chunked\r\n"));
    client.send(format!("3e9\r\n{}\r\n0\r\n\r\n", "x".repeat(1_001))).answer().check(413, "ATOOBIG");
    assert_eq!(put(&world, &sha(&[b'x'; 1_000]), &[b'x'; 1_000]).status, 201);
    assert_eq!(world.blob_files(), 1);
}

#[test]
fn ker_34_a_sender_that_stalls_or_breaks_off_leaves_nothing() {
    let world = World::with(small(1 << 30, 100));
    let begin = |world: &World| {
        let mut client = world.client();
        client.send(head("PUT", &path(&sha(b"x")), ADMIN, "content-length: 600000\r\n")).send(bytes(300_000));
        client
    };
    begin(&world).answer().check(408, "ASLOW");
    drop(begin(&world));
    // The next answer comes after the server has met the end of the one before.
    begin(&world).answer().check(408, "ASLOW");
    assert_eq!(world.blob_files(), 0);
}

#[test]
fn ker_34_memory_stays_flat_however_large_a_blob_is() {
    let world = World::new();
    let piece = bytes(1 << 20);
    let mut hash = Sha256::new();
    (0..200).for_each(|_| hash.update(&piece));
    let sha: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let before = rss_kib();
    let mut client = world.client();
    client.send(head("PUT", &path(&sha), ADMIN, &format!("content-length: {}\r\n", 200 << 20)));
    (0..200).for_each(|_| assert!(client.try_send(&piece)));
    assert_eq!(client.answer().status, 201);
    check_flat(before);
    let last = get(&world, &sha, "range: bytes=-1048576\r\n");
    assert!(last.body == piece);
    check_flat(before);
}

#[test]
fn ker_26_d10_rotten_bytes_are_never_served_as_good() {
    let world = World::new();
    let bytes = bytes(3 << 20);
    let (small, large) = (sha(b"small"), sha(&bytes));
    put(&world, &small, b"small");
    put(&world, &large, &bytes);
    world.damage_blob(&small, 2);
    world.damage_blob(&large, (2 << 20) + 9);
    for _ in 0..2 {
        get(&world, &small, "").check(500, "XBLOB");
    }
    assert_eq!(get(&world, &large, "range: bytes=5-9\r\n").body, bytes[5..10], "its first piece is whole");
    let mut client = world.client();
    client.send(head("GET", &path(&large), ADMIN, ""));
    let told = client.head_alone();
    assert_eq!(told.status, 200);
    let sent = client.until_end();
    assert!(sent.len() <= 2 << 20 && bytes.starts_with(&sent), "{} bytes were sent", sent.len());
    get(&world, &large, "range: bytes=-1\r\n").check(500, "XBLOB");
    assert_eq!(put(&world, &small, b"small").status, 201, "uploaded again, it is healed");
    assert_eq!(get(&world, &small, "").text(), "small");
}

#[test]
fn ker_26_a_service_takes_and_gives_blobs_with_its_own_routes() {
    let world = World::new();
    let (app, bytes) = (world.key("main", "app"), bytes(2_000_000));
    let length = format!("content-length: {}\r\n", bytes.len());
    let all = "/v1/main/probe/attachments";
    let made = world.client().send(head("POST", all, &app, &length)).send(&bytes).answer();
    assert_eq!((made.status, made.json()["id"].as_str()), (201, Some(&*sha(&bytes))), "{}", made.text());
    let one = format!("{all}/{}", sha(&bytes));
    let read = world.client().send(head("GET", &one, &app, "")).answer();
    assert_eq!(
        (read.header("content-type"), read.header("content-security-policy")),
        (Some("text/html"), Some("sandbox"))
    );
    assert_eq!(read.header("x-content-type-options"), Some("nosniff"));
    assert!(read.body == bytes);
    let part = world.client().send(head("GET", &one, &app, "range: bytes=-7\r\n")).answer();
    assert_eq!((part.status, part.body.as_slice()), (206, &bytes[bytes.len() - 7..]));
    let known = world.client().send(head("GET", &one, &app, "if-none-match: *\r\n")).answer();
    assert_eq!(known.status, 304);
    world.client().send(head("HEAD", &one, &app, "")).head_alone();
    world.client().send(head("GET", &format!("{all}/x"), &app, "")).answer().check(404, "NBLOB");
}

#[test]
fn ker_26_ker_2_damage_is_found_and_written_down_also_where_nobody_may_change_anything() {
    let world = World::new();
    let (reader, small) = (world.key("main", "reader"), sha(b"small"));
    put(&world, &small, b"small");
    world.damage_blob(&small, 2);
    let main = world.kernel.namespace("main").unwrap();
    main.set_standing(Standing { state: State::ReadOnly, ..Standing::OPEN });
    for _ in 0..2 {
        world.client().send(head("GET", &path(&small), &reader, "")).answer().check(500, "XBLOB");
    }
    let told = world.get("/v1/main/alerts", ADMIN).text();
    assert!(told.contains(&small), "{told}");
}

#[test]
fn ker_26_a_server_without_a_place_refuses_blobs() {
    let world = World::without_blobs();
    put(&world, &sha(b"x"), b"x").check(503, "XSTORE");
}
