//! What the handshake refuses: out of order, of another, of the wrong kind; and what it answers the same again.

use exchange::{Rules, Settings};
use serde_json::{Value, json};

use crate::edge::{Edge, Office, answered, end_late, ids, results};

/// Another database of the company, with its key.
fn other_database(edge: &Edge) -> String {
    let made = edge.register("/databases", json!({ "id": "erp2", "company": "acme" }));
    made["key"].as_str().unwrap().to_owned()
}

#[test]
fn exc_10_what_is_no_start_is_refused() {
    let office = Office::open();
    office.sent(&["a"]);
    for (body, status, code) in [
        (json!({}), 400, "ABODY"),
        (json!({ "db": 5 }), 400, "ABODY"),
        (json!({ "db": "erp", "max_files": 0 }), 422, "ALIMIT"),
        (json!({ "db": "erp", "max_files": -1 }), 400, "ABODY"),
        (json!({ "db": "erp", "max_files": 1.5 }), 400, "ABODY"),
        (json!({ "db": "erp", "max_mb": 0 }), 422, "ALIMIT"),
        (json!({ "db": "erp", "max_mb": -0.5 }), 422, "ALIMIT"),
        (json!({ "db": "erp", "max_mb": "many" }), 400, "ABODY"),
        (json!({ "db": "erp", "subsystems": "sales" }), 400, "ABODY"),
        (json!({ "db": "erp", "senders": vec!["x"; 101] }), 422, "ALIMIT"),
        (json!({ "db": "erp", "limit": 3 }), 400, "ABODY"),
        (json!({ "db": "erp2" }), 403, "SROLE"),
        (json!({ "db": "../erp" }), 403, "SROLE"),
    ] {
        let refused = office.edge.refused_as(&office.db_key, "POST", "/processes", &body);
        assert_eq!(refused, (status, code.to_owned()), "{body}");
    }
    let refused = office.edge.refused("POST", "/processes", &json!({ "db": "nowhere" }));
    assert_eq!(refused, (404, "NPARTY".into()));
    for key in [&office.phone_key, &office.edge.key("reader", &json!({})), &office.edge.key("database", &json!({}))] {
        let refused = office.edge.refused_as(key, "POST", "/processes", &json!({ "db": "erp" }));
        assert_eq!(refused, (403, "SROLE".into()));
    }
    assert_eq!(office.state("a"), json!("queued"));
    office.check();
}

#[test]
fn exc_10_limits_and_filters_over_http() {
    let office = Office::open();
    office.sent(&["a", "b", "c"]);
    let given = |more: Value| {
        let mut body = json!({ "db": "erp" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (_, started) = office.by_database("POST", "/processes", body);
        if let Some(process) = started["process"].as_str() {
            office.step(process, "interrupt", json!({ "message": "enough" }));
        }
        ids(&started)
    };
    assert_eq!(given(json!({ "max_files": 2 })), ["a", "b"]);
    assert_eq!(given(json!({ "max_files": 4_294_967_295_u32, "max_mb": 1e300 })), ["a", "b", "c"]);
    assert_eq!(given(json!({ "max_mb": 0.000_000_1 })), ["a"]);
    assert_eq!(given(json!({ "senders": [office.phone], "subsystems": ["sales"] })), ["a", "b", "c"]);
    assert!(given(json!({ "senders": ["nobody"] })).is_empty());
    assert!(given(json!({ "subsystems": [] })).is_empty());
}

#[test]
fn exc_13_results_are_complete_and_of_what_was_given() {
    let office = Office::open();
    office.sent(&["a", "b"]);
    let process = office.started();
    let path = format!("/processes/{process}/prepare");
    let both = results("PROCESSED", &["a", "b"]);
    let mut foreign = office.reply("r");
    foreign["head"]["from"] = json!("erp2");
    let mut newer = office.reply("r");
    newer["version"] = json!(7);
    let mut nowhere = office.reply("r");
    nowhere["head"]["to"] = json!("nobody");
    let many: Vec<Value> = (0..201).map(|n| office.reply(&format!("r{n}"))).collect();
    for (body, code) in [
        (json!({}), "ABODY"),
        (json!({ "results": "all" }), "ABODY"),
        (json!({ "results": [{ "id": "a" }] }), "ABODY"),
        (json!({ "results": [{ "id": "a", "status": "WELL" }] }), "ABODY"),
        (json!({ "results": [{ "id": "a", "status": "PROCESSED", "error_code": "x" }] }), "ABODY"),
        (json!({ "results": results("PROCESSED", &["a"]) }), "AEXCHANGE"),
        (json!({ "results": results("PROCESSED", &["a", "x"]) }), "AEXCHANGE"),
        (json!({ "results": results("PROCESSED", &["a", "a"]) }), "AEXCHANGE"),
        (json!({ "results": results("PROCESSED", &["a", "b", "x"]) }), "AEXCHANGE"),
        (json!({ "results": both, "replies": [foreign] }), "AEXCHANGE"),
        (json!({ "results": both, "replies": [newer] }), "AFORM"),
        (json!({ "results": both, "replies": [nowhere] }), "NPARTY"),
        (json!({ "results": both, "replies": [office.reply("r"), office.reply("r")] }), "ATAKEN"),
        (json!({ "results": both, "replies": ["text"] }), "ABODY"),
        (json!({ "results": both, "replies": many }), "ALIMIT"),
    ] {
        let refused = office.edge.refused_as(&office.db_key, "POST", &path, &body);
        assert_eq!(refused.1, code, "{}", kernel::watch::cut(&body.to_string(), 300));
        assert_eq!(office.edge.get(&format!("/processes/{process}"))["state"], json!("STARTED"), "nothing changed");
    }
    assert_eq!(office.step(&process, "commit", json!({})), json!("CANCELLED"), "a commit before it is prepared");
    assert_eq!(office.step(&process, "prepare", json!({ "results": both })), json!("OK"));
    let deadlocks = results("PROCESSED_DEADLOCK", &["a", "b"]);
    assert_eq!(office.step(&process, "prepare", json!({ "results": deadlocks })), json!("CANCELLED"), "something else");
    assert_eq!(office.step(&process, "narrow", json!({ "messages": ["a"] })), json!("CANCELLED"), "too late");
    assert_eq!(office.step(&process, "commit", json!({})), json!("OK"));
    office.check();
}

#[test]
fn exc_3_an_operator_says_how_large_a_message_may_be() {
    let office = Office::open();
    let rules = office.edge.kernel.common::<Rules>();
    rules.set(Settings { message_bytes: 100_000, ..rules.get() });
    let sized = |id: &str, bytes: usize| {
        let mut message = office.message(id, 0);
        message["body"]["payload"] = json!("x".repeat(bytes));
        office.by_phone("POST", "/messages", message)
    };
    assert_eq!(sized("a", 90_000).0, 201);
    let (status, refused) = sized("b", 100_000);
    assert_eq!((status, &refused["code"]), (413, &json!("ATOOBIG")), "not even read");
    rules.set(Settings { message_bytes: 200_000, ..rules.get() });
    assert_eq!(sized("b", 100_000).0, 201);
    let process = office.started();
    let mut reply = office.reply("r");
    reply["body"]["payload"] = json!("x".repeat(200_000));
    let body = json!({ "results": results("PROCESSED", &["a", "b"]), "replies": [reply] });
    let refused = office.edge.refused_as(&office.db_key, "POST", &format!("/processes/{process}/prepare"), &body);
    assert_eq!(refused.1, "ALIMIT", "a reply is a message");
}

#[test]
fn exc_13_a_preparation_of_fifty_megabytes_is_refused() {
    let office = Office::open();
    office.sent(&["a"]);
    let process = office.started();
    let mut reply = office.reply("r");
    reply["body"]["payload"] = json!("x".repeat(50_000_000));
    let body = json!({ "results": results("PROCESSED", &["a"]), "replies": [reply] });
    let refused = office.edge.refused_as(&office.db_key, "POST", &format!("/processes/{process}/prepare"), &body);
    assert_eq!(refused, (413, "ATOOBIG".into()));
    reply["body"]["payload"] = json!("x".repeat(33 << 20));
    let body = json!({ "results": results("PROCESSED", &["a"]), "replies": [reply] });
    let refused = office.edge.refused_as(&office.db_key, "POST", &format!("/processes/{process}/prepare"), &body);
    assert_eq!(refused.1, "ALIMIT", "one message of more than 32 MiB");
    assert_eq!(office.step(&process, "prepare", json!({ "results": results("PROCESSED", &["a"]) })), json!("OK"));
}

#[test]
fn exc_12_narrowing_over_http() {
    let office = Office::open();
    office.sent(&["a", "b"]);
    let process = office.started();
    let path = format!("/processes/{process}/narrow");
    for (body, code) in [
        (json!({}), "ABODY"),
        (json!({ "messages": "a" }), "ABODY"),
        (json!({ "messages": [1] }), "ABODY"),
        (json!({ "messages": ["x"] }), "AEXCHANGE"),
        (json!({ "messages": ["a", "b", "x"] }), "AEXCHANGE"),
        (json!({ "messages": vec!["x"; 10_001] }), "ALIMIT"),
    ] {
        assert_eq!(office.edge.refused_as(&office.db_key, "POST", &path, &body).1, code);
    }
    assert_eq!(office.step(&process, "narrow", json!({ "messages": ["b"] })), json!("OK"));
    assert_eq!(office.state("a"), json!("queued"), "free at once");
    assert_eq!(office.step(&process, "narrow", json!({ "messages": ["b"] })), json!("OK"), "the answer was lost");
    assert_eq!(office.step(&process, "prepare", json!({ "results": results("PROCESSED", &["b"]) })), json!("OK"));
    assert_eq!(office.step(&process, "commit", json!({})), json!("OK"));
    let next = office.started();
    assert_eq!(office.step(&next, "narrow", json!({ "messages": [] })), json!("OK"), "nothing at all is an interrupt");
    assert_eq!(office.edge.get(&format!("/processes/{next}"))["outcome"], json!("interrupted"));
    office.check();
}

#[test]
fn exc_17_calls_for_another_databases_process_are_as_if_there_were_none() {
    let office = Office::open();
    let other = other_database(&office.edge);
    office.sent(&["a"]);
    let process = office.started();
    let said = json!({ "results": results("PROCESSED", &["a"]) });
    for (key, process) in [(&other, process.as_str()), (&office.db_key, "nothing"), (&office.db_key, "..%2F..")] {
        for (step, body) in [
            ("narrow", json!({ "messages": ["a"] })),
            ("prepare", said.clone()),
            ("commit", json!({})),
            ("rollback", json!({ "error": "x" })),
            ("interrupt", json!({ "message": "x" })),
        ] {
            let (status, answer) = office.edge.ask_as(key, "POST", &format!("/processes/{process}/{step}"), body);
            assert_eq!((status, answer), (200, json!({ "status": "CANCELLED" })), "{step} {process}");
        }
        let path = format!("/processes/{process}");
        assert_eq!(office.edge.refused_as(key, "GET", &path, &Value::Null), (404, "NPROCESS".into()));
        let refused = office.edge.refused_as(key, "POST", &format!("{path}/resolve"), &json!({ "committed": true }));
        assert_eq!(refused, (404, "NPROCESS".into()));
    }
    for path in ["/processes?db=erp", "/processes/unresolved?db=erp", "/ledger?db=erp", "/folders?db=erp&folder=Log"] {
        assert_eq!(office.edge.refused_as(&other, "GET", path, &Value::Null), (403, "SROLE".into()), "{path}");
    }
    assert_eq!(office.edge.get_as(&other, "/processes"), json!({ "items": [], "next": null }), "its own only");
    assert_eq!(office.edge.get(&format!("/processes/{process}"))["state"], json!("STARTED"), "nothing happened to it");
    let phone = office.edge.refused_as(&office.phone_key, "POST", &format!("/processes/{process}/commit"), &json!({}));
    assert_eq!(phone, (403, "SROLE".into()));
}

#[test]
fn exc_14_16_bodies_of_the_other_calls_are_checked() {
    let office = Office::open();
    office.sent(&["a"]);
    let process = office.started();
    for (step, body) in [
        ("commit", json!({ "sure": true })),
        ("rollback", json!({})),
        ("rollback", json!({ "error": 5 })),
        ("rollback", json!({ "error": "x", "tell_senders": "yes" })),
        ("interrupt", json!({})),
        ("interrupt", json!({ "message": null })),
        ("resolve", json!({})),
        ("resolve", json!({ "committed": "yes" })),
    ] {
        let path = format!("/processes/{process}/{step}");
        assert_eq!(
            office.edge.refused_as(&office.db_key, "POST", &path, &body),
            (400, "ABODY".into()),
            "{step} {body}"
        );
    }
    let path = format!("/processes/{process}");
    assert_eq!(office.edge.refused("POST", &format!("{path}/resolve"), &json!({ "committed": true })).1, "APROCESS");
    assert_eq!(office.edge.refused("POST", &format!("{path}/resume"), &Value::Null).1, "APROCESS");
    assert_eq!(office.edge.refused("POST", "/processes/nothing/resume", &Value::Null), (404, "NPROCESS".into()));
    assert_eq!(office.edge.refused("POST", &format!("{path}/explode"), &Value::Null).0, 404);
    assert_eq!(office.edge.refused("DELETE", &path, &Value::Null).0, 405);
    let long = "x\u{7}".repeat(10_000);
    assert_eq!(office.step(&process, "rollback", json!({ "error": long })), json!("OK"));
    let shown = office.edge.get(&path)["message"].as_str().unwrap().to_owned();
    assert!(shown.len() <= 6_000 && !shown.contains('\u{7}'), "{}", shown.len());
    assert_eq!(office.step(&process, "rollback", json!({ "error": "again" })), json!("OK"), "the answer was lost");
    assert_eq!(office.step(&process, "commit", json!({})), json!("CANCELLED"));
}

#[test]
fn exc_15_senders_are_told_if_asked() {
    let office = Office::open();
    office.sent(&["a"]);
    let process = office.started();
    office.step(
        &process,
        "prepare",
        json!({ "results": results("PROCESSED", &["a"]), "replies": [office.reply("r")] }),
    );
    assert_eq!(office.step(&process, "rollback", json!({ "error": "disk full", "tell_senders": true })), json!("OK"));
    let told = office.edge.get_as(&office.phone_key, "/messages")["messages"][0].clone();
    assert_eq!(told["body"]["payload"], json!({ "message": "a", "error": "disk full" }));
    assert_eq!((&told["head"]["reply_to"], office.state("a")), (&json!("a"), json!("queued")));
    office.check();
}

#[test]
fn exc_10_of_two_starts_at_once_one_is_given_and_one_is_busy() {
    let office = Office::open();
    office.sent(&["a"]);
    check_two_starts(&office);
}

/// On every engine.
pub fn check_two_starts(office: &Office) {
    let request = || {
        let body = json!({ "db": "erp" }).to_string();
        answered(office.edge.router.clone(), office.edge.request(&office.db_key, "POST", "/processes", &[], body))
    };
    let (one, two) = office.edge.runtime.block_on(async { tokio::join!(request(), request()) });
    let mut statuses = [&one, &two].map(|reply| reply.json()["status"].as_str().unwrap().to_owned());
    statuses.sort();
    assert_eq!(statuses, ["BUSY", "OK"]);
}

#[test]
fn exc_17_a_repeated_start_gives_the_same_process_and_messages() {
    let office = Office::open();
    office.sent(&["a", "b"]);
    let start = |key: &str| {
        office.edge.send(&office.db_key, "POST", "/processes", &[("idempotency-key", key)], r#"{"db":"erp"}"#)
    };
    let (first, second) = (start("k1"), start("k1"));
    assert_eq!((first.status, &first.text), (200, &second.text));
    assert_eq!(second.headers["idempotency-replayed"], "true");
    assert_eq!(start("k2").json(), json!({ "status": "BUSY" }));
    let process = first.json()["process"].as_str().unwrap().to_owned();
    let keyed = |step: &str, body: Value| {
        let path = format!("/processes/{process}/{step}");
        office.edge.send(&office.db_key, "POST", &path, &[("idempotency-key", "k")], &body.to_string())
    };
    for (step, body) in [("prepare", json!({ "results": results("PROCESSED", &["a", "b"]) })), ("commit", json!({}))] {
        let (first, second) = (keyed(step, body.clone()), keyed(step, body));
        assert_eq!((first.text.as_str(), &first.text), (r#"{"status":"OK"}"#, &second.text), "{step}");
    }
    assert_eq!(start("k1").json()["process"], json!(process), "also when it has ended");
    assert_eq!(office.edge.get("/ledger?db=erp")["log"], json!(2));
}

#[test]
fn exc_20_an_unknown_outcome_is_listed_and_resolved_by_its_database() {
    for committed in [true, false] {
        let office = Office::open();
        let other = other_database(&office.edge);
        office.sent(&["a"]);
        let process = office.started();
        let said = json!({ "results": results("PROCESSED", &["a"]), "replies": [office.reply("r")] });
        office.step(&process, "prepare", said);
        office.edge.world().pass_ms(300_000);
        end_late(office.edge.world());
        let unresolved = |key: &str| office.edge.get_as(key, "/processes/unresolved")["items"].clone();
        assert_eq!(unresolved(&office.db_key)[0]["id"], json!(process));
        assert_eq!((unresolved(&other), office.state("a")), (json!([]), json!("unknown")));
        let resolve = || office.step(&process, "resolve", json!({ "committed": committed }));
        assert_eq!((resolve(), resolve()), (json!("OK"), json!("OK")), "twice, because the answer was lost");
        let path = format!("/processes/{process}/resolve");
        let changed = office.edge.refused_as(&office.db_key, "POST", &path, &json!({ "committed": !committed }));
        assert_eq!(changed, (409, "APROCESS".into()), "nobody changes their mind");
        assert_eq!(unresolved(&office.db_key), json!([]));
        assert_eq!(office.state("a"), json!(if committed { "processed" } else { "queued" }));
        assert_eq!(office.fetched().len(), usize::from(committed));
        office.check();
    }
}

#[test]
fn exc_18_a_process_that_took_too_long_is_cancelled() {
    let office = Office::open();
    office.sent(&["a"]);
    let process = office.started();
    office.edge.world().pass_ms(600_000);
    end_late(office.edge.world());
    let said = json!({ "results": results("PROCESSED", &["a"]) });
    assert_eq!(office.step(&process, "prepare", said), json!("CANCELLED"));
    assert_eq!(office.edge.get(&format!("/processes/{process}"))["outcome"], json!("timed_out"));
    assert_eq!(office.state("a"), json!("queued"));
}
