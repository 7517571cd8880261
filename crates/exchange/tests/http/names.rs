//! What companies, subsystems and devices are called, and how that changes; the same on PostgreSQL.

use base::Sql;
use serde_json::{Value, json};

use crate::edge::{ADMIN, Office, answered};

static LINES: Sql = Sql::new(
    "test.lines",
    "SELECT kind, subject, text FROM journal WHERE kind IN ('exchange.company', 'exchange.subsystem', 'exchange.device') \
     AND (text = 'renamed' OR text LIKE '%called %') ORDER BY kind, id",
);

fn rename(office: &Office, path: &str, body: Value) {
    let (status, answer) = office.edge.ask("PATCH", path, body);
    assert_eq!((status, &answer), (204, &Value::Null), "{path}");
}

/// What the journal says of new names, by kind.
fn told(office: &Office) -> Vec<[String; 3]> {
    let lines = office.edge.rows(&LINES);
    lines.iter().map(|row| [0, 1, 2].map(|column| row.text(column).to_owned())).collect()
}

fn names(office: &Office, what: &str) -> Vec<Value> {
    office.edge.all(what, 9).iter().map(|one| one["name"].clone()).collect()
}

#[test]
fn exc_1_a_name_changes_and_the_id_with_all_that_hangs_on_it_stays() {
    check_names(&Office::open());
}

/// On every engine.
pub fn check_names(office: &Office) {
    office.sent(&["before"]);
    let phone = office.phone.as_str();
    let device = format!("/devices/{phone}");
    for _ in 0..2 {
        rename(office, "/companies/acme", json!({ "name": "Acme & Söhne" }));
        rename(office, "/subsystems/sales", json!({ "company": "acme", "name": "Field sales" }));
        rename(office, &device, json!({ "name": "Phone 12" }));
    }
    assert_eq!(names(office, "/companies"), ["Acme & Söhne"]);
    assert_eq!(names(office, "/subsystems"), ["Field sales"]);
    assert_eq!(names(office, "/devices"), ["Phone 12"]);
    assert_eq!(office.edge.get(&device)["name"], "Phone 12");
    let line = |kind: &str, subject: &str, text: &str| [kind, subject, text].map(str::to_owned);
    let expected = [
        line("exchange.company", "acme", "called `Acme & Söhne`, was `Acme`"),
        line("exchange.device", phone, "renamed"),
        line("exchange.subsystem", "sales", "of `acme`: called `Field sales`, was `Sales`"),
    ];
    assert_eq!(told(office), expected, "once each");
    office.sent(&["after"]);
    assert_eq!(office.edge.get(&format!("/statistics?device={phone}"))["sent"], 2, "its key and its numbers stay");
}

#[test]
fn exc_1_a_device_that_is_renamed_is_called_by_its_old_name_nowhere() {
    static KEPT: Sql = Sql::new(
        "test.kept_names",
        "SELECT COUNT(*) FROM (SELECT text AS told FROM journal UNION ALL SELECT name FROM exc_device \
         UNION ALL SELECT label FROM access_key UNION ALL SELECT COALESCE(answer, '') FROM request) AS all_of_it \
         WHERE told LIKE '%Anna Petrova%'",
    );
    let office = Office::open();
    let new = json!({ "company": "acme", "subsystem": "sales", "name": "Anna Petrova" });
    let made = office.edge.send(ADMIN, "POST", "/devices", &[("idempotency-key", "k")], &new.to_string()).json();
    assert_eq!(office.activate(made["activation_code"].as_str().unwrap()).0, 200);
    assert_eq!(office.edge.count(&KEPT), 1, "in its own row alone");
    let id = made["id"].as_str().unwrap();
    for (name, key) in [("Anna Petrova-Weiss", "a"), ("Phone 12", "b")] {
        let body = json!({ "name": name }).to_string();
        let path = format!("/devices/{id}");
        assert_eq!(office.edge.send(ADMIN, "PATCH", &path, &[("idempotency-key", key)], &body).status, 204);
    }
    assert_eq!(office.edge.count(&KEPT), 0);
}

#[test]
fn exc_1_what_is_no_name_is_refused_and_what_is_not_there_is_not_named() {
    let office = Office::open();
    let device = format!("/devices/{}", office.phone);
    let of = |path: &str, name: Value| match path {
        "/subsystems/sales" => json!({ "company": "acme", "name": name }),
        _ => json!({ "name": name }),
    };
    for path in ["/companies/acme", "/subsystems/sales", &device] {
        let refused = |body: &Value| office.edge.refused("PATCH", path, body).1;
        for name in ["", "a\nb", "a\u{7}", &"x".repeat(201)] {
            assert_eq!(refused(&of(path, json!(name))), "AEXCHANGE", "{path} {name:?}");
        }
        for name in [json!(7), Value::Null, json!(["x"])] {
            assert_eq!(refused(&of(path, name.clone())), "ABODY", "{path} {name}");
        }
        let mut more = of(path, json!("x"));
        more["id"] = json!("other");
        for body in [json!({}), json!([]), more] {
            assert_eq!(refused(&body), "ABODY", "{path} {body}");
        }
        rename(&office, path, of(path, json!("x".repeat(200))));
    }
    for path in ["/companies/nobody", "/companies/ACME", "/devices/nobody", "/devices/..%2Fx", "/companies/a%20b"] {
        assert_eq!(office.edge.refused("PATCH", path, &json!({ "name": "x" })), (404, "NPARTY".into()), "{path}");
    }
    for (id, company) in [("sales", "nobody"), ("nothing", "acme"), ("sales", ""), ("sales", &"x".repeat(100_000))] {
        let body = json!({ "company": company, "name": "x" });
        let reply = office.edge.send(ADMIN, "PATCH", &format!("/subsystems/{id}"), &[], &body.to_string());
        assert_eq!((reply.status, reply.code()), (404, "NPARTY".into()), "{id}");
        assert!(reply.text.len() < 1_000, "{}", reply.text.len());
    }
    assert_eq!(office.edge.refused("PATCH", "/subsystems/sales", &json!({ "name": "x" })).1, "ABODY");
    assert_eq!(office.edge.refused("PATCH", "/databases/erp", &json!({ "name": "x" })).0, 404, "it has an id alone");
    let elsewhere = format!("/v1/z/exchange/devices/{}", office.phone);
    assert_eq!(office.edge.refused("PATCH", &elsewhere, &json!({ "name": "x" })), (404, "NPARTY".into()));
    office.check();
}

#[test]
fn exc_1_operators_rename_and_nobody_else() {
    let office = Office::open();
    let edge = &office.edge;
    let device = format!("/devices/{}", office.phone);
    let bodies = [
        ("/companies/acme", json!({ "name": "x" })),
        ("/subsystems/sales", json!({ "company": "acme", "name": "x" })),
        (device.as_str(), json!({ "name": "x" })),
    ];
    let bound = edge.key("operator", &json!({ "company": "acme" }));
    let others =
        [&office.phone_key, &office.db_key, &edge.key("reader", &json!({})), &edge.key("app", &json!({})), &bound];
    for (path, body) in &bodies {
        for key in others {
            assert_eq!(edge.refused_as(key, "PATCH", path, body), (403, "SROLE".into()), "{path}");
        }
        assert_eq!(edge.refused_as("", "PATCH", path, body), (401, "SKEY".into()), "{path}");
    }
    assert_eq!(names(&office, "/companies"), ["Acme"], "nothing changed");
    let operator = edge.key("operator", &json!({}));
    for (path, body) in bodies {
        assert_eq!(edge.ask_as(&operator, "PATCH", path, body).0, 204, "{path}");
    }
}

#[test]
fn exc_17_a_repeated_renaming_does_not_undo_a_later_one() {
    let office = Office::open();
    let path = format!("/devices/{}", office.phone);
    let named = |key: &str, name: &str| {
        let body = json!({ "name": name }).to_string();
        office.edge.send(ADMIN, "PATCH", &path, &[("idempotency-key", key)], &body)
    };
    assert_eq!((named("a", "first").status, named("b", "second").status), (204, 204));
    let again = named("a", "first");
    assert_eq!((again.status, &again.headers["idempotency-replayed"]), (204, &"true".parse().unwrap()));
    assert_eq!(named("a", "third").code(), "AKEYREUSED");
    assert_eq!(names(&office, "/devices"), ["second"]);
}

#[test]
fn exc_1_of_two_names_at_once_one_stays_and_both_are_told() {
    check_two_names(&Office::open());
}

/// On every engine.
pub fn check_two_names(office: &Office) {
    let device = format!("/devices/{}", office.phone);
    let request = |path: &str, name: &str| {
        let body = json!({ "name": name }).to_string();
        answered(office.edge.router.clone(), office.edge.request(ADMIN, "PATCH", path, &[], body))
    };
    let (one, two, three, four, sent) = office.edge.runtime.block_on(async {
        let message = office.message("m", 0).to_string();
        let sent = office.edge.request(&office.phone_key, "POST", "/messages", &[], message);
        tokio::join!(
            request("/companies/acme", "One"),
            request("/companies/acme", "Two"),
            request(&device, "one"),
            request(&device, "two"),
            answered(office.edge.router.clone(), sent),
        )
    });
    for reply in [&one, &two, &three, &four] {
        assert_eq!(reply.status, 204, "{}", reply.text);
    }
    assert_eq!(sent.status, 201, "{}", sent.text);
    let lines = told(office);
    let of = |kind: &str| lines.iter().filter(|line| line[0] == kind).map(|line| line[2].as_str()).collect::<Vec<_>>();
    let last = names(office, "/companies")[0].as_str().unwrap().to_owned();
    let first = if last == "One" { "Two" } else { "One" };
    let companies = [format!("called `{first}`, was `Acme`"), format!("called `{last}`, was `{first}`")];
    let mut found = of("exchange.company");
    // Those of one millisecond stand in any order.
    found.sort_by_key(|text| !text.ends_with("was `Acme`"));
    assert_eq!(found, companies);
    assert_eq!(of("exchange.device"), ["renamed", "renamed"]);
    assert!(["one", "two"].map(|name| json!(name)).contains(&names(office, "/devices")[0]));
}
