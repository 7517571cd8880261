//! What is no body, on every route that takes one.

use kill::server::KEY;
use serde_json::Value;

use crate::kit::Site;

const JSON: &str = "content-type: application/json\r\n";

#[test]
fn ker_34_every_route_refuses_what_is_no_body() {
    let site = Site::start();
    let (deep, deep_objects) = ("[".repeat(100_000), "{\"a\":".repeat(20_000));
    let bodies: [(&str, &str, &[u8]); 9] = [
        ("nothing", JSON, b""),
        ("half", JSON, b"{\"a\":"),
        ("two", JSON, b"{}{}"),
        ("no UTF-8", JSON, b"{\"a\":\"\xff\"}"),
        ("a lone surrogate", JSON, b"{\"\\ud800\":1}"),
        ("NUL", JSON, b"{\"a\":\"\\u0000\"}"),
        ("deep lists", JSON, deep.as_bytes()),
        ("deep objects", JSON, deep_objects.as_bytes()),
        ("compressed", "content-type: application/json\r\ncontent-encoding: gzip\r\n", b"\x1f\x8b\x08\0\0\0\0\0"),
    ];
    let routes: Vec<_> = site.routes().into_iter().filter(|route| route.takes_json).collect();
    assert!(routes.len() > 40, "{} routes take JSON", routes.len());
    for route in &routes {
        let names: Vec<&str> =
            route.path.split('/').map(|part| if part.starts_with('{') { "x1" } else { part }).collect();
        let path = names.join("/").replace("/v1/x1/", "/v1/main/");
        for (what, headers, body) in bodies {
            // Some routes take no body as well as one.
            let answer = site.send(KEY, &route.method, &path, headers, body);
            let refused = (400..500).contains(&answer.status) && answer.json()["code"].is_string();
            assert!(
                refused || (what == "nothing" && answer.status < 500),
                "{} {path}, {what}: {answer:?}",
                route.method
            );
        }
    }
    assert_eq!(site.ask("GET", "/readyz", &Value::Null).status, 200);
}
