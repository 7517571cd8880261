//! Work of the program itself.

use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};

use base::{Call, CallResult, WorkCall};

use crate::calls::{LONG, begin, not_made, outbound, perform, result, unknown, with};

fn work(name: &'static str) -> Call {
    Call::Work(WorkCall { name, namespace: "main".into(), param: "{\"path\":\"x\"}".into(), timeout_ms: 20_000 })
}

fn hurried(name: &'static str) -> Call {
    Call::Work(WorkCall { name, namespace: "main".into(), param: "{}".into(), timeout_ms: 200 })
}

#[test]
fn ker_14_work_is_done_under_its_name() {
    let outbound = outbound();
    outbound.register("blob.remove", |call| Ok(format!("{} {} {}", call.name, call.namespace, call.param)));
    let done = perform(&outbound, work("blob.remove"));
    assert_eq!(done, CallResult::Worked("blob.remove main {\"path\":\"x\"}".into()));
    assert!(not_made(perform(&outbound, work("blob.move"))).contains("`blob.move`"));
}

#[test]
fn ker_14_work_that_fails_or_panics_is_unknown_and_others_go_on() {
    let outbound = with(|settings| settings.works_max = 1);
    outbound.register("fails", |_| Err("disk full".into()));
    outbound.register("panics", |_| panic!("of work, on purpose"));
    outbound.register("works", |_| Ok("null".into()));
    assert!(unknown(perform(&outbound, work("fails"))).contains("disk full"));
    unknown(perform(&outbound, work("panics")));
    assert_eq!(perform(&outbound, work("works")), CallResult::Worked("null".into()));
}

#[test]
fn ker_14_work_that_takes_too_long_is_unknown_and_what_finds_no_room_is_not_made() {
    let outbound = with(|settings| settings.works_max = 1);
    let (let_go, gone) = channel::<()>();
    let gone = Mutex::new(gone);
    outbound.register("hangs", move |_| {
        let _ = gone.lock().unwrap().recv_timeout(LONG);
        Ok("null".into())
    });
    outbound.register("works", |_| Ok("null".into()));
    assert!(unknown(perform(&outbound, hurried("hangs"))).contains("200 ms"));
    assert!(not_made(perform(&outbound, hurried("works"))).contains("no room"));
    drop(let_go);
    assert_eq!(perform(&outbound, work("works")), CallResult::Worked("null".into()));
}

#[test]
fn ker_16_work_runs_side_by_side() {
    let outbound = outbound();
    let meeting = Arc::new(Barrier::new(4));
    outbound.register("meets", move |_| {
        meeting.wait();
        Ok("null".into())
    });
    let all: Vec<_> = (0..4).map(|_| begin(&outbound, work("meets"))).collect();
    assert!(all.iter().all(|told| result(told) == CallResult::Worked("null".into())));
}
