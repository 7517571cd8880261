//! After all faults: what was acknowledged is there, once, wherever it is to be; nothing waits for a person.

mod bytes;
mod exchange;
mod history;
mod sensors;
mod workflow;

use crate::load::Done;
use crate::queues;
use crate::site::{Site, wait_until};

pub fn check(site: &Site, done: &Done) {
    site.receiver.be_good();
    queues::check(&site.parts.brokers[0].url());
    sensors::check(site, done);
    history::check(site, done);
    exchange::check(site, &done.exchanged);
    workflow::check(site, &done.processed);
    bytes::check(site, done);
    nothing_is_stuck(site);
}

/// Both servers are ready, and neither knows of anything that does not go on by itself.
fn nothing_is_stuck(site: &Site) {
    for node in &site.nodes {
        let mut caller = crate::caller::Caller::new(&[node.address], kill::server::KEY);
        // Anything but 200 is refused here.
        caller.get("/readyz");
        // A namespace that is away is no item, and named.
        wait_until("nothing is stuck", || caller.get("/v1/z/stuck") == serde_json::json!({ "items": [] }));
        let parked = caller.get("/v1/main/tasks?state=parked");
        assert_eq!(parked["items"].as_array().map(Vec::len), Some(0), "{parked}");
        wait_until("no alert is open", || {
            caller.get("/v1/main/alerts?state=open")["items"].as_array().unwrap().is_empty()
        });
    }
}
