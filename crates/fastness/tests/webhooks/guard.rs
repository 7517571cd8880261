//! Nothing is sent to where it must not go.

use serde_json::json;

use super::kit::{Kit, sensors};
use super::receiver::Receiver;

#[test]
fn sen_10_private_addresses_are_refused_by_name_and_by_number() {
    let mut kit = Kit::start_with(&[]);
    for url in ["http://169.254.169.254/latest", "http://127.0.0.1/", "http://[::1]/", "http://2130706433/"] {
        let refused = kit.ask("POST", "sensor-clients", &json!({ "name": url, "url": url }));
        assert_eq!((refused.status, &refused.body["code"]), (422, &json!("ASENSOR")), "{url}: {refused:?}");
    }
    let (receiver, doors) = (Receiver::good(), sensors("a", 1));
    let url = format!("http://localhost:{}/doors", receiver.address.port());
    let (id, _) = kit.client("by name", &url, &doors);
    kit.signal(&doors, 1);
    let tries = kit.tries(&id, 1);
    assert_eq!(tries[0].status, None);
    assert!(tries[0].error.contains("is not a public address"), "{tries:?}");
    assert!(receiver.got.try_recv().is_err(), "nothing was sent");
}
