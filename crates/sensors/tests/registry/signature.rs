//! What is sent passes the reference verifier of Standard Webhooks (SEN-7).

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use base::Call;
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use crate::edge::Edge;

/// The reference verifier compares with the clock of the machine, so the call is signed for now.
fn headers_of(secrets: &[Vec<u8>], body: &[u8]) -> HeaderMap {
    let now = base::Clock::wall(&host::RealClock::new()).0 / 1_000;
    let headers = kernel::secret::webhook_headers_of(secrets, "evt_1", now, body);
    headers
        .into_iter()
        .map(|(name, value)| (HeaderName::try_from(name).unwrap(), HeaderValue::try_from(value).unwrap()))
        .collect()
}

fn passes(secret: &[u8], headers: &HeaderMap, body: &[u8]) -> bool {
    Webhook::new(&kernel::secret::text(secret)).unwrap().verify(body, headers).is_ok()
}

#[test]
fn sen_7_signatures_pass_the_reference_verifier_with_both_secrets_of_a_rotation() {
    let (new, old, other, body) = (vec![1; 32], vec![2; 32], vec![3; 32], br#"{"type":"sensor.opened"}"#);
    let headers = headers_of(&[new.clone(), old.clone()], body);
    assert!(passes(&new, &headers, body) && passes(&old, &headers, body));
    assert!(!passes(&other, &headers, body));
    assert!(!passes(&new, &headers, br#"{"type":"sensor.closed"}"#));
    let headers = headers_of(std::slice::from_ref(&new), body);
    assert!(passes(&new, &headers, body) && !passes(&old, &headers, body));
}

#[test]
fn sen_7_the_test_vector_of_standard_webhooks() {
    let secret = standardwebhooks_secret();
    let headers = kernel::secret::webhook_headers(
        &secret,
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1_614_265_330,
        br#"{"test": 2432232314}"#,
    );
    assert_eq!(headers[2].1, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

fn standardwebhooks_secret() -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap()
}

#[test]
fn sen_7_what_a_client_is_sent_is_signed_with_the_secret_that_it_was_shown_and_with_the_one_before() {
    let edge = Edge::new();
    let (client, first) = edge.client("Hotel");
    edge.sensor("a", "Oslo");
    edge.link(&client, "a");
    let (_, rotated) = edge.ask("POST", &format!("/sensor-clients/{client}/rotate"), Value::Null);
    edge.ask("POST", "/signals", json!({ "sensor_id": "a", "data": 1 }));
    edge.world().pass_ms(50);
    let Some((Call::Http(call), _)) = edge.world().partner.next() else { panic!("nobody is called") };
    let header = |name: &str| call.headers.iter().find(|(is, _)| is == name).unwrap().1.as_str();
    let signed = |secret: &str| {
        let webhook = Webhook::new(secret).unwrap();
        webhook.sign(header("webhook-id"), header("webhook-timestamp").parse().unwrap(), &call.body).unwrap()
    };
    let expected = format!("{} {}", signed(rotated["secret"].as_str().unwrap()), signed(&first));
    assert_eq!(header("webhook-signature"), expected);
}
