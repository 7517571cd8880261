//! The exchange at a terminal: who takes part, what lies where, what a person decides.

use kill::client::Client;
use serde_json::{Value, json};

use crate::kit::Kit;

fn registered() -> (Kit, String) {
    let kit = Kit::start();
    let made = kit.run_words(&["exchange", "company", "create", "acme", "--name", "Acme Trading"], "");
    assert_eq!(made.out, "company acme is registered\n", "{made:?}");
    kit.out("exchange subsystem create sales --company acme --name Sales");
    let key = kit.out("exchange database create erp --company acme -q");
    assert!(key.starts_with("fst_"), "quiet gives what is shown once: {key}");
    (kit, key.trim().to_owned())
}

/// A message of a device that was activated by its code; gives the device.
fn sent(kit: &Kit, id: &str) -> String {
    let made = kit.json("exchange device create Anna --company acme --subsystem sales");
    let (device, code) = (made["id"].as_str().expect("an id"), made["activation_code"].as_str().expect("a code"));
    let active =
        kit.server.client().post("/v1/main/exchange/activate", &json!({ "code": code }), "").expect("an answer");
    let head = json!({"company": "acme", "subsystem": "sales", "from": device, "to": "erp", "created_at": "2026-11-16T12:00:00Z"});
    let message = json!({"version": 1, "id": id, "head": head, "body": {"type": "order", "version": 1, "payload": {}}});
    let key = active.body["key"].as_str().expect("a key");
    let answer =
        Client::new(kit.server.address, key).post("/v1/main/exchange/messages", &message, "").expect("an answer");
    assert_eq!(answer.status, 201, "{answer:?}");
    device.to_owned()
}

#[test]
fn exc_1_companies_subsystems_databases_and_devices_are_registered_and_listed() {
    let (kit, _) = registered();
    assert_eq!(kit.out("exchange company list -q"), "acme\n");
    assert_eq!(kit.out("exchange subsystem list --company acme -q"), "sales\n");
    assert_eq!(kit.table("exchange database list"), "ID  COMPANY  QUEUED  HEARD  CREATED\nerp  acme  0  AGO\n");
    let shown = kit.out("exchange device create Anna --company acme --subsystem sales");
    assert!(shown.contains("activation code, good once and for seven days: "), "{shown}");
    let id = kit.out("exchange device list --company acme -q");
    let id = id.trim();
    assert_eq!(kit.json(&format!("exchange device show {id}"))["has_code"], true);
    assert_eq!(kit.out(&format!("exchange device block {id}")), format!("device {id} is shut out\n"));
    assert_eq!(kit.json(&format!("exchange device show {id}"))["state"], "blocked");
    kit.out(&format!("exchange device unblock {id}"));
    assert!(kit.out(&format!("exchange device code {id} -q")).contains('-'));
    let refused = kit.run("exchange database create erp --company acme");
    assert_eq!(refused.code, 3, "{refused:?}");
    assert_eq!(kit.run("exchange device list --subsystem sales").code, 2, "a subsystem is one of a company");
}

#[test]
fn exc_1_companies_subsystems_and_devices_are_called_otherwise() {
    let (kit, _) = registered();
    let named = |words: &[&str], name: &str| kit.run_words(&[words, &["--name", name]].concat(), "").out;
    let renamed = named(&["exchange", "company", "change", "acme"], "Acme & Sons");
    assert_eq!(renamed, "company acme is changed\n");
    let renamed = named(&["exchange", "subsystem", "change", "sales", "--company", "acme"], "Field sales");
    assert_eq!(renamed, "subsystem sales of acme is changed\n");
    kit.out("exchange device create Anna --company acme --subsystem sales");
    let id = kit.out("exchange device list -q").trim().to_owned();
    assert_eq!(named(&["exchange", "device", "change", &id], "Phone 12"), format!("device {id} is changed\n"));
    let name = |words: &str| kit.json(words)["items"][0]["name"].clone();
    let names = ["company", "subsystem", "device"].map(|noun| name(&format!("exchange {noun} list")));
    assert_eq!(names, [json!("Acme & Sons"), json!("Field sales"), json!("Phone 12")]);
    let refused = kit.run("exchange device change nobody --name x");
    assert!(refused.code == 3 && refused.err.contains("(NPARTY)"), "{refused:?}");
    assert_eq!(kit.run("exchange subsystem change sales --name x").code, 2, "of which company?");
}

#[test]
fn exc_5_messages_are_listed_read_and_put_back() {
    let (kit, key) = registered();
    let device = sent(&kit, "m-1");
    assert_eq!(kit.json("exchange message list erp")["items"][0]["from"], json!(device));
    let process = processed(Client::new(kit.server.address, &key), "m-1");
    let name = kit.out("exchange message list erp --folder Log -q");
    let read = kit.run(&format!("exchange message get {}", name.trim()));
    let read: Value = serde_json::from_str(&read.out).expect("the message");
    assert_eq!(read["id"], "m-1");
    assert_eq!(kit.run(&format!("exchange message requeue {}", name.trim())).code, 2, "nobody can be asked");
    kit.out(&format!("exchange message requeue {} --yes", name.trim()));
    assert_eq!(kit.out("exchange message list erp -q"), name);
    let ledger = kit.json("exchange ledger show erp");
    assert_eq!((&ledger["received"], &ledger["queued"], &ledger["balances"]), (&json!(1), &json!(1), &json!(true)));
    assert_eq!(kit.json(&format!("exchange statistics show --device {device}"))["sent"], 1);
    let shown = kit.json(&format!("exchange process show {process}"));
    assert_eq!((&shown["state"], &shown["given"][0]["id"]), (&json!("ENDED"), &json!("m-1")));
    kit.out(&format!("exchange process resolve {process} --committed --yes"));
    let late = kit.run(&format!("exchange process resolve {process} --not-committed --yes"));
    assert_eq!(late.code, 3, "it was committed: {late:?}");
    assert_eq!(kit.run(&format!("exchange process resolve {process} --yes")).code, 2, "committed or not?");
    assert_eq!(kit.out("exchange process list --unresolved -q"), "");
    assert_eq!(kit.out("exchange process list --database erp --state ENDED -q").trim(), process);
}

/// The database takes a message and processes it.
fn processed(mut database: Client, id: &str) -> String {
    let begun = database.post("/v1/main/exchange/processes", &json!({ "db": "erp" }), "").expect("an answer");
    let process = begun.body["process"].as_str().expect("a process").to_owned();
    let results = json!({ "results": [{ "id": id, "status": "PROCESSED" }] });
    for (step, body) in [("prepare", results), ("commit", json!({}))] {
        let path = format!("/v1/main/exchange/processes/{process}/{step}");
        assert_eq!(database.post(&path, &body, "").expect("an answer").body["status"], "OK");
    }
    process
}
