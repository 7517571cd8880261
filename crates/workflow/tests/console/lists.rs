//! Lists: processes by search, jobs, actors, types, schedules.

use serde_json::{Value, json};
use workflow::process::{START, Start};

use crate::seen::{broken, edge, fan_out, order, poll, seen, start};

#[test]
fn con_4_wfl_18_processes_are_searched_saved_and_worked_on() {
    let edge = edge();
    order(&edge);
    broken(&edge, "bill#1", "Refused", "no money");
    let page = seen(&edge, "/workflow/processes?state=BROKEN");
    assert!(page.contains("Refused: no money") && !page.contains("order-17"), "{page}");
    assert!(page.contains("Do something with what is found") && page.contains("name=\"search\""));
    assert!(page.contains("&quot;state&quot;:&quot;BROKEN&quot;"), "the job takes what the page shows");
    assert!(seen(&edge, "/workflow/processes").contains("Do something with all"));
    assert!(seen(&edge, "/workflow/processes?duration_min=3d").contains("Nothing found"));
    assert!(seen(&edge, "/workflow/processes?custom_id=order-17").contains("order order-17"));
    let _ = edge.told(
        204,
        "POST",
        "/searches",
        &json!({ "name": "hurt", "search": { "state": "BROKEN", "duration_max_ms": 60000 } }),
    );
    let page = seen(&edge, "/workflow/processes?state=BROKEN&duration_max=1min");
    assert!(page.contains("/console/main/workflow/processes?state=BROKEN&amp;duration_max=1min"), "{page}");
    assert!(page.contains("action=\"/v1/main/workflow/searches/hurt\""), "the one in use can be deleted");
}

#[test]
fn con_4_lists_go_on_page_by_page_and_show_everything_once() {
    let edge = edge();
    for at in 0..54 {
        start(&edge, json!({ "type": "test", "start": { "actor": format!("a#{at}") } }));
    }
    for (path, row) in [
        ("/workflow/processes", "/console/main/workflow/processes/0"),
        ("/workflow/processes?type=test&order=oldest", "/console/main/workflow/processes/0"),
        ("/workflow/actors", "/console/main/workflow/actors/a"),
    ] {
        let first = seen(&edge, path);
        let next =
            first.split("href=\"/console/main").find(|part| part[..part.find('>').unwrap()].contains("rel=\"next\""));
        let next = next.unwrap().split('"').next().unwrap().replace("&amp;", "&");
        let second = seen(&edge, &next);
        let rows = |page: &str| page.matches("<tr data-key=").count() + page.matches("<tr class=").count();
        assert_eq!((rows(&first), rows(&second)), (50, 4), "{next}");
        assert!(first.contains(row) && !second.contains("rel=\"next\""), "{next}");
    }
}

#[test]
fn con_4_a_job_is_shown_with_its_progress_and_its_results() {
    let edge = edge();
    let id = broken(&edge, "bill#1", "Refused", "no money");
    let wish = json!({ "action": "retry_broken", "search": { "state": "BROKEN" }, "dry_run": true, "rate": 5 });
    let job = edge.told(201, "POST", "/jobs", &wish)["job"].clone();
    let page = seen(&edge, &format!("/workflow/jobs/{job}"));
    for words in ["Job 1: try broken tasks again", "This is a dry run", "<progress", "processes a second: 5"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    edge.world().pass_ms(5_000);
    let page = seen(&edge, &format!("/workflow/jobs/{job}"));
    assert!(page.contains(&id) && page.contains("Would be changed"), "{page}");
    assert!(seen(&edge, "/workflow/jobs").contains("state BROKEN"), "it says with which processes");
}

#[test]
fn con_4_wfl_21_actors_are_shown_blocked_and_set() {
    let edge = edge();
    order(&edge);
    start(&edge, json!({ "type": "test", "start": { "actor": "nobody#1", "task_list": "south" } }));
    let page = seen(&edge, "/workflow/actors");
    assert!(page.contains("nobody#1") && page.contains(">silent<") && page.contains(">polls<"), "{page}");
    assert!(page.contains("/v1/main/workflow/actors/nobody%231"), "it can be blocked");
    let page = seen(&edge, "/workflow/actors/nobody%231");
    assert!(page.contains("nobody asked for it for two minutes") && page.contains("nobody#1/south"), "{page}");
    let _ = edge.told(200, "PATCH", "/actors/nobody%231", &json!({ "blocked": true, "work_timeout_ms": 300_000 }));
    let page = seen(&edge, "/workflow/actors/nobody%231");
    assert!(
        page.contains("This actor is blocked") && page.contains("5\u{a0}min") && page.contains("Unblock"),
        "{page}"
    );
    edge.world().pass_ms(3_600_000);
    poll(&edge, "price#1");
    assert!(seen(&edge, "/workflow/actors/price%231").contains(">polls<"));
}

#[test]
fn con_4_wfl_21_a_list_of_actors_counts_less_of_each_queue_than_the_page_of_one() {
    let edge = edge();
    fan_out(&edge, 1_200);
    assert!(seen(&edge, "/workflow/actors").contains(">1,000+<"));
    assert!(seen(&edge, "/workflow").contains(">1,000+<"));
    let page = seen(&edge, "/workflow/actors/part%231");
    assert!(page.contains("1,200") && !page.contains("1,000+"), "{page}");
    assert_eq!(edge.get("/actors/part%231")["waiting"], 1_200);
}

#[test]
fn con_4_wfl_10_settings_of_actors_and_types_go_back_to_the_usual() {
    let edge = edge();
    order(&edge);
    for (path, wish, usual) in [
        ("actors/price%231", json!({ "work_timeout_ms": 300_000, "accept_first": false }), "1\u{a0}min"),
        ("types/order", json!({ "on_inconsistency": "restart", "process_timeout_ms": 7_200_000 }), "1\u{a0}h"),
    ] {
        let _ = edge.told(200, "PATCH", &format!("/{path}"), &wish);
        let at = if path.starts_with("types") { "/workflow/types".to_owned() } else { format!("/workflow/{path}") };
        let (form, page) = (format!("action=\"/v1/main/workflow/{path}\""), seen(&edge, &at));
        assert!(!page.contains(usual), "{page}");
        let form = page.split("<form").find(|part| part.contains(&form) && part.contains("value=\"null\"")).unwrap();
        let names = form.split("data-kind=\"json\" value=\"null\"").filter_map(|part| part.split("name=\"").last());
        let nulls: serde_json::Map<_, _> =
            names.filter_map(|name| Some((name.strip_suffix("\" ")?.to_owned(), Value::Null))).collect();
        assert!(nulls.len() >= 4, "{form}");
        let _ = edge.told(200, "PATCH", &format!("/{path}"), &Value::Object(nulls));
        let page = seen(&edge, &at);
        assert!(page.contains(usual) && !page.contains("5\u{a0}min</dd>") && page.contains("Reset"), "{page}");
    }
}

#[test]
fn con_4_wfl_29_a_schedule_is_changed_in_a_form_that_shows_it_as_it_is() {
    let edge = edge();
    let task = json!({ "actor": "night#1", "args": [{ "value": 9_007_199_254_740_993_i64 }] });
    let wish = json!({ "cron": "30 2 * * *", "missed": "skip", "missed_max": 7, "start": { "type": "night", "custom_id": "n", "start": task } });
    let id = edge.told(201, "POST", "/schedules", &wish)["id"].as_str().unwrap().to_owned();
    let (list, one) = (seen(&edge, "/workflow/schedules"), format!("/workflow/schedules/{id}"));
    assert!(list.contains(&format!("href=\"/console/main{one}\"")) && !list.contains("9007199254740993"), "{list}");
    let page = seen(&edge, &one);
    let form = page.split("Change schedule").last().unwrap();
    for words in [
        &format!("action=\"/v1/main/workflow/schedules/{id}\""),
        "data-call=\"PATCH\"",
        "value=\"30 2 * * *\"",
        "value=\"night\"",
        "value=\"n\"",
        "value=\"skip\" selected",
        "value=\"7\"",
        "night#1",
        "9007199254740993",
    ] {
        assert!(form.contains(words), "{words}: {form}");
    }
    assert!(seen(&edge, "/workflow/schedules/nobody").contains("There is no such schedule"));
}

#[test]
fn con_4_every_type_and_every_schedule_is_on_some_page() {
    let edge = edge();
    for at in 0..203 {
        let _ = edge.told(200, "PATCH", &format!("/types/t{at:03}"), &json!({ "kept_ms": 86_400_000 }));
        let wish = json!({ "cron": "H00", "start": { "type": format!("s{at:03}"), "start": { "actor": "a#1" } } });
        let _ = edge.told(201, "POST", "/schedules", &wish);
    }
    for (path, last) in [("types", "t202"), ("schedules", "s202")] {
        let page = seen(&edge, &format!("/workflow/{path}"));
        assert!(!page.contains(last), "{path}");
        let next =
            page.split("href=\"/console/main").find(|part| part[..part.find('>').unwrap()].contains("rel=\"next\""));
        let next = seen(&edge, next.unwrap().split('"').next().unwrap());
        assert!(next.contains(last) && next.matches("<tr data-key=").count() == 3, "{path}: {next}");
        assert!(next.contains("rel=\"first\"") && !next.contains("rel=\"next\""), "{path}");
    }
}

#[test]
fn con_4_wfl_29_types_and_schedules_are_shown_with_what_holds_for_them() {
    let edge = edge();
    order(&edge);
    let _ =
        edge.told(200, "PATCH", "/types/order", &json!({ "on_inconsistency": "restart", "kept_ms": 86_400_000 * 9 }));
    let page = seen(&edge, "/workflow/types");
    assert!(page.contains("begins anew") && page.contains("9\u{a0}d"), "{page}");
    let wish =
        json!({ "cron": "30 2 * * *", "missed": "all", "start": { "type": "night", "start": { "actor": "night#1" } } });
    let id = edge.told(201, "POST", "/schedules", &wish)["id"].as_str().unwrap().to_owned();
    let page = seen(&edge, "/workflow/schedules");
    assert_eq!(page.matches("<span class=\"sub\">20").count(), 5, "its next five dates: {page}");
    assert!(page.contains("all are made up for") && page.contains(&format!("/schedules/{id}\"")), "{page}");
    assert_eq!(edge.ask("PATCH", &format!("/schedules/{id}"), &json!({ "paused": true })).0, 204);
    let page = seen(&edge, "/workflow/schedules");
    assert!(page.contains(">paused<") && page.contains("Go on") && !page.contains("02:30:00 UTC"));
}

#[test]
fn con_4_a_page_of_many_processes_looks_at_few() {
    let edge = edge();
    for at in 0..3_000 {
        let wanted: Start = serde_json::from_value(
            json!({ "type": if at == 0 { "first" } else { "many" }, "start": { "actor": "a#1" } }),
        )
        .unwrap();
        edge.world().call(&START, wanted).unwrap();
    }
    // The first is older than all that one page looks at.
    let page = seen(&edge, "/workflow/processes?actor=b%231");
    assert!(page.contains("Nothing found so far") && page.contains("Look further"), "{page}");
    assert!(seen(&edge, "/workflow/processes?type=first").contains("first"));
    assert!(seen(&edge, "/workflow").contains("3,000"));
}
