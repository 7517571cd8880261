//! Namespaces on PostgreSQL: both engines in one instance, and two nodes on one database (KER-1, KER-2).

use std::time::Duration;

use kill::client::{Answer, Client};
use kill::postgres::{Database, SHARED};
use kill::server::{KEY, Server};
use serde_json::json;

use crate::launch;
use crate::namespaces::{create, patch, remove, tenant, until, until_status};

/// A change is seen on every node within this time.
const SEEN: Duration = Duration::from_secs(5);

fn on(server: &Server, path: &str, wished: impl Fn(&Answer) -> bool) -> Answer {
    until(&mut Client::new(server.address, KEY), path, SEEN, wished)
}

#[test]
fn ker_1_one_namespace_lives_on_sqlite_and_another_on_postgresql() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "mixed").expect("a database");
    for engine in ["sqlite", "postgres"] {
        let data = folder.path().join(engine);
        let launch = database.launch(launch(&data)).env("FASTNESS_STORE__ENGINE", engine);
        let mut server = launch.start().expect("a server");
        for other in ["sqlite", "postgres"] {
            let name = format!("on{other}");
            let new = json!({ "name": name, "engine": other });
            let made = server.client().post("/v1/z/namespaces", &new, "").expect("an answer");
            assert_eq!((made.status, &made.body["state"]), (201, &json!("open")), "{engine}: {made:?}");
            tenant(&server, &name, "app");
            server.kill().expect("a running server");
            server = launch.start().expect("a server");
            let keys = until_status(&mut server.client(), &format!("/v1/{name}/keys"), 200);
            assert_eq!(keys.body["items"].as_array().map(Vec::len), Some(1), "{engine}: {keys:?}");
        }
        let listed = server.client().get("/v1/z/namespaces").expect("an answer").body;
        let engines: Vec<_> = listed["items"].as_array().expect("items").iter().map(|item| &item["engine"]).collect();
        assert!(engines.contains(&&json!("sqlite")) && engines.contains(&&json!("postgres")), "{listed}");
    }
}

#[test]
fn ker_2_a_change_made_on_one_node_is_seen_on_the_other_within_5_s() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "nodes").expect("a database");
    let server = |name: &str| database.launch(launch(&folder.path().join(name))).start().expect("a server");
    let [one, two] = [server("one"), server("two")];
    let row = create(&one, "shop");
    on(&two, "/v1/shop/keys", |answer| answer.status == 200);
    let (tenant_of, _) = tenant(&one, "shop", "admin");
    let mut on_two = Client::new(two.address, tenant_of.key());
    until(&mut on_two, "/v1/shop/keys", SEEN, |answer| answer.status == 200);
    patch(&one, "shop", &json!({ "state": "closed", "message": "moving" }));
    until(&mut on_two, "/v1/shop/keys", SEEN, |answer| answer.code() == "OCLOSED");
    patch(&two, "shop", &json!({ "state": "open" }));
    let mut on_one = Client::new(one.address, tenant_of.key());
    until(&mut on_one, "/v1/shop/keys", SEEN, |answer| answer.status == 200);
    assert_eq!(remove(&one, "shop").status, 200);
    until(&mut on_two, "/v1/shop/keys", SEEN, |answer| matches!(answer.status, 503 | 401));
    until_status(&mut one.client(), "/v1/z/namespaces/shop", 404);
    assert_ne!(create(&two, "shop")["place"], row["place"]);
    let keys = on(&one, "/v1/shop/keys", |answer| answer.status == 200);
    assert_eq!(keys.body["items"], json!([]), "nothing of the first life on the node that removed it");
    // The late node looks again several times, and touches nothing of the new life.
    tenant(&one, "shop", "app");
    patch(&one, "shop", &json!({ "label": "again" }));
    on(&two, "/v1/z/namespaces/shop", |answer| answer.body["label"] == "again");
    let keys = on(&two, "/v1/shop/keys", |answer| answer.status == 200);
    assert_eq!(keys.body["items"].as_array().map(Vec::len), Some(1));
}

/// Killed while the other nodes would still let go, a removal goes on at the next start, from the row alone.
#[test]
fn ker_2_a_removal_killed_on_postgresql_goes_on_and_the_schema_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "killed").expect("a database");
    let launch = database.launch(launch(&folder.path().join("data")));
    let server = launch.start().expect("a server");
    let row = create(&server, "shop");
    tenant(&server, "shop", "app");
    let removing = remove(&server, "shop");
    assert_eq!(
        removing.body["kept_as"],
        format!("removed-{}", row["place"].as_str().expect("a place")),
        "{removing:?}"
    );
    server.kill().expect("a running server");
    let server = launch.start().expect("a server");
    let refused = server.client().post("/v1/z/namespaces", &json!({ "name": "shop" }), "").expect("an answer");
    assert_eq!((refused.status, refused.code()), (503, "OREMOVING"), "{refused:?}");
    until_status(&mut server.client(), "/v1/z/namespaces/shop", 404);
    assert!(server.log().contains("renamed=true"), "{}", server.log());
    create(&server, "shop");
    let keys = server.client().get("/v1/shop/keys").expect("an answer");
    assert_eq!((keys.status, &keys.body["items"]), (200, &json!([])), "{keys:?}");
}

#[test]
fn ker_2_a_namespace_whose_database_is_away_harms_nobody_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = launch(&folder.path().join("data")).start().expect("a server");
    // Nobody listens there; the password must not be told.
    let url = "host=127.0.0.1 port=9 user=u password=hunter2 dbname=d";
    let new = json!({ "name": "away", "engine": "postgres", "url": url });
    let made = server.client().post("/v1/z/namespaces", &new, "").expect("an answer");
    assert_eq!((made.status, &made.body["state"]), (201, &json!("creating")), "{made:?}");
    let fault = |answer: &Answer| answer.body["fault"].is_string();
    let shown = until(&mut server.client(), "/v1/z/namespaces/away", Duration::from_secs(30), fault);
    assert!(!shown.body.to_string().contains("hunter2") && shown.body["own_url"] == true, "{shown:?}");
    let refused = server.client().get("/v1/away/keys").expect("an answer");
    assert_eq!((refused.status, refused.code()), (503, "XSTORE"), "{refused:?}");
    assert_eq!(server.client().get("/v1/main/keys").expect("an answer").status, 200);
    assert_eq!(server.client().get("/readyz").expect("an answer").status, 200);
    assert!(!server.log().contains("hunter2"));
}
