//! The end of the server: every call is told, once.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{Call, CallResult, HttpCall, MailCall, Outbound as _, WorkCall};

use crate::calls::{LONG, begin, not_made, outbound, perform, post, result, unknown};
use crate::servers::{Server, wait_for_close};

fn calls(hanging: &TcpListener) -> Vec<Call> {
    let url = format!("http://{}/", hanging.local_addr().unwrap());
    let work = WorkCall { name: "hangs", namespace: "main".into(), param: "{}".into(), timeout_ms: 60_000 };
    vec![Call::Http(HttpCall { timeout_ms: 60_000, ..post(url) }), Call::Work(work)]
}

#[test]
fn ker_14_a_stop_tells_what_is_in_flight_as_unknown_and_takes_nothing_more() {
    let outbound = outbound();
    let (begun, has_begun) = channel();
    let (let_go, gone) = channel::<()>();
    let gone = std::sync::Mutex::new(gone);
    outbound.register("hangs", move |_| {
        begun.send(()).unwrap();
        let _ = gone.lock().unwrap().recv_timeout(LONG);
        Ok("null".into())
    });
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let waiting: Vec<_> = calls(&hanging).into_iter().map(|call| begin(&outbound, call)).collect();
    has_begun.recv_timeout(LONG).unwrap();
    let _connection = hanging.accept().unwrap();
    outbound.close();
    for told in waiting {
        unknown(result(&told));
    }
    for call in calls(&hanging) {
        not_made(perform(&outbound, call));
    }
    outbound.close();
    drop(let_go);
}

#[test]
fn ker_14_the_last_owner_may_be_a_calls_own_end() {
    let outbound = Arc::new(outbound());
    let server = Server::says("HTTP/1.1 204 No Content\r\n\r\n");
    let (tell, told) = channel();
    let (let_go, gone) = channel::<()>();
    let own = Arc::clone(&outbound);
    let done = move |result: CallResult| {
        gone.recv_timeout(LONG).unwrap_err();
        drop(own);
        tell.send(result).unwrap();
    };
    outbound.perform(Call::Http(post(server.url())), Box::new(done));
    drop(outbound);
    drop(let_go);
    assert!(matches!(told.recv_timeout(LONG).unwrap(), CallResult::Http(_)));
}

#[test]
fn ker_14_a_drop_tells_what_is_in_flight() {
    let (closed, was_closed) = channel();
    let hanging = Server::new(move |mut stream| {
        wait_for_close(&mut stream);
        closed.send(()).unwrap();
    });
    let outbound = outbound();
    let told = begin(&outbound, Call::Http(HttpCall { timeout_ms: 60_000, ..post(hanging.url()) }));
    hanging.request();
    drop(outbound);
    unknown(result(&told));
    was_closed.recv_timeout(LONG).unwrap();
}

#[test]
fn ker_14_an_end_that_panics_takes_nobody_with_it() {
    let outbound = outbound();
    outbound.perform(Call::Http(post("http://")), Box::new(|_| panic!("of an end, on purpose")));
    let mail = MailCall { to: vec![], subject: String::new(), text: String::new(), id: "1".into(), timeout_ms: 1 };
    assert!(not_made(perform(&outbound, Call::Mail(mail))).contains("no mail server"));
}
