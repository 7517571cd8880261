//! Documents of another namespace, read by right of a grant (KER-1), over HTTP.

use std::sync::Arc;

use base::Store;
use kernel::namespaces::{Known, Standing, State};
use serde_json::{Value, json};
use store_sqlite::InlineStore;

use crate::edge::{ADMIN, Edge};
use crate::kit::Desk;

impl Edge {
    /// Namespace `main` has contact `a`; namespace `shop` would like to read it.
    fn with_shop() -> Self {
        let desk = Desk::new();
        desk.put("a", "Card", None, json!({ "name": "Ada" }));
        let store: Arc<dyn Store> = Arc::new(InlineStore::in_memory(desk.0.kernel.env().clock.clone()).unwrap());
        desk.0.kernel.add_namespace("shop".into(), store).unwrap();
        Self::of(desk)
    }

    /// `doc.get` in namespace `shop`: the status, and the code or the name on the card.
    fn get(&self, key: &str, param: Value) -> (u16, String) {
        let (status, answer) = self.ask("POST", "/v1/shop/op/doc.get", key, &json!({ "param": param }));
        let text = if status == 200 { &answer["out"]["items"][0]["j"]["name"] } else { &answer["code"] };
        (status, text.as_str().unwrap_or_default().to_owned())
    }

    fn grant(&self, class: &str) {
        let grants = [("main".to_owned(), "shop".to_owned(), class.to_owned())].into();
        self.desk.0.kernel.registry().learn(Known { grants, ..Known::default() });
    }

    fn reads_told(&self) -> Vec<String> {
        let (status, lines) = self.ask("GET", "/v1/main/journal?kind=grant.read", ADMIN, &Value::Null);
        assert_eq!(status, 200, "{lines}");
        let lines = lines["items"].as_array().unwrap();
        lines.iter().map(|line| format!("{} {}", line["subject"], line["text"])).collect()
    }
}

#[test]
fn ker_1_a_granted_class_is_read_with_a_tolerance_and_told_in_the_owners_journal() {
    let edge = Edge::with_shop();
    let key = edge.key("shop", "app");
    let asked = json!({ "c": "Contact", "id": "a", "ns": "main", "tolerance_s": 5 });
    assert_eq!(edge.get(&key, asked.clone()), (404, "NGRANT".into()), "not granted");
    edge.grant("Order");
    assert_eq!(edge.get(&key, asked.clone()), (404, "NGRANT".into()), "another class is");
    assert!(edge.reads_told().is_empty());
    edge.grant("Contact");
    for reads in 1..=2 {
        assert_eq!(edge.get(&key, asked.clone()), (200, "Ada".into()));
        assert_eq!(edge.reads_told().len(), reads);
    }
    assert_eq!(edge.reads_told()[0], r#""Contact/a" "namespace shop read class Contact""#);
}

#[test]
fn ker_1_a_grant_is_for_getting_with_a_tolerance_only() {
    let edge = Edge::with_shop();
    let key = edge.key("shop", "app");
    edge.grant("Contact");
    let newest = json!({ "c": "Contact", "id": "a", "ns": "main" });
    assert_eq!(edge.get(&key, newest), (400, "ABODY".into()), "the newest is its owner's");
    let unknown = json!({ "c": "Contact", "id": "a", "ns": "nobody", "tolerance_s": 5 });
    assert_eq!(edge.get(&key, unknown), (404, "NGRANT".into()));
    let absent = json!({ "c": "Contact", "id": "none", "ns": "main", "tolerance_s": 5 });
    assert_eq!(edge.get(&key, absent), (404, "NDOC".into()));
    let own = json!({ "c": "Contact", "id": "a", "ns": "shop", "tolerance_s": 0 });
    assert_eq!(edge.get(&key, own), (404, "NCLASS".into()), "its own namespace needs no grant");
    assert!(edge.desk.0.kernel.namespace("main").is_ok());
    let change = json!({ "param": { "ns": "main", "changes": [] } });
    let (status, refused) = edge.ask("POST", "/v1/shop/op/doc.commit", &key, &change);
    assert_eq!((status, refused["code"].as_str()), (400, Some("ABODY")), "nothing is changed through a grant");
}

#[test]
fn ker_1_ker_2_what_its_owner_closed_nobody_reads_through_a_grant() {
    let edge = Edge::with_shop();
    let key = edge.key("shop", "app");
    edge.grant("Contact");
    let asked = json!({ "c": "Contact", "id": "a", "ns": "main", "tolerance_s": 5 });
    let main = edge.desk.0.main();
    for (state, expected) in
        [(State::Closed, (503, "OCLOSED")), (State::ReadOnly, (200, "Ada")), (State::Removing, (503, "OREMOVING"))]
    {
        main.set_standing(Standing { state, ..Standing::OPEN });
        let (status, text) = edge.get(&key, asked.clone());
        assert_eq!((status, text.as_str()), expected, "{state:?}");
    }
}
