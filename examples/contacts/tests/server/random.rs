//! Any sequence of operations and synchronisations ends with the replica equal to the server (DOC-9).

use client::{Change, Client, ClientError, Replica};
use serde_json::{Value, json};

use crate::kit::{Site, at_server, in_replica, op, until_copied};

const CONTACTS: u64 = 6;
const GROUPS: u64 = 3;
const STEPS: usize = 240;

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        // Constants of a full-period generator modulo 2^64; the upper bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn step(dice: &mut Dice) -> (&'static str, Value) {
    let (contact, group) = (format!("c{}", dice.below(CONTACTS)), format!("g{}", dice.below(GROUPS)));
    let member = json!({"contact": contact, "group": group});
    match dice.below(10) {
        0 | 1 => ("contacts.add", json!({"id": contact, "name": "Ada", "phones": {"home": "1"}})),
        2 => ("contacts.rename", json!({"id": contact, "name": format!("Ada {}", dice.below(100))})),
        3 => ("contacts.note", json!({"id": contact, "text": "a note"})),
        4 => ("contacts.called", json!({"id": contact})),
        5 => ("contacts.remove", json!({"id": contact})),
        6 => ("groups.create", json!({"id": group, "title": "a group"})),
        7 | 8 => ("groups.join", member),
        _ => ("groups.leave", member),
    }
}

fn names() -> Vec<(&'static str, String)> {
    let contacts = (0..CONTACTS).map(|n| ("Contact", format!("c{n}")));
    contacts.chain((0..GROUPS).map(|n| ("Group", format!("g{n}")))).collect()
}

async fn run(client: &Client, replica: &mut Replica, dice: &mut Dice) -> Result<(), ClientError> {
    let (name, param) = step(dice);
    let about = [("Contact", param["contact"].as_str().or(param["id"].as_str()).unwrap_or_default())];
    if dice.below(2) == 0 {
        return client.op_synced(name, &param, &about, replica).await.map(drop);
    }
    op(client, name, param).await.map(drop)
}

#[tokio::test]
async fn doc_9_a_replica_in_a_file_equals_the_server_after_any_sequence() {
    let site = Site::start();
    let client = site.client();
    let mut replica = site.replica("copy");
    for (class, id) in names() {
        replica.follow(class, &id, None).expect("a shelf");
    }
    let (mut dice, mut refused) = (Dice(1), 0);
    for number in 0..STEPS {
        match run(&client, &mut replica, &mut dice).await {
            Ok(()) => {}
            Err(ClientError::Api(error)) if matches!(error.code.as_str(), "NDOC" | "AEXISTS" | "AITEM") => refused += 1,
            Err(error) => panic!("{error}"),
        }
        if dice.below(12) == 0 {
            let phone = Change::of("Contact", "c0").put("Phone", "work", json!({"number": number.to_string()}));
            client.commit_synced(&[phone], &mut replica).await.expect("an answer");
        }
        if dice.below(20) == 0 {
            drop(replica);
            replica = site.replica("copy");
            client.sync(&mut replica).await.expect("an answer");
        }
    }
    assert!(refused > 0 && STEPS - refused > STEPS / 3, "{refused}");
    until_copied(&site.server).await;
    client.sync(&mut replica).await.expect("an answer");
    for (class, id) in names() {
        assert_eq!(in_replica(&replica, class, &id), at_server(&client, class, &id).await, "{class} {id}");
    }
}
