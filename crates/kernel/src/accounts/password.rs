//! Passwords: their rule, their hash, and how one-time passwords are made.
//!
//! Pure functions: the chance is given. A hash takes 19 MiB and some 20 ms on purpose, so it is never computed in a transaction, and
//! whoever computes it bounds how many at once.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use base::{OpError, OpResult, codes};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Shortest password, in characters.
pub const LENGTH_MIN: usize = 12;
/// Longest password, in characters.
pub const LENGTH_MAX: usize = 256;

/// By OWASP's advice for argon2id: 19 MiB, 2 passes, 1 lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Of the Crockford alphabet: nothing that people take for something else.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Refuses what is no password, without repeating it.
///
/// # Errors
/// `ALIMIT`: too short or too long.
pub fn check(password: &str) -> OpResult<()> {
    let length = password.chars().count();
    if (LENGTH_MIN..=LENGTH_MAX).contains(&length) {
        return Ok(());
    }
    let message = format!("the password has {length} characters, it must have {LENGTH_MIN} to {LENGTH_MAX}");
    Err(OpError::new(codes::ALIMIT, message))
}

/// The hash that is stored: argon2id in the PHC text form.
///
/// # Panics
/// The parameters above are wrong: a bug that every test would show.
#[must_use]
pub fn hash(password: &str, salt: &[u8; 16]) -> String {
    let hash = argon2().hash_password_with_salt(password.as_bytes(), salt);
    let hash: PasswordHash = hash.expect("argon2 takes any password and 16 bytes of salt");
    hash.to_string()
}

/// Whether a password is the one of a hash. Costs as much as [`hash`], and compares in constant time.
#[must_use]
pub fn matches(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| argon2().verify_password(password.as_bytes(), &hash).is_ok())
}

/// A hash that no password has, with the parameters of ours: looked at where there is no account, so that the answer
/// takes as long.
#[must_use]
pub fn nobodys_hash() -> String {
    let salt = "c29tZSBzYWx0IGhlcmUuLg";
    let none = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${salt}${none}")
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("parameters within argon2's limits");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// What is kept of a one-time password, so that a repeated request shows the same one again: without the secret that its maker
/// showed it gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    salt: [u8; 32],
    maker: [u8; 32],
}

impl Kept {
    /// Of a password that is being made for whoever has this proof.
    #[must_use]
    pub fn new(proof: &[u8; 32], salt: [u8; 32]) -> Self {
        Self { salt, maker: digest(b"fastness maker\0", proof, &salt) }
    }

    /// The password, for whoever has the proof that it was made with; `None` for others.
    #[must_use]
    pub fn password(&self, proof: &[u8; 32]) -> Option<String> {
        let same = Self::new(proof, self.salt) == *self;
        same.then(|| one_time(&digest(b"fastness password\0", proof, &self.salt)))
    }
}

fn digest(what: &[u8], proof: &[u8; 32], salt: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update(what).chain_update(proof).chain_update(salt).finalize().into()
}

/// A password of 100 bits that people can read out: `4f2k9-…` in four groups of five.
#[must_use]
pub fn one_time(chance: &[u8; 32]) -> String {
    let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
    let groups: Vec<String> = chance[..20].chunks(5).map(|group| group.iter().map(letter).collect()).collect();
    groups.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_32_a_password_is_stored_by_argon2id_and_found_again() {
        let stored = hash("correct horse battery", &[7; 16]);
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert!(matches("correct horse battery", &stored));
        for wrong in ["correct horse batterz", "", "correct horse battery "] {
            assert!(!matches(wrong, &stored), "{wrong}");
        }
        assert_ne!(stored, hash("correct horse battery", &[8; 16]));
    }

    #[test]
    fn ker_32_nobodys_hash_costs_as_much_and_fits_no_password() {
        let nobodys = nobodys_hash();
        let parsed = PasswordHash::new(&nobodys).unwrap();
        let real = hash("correct horse battery", &[7; 16]);
        let real = PasswordHash::new(&real).unwrap();
        assert_eq!((parsed.algorithm, parsed.version, &parsed.params), (real.algorithm, real.version, &real.params));
        assert_eq!(parsed.hash.unwrap().len(), real.hash.unwrap().len(), "else it would be refused without any work");
        assert!(!matches("", &nobodys) && !matches("nonsense", "nonsense"));
    }

    #[test]
    fn ker_32_a_one_time_password_is_made_again_only_with_its_makers_proof() {
        let kept = Kept::new(&[1; 32], [2; 32]);
        let password = kept.password(&[1; 32]).unwrap();
        assert!(password.len() == 23 && check(&password).is_ok(), "{password}");
        assert_eq!(kept.password(&[1; 32]), Some(password.clone()));
        assert_eq!(kept.password(&[3; 32]), None);
        assert_ne!(Kept::new(&[1; 32], [9; 32]).password(&[1; 32]), Some(password));
    }

    #[test]
    fn ker_34_passwords_have_12_to_256_characters() {
        assert!(check(&"ä".repeat(12)).is_ok() && check(&"x".repeat(256)).is_ok());
        for bad in [String::new(), "x".repeat(11), "x".repeat(257)] {
            let refused = check(&bad).unwrap_err();
            assert!(refused.code == codes::ALIMIT && (bad.is_empty() || !refused.message.contains(&bad)));
        }
    }
}
