//! Console sessions (KER-33): what a browser holds, and who that is.
//!
//! The token has 256 bits of chance and is made anew at every login, so that none can be planted; only its hash is stored.
//! The token against forged requests is made from it and not stored: whoever can read that token could read the page anyway.

use std::net::IpAddr;
use std::sync::Arc;

use base::{OpResult, Row, Sql, Tx, args};
use sha2::{Digest, Sha256};

use super::touch_session::TOUCH_SESSION;
use crate::cx::OpCx;
use crate::kernel::{Kernel, Namespace, ReadDone};
use crate::keys::{self, Find, Found};
use crate::op::Query;
use crate::request::{Caller, Role};

/// Listening time without use after which a session ends.
pub const IDLE_MS: i64 = 60 * 60_000;
/// Listening time after which a session ends, however much it is used.
pub const LONGEST_MS: i64 = 12 * 60 * 60_000;
/// Use is noted at most so often, so that reading pages does not write rows.
const NOTED_MS: i64 = 60_000;

pub(crate) static BY_HASH: Sql = Sql::new(
    "console_session.by_hash",
    "SELECT a.name, a.role, s.idle_at FROM console_session s JOIN console_account a ON a.name = s.account \
     WHERE s.hash = ?1 AND s.idle_at > ?2 AND s.ends_at > ?2 AND a.blocked_at IS NULL",
);
pub(crate) static END: Sql = Sql::new("console_session.end", "DELETE FROM console_session WHERE hash = ?1");
pub(crate) static END_ALL: Sql = Sql::new("console_session.end_all", "DELETE FROM console_session WHERE account = ?1");

static FIND: Find = Query::new("session.find", find);

/// Whoever has a session.
#[derive(Clone)]
pub struct Holder {
    /// As a caller.
    pub caller: Caller,
    /// The account's name.
    pub account: String,
    /// The namespace that the account lives in.
    pub home: Arc<Namespace>,
    /// Hash of the session's token.
    pub hash: [u8; 32],
}

/// What is stored of a session's token. Not what would be stored of a key: neither can stand for the other.
#[must_use]
pub fn hash(token: &str) -> [u8; 32] {
    Sha256::new().chain_update(b"fastness session\0").chain_update(token).finalize().into()
}

/// A session's token, out of chance.
#[must_use]
pub fn token_text(chance: &[u8; 32]) -> String {
    keys::hex(chance)
}

/// The token that a page must send along with every change: only a page of ours can know it.
#[must_use]
pub fn csrf_token(token: &str) -> String {
    let bytes = Sha256::new().chain_update(b"fastness csrf\0").chain_update(token).finalize();
    keys::hex(&bytes)
}

/// An address as failures are counted by: of IPv6 the network, because whoever has one address of it has all.
#[must_use]
pub fn address_text(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

/// Names callers of all namespaces apart: an administrator of `z` is not the account of that name here.
fn caller_name(home: &Namespace, account: &str) -> String {
    format!("account.{}.{account}", home.name)
}

fn find(tx: &mut dyn Tx, hash: &[u8; 32]) -> OpResult<Option<Found>> {
    let heard = tx.heard();
    let row = tx.query_one(&BY_HASH, args![hash, heard])?;
    let found = |row: Row| {
        let note_use = row.int(2) - heard.0 < IDLE_MS - NOTED_MS;
        Some(Found { name: row.text(0).to_owned(), role: Role::from_word(row.text(1))?, scope: "{}".into(), note_use })
    };
    Ok(row.and_then(found))
}

/// Ends every session of an account.
pub(crate) fn end_all(tx: &mut dyn Tx, _: &OpCx<'_>, account: &str) -> OpResult<()> {
    Ok(tx.write(&END_ALL, args![account])?)
}

impl Kernel {
    /// Whose session this token is in namespace `ns`: an account's of its own, or an administrator's of the administrators'
    /// namespace. `None` if nobody's.
    pub fn authenticate_session(&self, ns: &Arc<Namespace>, token: &str, done: ReadDone<Option<Holder>>) {
        let (hash, proof, kernel) = (hash(token), keys::proof(token), self.clone());
        let holder = move |(found, home): (Found, Arc<Namespace>)| {
            if found.note_use {
                kernel.note_use(&home, hash);
            }
            let name = caller_name(&home, &found.name);
            let everywhere = kernel.is_valid_everywhere(&home, found.role);
            let caller = Caller { name, role: found.role, scope: found.scope, proof: Some(proof), everywhere };
            Holder { caller, account: found.name, home, hash }
        };
        self.recognise(ns, &FIND, hash, Box::new(move |found| done(found.map(|found| found.map(holder)))));
    }

    fn note_use(&self, home: &Namespace, hash: [u8; 32]) {
        let request = self.request(Caller::server("sessions"));
        self.call(home, &TOUCH_SESSION, request, hash, Box::new(|_| {}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_33_a_sessions_token_is_neither_a_key_nor_its_forgery_token() {
        let token = token_text(&[7; 32]);
        assert_eq!(token.len(), 64);
        assert_ne!(hash(&token), keys::hash(&token));
        assert_ne!(csrf_token(&token), token);
        assert_ne!(csrf_token(&token), csrf_token(&token_text(&[8; 32])));
    }

    #[test]
    fn ker_32_an_address_of_ipv6_counts_as_its_network() {
        let text = |address: &str| address_text(address.parse().unwrap());
        assert_eq!(text("192.0.2.7"), "192.0.2.7");
        assert_eq!(text("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(text("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_eq!(text("2001:db8:1:2::9"), text("2001:db8:1:2:ffff::1"));
    }
}
