//! Each process that was acknowledged was finished by one result.

use crate::load::Processed;
use crate::load::processes::KIND;
use crate::site::Site;

pub fn check(site: &Site, processed: &Processed) {
    let once = (1..=processed.started).map(|number| (number, 1)).collect();
    assert_eq!(processed.finished, once, "results that were taken");
    let (mut caller, mut finished, mut after) = (site.caller(), 0, String::new());
    loop {
        let page = caller.get(&format!("/v1/main/workflow/processes?type={KIND}&limit=500{after}"));
        let items = page["items"].as_array().unwrap();
        finished += items.iter().filter(|process| process["state"] == "FINISHED").count() as u64;
        assert!(items.iter().all(|process| process["state"] == "FINISHED"), "{page}");
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(finished, processed.started);
}
