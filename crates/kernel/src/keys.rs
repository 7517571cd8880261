//! Access keys, first part (KER-32): who a presented secret belongs to.
//!
//! Only SHA-256 of a secret is stored; secrets have 256 bits of chance, so a fast hash is enough and the look-up by hash
//! tells nothing. What was found is remembered for [`FRESH_MS`]; a revocation on this node is seen at once.

pub mod find;
pub mod scope;
pub(crate) mod secrets;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{OpResult, Row, Sql, Tx, args};
use sha2::{Digest, Sha256};

use crate::kernel::{Kernel, Namespace, ReadDone};
use crate::op::Query;
use crate::request::{Caller, Role};

/// How long a found key is trusted without looking again: a revocation on another node is seen within this time.
pub const FRESH_MS: u64 = 5_000;
/// Most keys remembered per namespace.
const REMEMBERED_MAX: usize = 10_000;

pub(crate) static BY_HASH: Sql = Sql::new(
    "access_key.by_hash",
    "SELECT k.id, k.role, k.scope FROM access_secret s JOIN access_key k ON k.id = s.key_id \
     WHERE s.hash = ?1 AND (s.valid_until IS NULL OR s.valid_until > ?2) AND k.revoked_at IS NULL",
);

/// What is stored of a secret.
#[must_use]
pub fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// What is kept in memory of a caller's secret, to make secrets for the caller from.
pub(crate) fn proof(secret: &str) -> [u8; 32] {
    Sha256::new().chain_update(b"fastness proof\0").chain_update(secret).finalize().into()
}

/// The secret made for a caller from a stored salt. Neither the salt nor the caller's secret gives it alone, so nothing
/// stored reveals it, and yet a repeated request can be answered with it again.
#[must_use]
pub fn secret_from(proof: &[u8; 32], salt: &[u8]) -> String {
    let bytes = Sha256::new().chain_update(b"fastness key\0").chain_update(proof).chain_update(salt).finalize();
    secret_text(&bytes)
}

/// A secret as people copy it.
#[must_use]
pub fn secret_text(bytes: &[u8]) -> String {
    format!("fst_{}", hex(bytes))
}

/// Bytes as hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whoever a secret belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Id of the key, or name of the account.
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) scope: Arc<str>,
    /// The use is to be noted: a session that is used does not end for idleness.
    pub(crate) note_use: bool,
}

/// A look-up by the hash of what was shown.
pub(crate) type Find = Query<[u8; 32], Option<Found>>;
/// Told who was found, and in which namespace they live.
pub(crate) type FindDone = ReadDone<Option<(Found, Arc<Namespace>)>>;

/// Keys and sessions seen lately in one namespace.
#[derive(Default)]
pub(crate) struct KeyRing(Mutex<Ring>);

#[derive(Default)]
struct Ring {
    found: HashMap<[u8; 32], (Found, u64)>,
    /// Raised when everything is forgotten: a look-up that began before remembers nothing.
    generation: u64,
}

impl KeyRing {
    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, hash: &[u8; 32], now_ms: u64) -> Option<Found> {
        let ring = self.ring();
        let (found, seen_ms) = ring.found.get(hash)?;
        (now_ms < seen_ms + FRESH_MS).then(|| found.clone())
    }

    /// To be asked before a look-up whose result is to be remembered.
    fn generation(&self) -> u64 {
        self.ring().generation
    }

    fn remember(&self, generation: u64, hash: [u8; 32], found: Found, now_ms: u64) {
        let mut ring = self.ring();
        if ring.generation != generation {
            return;
        }
        if ring.found.len() >= REMEMBERED_MAX {
            ring.found.clear();
        }
        ring.found.insert(hash, (found, now_ms));
    }

    pub(crate) fn forget(&self) {
        let mut ring = self.ring();
        ring.generation += 1;
        ring.found.clear();
    }
}

static FIND: Find = Query::new("key.find", find);

fn find(tx: &mut dyn Tx, hash: &[u8; 32]) -> OpResult<Option<Found>> {
    let row = tx.query_one(&BY_HASH, args![hash, tx.heard()])?;
    let found = |row: Row| {
        let role = Role::from_word(row.text(1))?;
        Some(Found { name: row.text(0).to_owned(), role, scope: row.text(2).into(), note_use: false })
    };
    Ok(row.and_then(found))
}

impl Kernel {
    /// Who `secret` belongs to in namespace `ns`: one of its own keys, or an administrator of the administrators'
    /// namespace, who is valid everywhere. `None` if nobody.
    pub fn authenticate(&self, ns: &Arc<Namespace>, secret: &str, done: ReadDone<Option<Caller>>) {
        let (proof, kernel) = (proof(secret), self.clone());
        let caller = move |(found, home): (Found, Arc<Namespace>)| Caller {
            everywhere: kernel.is_valid_everywhere(&home, found.role),
            name: found.name,
            role: found.role,
            scope: found.scope,
            proof: Some(proof),
        };
        self.recognise(ns, &FIND, hash(secret), Box::new(move |found| done(found.map(|found| found.map(caller)))));
    }

    /// Whether somebody of that role at home there is an administrator of all.
    pub(crate) fn is_valid_everywhere(&self, home: &Arc<Namespace>, role: Role) -> bool {
        role == Role::Admin && Arc::ptr_eq(home, &self.admin_namespace())
    }

    /// Looks in the namespace, then among the administrators who are valid everywhere.
    pub(crate) fn recognise(&self, ns: &Arc<Namespace>, find: &'static Find, hash: [u8; 32], done: FindDone) {
        let (kernel, admins) = (self.clone(), self.admin_namespace());
        // An administrator's key is not one of the namespace's own: without this look it would cost a read every time.
        let known = admins.keys.get(&hash, self.env().clock.ran_ms()).filter(|found| found.role == Role::Admin);
        if let Some(found) = known {
            return done(Ok(Some((found, admins))));
        }
        let (own, look_further) = (ns.clone(), !Arc::ptr_eq(ns, &admins));
        let then: ReadDone<Option<Found>> = Box::new(move |found| match found {
            Ok(None) if look_further => {
                let admin = |found: Option<Found>| found.filter(|found| found.role == Role::Admin);
                let everywhere = admins.clone();
                let done = move |found: OpResult<_>| done(found.map(|found| admin(found).map(|found| (found, admins))));
                kernel.find(&everywhere, find, hash, Box::new(done));
            }
            found => done(found.map(|found| found.map(|found| (found, own)))),
        });
        self.find(ns, find, hash, then);
    }

    fn find(&self, ns: &Arc<Namespace>, find: &'static Find, hash: [u8; 32], done: ReadDone<Option<Found>>) {
        let clock = self.env().clock.clone();
        if let Some(found) = ns.keys.get(&hash, clock.ran_ms()) {
            return done(Ok(Some(found)));
        }
        let (ring, generation) = (ns.clone(), ns.keys.generation());
        let remember = move |found: OpResult<Option<Found>>| {
            if let Ok(Some(found)) = &found {
                // Its use is noted once per look-up, not once per request.
                let found = Found { note_use: false, ..found.clone() };
                ring.keys.remember(generation, hash, found, clock.ran_ms());
            }
            done(found);
        };
        self.read(ns, find, hash, Box::new(remember));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_32_a_remembered_key_is_looked_up_again_after_its_time_and_after_a_revocation() {
        let ring = KeyRing::default();
        let found = || Found { name: "a".into(), role: Role::App, scope: "{}".into(), note_use: false };
        ring.remember(0, [1; 32], found(), 100);
        assert!(ring.get(&[1; 32], 100 + FRESH_MS - 1).is_some());
        assert!(ring.get(&[1; 32], 100 + FRESH_MS).is_none());
        let before = ring.generation();
        ring.forget();
        assert!(ring.get(&[1; 32], 100).is_none());
        ring.remember(before, [1; 32], found(), 100);
        assert!(
            ring.get(&[1; 32], 100).is_none(),
            "what was looked up before the revocation is not remembered after it"
        );
    }

    #[test]
    fn ker_32_a_made_secret_needs_the_callers_secret_and_the_salt() {
        let made = secret_from(&proof("admin"), b"salt");
        assert_eq!(made.len(), 4 + 64);
        assert_eq!(made, secret_from(&proof("admin"), b"salt"));
        assert_ne!(made, secret_from(&proof("other"), b"salt"));
        assert_ne!(made, secret_from(&proof("admin"), b"tlas"));
    }
}
