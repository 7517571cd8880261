//! The console's pages of sensors (CON-7, CON-9), by requests: content, paging, escaping, three languages, wrong questions, roles.

use base::Sql;
use serde_json::json;

use crate::edge::{Edge, encoded};

const EVIL: &str = "<img src=x onerror=alert(1)>";

fn seen(edge: &Edge, path: &str) -> String {
    let (status, page) = edge.page(path, "en");
    assert_eq!(status, 200, "{path}: {page}");
    page
}

#[test]
fn con_7_every_place_of_a_level_is_seen_however_many_sensors_the_first_one_has() {
    let edge = Edge::new();
    let street = |at: usize| format!("Moscow, Russia, street {}, room {at}", at / 300);
    for at in 0..2_100 {
        edge.sensor(&format!("m{at}"), &street(at));
    }
    edge.sensor("z1", "Zurich, Switzerland");
    let page = seen(&edge, "/sensors");
    assert!(page.contains(">Moscow<") && page.contains("2,000+"), "counting ends somewhere and says so");
    assert!(page.contains(">Zurich<") && page.contains("href=\"/console/main/sensors?address=Zurich%2C%20\""));
    let page = seen(&edge, &format!("/sensors?address={}", encoded("Moscow, Russia, ")));
    for street in 0..7 {
        assert!(page.contains(&format!(">street {street}<")), "{street}");
    }
    assert!(!page.contains("Zurich"));
    let page = seen(&edge, &format!("/sensors?address={}", encoded("Moscow, Russia, street 0, ")));
    assert!(page.contains("href=\"/console/main/sensors/m0\""), "a room with one sensor leads to it");
    let next = page.split("rel=\"next\"").count() - 1;
    assert_eq!(next, 1, "300 rooms are several pages");
}

#[test]
fn con_7_a_page_says_that_there_is_more_history_and_leads_to_it() {
    let edge = Edge::new();
    edge.sensor("a1", "Moscow, Russia");
    let say = |signals: usize| {
        let signals: Vec<_> = (0..signals).map(|at| json!({ "sensor_id": "a1", "data": at % 2 })).collect();
        edge.ask("POST", "/signals", json!(signals));
    };
    assert!(!seen(&edge, "/sensors/a1").contains("format=csv"), "nothing to download");
    say(50);
    assert!(!seen(&edge, "/sensors/a1").contains("The newest"));
    say(10);
    let page = seen(&edge, "/sensors/a1");
    assert!(page.contains("The newest 50 of 60."));
    let path = "/sensor-history?sensor=a1&limit=1000&format=csv";
    assert!(page.contains(&format!("/v1/main{}", path.replace('&', "&amp;"))));
    let (status, csv) = edge.send(crate::edge::ADMIN, "GET", path, &[], vec![]);
    assert_eq!((status, String::from_utf8(csv).unwrap().lines().count()), (200, 61));
}

#[test]
fn con_7_counts_of_the_map_end_at_ten_thousand() {
    static FILL: Sql = Sql::new(
        "test.fill_map",
        "INSERT INTO sensor (id, address, silence_ms, registered_at, recent, lost_at) \
         WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) \
         SELECT 'm' || i, 'Moscow', 3600000, 0, x'', 1000000000000 FROM n",
    );
    let edge = Edge::new();
    for part in 0..3 {
        edge.write(&FILL, vec![(part * 4_000).into(), (part * 4_000 + 3_999).into()]);
    }
    assert!(seen(&edge, "/sensors").contains("10,000+"));
}

#[test]
fn con_9_what_comes_from_outside_is_never_markup() {
    let edge = Edge::new();
    edge.sensor("a1", &format!("{EVIL}, {EVIL}"));
    let (client, _) = edge.client(EVIL);
    edge.link(&client, "a1");
    edge.ask("POST", "/signals", json!([{ "sensor_id": EVIL, "data": EVIL }, { "sensor_id": "a1", "data": 1 }]));
    let part = format!("/sensors?address={}", encoded(&format!("{EVIL}, ")));
    let client = format!("/sensor-clients/{client}");
    for path in
        ["/sensors", &part, "/sensors/as-list", "/sensors/a1", "/sensors/not-accepted", "/sensor-clients", &client]
    {
        let page = seen(&edge, path);
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "{path} shows it");
        assert!(!page.contains("<img"), "{path}");
    }
}

#[test]
fn con_7_pages_speak_three_languages_and_refuse_wrong_questions() {
    let edge = Edge::new();
    edge.sensor("a1", "Moscow, Russia");
    let pages = [
        "/sensors",
        "/sensors/as-list",
        "/sensors/not-known",
        "/sensors/not-accepted",
        "/sensors/bulk-imports",
        "/sensors/a1",
        "/sensors/gone",
        "/sensor-clients",
        "/sensor-clients/gone",
    ];
    for path in pages {
        for (language, word) in [("en", "Sensors"), ("ru", "Датчики"), ("fr", "Capteurs")] {
            let (status, page) = edge.page(path, language);
            assert!(status == 200 && page.contains(word), "{path} {language}: {status}");
        }
    }
    for wrong in ["/sensors?x=1", "/sensors/a1?span=1y", "/sensors/with-dash", "/sensors/not-accepted?after=x"] {
        let (status, page) = edge.page(wrong, "en");
        assert!((400..500).contains(&status) && page.contains("<html"), "{wrong}: {status}");
    }
}

#[test]
fn con_7_a_key_bound_to_a_client_sees_no_page() {
    let edge = Edge::new();
    edge.sensor("a1", "Moscow, Russia");
    let (mine, _) = edge.client("mine");
    let (other, _) = edge.client("other");
    let key = edge.key("app", json!({ "client": [&mine] }));
    let status = |path: &str| edge.page_as(&key, path).0;
    for path in [
        "/sensors",
        "/sensors/as-list",
        "/sensors/a1",
        "/sensors/not-known",
        "/sensors/not-accepted",
        "/sensors/bulk-imports",
        "/sensor-clients",
    ] {
        assert_eq!(status(path), 403, "{path}");
    }
    for client in [&mine, &other] {
        assert_eq!(status(&format!("/sensor-clients/{client}")), 403);
    }
}
