//! HTTP: what is answered, what certainly was not made, and what nobody knows.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use base::HttpCall;

use crate::calls::{LONG, answered, begin, http, not_made, outbound, post, result, unknown};
use crate::servers::{Server, wait_for_close};

#[test]
fn ker_19_a_post_arrives_as_it_was_given_and_its_answer_comes_back() {
    let server = Server::says("HTTP/1.1 200 OK\r\nX-One: a\r\nContent-Length: 16\r\n\r\n{\"checkpoint\":1}");
    let call = HttpCall { headers: vec![("x-fastness-signature".into(), "v1,abc".into())], ..post(server.url()) };
    let reply = answered(http(&outbound(), call));
    assert_eq!((reply.status, reply.body.as_slice()), (200, b"{\"checkpoint\":1}".as_slice()));
    assert!(reply.headers.contains(&("x-one".into(), "a".into())), "{:?}", reply.headers);
    let request = server.request();
    assert!(
        request.starts_with("POST /hook?token=1 HTTP/1.1\r\n") && request.ends_with("\r\n\r\n{\"a\":1}"),
        "{request}"
    );
    for line in ["x-fastness-signature: v1,abc", "content-length: 7", "connection: close"] {
        assert!(request.lines().any(|other| other == line), "{line} in {request}");
    }
    assert!(request.contains(&format!("host: {}\r\n", server.addr)), "{request}");
}

#[test]
fn ker_14_an_error_and_a_redirect_are_answers_and_nobody_follows() {
    let other = Server::says("HTTP/1.1 200 OK\r\n\r\n");
    let location = other.url();
    let redirecting = Server::new(move |mut stream| {
        write!(stream, "HTTP/1.1 307 Elsewhere\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").unwrap();
    });
    assert_eq!(answered(http(&outbound(), post(redirecting.url()))).status, 307);
    assert!(other.is_untouched());
    let failing = Server::says("HTTP/1.1 500 Broken\r\nContent-Length: 3\r\n\r\nbad");
    let reply = answered(http(&outbound(), post(failing.url())));
    assert_eq!((reply.status, reply.body.as_slice()), (500, b"bad".as_slice()));
}

#[test]
fn ker_14_a_body_may_end_with_the_connection_or_come_in_chunks() {
    let ended = Server::says("HTTP/1.0 200 OK\r\n\r\nuntil the end");
    assert_eq!(answered(http(&outbound(), post(ended.url()))).body, b"until the end");
    let chunked = Server::says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
    assert_eq!(answered(http(&outbound(), post(chunked.url()))).body, b"abc");
    let zipped = Server::says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nzzzz");
    assert_eq!(answered(http(&outbound(), post(zipped.url()))).body, b"zzzz");
    let nothing = Server::says("HTTP/1.1 204 No Content\r\n\r\n");
    assert_eq!(answered(http(&outbound(), post(nothing.url()))).body, b"");
}

#[test]
fn ker_14_nobody_there_or_no_such_name_is_not_made() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    drop(listener);
    let reason = not_made(http(&outbound(), post(format!("http://{addr}/secret"))));
    assert!(reason.contains(&addr.to_string()) && !reason.contains("secret"), "{reason}");
    // Too long to be a name, so that no resolver is asked.
    let reason = not_made(http(&outbound(), post(format!("http://{}.invalid/", "x".repeat(64)))));
    assert!(reason.starts_with("no address of"), "{reason}");
    not_made(http(&outbound(), post("ftp://127.0.0.1/")));
    not_made(http(&outbound(), post(format!("http://user:pass@{addr}/"))));
}

#[test]
fn ker_14_a_connection_that_cannot_be_made_in_time_is_not_made() {
    // A listener whose queue is full swallows further connections.
    let listener = socket_with_a_full_queue();
    let call = HttpCall { timeout_ms: 300, ..post(format!("http://{}/", listener.addr)) };
    not_made(http(&outbound(), call));
    let outbound = crate::calls::with(|settings| settings.connect_timeout = Duration::from_millis(200));
    not_made(http(&outbound, post(format!("http://{}/", listener.addr))));
}

struct FullQueue {
    addr: std::net::SocketAddr,
    _listener: TcpListener,
    _waiting: Vec<std::net::TcpStream>,
}

fn socket_with_a_full_queue() -> FullQueue {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let connect = || std::net::TcpStream::connect_timeout(&addr, Duration::from_millis(300)).ok();
    let waiting: Vec<_> = std::iter::from_fn(connect).take(10_000).collect();
    assert!(waiting.len() < 10_000, "the queue has no end");
    FullQueue { addr, _listener: listener, _waiting: waiting }
}

#[test]
fn ker_14_a_connection_that_breaks_after_the_request_is_unknown() {
    let closing = Server::new(drop);
    unknown(http(&outbound(), post(closing.url())));
    assert!(closing.request().ends_with("{\"a\":1}"), "the request had arrived");
    let half = Server::says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    unknown(http(&outbound(), post(half.url())));
    let half_head = Server::says("HTTP/1.1 200 OK\r\nContent-Le");
    unknown(http(&outbound(), post(half_head.url())));
    let half_chunk = Server::says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf");
    unknown(http(&outbound(), post(half_chunk.url())));
}

#[test]
fn ker_14_a_reset_is_unknown() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    // Closing with unread bytes sends a reset.
    let resetting = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.peek(&mut [0; 1]).unwrap();
    });
    unknown(http(&outbound(), HttpCall { body: vec![b'x'; 1 << 20], ..post(format!("http://{addr}/")) }));
    resetting.join().unwrap();
}

#[test]
fn ker_14_garbage_is_unknown() {
    for garbage in
        ["\0\0\0\0\r\n\r\n", "SSH-2.0-OpenSSH_9\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n"]
    {
        let server = Server::says(garbage);
        unknown(http(&outbound(), post(server.url())));
    }
}

#[test]
fn ker_14_no_answer_in_time_is_unknown_and_the_connection_is_closed() {
    let (closed, was_closed) = channel();
    let hanging = Server::new(move |mut stream| {
        wait_for_close(&mut stream);
        closed.send(()).unwrap();
    });
    let start = Instant::now();
    let reason = unknown(http(&outbound(), HttpCall { timeout_ms: 300, ..post(hanging.url()) }));
    assert!(reason.contains("300 ms") && start.elapsed() >= Duration::from_millis(300), "{reason}");
    was_closed.recv_timeout(LONG).unwrap();
}

#[test]
fn ker_34_a_dripping_answer_ends_at_its_time() {
    let dripping = Server::new(|mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n").unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        // The read is the pause between two drops.
        while stream.write_all(b"x").is_ok()
            && !std::io::Read::read(&mut stream, &mut [0; 1]).is_ok_and(|count| count == 0)
        {}
    });
    unknown(http(&outbound(), HttpCall { timeout_ms: 500, reply_max: 1 << 30, ..post(dripping.url()) }));
}

#[test]
fn ker_34_an_endless_answer_is_cut_and_the_connection_closed() {
    let (sent, was_sent) = channel();
    let endless = Server::new(move |mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n").unwrap();
        let piece = vec![b'x'; 1 << 16];
        let pieces = (0..163_840).take_while(|_| stream.write_all(&piece).is_ok()).count();
        sent.send(pieces << 16).unwrap();
    });
    let reply = answered(http(&outbound(), HttpCall { reply_max: 100_000, ..post(endless.url()) }));
    assert_eq!((reply.status, reply.body.len()), (200, 100_000));
    let sent = was_sent.recv_timeout(LONG).unwrap();
    assert!(sent < 256 << 20, "{sent} bytes were taken");
    let reply = answered(http(&outbound(), HttpCall { reply_max: 0, ..post(Server::url(&endless)) }));
    assert_eq!(reply.body, b"");
}

#[test]
fn ker_34_an_endless_head_and_too_many_headers_are_not_taken() {
    let endless = Server::new(|mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").unwrap();
        let piece = vec![b'x'; 1 << 16];
        while stream.write_all(&piece).is_ok() {}
    });
    unknown(http(&outbound(), post(endless.url())));
    let many = Server::new(|mut stream| {
        let headers: String = (0..5_000).map(|number| format!("x-{number}: y\r\n")).collect();
        let _ = write!(stream, "HTTP/1.1 200 OK\r\n{headers}\r\n");
        wait_for_close(&mut stream);
    });
    unknown(http(&outbound(), post(many.url())));
}

#[test]
fn ker_16_hanging_targets_hold_up_nobody() {
    let outbound = outbound();
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", hanging.local_addr().unwrap());
    let waiting: Vec<_> = (0..64)
        .map(|_| begin(&outbound, base::Call::Http(HttpCall { timeout_ms: 3_000, ..post(url.clone()) })))
        .collect();
    let server = Server::says("HTTP/1.1 204 No Content\r\n\r\n");
    assert_eq!(answered(http(&outbound, post(server.url()))).status, 204);
    assert!(waiting.iter().all(|told| told.try_recv().is_err()), "the others still hang");
    for told in waiting {
        unknown(result(&told));
    }
}

#[test]
fn ker_14_an_answer_before_the_end_of_the_request_is_never_taken_for_not_made() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let hasty = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.peek(&mut [0; 1]).unwrap();
        stream.write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n").unwrap();
        wait_for_close(&mut stream);
    });
    let call = HttpCall { body: vec![b'x'; 8 << 20], ..post(format!("http://{addr}/")) };
    assert_eq!(answered(http(&outbound(), call)).status, 413);
    hasty.join().unwrap();
}
