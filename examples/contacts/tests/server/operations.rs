//! Own operations by name, and the copies of their caller after them (DOC-7, DOC-8, DOC-15).

use client::{Change, Client, Condition, Expect, Search};
use serde_json::json;

use crate::kit::{Site, at_server, code, content, done, in_replica, op};

/// Ada and Grace, of whom Ada is in two groups.
async fn settled(client: &Client) {
    done(
        client,
        "contacts.add",
        json!({"id": "ada", "name": "Ada", "email": "ada@example.org", "phones": {"home": "0207 12"}}),
    )
    .await;
    done(client, "contacts.add", json!({"id": "grace", "name": "Grace, Admiral"})).await;
    for group in ["chess", "math"] {
        done(client, "groups.create", json!({"id": group, "title": group})).await;
    }
    assert_eq!(done(client, "groups.join", json!({"contact": "ada", "group": "chess"})).await.out["number"], 1);
    assert_eq!(done(client, "groups.join", json!({"contact": "grace", "group": "chess"})).await.out["number"], 2);
    assert_eq!(done(client, "groups.join", json!({"contact": "ada", "group": "math"})).await.out["number"], 3);
}

#[tokio::test]
async fn doc_7_classes_that_a_program_brings_along_can_be_asked_for_before_anything_was_done() {
    let site = Site::start();
    let client = site.client();
    assert_eq!(client.get("Contact", "nobody", 0).await.expect("an answer"), None, "NDOC, not NCLASS");
    let condition = Condition { field: "name".into(), cond: "SW".into(), v1: json!("A"), v2: None };
    let search = Search { c: "Contact".into(), item: "Card".into(), conditions: vec![condition], ..Search::default() };
    assert!(client.search(&search).await.expect("an answer").items.is_empty());
    let mut replica = site.replica("copy");
    replica.follow("Group", "chess", None).expect("a shelf");
    assert!(client.sync(&mut replica).await.expect("an answer").refused.is_empty());
    let classes = site.server.client().get("/v1/main/doc-classes").expect("an answer");
    assert_eq!(classes.body["items"].as_array().expect("a list").len(), 3, "{classes:?}");
}

#[tokio::test]
async fn doc_7_doc_8_an_own_operation_changes_several_documents_under_one_version_and_brings_copies_level() {
    let site = Site::start();
    let client = site.client();
    settled(&client).await;
    let mut replica = site.replica("copy");
    for (class, id) in [("Contact", "grace"), ("Group", "math")] {
        replica.follow(class, id, None).expect("a shelf");
    }
    let param = json!({"contact": "grace", "group": "math"});
    let about = [("Contact", "grace"), ("Group", "math")];
    let joined = client.op_synced("groups.join", &param, &about, &mut replica).await.expect("an answer");
    let (contact, group) = (in_replica(&replica, "Contact", "grace"), in_replica(&replica, "Group", "math"));
    assert_eq!(content(&contact, "Groups", "math"), json!({"number": 4}));
    assert_eq!(content(&group, "Member", "grace"), json!({"number": 4}));
    assert_eq!(content(&group, "Card", "grace"), json!({"name": "Grace, Admiral"}), "the first copy");
    let versions = [contact, group].map(|seen| seen.map(|(version, ..)| version));
    assert_eq!(versions, [joined.version, joined.version]);
    let again = done(&client, "groups.join", param).await;
    assert_eq!((&again.out, again.version), (&json!({"number": 4}), None), "twice changes nothing");
}

#[tokio::test]
async fn doc_7_what_leaves_or_is_removed_is_gone_on_both_sides() {
    let site = Site::start();
    let client = site.client();
    settled(&client).await;
    done(&client, "groups.leave", json!({"contact": "ada", "group": "math"})).await;
    let (ada, math) = (at_server(&client, "Contact", "ada").await, at_server(&client, "Group", "math").await);
    assert_eq!(
        [content(&ada, "Groups", "math"), content(&math, "Member", "ada"), content(&math, "Card", "ada")],
        [json!(null), json!(null), json!(null)]
    );
    done(&client, "contacts.remove", json!({"id": "ada"})).await;
    assert_eq!(at_server(&client, "Contact", "ada").await, None);
    assert_eq!(content(&at_server(&client, "Group", "chess").await, "Member", "ada"), json!(null));
    assert_eq!(done(&client, "groups.join", json!({"contact": "grace", "group": "math"})).await.out["number"], 4);
}

#[tokio::test]
async fn doc_8_a_report_is_bytes_with_their_media_type() {
    let site = Site::start();
    let client = site.client();
    settled(&client).await;
    let table = client.op_bytes("groups.members", &json!({"group": "chess"})).await.expect("bytes");
    assert_eq!(table.mime.as_deref(), Some("text/csv; charset=utf-8"));
    let expected = "number,contact,name,email\r\n1,ada,Ada,ada@example.org\r\n2,grace,\"Grace, Admiral\",\r\n";
    assert_eq!(String::from_utf8_lossy(&table.bytes), expected);
    assert_eq!(code(client.op_bytes("groups.members", &json!({"group": "none"})).await), "NDOC");
}

/// On any engine.
pub async fn check_own_search(client: &Client) {
    settled(client).await;
    let found = done(client, "contacts.find", json!({"part": "ADM"})).await;
    assert_eq!(found.out, json!([{"id": "grace", "name": "Grace, Admiral"}]));
    assert_eq!(done(client, "contacts.find", json!({"part": "a"})).await.out.as_array().map(Vec::len), Some(2));
    assert_eq!(done(client, "contacts.find", json!({"part": "%"})).await.out, json!([]));
    done(client, "contacts.remove", json!({"id": "grace"})).await;
    assert_eq!(done(client, "contacts.find", json!({"part": "adm"})).await.out, json!([]));
}

#[tokio::test]
async fn doc_7_doc_13_an_own_search_brings_its_own_sql() {
    check_own_search(&Site::start().client()).await;
}

#[tokio::test]
async fn doc_7_what_does_not_fit_is_refused_and_changes_nothing() {
    let site = Site::start();
    let client = site.client();
    settled(&client).await;
    let before = at_server(&client, "Contact", "ada").await;
    for (name, param, expected) in [
        ("contacts.add", json!({"id": "ada", "name": "Another"}), "AEXISTS"),
        ("contacts.add", json!({"id": "x"}), "ABODY"),
        ("contacts.add", json!({"id": "x", "name": ""}), "ALIMIT"),
        ("contacts.add", json!({"id": "x", "name": "a\nb"}), "ABODY"),
        ("contacts.add", json!({"id": "x".repeat(256), "name": "x"}), "AITEM"),
        ("contacts.add", json!({"id": "x", "name": "x", "born": 1815}), "ABODY"),
        ("contacts.rename", json!({"id": "nobody", "name": "x"}), "NDOC"),
        ("contacts.called", json!({"id": "nobody"}), "NDOC"),
        ("groups.join", json!({"contact": "ada", "group": "none"}), "NDOC"),
        ("groups.leave", json!({"contact": "ada", "group": "none"}), "NDOC"),
        ("contacts.remove", json!({"id": "nobody"}), "NDOC"),
        ("contacts.find", json!({"part": ""}), "ALIMIT"),
        ("contacts.paint", json!({}), "NOPERATION"),
    ] {
        assert_eq!(code(op(&client, name, param.clone()).await), expected, "{name} {param}");
    }
    let past_us = Change::of("Group", "chess").put("Member", "eve", json!({"number": 1}));
    assert_eq!(code(client.commit(&[past_us]).await), "SROLE", "groups change by our operations only");
    let reader = site.client_as("reader", json!({}));
    assert_eq!(code(op(&reader, "contacts.rename", json!({"id": "ada", "name": "x"})).await), "SROLE");
    assert_eq!(at_server(&client, "Contact", "ada").await, before);
    assert_eq!(at_server(&client, "Contact", "x").await, None);
}

#[tokio::test]
async fn doc_6_a_change_without_items_locks_and_makes_nothing() {
    let site = Site::start();
    let client = site.client();
    let version = client.commit(&[Change::of("Contact", "x").expecting(Expect::New)]).await.expect("an answer");
    assert_eq!((version, at_server(&client, "Contact", "x").await), (None, None));
    client.commit(&[Change::of("Contact", "x").make()]).await.expect("an answer").expect("a version");
    assert!(at_server(&client, "Contact", "x").await.is_some());
}

#[tokio::test]
async fn doc_13_items_that_are_found_come_with_their_documents() {
    let site = Site::start();
    let client = site.client();
    settled(&client).await;
    let condition = Condition { field: "number".into(), cond: "GELE".into(), v1: json!(1), v2: Some(json!(2)) };
    let search = Search {
        c: "Group".into(),
        item: "Member".into(),
        conditions: vec![condition],
        items: true,
        ..Search::default()
    };
    let page = client.search(&search).await.expect("an answer");
    let found: Vec<_> = page.items.iter().map(|found| [&found["id"], &found["k"]]).collect();
    assert_eq!(found, [["chess", "ada"], ["chess", "grace"]]);
}
