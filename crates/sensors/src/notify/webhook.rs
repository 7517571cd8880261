//! The call itself: Standard Webhooks, signed with the client's secret, and with the one before while that still counts (SEN-7).

use base::{Call, HttpCall, Wall};
use kernel::secret;

use super::Receiver;

/// Time for a try, answer included.
pub const TIMEOUT_MS: u64 = 15_000;
/// Bytes of an answer that are read: nothing in it counts, and whoever drips it is not waited for.
const REPLY_MAX: usize = 0;

/// The call that tells a client of an event: (webhook-id, body).
pub(crate) fn call(receiver: &Receiver, (id, body): (&str, &str), now: Wall) -> Call {
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    headers.extend(secret::webhook_headers_of(&receiver.secrets, id, now.0 / 1_000, body.as_bytes()));
    Call::Http(HttpCall {
        method: "POST",
        url: receiver.url.clone(),
        headers,
        body: body.as_bytes().to_vec(),
        timeout_ms: TIMEOUT_MS,
        reply_max: REPLY_MAX,
    })
}
