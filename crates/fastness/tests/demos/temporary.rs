//! Namespaces to try things in (KER-2, KER-19): their data goes with them, and only their calls reach this machine.

use serde_json::json;

use crate::kit::Kit;

#[test]
fn ker_2_data_of_a_temporary_namespace_is_destroyed_and_that_of_others_is_kept() {
    let kit = Kit::start();
    kit.make_namespace(&json!({ "name": "shop" }));
    kit.make_namespace(&json!({ "name": "trial", "temporary": true }));
    let again = kit.ask("POST", "/v1/z/namespaces", &json!({ "name": "shop", "temporary": true }));
    assert_eq!((again.status, &again.body["code"]), (422, &json!("ANAMESPACE")), "{again:?}");
    let removed = ["shop", "trial"].map(|name| kit.ask("DELETE", &format!("/v1/z/namespaces/{name}"), &json!(null)));
    assert_eq!(removed[1].body["kept_as"], json!(null));
    while kit.namespaces().len() > 2 {
        std::thread::yield_now();
    }
    assert_eq!(kit.folders(), ["main", removed[0].body["kept_as"].as_str().unwrap(), "z"]);
}

#[test]
fn ker_19_only_a_temporary_namespace_may_name_this_machine_and_no_other_private_address() {
    let kit = Kit::start();
    kit.make_namespace(&json!({ "name": "trial", "temporary": true }));
    let status = |namespace: &str, url: &str| {
        let body = json!({ "name": url, "url": url });
        kit.ask("POST", &format!("/v1/{namespace}/sensor-clients"), &body).status
    };
    assert_eq!(status("main", "http://127.0.0.1:9/doors"), 422);
    assert_eq!(status("trial", "http://127.0.0.1:9/doors"), 201);
    assert_eq!(status("trial", "http://10.0.0.1:9/doors"), 422);
    assert_eq!(status("trial", "http://169.254.169.254/latest"), 422);
}
