//! What receivers got passes the reference verifier.

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use super::kit::{Kit, sensors};
use super::receiver::{Got, Receiver};

fn verify(got: &Got, secret: &str) -> bool {
    let header = |(name, value): &(String, String)| {
        (HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap())
    };
    let headers: HeaderMap = got.headers.iter().map(header).collect();
    Webhook::new(secret).unwrap().verify(&got.body, &headers).is_ok()
}

#[test]
fn sen_7_what_a_receiver_gets_passes_the_reference_verifier_also_while_secrets_change() {
    let mut kit = Kit::start();
    let (receiver, doors) = (Receiver::good(), sensors("a", 1));
    let (id, secret) = kit.client("verifies", &receiver.url(), &doors);
    kit.signal(&doors, 1);
    let first = receiver.next();
    assert!(verify(&first, &secret));
    let told: Value = serde_json::from_slice(&first.body).unwrap();
    assert_eq!((&told["type"], &told["version"]), (&json!("sensor.closed"), &json!(1)));
    assert_eq!((&told["data"]["sensor_id"], &told["data"]["seq"]), (&json!("a0"), &json!(1)));

    let rotated = kit.good("POST", &format!("sensor-clients/{id}/rotate"), &Value::Null);
    let newer = rotated["secret"].as_str().unwrap();
    assert_ne!(newer, secret);
    kit.signal(&doors, 0);
    let second = receiver.next();
    assert!(verify(&second, newer) && verify(&second, &secret), "both count for a while");
    assert_eq!(second.header("webhook-signature").split(' ').count(), 2);
    assert!(!verify(&first, newer), "what was signed before is not signed by the new one");
    let forged = Got { body: b"{}".to_vec(), headers: second.headers };
    assert!(!verify(&forged, newer));
}
