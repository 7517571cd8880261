//! The namespace's own secret, with which calls to the outside are signed so that a target can tell them from a stranger's
//! (KER-19). The form is that of Standard Webhooks.

use base::{OpResult, Sql, Tx, args};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::cx::OpCx;

const NAME: &str = "webhook";

pub(crate) static GET: Sql = Sql::new("secret.get", "SELECT value FROM secret WHERE name = ?1");
pub(crate) static PUT: Sql =
    Sql::new("secret.put", "INSERT INTO secret (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING");

/// The namespace's secret; made when it is asked for first.
///
/// # Errors
/// The store failed.
pub fn of_namespace(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<Vec<u8>> {
    if let Some(row) = tx.query_one(&GET, args![NAME])? {
        return Ok(row.blob(0).to_vec());
    }
    let chance = cx.chance();
    tx.execute(&PUT, args![NAME, &chance])?;
    Ok(tx.query_one(&GET, args![NAME])?.map_or_else(|| chance.to_vec(), |row| row.blob(0).to_vec()))
}

/// The headers that sign a call: whoever has the secret can tell that we made it, and when.
#[must_use]
pub fn webhook_headers(secret: &[u8], id: &str, at_s: i64, body: &[u8]) -> Vec<(String, String)> {
    webhook_headers_of(&[secret], id, at_s, body)
}

/// The same with several secrets: a signature for each, so that a receiver may change over from one to the next.
#[must_use]
pub fn webhook_headers_of(secrets: &[impl AsRef<[u8]>], id: &str, at_s: i64, body: &[u8]) -> Vec<(String, String)> {
    let signature = |secret: &dyn AsRef<[u8]>| sign(secret.as_ref(), id, &at_s.to_string(), body);
    let signature = secrets.iter().map(|secret| signature(secret)).collect::<Vec<_>>().join(" ");
    let headers =
        [("webhook-id", id.to_owned()), ("webhook-timestamp", at_s.to_string()), ("webhook-signature", signature)];
    headers.map(|(name, value)| (name.to_owned(), value)).into()
}

/// The signature over id, time and body.
pub(crate) fn sign(secret: &[u8], id: &str, timestamp: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].iter().for_each(|part| mac.update(part));
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// A secret as receivers configure it.
#[must_use]
pub fn text(secret: &[u8]) -> String {
    format!("whsec_{}", STANDARD.encode(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_19_a_call_is_signed_over_its_id_time_and_body() {
        let of = |id, at, body: &str| webhook_headers(b"secret", id, at, body.as_bytes())[2].1.clone();
        let one = of("a", 1, "b");
        assert!(one.starts_with("v1,") && one == of("a", 1, "b"));
        for other in [of("x", 1, "b"), of("a", 2, "b"), of("a", 1, "c")] {
            assert_ne!(one, other);
        }
    }
}
