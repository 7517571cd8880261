//! Links of sensors and clients.

use serde_json::{Value, json};

use crate::edge::Edge;

#[test]
fn sen_1_sensors_and_clients_are_linked_many_to_many() {
    check_links(&Edge::new());
}

pub fn check_links(edge: &Edge) {
    let ((one, _), (two, _)) = (edge.client("one"), edge.client("two"));
    for id in ["a", "b", "c"] {
        edge.sensor(id, "Oslo");
        edge.link(&one, id);
    }
    edge.link(&two, "b");
    edge.link(&two, "b");
    let linked = |client: &str, limit| -> Vec<String> {
        let links = edge.all(&format!("/sensor-clients/{client}/sensors"), limit);
        links.iter().map(|link| link["sensor"]["id"].as_str().unwrap().to_owned()).collect()
    };
    for limit in [1, 2, 10] {
        assert_eq!(linked(&one, limit), ["a", "b", "c"]);
        assert_eq!(linked(&two, limit), ["b"]);
    }
    let clients = edge.get("/sensors/b/clients")["items"].as_array().unwrap().clone();
    assert_eq!(clients.iter().map(|link| &link["name"]).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(edge.get(&format!("/sensor-clients/{one}"))["sensors"], json!(3));
    let unlink = |client: &str, sensor: &str| {
        edge.refused("DELETE", &format!("/sensor-clients/{client}/sensors/{sensor}"), Value::Null)
    };
    for _ in 0..2 {
        assert_eq!(unlink(&one, "b").0, 204, "a repeat is no error");
    }
    assert_eq!(linked(&one, 10), ["a", "c"]);
    assert_eq!(unlink("nobody", "b"), (404, "NCLIENT".into()));
    assert_eq!(unlink(&one, "a-b"), (422, "ASENSOR".into()));
    assert_eq!(edge.ask("DELETE", "/sensors/b", Value::Null).0, 204);
    assert_eq!(linked(&two, 10), Vec::<String>::new(), "a sensor goes with its links");
}

#[test]
fn sen_1_what_cannot_be_linked_is_refused() {
    let edge = Edge::new();
    let (client, _) = edge.client("one");
    edge.sensor("a", "Oslo");
    for (client, sensor, code) in [
        ("nobody", "a", "NCLIENT"),
        (&client, "b", "NSENSOR"),
        (&client, "a-b", "ASENSOR"),
        (&client, "0123456789aBcDeF0", "ASENSOR"),
    ] {
        let path = format!("/sensor-clients/{client}/sensors/{sensor}");
        assert_eq!(edge.refused("PUT", &path, Value::Null).1, code, "{path}");
    }
    assert_eq!(edge.refused("GET", "/sensor-clients/nobody/sensors", Value::Null).1, "NCLIENT");
    assert_eq!(edge.refused("GET", "/sensors/b/clients", Value::Null).1, "NSENSOR");
}

#[test]
fn sen_1_a_sensor_has_a_hundred_clients_at_most() {
    let edge = Edge::new();
    edge.sensor("a", "Oslo");
    for number in 0..100 {
        edge.link(&edge.client(&format!("client {number}")).0, "a");
    }
    let (one_more, _) = edge.client("one more");
    let path = format!("/sensor-clients/{one_more}/sensors/a");
    assert_eq!(edge.refused("PUT", &path, Value::Null), (422, "ALIMIT".into()));
    assert_eq!(edge.get("/sensors/a/clients")["items"].as_array().unwrap().len(), 100);
}

#[test]
fn sen_1_a_key_bound_to_a_client_gives_it_no_sensors_but_may_let_them_go() {
    let edge = Edge::new();
    edge.sensor("d1", "a house");
    let (mine, _) = edge.client("mine");
    let link = format!("/sensor-clients/{mine}/sensors/d1");
    let key = edge.key("operator", json!({ "client": mine }));
    let (status, refused) = edge.ask_as(&key, "PUT", &link, json!(null));
    assert_eq!((status, &refused["code"]), (403, &json!("SROLE")), "nobody gives sensors to itself");
    assert_eq!(edge.ask("PUT", &link, json!(null)).0, 204);
    assert_eq!(edge.ask_as(&key, "DELETE", &link, json!(null)).0, 204);
}
