//! What pages show, and what they offer.

use serde_json::json;
use testbed_web::ADMIN;

use crate::seen::{EVIL, bring, broken, edge, order, page_as, poll, seen, start};

#[test]
fn con_4_empty_pages_say_what_to_do_next() {
    let edge = edge();
    for (path, words) in [
        ("/workflow", "A process begins when a program starts one"),
        ("/workflow", "curl -X POST 'http://x/v1/main/workflow/processes'"),
        ("/workflow", "${KEY:?a key of this namespace}"),
        ("/workflow/processes", "No process yet"),
        ("/workflow/broken", "Nothing is broken"),
        ("/workflow/broken/tasks", "Nothing is broken"),
        ("/workflow/jobs", "Look for processes and do something"),
        ("/workflow/actors", "An actor is known once"),
        ("/workflow/types", "A type is known with its first process"),
        ("/workflow/schedules", "New schedule"),
        ("/workflow/processes/gone", "There is no such process"),
        ("/workflow/processes/gone/tasks", "There is no such process"),
        ("/workflow/jobs/7", "There is no such job"),
        ("/workflow/jobs/gone", "There is no such job"),
        ("/workflow/actors/gone", "An actor is called name#version"),
    ] {
        assert!(seen(&edge, path).contains(words), "{path}");
    }
}

#[test]
fn con_4_the_overview_says_what_needs_a_person_first() {
    let edge = edge();
    order(&edge);
    let page = seen(&edge, "/workflow");
    assert!(page.contains("All is well."), "all of it was asked for just now: {page}");
    assert!(page.contains("done <b>2 in all</b>"), "what the chart shows is told beside it: {page}");
    broken(&edge, "bill#1", "Refused", "no money");
    start(&edge, json!({ "type": "bill", "start": { "actor": "nobody#1" } }));
    let page = seen(&edge, "/workflow");
    assert!(page.contains("Broken processes: 1.") && !page.contains("All is well."), "{page}");
    assert!(page.contains("Work waits and nobody comes for it") && page.contains("/workflow/actors/nobody%231"));
}

#[test]
fn con_4_wfl_21_all_is_well_only_if_nobody_is_left_alone_whatever_its_name() {
    let edge = edge();
    for at in 0..120 {
        poll(&edge, &format!("a{at:03}#1"));
    }
    start(&edge, json!({ "type": "test", "start": { "actor": "a000#1" } }));
    assert!(seen(&edge, "/workflow").contains("All is well."));
    start(&edge, json!({ "type": "test", "start": { "actor": "zoe#1" } }));
    edge.world().pass_ms(30_000);
    let page = seen(&edge, "/workflow");
    assert!(!page.contains("All is well.") && page.contains("/workflow/actors/zoe%231"), "{page}");
    assert!(page.contains("oldest 30\u{a0}s"), "{page}");
    assert!(page.find("actors/zoe%231\">zoe#1").unwrap() < page.find("actors/a001%231\">a001#1").unwrap_or(usize::MAX));
}

#[test]
fn con_1_wfl_19_what_happened_is_said_in_the_persons_language() {
    let edge = edge();
    let id = broken(&edge, "bill#1", "Refused", "no money");
    let _ = edge.told(204, "POST", &format!("/processes/{id}/abort"), &json!({ "reason": "not wanted" }));
    for (language, said) in
        [("en", [">failed<", ">aborted<"]), ("ru", [">неудача<", ">прерван<"]), ("fr", [">échec<", ">interrompu<"])]
    {
        let (_, page) = page_as(&edge, ADMIN, &format!("/workflow/processes/{id}"), language);
        assert!(said.iter().all(|said| page.contains(said)), "{language}: {page}");
        assert!(language == "en" || !page.contains(">failed<"), "{language}");
    }
}

#[test]
fn con_10_the_search_of_processes_has_a_name() {
    let edge = edge();
    for (language, name) in
        [("en", "Search for processes"), ("ru", "Поиск процессов"), ("fr", "Recherche de processus")]
    {
        let (_, page) = page_as(&edge, ADMIN, "/workflow/processes", language);
        assert!(page.contains(&format!("role=\"search\" aria-label=\"{name}\"")), "{language}: {page}");
    }
}

#[test]
fn wfl_23_a_process_page_shows_arguments_results_attempts_and_errors() {
    let edge = edge();
    let id = order(&edge);
    let page = seen(&edge, &format!("/workflow/processes/{id}"));
    for words in ["order order-17", "in its queue", "price#1", "sum#1", "needs the result", "svg class=\"task-bars\""] {
        assert!(page.contains(words), "{words}: {page}");
    }
    // The coordinator: its argument, and whose result is its result.
    let page = seen(&edge, &format!("/workflow/processes/{id}?task=1"));
    assert!(page.contains("&quot;lines&quot;") && page.contains("the result of task 4"), "{page}");
    // A price that was tried and failed once.
    bring(
        &edge,
        &poll(&edge, "price#1")[0],
        json!({ "error": { "class": "Busy", "message": "try later", "trace": "line 7" } }),
    );
    let page = seen(&edge, &format!("/workflow/processes/{id}?task=3"));
    for words in ["Busy", "try later", "line 7", "attempt 1", "tries: up to 3", "class=\"mark\""] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let page = seen(&edge, &format!("/workflow/processes/{id}?task=4"));
    assert!(page.contains("the result of task 2") && page.contains("not yet: it waits for other tasks"));
    let list = seen(&edge, &format!("/workflow/processes/{id}/tasks?actor=price%231&state=done"));
    assert!(list.contains("?task=2#task") && !list.contains("?task=3#task"));
}

#[test]
fn wfl_23_wfl_27_a_broken_process_says_why_and_what_can_be_done() {
    let edge = edge();
    let id = broken(&edge, "bill#1", "Refused", "no money");
    let page = seen(&edge, &format!("/workflow/processes/{id}"));
    for words in [
        "It is broken: a task failed for good",
        "Refused",
        "no money",
        "at line 2",
        &format!("action=\"/v1/main/workflow/broken/{id}.1/retry\""),
        &format!("action=\"/v1/main/workflow/processes/{id}/restart\""),
        &format!("action=\"/v1/main/workflow/processes/{id}/clone\""),
        &format!("action=\"/v1/main/workflow/processes/{id}/abort\""),
        &format!("action=\"/v1/main/workflow/processes/{id}/signal\""),
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert_eq!(edge.ask("POST", &format!("/processes/{id}/abort"), &json!({ "reason": "not wanted" })).0, 204);
    let page = seen(&edge, &format!("/workflow/processes/{id}"));
    assert!(!page.contains("/abort\"") && !page.contains("/retry\"") && page.contains("not wanted"));
}

#[test]
fn wfl_27_each_verdict_is_said_in_words() {
    let edge = edge();
    let verdict = |id: &str| {
        let page = seen(&edge, &format!("/workflow/processes/{id}"));
        page.split("data-now=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let own = |start_of: serde_json::Value| start(&edge, json!({ "type": "test", "start": start_of }));
    assert_eq!(verdict(&own(json!({ "actor": "new#1" }))), "nobody-polls");
    assert_eq!(verdict(&own(json!({ "actor": "@signal", "method": "go" }))), "waits-signal");
    assert_eq!(verdict(&own(json!({ "actor": "@timer", "args": [{ "value": 60_000 }] }))), "waits-time");
    let child = json!({ "actor": "@process", "method": "sub", "args": [{ "value": { "start": { "actor": "x#1" } } }] });
    let parent = own(child);
    assert_eq!(verdict(&parent), "waits-process");
    let page = seen(&edge, &format!("/workflow/processes/{parent}"));
    assert!(page.contains("Its process"), "the way to its process: {page}");
    poll(&edge, "busy#1");
    let taken = own(json!({ "actor": "busy#1" }));
    poll(&edge, "busy#1");
    assert_eq!(verdict(&taken), "in-work");
    edge.world().pass_ms(61_000);
    assert_eq!(verdict(&taken), "silent");
    assert_eq!(verdict(&order(&edge)), "backlog");
}

#[test]
fn con_9_what_comes_from_outside_is_never_markup() {
    let edge = edge();
    let id = start(
        &edge,
        json!({ "type": "evil", "custom_id": EVIL, "start": { "actor": "evil#1", "method": EVIL, "args": [{ "value": { EVIL: EVIL } }] } }),
    );
    let task = poll(&edge, "evil#1").remove(0);
    let tasks = json!([{ "id": EVIL, "actor": "evil#2", "method": EVIL, "key": EVIL }]);
    bring(&edge, &task, json!({ "value": { EVIL: [EVIL] }, "tasks": tasks }));
    let error = json!({ "class": EVIL, "message": EVIL, "trace": EVIL });
    bring(&edge, &poll(&edge, "evil#2")[0], json!({ "error": error }));
    assert_eq!(edge.ask("POST", "/searches", &json!({ "name": EVIL, "search": { "custom_id": EVIL } })).0, 204);
    let group = "%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E";
    for path in [
        "/workflow/processes".to_owned(),
        format!("/workflow/processes?custom_id={group}"),
        format!("/workflow/processes/{id}"),
        format!("/workflow/processes/{id}?task=1"),
        format!("/workflow/processes/{id}?task=2"),
        format!("/workflow/processes/{id}/tasks"),
        "/workflow/broken".into(),
        "/workflow/broken?group=actor".into(),
        format!("/workflow/broken/tasks?group=error&name={group}"),
    ] {
        let page = seen(&edge, &path);
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "{path} shows it: {page}");
        assert!(!page.contains("<img"), "{path}");
    }
}

#[test]
fn con_4_pages_speak_three_languages_and_refuse_wrong_questions() {
    let edge = edge();
    let id = order(&edge);
    broken(&edge, "bill#1", "Refused", "no money");
    let _ = edge.told(201, "POST", "/jobs", &json!({ "action": "analyse" }));
    let task = json!({ "actor": "night#1" });
    let _ = edge.told(
        201,
        "POST",
        "/schedules",
        &json!({ "cron": "30 2 * * *", "start": { "type": "night", "start": task } }),
    );
    for path in [
        "/workflow".to_owned(),
        "/workflow/processes".into(),
        "/workflow/processes?state=BROKEN&order=oldest".into(),
        format!("/workflow/processes/{id}"),
        format!("/workflow/processes/{id}/tasks"),
        "/workflow/processes/gone".into(),
        "/workflow/broken".into(),
        "/workflow/broken/tasks?group=starter".into(),
        "/workflow/jobs".into(),
        "/workflow/jobs/1".into(),
        "/workflow/actors".into(),
        "/workflow/actors/bill%231".into(),
        "/workflow/types".into(),
        "/workflow/schedules".into(),
    ] {
        for (language, word) in [("en", "Workflow"), ("ru", "Рабочие процессы"), ("fr", "Workflow")] {
            let (status, page) = page_as(&edge, ADMIN, &path, language);
            assert!(status == 200 && page.contains(word), "{path} {language}: {status}");
        }
    }
    for wrong in [
        "/workflow/processes?x=1",
        "/workflow/processes?state=odd",
        "/workflow/processes?duration_min=long",
        "/workflow/processes?started_from=yesterday",
        "/workflow/broken?group=odd",
        "/workflow/broken?from=yesterday",
        "/workflow/broken/tasks?after=x",
        &format!("/workflow/processes/{id}?task=x"),
        &format!("/workflow/processes/{id}/tasks?state=odd"),
    ] {
        let (status, page) = page_as(&edge, ADMIN, wrong, "en");
        assert!((400..500).contains(&status) && page.contains("<html"), "{wrong}: {status}");
    }
}
