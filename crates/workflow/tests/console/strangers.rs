//! Who sees nothing, and who may only look.

use serde_json::json;

use crate::seen::{broken, edge, order, page_as};

#[test]
fn con_4_a_reader_looks_and_is_offered_nothing_that_changes_and_a_worker_sees_nothing() {
    let edge = edge();
    let (id, hurt) = (order(&edge), broken(&edge, "bill#1", "Refused", "no money"));
    let _ = edge.told(201, "POST", "/jobs", &json!({ "action": "analyse" }));
    let task = json!({ "actor": "night#1" });
    let _ =
        edge.told(201, "POST", "/schedules", &json!({ "cron": "H00", "start": { "type": "night", "start": task } }));
    let _ = edge.told(204, "POST", "/searches", &json!({ "name": "all", "search": { "state": "BROKEN" } }));
    let (reader, operator) = (edge.key("reader", &json!({})), edge.key("operator", &json!({})));
    let (worker, other) = (edge.key("actor", &json!({})), edge.key("operator", &json!({ "service": "exchange" })));
    for path in [
        "/workflow".to_owned(),
        "/workflow/processes?state=BROKEN".into(),
        format!("/workflow/processes/{id}"),
        format!("/workflow/processes/{hurt}"),
        format!("/workflow/processes/{id}/tasks"),
        "/workflow/broken".into(),
        "/workflow/broken/tasks".into(),
        "/workflow/jobs".into(),
        "/workflow/jobs/1".into(),
        "/workflow/actors".into(),
        "/workflow/actors/bill%231".into(),
        "/workflow/types".into(),
        "/workflow/schedules".into(),
    ] {
        let (status, page) = page_as(&edge, &reader, &path, "en");
        assert_eq!(status, 200, "{path}");
        assert!(!page.contains("action=\"/v1/main/workflow"), "{path}");
        assert_eq!(page_as(&edge, &operator, &path, "en").0, 200, "{path}");
        for key in [&worker, &other] {
            let (status, page) = page_as(&edge, key, &path, "en");
            assert!(status == 403 && !page.contains("no money"), "{path}: {status}");
        }
    }
}
