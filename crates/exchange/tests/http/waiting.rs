//! Fetches that wait.

use base::Sql;
use serde_json::{Value, json};

use crate::edge::{Office, Reply, answered, ids};

/// A fetch that waits, while something else is done.
fn fetch_while(office: &Office, query: &str, done: impl FnOnce()) -> Reply {
    let path = format!("/messages{query}");
    let request = office.edge.request(&office.phone_key, "GET", &path, &[], String::new());
    let router = office.edge.router.clone();
    office.edge.runtime.block_on(async {
        let fetch = tokio::spawn(answered(router, request));
        // It has looked and waits by then: there is one thread, and nothing in it takes its time from elsewhere.
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        assert!(!fetch.is_finished(), "it waits");
        done();
        fetch.await.unwrap()
    })
}

/// Sent by somebody on this node while the runtime is taken.
fn reply_now(office: &Office, id: &str) {
    use exchange::message::{Letter, SEND, Send};
    let letter = Letter::read(office.reply(id).to_string()).unwrap();
    let send = Send { sender: Some("erp".into()), letter };
    office.edge.world().call(&SEND, send).unwrap();
}

#[test]
fn exc_9_a_fetch_waits_for_something_to_come() {
    let office = Office::open();
    let fetched = fetch_while(&office, "?wait_s=60", || reply_now(&office, "r1"));
    assert_eq!((fetched.status, ids(&fetched.json())), (200, vec!["r1".to_owned()]), "no time passed meanwhile");
}

#[test]
fn exc_9_a_commit_tells_those_who_wait_for_its_replies() {
    let office = Office::open();
    office.sent(&["a"]);
    let process = office.started();
    let said = json!({ "results": [{ "id": "a", "status": "PROCESSED" }], "replies": [office.reply("r1")] });
    office.step(&process, "prepare", said);
    let fetched = fetch_while(&office, "?wait_s=60", || {
        use exchange::process::{COMMIT, Finish};
        let commit = Finish { process: process.clone(), db: None, message: String::new(), tell_senders: false };
        office.edge.world().call(&COMMIT, commit).unwrap();
    });
    assert_eq!(ids(&fetched.json()), ["r1"]);
}

#[test]
fn exc_9_nothing_comes_and_the_wait_ends_in_time() {
    let office = Office::open();
    let fetched = fetch_while(&office, "?wait_s=1", || office.edge.world().pass_ms(1_000));
    assert_eq!((fetched.status, fetched.json()), (200, json!({ "messages": [] })));
}

#[test]
fn exc_9_a_lost_call_costs_two_seconds_at_most() {
    static HIDE: Sql = Sql::new("test.hide", "UPDATE exc_message SET place = 'prepared', process = 'x'");
    static SHOW: Sql = Sql::new("test.show", "UPDATE exc_message SET place = 'messages', process = NULL");
    let office = Office::open();
    office.by_database("POST", "/messages", office.reply("r1"));
    office.edge.write(&HIDE, vec![]);
    let fetched = fetch_while(&office, "?wait_s=60", || {
        // As if another node had let it go, and its word was lost.
        office.edge.write(&SHOW, vec![]);
        office.edge.world().pass_ms(2_000);
    });
    assert_eq!(ids(&fetched.json()), ["r1"]);
}

#[test]
fn exc_2_whoever_waits_is_refused_when_the_device_is_blocked_or_its_key_ends() {
    let office = Office::open();
    let (world, device) = (office.edge.world(), office.phone.clone());
    let fetched = fetch_while(&office, "?wait_s=60", || {
        use exchange::registry::{DEVICE_STATE, DeviceChange};
        world.call(&DEVICE_STATE, DeviceChange { id: device.clone(), blocked: true }).unwrap();
        world.pass_ms(2_000);
    });
    assert_eq!((fetched.status, fetched.code().as_str()), (403, "SBLOCKED"));
    assert_eq!(office.edge.ask("POST", &format!("/devices/{device}/unblock"), Value::Null).0, 204);
    let fetched = fetch_while(&office, "?wait_s=60", || {
        use kernel::ops::revoke_key::{REVOKE_KEY, RevokeKey};
        static KEY: Sql = Sql::new("test.key", "SELECT key_id FROM exc_device WHERE key_id IS NOT NULL");
        let id = world.rows(&KEY)[0].text(0).to_owned();
        world.call(&REVOKE_KEY, RevokeKey { id }).unwrap();
        world.main().forget_keys();
        reply_now(&office, "r1");
    });
    assert_eq!((fetched.status, fetched.code().as_str()), (401, "SKEY"), "it gets nothing any more");
}

#[test]
fn exc_9_many_who_wait_hold_no_place_of_others() {
    let office = Office::open();
    let path = "/messages?wait_s=60";
    let request = || office.edge.request(&office.phone_key, "GET", path, &[], String::new());
    let router = &office.edge.router;
    let replies = office.edge.runtime.block_on(async {
        let waiting: Vec<_> = (0..101).map(|_| tokio::spawn(answered(router.clone(), request()))).collect();
        for _ in 0..2_000 {
            tokio::task::yield_now().await;
        }
        reply_now(&office, "r1");
        let mut replies = vec![];
        for fetch in waiting {
            replies.push(fetch.await.unwrap());
        }
        replies
    });
    let refused = replies.iter().filter(|reply| reply.code() == "XBUSY").count();
    let given = replies.iter().filter(|reply| ids(&reply.json()) == ["r1"]).count();
    assert_eq!((refused, given), (1, 100));
}
