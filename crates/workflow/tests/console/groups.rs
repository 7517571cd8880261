//! Broken tasks in groups (WFL-17): what a group shows is what a job over it works on.

use serde_json::{Value, json};

use crate::seen::{bring, broken, edge, poll, seen, start};

fn states(edge: &testbed_web::Edge, ids: &[&String]) -> Vec<String> {
    ids.iter().map(|id| edge.get(&format!("/processes/{id}"))["state"].as_str().unwrap().to_owned()).collect()
}

/// What the form of a page would send: the search of its group.
fn search_of(page: &str, action: &str) -> Value {
    let form = page.split("<form").find(|form| form.contains(&format!("value=\"&quot;{action}&quot;\""))).unwrap();
    let value = form.split("name=\"search\"").nth(1).unwrap().split("value=\"").nth(1).unwrap();
    serde_json::from_str(&value.split('"').next().unwrap().replace("&quot;", "\"")).unwrap()
}

#[test]
fn wfl_17_con_4_broken_tasks_are_grouped_three_ways_and_shown_with_their_trace() {
    let edge = edge();
    broken(&edge, "bill#1", "Refused", "no money");
    broken(&edge, "bill#1", "Refused", "still none");
    broken(&edge, "mail#1", "Away", "no server");
    let page = seen(&edge, "/workflow/broken");
    assert!(page.contains("3 tasks") && page.contains("still none") && page.contains("Away"), "{page}");
    assert!(seen(&edge, "/workflow/broken?group=actor").contains("bill#1"));
    assert!(seen(&edge, "/workflow/broken?group=starter").contains("mail#1"));
    assert!(seen(&edge, "/workflow/broken?to=2001-01-01T00:00").contains("Nothing is broken"));
    let page = seen(&edge, "/workflow/broken/tasks?group=error&name=Refused");
    assert!(page.contains("no money") && page.contains("at line 2") && !page.contains("no server"), "{page}");
    assert!(seen(&edge, "/workflow/broken/tasks").contains("no server"), "all of them");
}

#[test]
fn wfl_17_a_job_over_a_group_works_on_exactly_its_processes() {
    let edge = edge();
    // Two tasks of one process break, each in its own way: the process itself names only the first.
    let both = start(&edge, json!({ "type": "two", "start": { "actor": "split#1" } }));
    let tasks = json!([{ "actor": "bill#1" }, { "actor": "mail#1" }]);
    bring(&edge, &poll(&edge, "split#1")[0], json!({ "value": 1, "tasks": tasks }));
    bring(&edge, &poll(&edge, "bill#1")[0], json!({ "error": { "class": "Refused", "message": "no money" } }));
    bring(&edge, &poll(&edge, "mail#1")[0], json!({ "error": { "class": "Away", "message": "no server" } }));
    let (bill, mail) = (broken(&edge, "bill#1", "Refused", "x"), broken(&edge, "mail#1", "Away", "y"));
    let all = [&both, &bill, &mail];
    let page = seen(&edge, "/workflow/broken/tasks?group=error&name=Away");
    let search = search_of(&page, "abort");
    let _ = edge.told(201, "POST", "/jobs", &json!({ "action": "abort", "search": search, "rate": 1000 }));
    edge.world().pass_ms(60_000);
    assert_eq!(states(&edge, &all), ["ABORTED", "BROKEN", "ABORTED"]);
    let page = seen(&edge, "/workflow/broken/tasks?group=actor&name=bill%231");
    let _ = edge.told(
        201,
        "POST",
        "/jobs",
        &json!({ "action": "retry_broken", "search": search_of(&page, "retry_broken"), "rate": 1000 }),
    );
    edge.world().pass_ms(60_000);
    assert_eq!(states(&edge, &all), ["ABORTED", "ACTIVE", "ABORTED"]);
    assert!(seen(&edge, "/workflow/jobs").contains("broken by bill#1"));
}

#[test]
fn wfl_17_a_search_by_broken_tasks_is_checked() {
    let edge = edge();
    for wrong in [
        json!({ "state": "ACTIVE", "broken": {} }),
        json!({ "broken": { "actor": "none" } }),
        json!({ "broken": { "from": "yesterday" } }),
        json!({ "broken": { "class": "x" } }),
    ] {
        let (status, _) = edge.ask("POST", "/jobs", &json!({ "action": "abort", "search": wrong }));
        assert!([400, 422].contains(&status), "{wrong}: {status}");
    }
}
