//! The namespace's own secret, with which calls to the outside are signed so that a target can tell them from a stranger's
//! (KER-19). The form is that of Standard Webhooks.

use std::fmt::Write as _;

use base::{OpResult, Sql, Tx, args};
use sha2::{Digest, Sha256};

use crate::cx::OpCx;

const BLOCK: usize = 64;
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
    let signed = [id.as_bytes(), b".", at_s.to_string().as_bytes(), b".", body].concat();
    let signature = format!("v1,{}", base64(&hmac_sha256(secret, &signed)));
    let headers =
        [("webhook-id", id.to_owned()), ("webhook-timestamp", at_s.to_string()), ("webhook-signature", signature)];
    headers.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A secret as receivers configure it.
#[must_use]
pub fn text(secret: &[u8]) -> String {
    format!("whsec_{}", base64(secret))
}

fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let short: Vec<u8> = if key.len() > BLOCK { Sha256::digest(key).to_vec() } else { key.to_vec() };
    let pad = |with: u8| -> Vec<u8> { (0..BLOCK).map(|at| short.get(at).copied().unwrap_or(0) ^ with).collect() };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * place)) as usize & 63];
            let _ = text.write_char(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_every_length() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    /// The first two test cases of RFC 4231, and one with a long key.
    #[test]
    fn the_code_is_the_one_of_the_standard() {
        let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let first = hmac_sha256(&[0x0b; 20], b"Hi There");
        assert_eq!(hex(first), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        let second = hmac_sha256(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(hex(second), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        let long = hmac_sha256(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First");
        assert_eq!(hex(long), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    }

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
