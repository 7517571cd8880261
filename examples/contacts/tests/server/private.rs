//! Two keys see different things of one document, by whatever way they ask (DOC-10).

use client::{Client, Condition, Search};
use serde_json::{Value, json};

use crate::kit::{Site, at_server, code, content, done, in_replica, op};

async fn found(client: &Client, number: &str) -> Vec<Value> {
    let condition = Condition { field: "number".into(), cond: "EQ".into(), v1: json!(number), v2: None };
    let search = Search { c: "Contact".into(), item: "Phone".into(), conditions: vec![condition], ..Search::default() };
    client.search(&search).await.expect("an answer").items
}

#[tokio::test]
async fn doc_10_private_notes_and_numbers_are_hidden_from_keys_that_may_not_see_them() {
    let site = Site::start();
    let all = site.client_as("app", json!({}));
    let bound = site.client_as("app", json!({"service": ["documents", "contacts"]}));
    let reader = site.client_as("reader", json!({}));
    done(&all, "contacts.add", json!({"id": "ada", "name": "Ada", "phones": {"home": "0207 12"}})).await;
    let mut replicas = Vec::new();
    for (name, client, sees) in [("all", &all, true), ("bound", &bound, false), ("reader", &reader, false)] {
        let mut replica = site.replica(name);
        replica.follow("Contact", "ada", None).expect("a shelf");
        client.sync(&mut replica).await.expect("an answer");
        replicas.push((client, replica, sees));
    }
    let note = done(&all, "contacts.note", json!({"id": "ada", "text": "owes me a pound"})).await;
    let note = note.out["key"].as_str().expect("a key").to_owned();
    for (client, replica, sees) in &mut replicas {
        client.sync(replica).await.expect("an answer");
        let (text, number) =
            if *sees { (json!({"text": "owes me a pound"}), "0207 12") } else { (Value::Null, "…12") };
        for seen in [in_replica(replica, "Contact", "ada"), at_server(client, "Contact", "ada").await] {
            assert_eq!(content(&seen, "Note", &note), text, "{client:?}");
            assert_eq!(content(&seen, "Phone", "home"), json!({"number": number}));
            assert_eq!(content(&seen, "Card", ""), json!({"name": "Ada"}));
        }
    }
    assert_eq!(found(&all, "0207 12").await, [json!({"id": "ada"})]);
    assert!(found(&reader, "0207 12").await.is_empty(), "nobody learns a number by guessing it");
    assert_eq!(found(&reader, "…12").await.len(), 0);
}

/// The path `…/op/{name}` is that of documents, and what is run there may be a program's: its key needs no other service for it.
#[tokio::test]
async fn ker_32_a_key_bound_to_a_programs_service_runs_what_is_its_own_and_nothing_else() {
    let site = Site::start();
    let client = |service: &str| site.client_as("app", json!({ "service": service }));
    let (own, documents, other) = (client("contacts"), client("documents"), client("sensors"));
    let add = json!({"id": "ada", "name": "Ada", "phones": {"home": "0207 12"}});
    for stranger in [&documents, &other] {
        assert_eq!(code(op(stranger, "contacts.add", add.clone()).await), "SROLE");
    }
    done(&own, "contacts.add", add).await;
    for name in ["doc.get", "doc.search", "doc.sync", "doc.commit", "key.create", "sensors.signal", "nobodys.own"] {
        assert_eq!(code(op(&own, name, json!({})).await), "SROLE", "{name}");
    }
    let held = replica::Held::nothing("Contact", "ada");
    let asked = client::Ask { syncs: vec![held], ..client::Ask::default() };
    let note = json!({"id": "ada", "text": "read by nobody"});
    assert_eq!(code(own.op("contacts.note", &note, &asked).await), "SROLE", "documents come with it");
    let both = site.client_as("app", json!({"service": ["documents", "contacts"]}));
    assert_eq!(
        both.op("contacts.note", &note, &asked).await.expect("an answer").answer.map(|answer| answer.syncs.len()),
        Some(1)
    );
    let seen = at_server(&site.client_as("app", json!({})), "Contact", "ada").await.expect("it is there");
    assert_eq!(seen.2.keys().filter(|key| key.c == "Note").count(), 1, "a refused one did nothing");
}
