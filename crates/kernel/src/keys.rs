//! Access keys, first part (KER-32): who a presented secret belongs to.
//!
//! Only SHA-256 of a secret is stored; secrets have 256 bits of chance, so a fast hash is enough and the look-up by hash
//! tells nothing. What was found is remembered for [`FRESH_MS`]; a revocation on this node is seen at once.

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

pub(crate) static BY_HASH: Sql =
    Sql::new("access_key.by_hash", "SELECT id, role, scope FROM access_key WHERE hash = ?1 AND revoked_at IS NULL");

/// What is stored of a secret.
#[must_use]
pub fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// What is kept in memory of a caller's secret, to make secrets for the caller from.
fn proof(secret: &str) -> [u8; 32] {
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
    bytes.iter().fold("fst_".to_owned(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A key that was found.
#[derive(Debug, Clone)]
struct Found {
    id: String,
    role: Role,
    scope: Arc<str>,
}

/// Keys seen lately in one namespace.
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

static FIND: Query<[u8; 32], Option<Found>> = Query::new("key.find", find);

fn find(tx: &mut dyn Tx, hash: &[u8; 32]) -> OpResult<Option<Found>> {
    let row = tx.query_one(&BY_HASH, args![hash])?;
    let found = |row: Row| {
        let role = Role::from_word(row.text(1))?;
        Some(Found { id: row.text(0).to_owned(), role, scope: row.text(2).into() })
    };
    Ok(row.and_then(found))
}

impl Kernel {
    /// Who `secret` belongs to in namespace `ns`: one of its own keys, or an administrator of the administrators'
    /// namespace, who is valid everywhere. `None` if nobody.
    pub fn authenticate(&self, ns: &Arc<Namespace>, secret: &str, done: ReadDone<Option<Caller>>) {
        let (hash, proof) = (hash(secret), proof(secret));
        let caller = move |everywhere: bool, found: Found| {
            let Found { id: name, role, scope } = found;
            Caller { name, role, scope, proof: Some(proof), everywhere }
        };
        let (kernel, admins) = (self.clone(), self.admin_namespace());
        // An administrator's key is not one of the namespace's own: without this look it would cost a read every time.
        let known = admins.keys.get(&hash, self.env().clock.ran_ms()).filter(|found| found.role == Role::Admin);
        if let Some(found) = known {
            return done(Ok(Some(caller(true, found))));
        }
        let look_further = !Arc::ptr_eq(ns, &admins);
        let then: ReadDone<Option<Found>> = Box::new(move |found| match found {
            Ok(None) if look_further => {
                let admin = move |found: Option<Found>| {
                    found.filter(|found| found.role == Role::Admin).map(|found| caller(true, found))
                };
                kernel.find_key(&admins, hash, Box::new(move |found| done(found.map(admin))));
            }
            found => {
                done(found.map(|found| found.map(|found| caller(!look_further && found.role == Role::Admin, found))))
            }
        });
        self.find_key(ns, hash, then);
    }

    fn find_key(&self, ns: &Arc<Namespace>, hash: [u8; 32], done: ReadDone<Option<Found>>) {
        let clock = self.env().clock.clone();
        if let Some(found) = ns.keys.get(&hash, clock.ran_ms()) {
            return done(Ok(Some(found)));
        }
        let (ring, generation) = (ns.clone(), ns.keys.generation());
        let remember = move |found: OpResult<Option<Found>>| {
            if let Ok(Some(found)) = &found {
                ring.keys.remember(generation, hash, found.clone(), clock.ran_ms());
            }
            done(found);
        };
        self.read(ns, &FIND, hash, Box::new(remember));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_32_a_remembered_key_is_looked_up_again_after_its_time_and_after_a_revocation() {
        let ring = KeyRing::default();
        let found = || Found { id: "a".into(), role: Role::App, scope: "{}".into() };
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
