//! Who sees nothing, and who may only look.

use serde_json::json;

use crate::edge::Office;
use crate::seen::{file, page_as, prepared, unknown};

fn pages(office: &Office, process: &str, name: &str) -> Vec<String> {
    vec![
        "/exchange".to_owned(),
        "/exchange/databases/erp".into(),
        "/exchange/devices".into(),
        format!("/exchange/devices/{}", office.phone),
        "/exchange/companies".into(),
        "/exchange/processes".into(),
        format!("/exchange/processes/{process}"),
        "/exchange/folders?db=erp&folder=Messages".into(),
        format!("/exchange/messages/{name}"),
    ]
}

#[test]
fn con_3_the_key_of_a_device_or_a_database_sees_no_page() {
    let (office, process) = prepared("no such article");
    let name = file(&office, "Messages", "a");
    let bound = office.edge.key("operator", &json!({ "database": "erp" }));
    for path in pages(&office, &process, &name) {
        for key in [&office.db_key, &office.phone_key, &bound] {
            let (status, page) = page_as(&office.edge, key, &path, "en");
            assert_eq!(status, 403, "{path}");
            // The address itself is all that the refusal repeats.
            let shown = ["<table", "class=\"facts\"", "Acme", "no such article"].map(|part| page.contains(part));
            assert_eq!(shown, [false; 4], "{path} tells nothing");
        }
    }
}

#[test]
fn con_3_a_reader_looks_and_is_offered_nothing_that_changes() {
    let (office, process) = unknown("x");
    let name = file(&office, "Error", "b");
    let (reader, operator) = (office.edge.key("reader", &json!({})), office.edge.key("operator", &json!({})));
    for path in pages(&office, &process, &name) {
        let (status, page) = page_as(&office.edge, &reader, &path, "en");
        assert_eq!(status, 200, "{path}");
        assert!(!page.contains("action=\"/v1/main/exchange"), "{path}");
    }
    let (_, page) = page_as(&office.edge, &operator, &format!("/exchange/processes/{process}"), "en");
    assert_eq!(page.matches("/resolve\"").count(), 2);
}
