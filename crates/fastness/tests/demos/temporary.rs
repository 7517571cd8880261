//! Namespaces to try things in (KER-2, KER-19): their data goes with them, and only their calls reach this machine.

use serde_json::json;
use sha2::{Digest as _, Sha256};

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

/// What lies under the namespaces of the storage, by their places.
fn stored(bucket: &std::path::Path) -> Vec<String> {
    let names = std::fs::read_dir(bucket).unwrap().map(|entry| entry.unwrap());
    let places = names.filter(|entry| entry.file_type().unwrap().is_dir() && has_files(&entry.path()));
    places.map(|entry| entry.file_name().into_string().unwrap().split('-').next().unwrap().to_owned()).collect()
}

fn has_files(folder: &std::path::Path) -> bool {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| path.is_file() || has_files(&path))
}

#[test]
fn ker_2_ker_26_blobs_of_a_temporary_namespace_go_from_s3_too_and_those_of_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let storage = kill::storage::Storage::start(folder.path()).unwrap();
    let kit = Kit::changed(|launch| storage.launch(launch));
    let bucket = folder.path().join(kill::storage::BUCKET);
    kit.make_namespace(&json!({ "name": "trial", "temporary": true }));
    for namespace in ["main", "trial"] {
        for text in ["one", "two"] {
            let sha = base::archive::hex(&Sha256::digest(text));
            let path = format!("/v1/{namespace}/blobs/{sha}");
            let put = kit.server.client().upload(&path, text.as_bytes()).unwrap();
            assert!(put.status < 300, "{put:?}");
        }
    }
    let mut before = stored(&bucket);
    before.sort();
    assert_eq!(before, ["main", "trial"]);
    assert_eq!(kit.ask("DELETE", "/v1/z/namespaces/trial", &json!(null)).status, 200);
    while kit.namespaces().len() > 2 {
        std::thread::yield_now();
    }
    assert_eq!(stored(&bucket), ["main"]);
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
