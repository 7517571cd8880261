//! Pictures of large processes are short, whatever there is in them.

use serde_json::json;

use crate::seen::{bring, edge, fan_out, poll, seen, start};

#[test]
fn wfl_23_a_fan_out_of_a_thousand_is_a_few_lines_and_each_task_can_be_reached() {
    let edge = edge();
    let id = fan_out(&edge, 1_000);
    let page = seen(&edge, &format!("/workflow/processes/{id}"));
    assert!(page.contains("997 more like this") && page.contains("join#1"), "{page}");
    assert!(page.matches("<li class=\"task-line").count() < 10 && page.len() < 200_000, "{}", page.len());
    for part in poll(&edge, "part#1").iter().take(20) {
        bring(&edge, part, json!({ "value": 1 }));
    }
    let page = seen(&edge, &format!("/workflow/processes/{id}"));
    assert!(page.contains("17 more like this") && page.contains("in work") && page.contains("in its queue"), "{page}");
    let list = seen(&edge, &format!("/workflow/processes/{id}/tasks?actor=part%231"));
    assert!(list.contains("rel=\"next\"") && list.matches("#task\"").count() == 50);
    let page = seen(&edge, &format!("/workflow/processes/{id}?task=777"));
    assert!(page.contains("data-key=\"task 777\""), "the chosen one has a line of its own");
}

#[test]
fn wfl_23_a_value_of_a_megabyte_is_shown_up_to_a_bound() {
    let edge = edge();
    let large = "é".repeat(500_000);
    let id = start(&edge, json!({ "type": "large", "start": { "actor": "a#1", "args": [{ "value": large }] } }));
    bring(&edge, &poll(&edge, "a#1")[0], json!({ "value": large }));
    let page = seen(&edge, &format!("/workflow/processes/{id}"));
    assert!(page.len() < 300_000 && page.contains("Only the beginning is shown"), "{}", page.len());
}
