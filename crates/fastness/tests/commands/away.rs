//! Lists of all namespaces while one of them is away: nobody takes what is left for all (KER-22, KER-40).

use kill::postgres::{Database, SHARED};
use kill::proxy::Proxy;
use serde_json::{Value, json};

use crate::kit::Kit;

#[test]
fn ker_22_ker_40_a_list_without_a_namespace_that_is_away_says_so_to_programs_postgres() {
    let kit = Kit::start();
    let database = Database::new(SHARED, "away").expect("a database");
    let proxy = Proxy::start(database.address().expect("an address")).expect("a proxy");
    let url = kit.file("url", &database.through(proxy.address()).expect("a database").url);
    kit.out(&format!("admin namespace create shop --engine postgres --url-file {}", url.display()));
    kit.out("tasks task create x.y --target http://127.0.0.1:9/x --start-at +2h --namespace shop");
    let lists = ["tasks task list", "tasks stuck list", "tasks queue list"].map(|list| format!("{list} --namespace z"));
    for list in &lists {
        assert_eq!(kit.json(list).get("unseen"), None, "{list}");
    }
    proxy.point_to("127.0.0.1:9".parse().expect("where nobody listens"));
    proxy.cut_all();
    for list in &lists {
        let programs = kit.run(&format!("{list} --json"));
        assert_eq!(programs.code, 4, "{list}: {programs:?}");
        let shown: Value = serde_json::from_str(&programs.out).expect("JSON");
        assert_eq!(shown["unseen"], json!([{"namespace": "shop", "code": "XSTORE"}]), "{list}");
        let told: Value = serde_json::from_str(&programs.err).expect("JSON");
        assert_eq!(told["error"]["exit"], 4, "{list}: {told}");
        let people = kit.run(list);
        assert!(people.code == 4 && people.err.contains("shop (XSTORE)"), "{list}: {people:?}");
        assert!(!people.err.contains("everything goes on"), "{list}: {people:?}");
    }
}
