//! How long blobs are kept: one row per namespace, written by the server from its configuration, so that the collection
//! decides by committed state alone.

use base::limits::{BLOB_DELAY_MS, BLOB_GRACE_MS, BLOB_PUT_WITHIN_MS};
use base::mutants::{self, Mutant};
use base::{Heard, OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::op::Op;

/// Says how long blobs are kept from now on.
pub static SET_RULE: Op<Rule, ()> = Op::new("blob.set_rule", set);

/// How long blobs are kept, in listening time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// After the last reference, or after the upload.
    pub grace_ms: i64,
    /// From the first pass of the collection to the second; also how long bytes without a row are left alone.
    pub delay_ms: i64,
}

impl Default for Rule {
    fn default() -> Self {
        Self { grace_ms: BLOB_GRACE_MS, delay_ms: BLOB_DELAY_MS }
    }
}

impl Rule {
    /// What is unused since then or longer may be marked.
    pub(super) fn unused_until(self, heard: Heard) -> Heard {
        if mutants::on(Mutant::GraceIgnored) { heard } else { heard.plus_ms(-self.grace_ms) }
    }

    /// What is marked, or without a row, since then or longer may go.
    pub(super) fn marked_until(self, heard: Heard) -> Heard {
        heard.plus_ms(-self.delay_ms)
    }
}

pub(super) static GET: Sql = Sql::new("blob_rule.get", "SELECT grace_ms, delay_ms FROM blob_rule WHERE id = 1");
pub(super) static SET: Sql = Sql::new(
    "blob_rule.set",
    "INSERT INTO blob_rule (id, grace_ms, delay_ms) VALUES (1, ?1, ?2) \
     ON CONFLICT (id) DO UPDATE SET grace_ms = ?1, delay_ms = ?2",
);

/// The rule of this namespace.
pub(super) fn get(tx: &mut dyn Tx) -> OpResult<Rule> {
    let row = tx.query_one(&GET, args![])?;
    Ok(row.map_or_else(Rule::default, |row| Rule { grace_ms: row.int(0), delay_ms: row.int(1) }))
}

fn set(tx: &mut dyn Tx, _: &mut OpCx<'_>, rule: &Rule) -> OpResult<()> {
    if rule.grace_ms < 0 || rule.delay_ms < BLOB_PUT_WITHIN_MS {
        let text = format!("{rule:?}: the grace may not be below 0 ms, the delay not below {BLOB_PUT_WITHIN_MS} ms");
        return Err(OpError::new(codes::ALIMIT, text));
    }
    Ok(tx.write(&SET, args![rule.grace_ms, rule.delay_ms])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_26_grace_and_delay_count_in_listening_time() {
        let rule = Rule { grace_ms: 100, delay_ms: 10 };
        assert_eq!(rule.unused_until(Heard(1_000)), Heard(900));
        assert_eq!(rule.marked_until(Heard(1_000)), Heard(990));
    }
}
