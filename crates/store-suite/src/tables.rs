//! The suite's own schema and statements.

use std::sync::Arc;

use base::{Migration, Row, Sql, Store, StoreResult, Tx, args};

use crate::fixture::Fixture;

/// The schema, with every token of migrations.
pub(crate) const SCHEMA: &[Migration] = &[
    Migration {
        service: "suite",
        version: 1,
        text: "CREATE TABLE suite_value (id {int} PRIMARY KEY, i {int}, r {real}, t {text}, b {blob}) {strict};
               CREATE TABLE suite_account (id {int} PRIMARY KEY, balance {int} NOT NULL) {strict};
               CREATE TABLE suite_doctor (shift {int} NOT NULL, doctor {int} NOT NULL, on_call {int} NOT NULL,
                   PRIMARY KEY (shift, doctor)) {strict};
               CREATE TABLE suite_word (word {text} PRIMARY KEY) {strict}",
    },
    Migration {
        service: "suite",
        version: 2,
        text: "CREATE TABLE suite_claim (id {int} PRIMARY KEY, state {int} NOT NULL, owner {int}) {strict};
               CREATE INDEX suite_claim_open ON suite_claim (state, id)",
    },
];

/// Declares the statements and the list of all of them.
macro_rules! statements {
    ($($(#[$doc:meta])* $item:ident = $name:literal: $text:literal;)*) => {
        $($(#[$doc])* pub(crate) static $item: Sql = Sql::new($name, $text);)*
        /// All of them.
        pub(crate) static STATEMENTS: &[&Sql] = &[$(&$item),*];
    };
}

statements! {
    VALUE_INSERT = "suite_value.insert": "INSERT INTO suite_value (id, i, r, t, b) VALUES (?1, ?2, ?3, ?4, ?5)";
    /// Parameters in no order: place 1 is ?5.
    VALUE_INSERT_BACKWARDS = "suite_value.insert_backwards":
        "INSERT INTO suite_value (id, i, r, t, b) VALUES (?5, ?4, ?3, ?2, ?1)";
    VALUE_INSERT_ID = "suite_value.insert_id": "INSERT INTO suite_value (id) VALUES (?1)";
    VALUE_INSERT_BLOB = "suite_value.insert_blob": "INSERT INTO suite_value (id, b) VALUES (?1, ?2)";
    VALUE_GET = "suite_value.get": "SELECT i, r, t, b FROM suite_value WHERE id = ?1";
    VALUE_FIND = "suite_value.find":
        "SELECT id FROM suite_value WHERE i = ?1 AND r = ?2 AND t = ?3 AND b = ?4 ORDER BY id";
    /// One parameter more than once, and in no order.
    VALUE_AROUND = "suite_value.around":
        "SELECT id FROM suite_value WHERE (i > ?2 AND i < ?1) OR i = ?1 OR (i = ?3 AND ?3 < ?2) ORDER BY id";
    /// More than nine parameters: ?1 is not a part of ?10.
    VALUE_IN = "suite_value.in": "SELECT id FROM suite_value
         WHERE id IN (?12, ?11, ?10, ?9, ?8, ?7, ?6, ?5, ?4, ?3, ?2, ?1) ORDER BY id";
    VALUE_EMPTY = "suite_value.empty": "SELECT id FROM suite_value
         WHERE i IS NULL AND r IS NULL AND t IS NULL AND b IS NULL ORDER BY id";
    VALUE_IDS = "suite_value.ids": "SELECT id FROM suite_value ORDER BY id";
    VALUE_COUNT = "suite_value.count": "SELECT COUNT(*) FROM suite_value";
    VALUE_DELETE = "suite_value.delete": "DELETE FROM suite_value WHERE id = ?1";
    VALUE_SET_ABOVE = "suite_value.set_above": "UPDATE suite_value SET i = ?2 WHERE id > ?1";
    ACCOUNT_INSERT = "suite_account.insert": "INSERT INTO suite_account (id, balance) VALUES (?1, ?2)";
    ACCOUNT_BALANCE = "suite_account.balance": "SELECT balance FROM suite_account WHERE id = ?1";
    ACCOUNT_SET = "suite_account.set": "UPDATE suite_account SET balance = ?2 WHERE id = ?1";
    ACCOUNT_ADD = "suite_account.add": "UPDATE suite_account SET balance = balance + ?2 WHERE id = ?1";
    ACCOUNT_ALL = "suite_account.all": "SELECT id, balance FROM suite_account ORDER BY id";
    /// With 200 accounts 1.6 thousand million pairs of pairs: minutes on any machine, and no row to keep.
    ACCOUNT_LONG_READ = "suite_account.long_read":
        "SELECT COUNT(*) FROM suite_account a, suite_account b, suite_account c, suite_account d
         WHERE a.balance + b.balance + c.balance + d.balance = ?1";
    ACCOUNT_LONG_WRITE = "suite_account.long_write":
        "UPDATE suite_account SET balance = (SELECT COUNT(*)
             FROM suite_account a, suite_account b, suite_account c, suite_account d
             WHERE a.balance + b.balance + c.balance + d.balance = ?1)
         WHERE id = ?2";
    DOCTOR_INSERT = "suite_doctor.insert": "INSERT INTO suite_doctor (shift, doctor, on_call) VALUES (?1, ?2, 1)";
    DOCTOR_ON_CALL = "suite_doctor.on_call":
        "SELECT COUNT(*) FROM suite_doctor WHERE shift = ?1 AND on_call = 1";
    DOCTOR_LEAVE = "suite_doctor.leave": "UPDATE suite_doctor SET on_call = 0 WHERE shift = ?1 AND doctor = ?2";
    WORD_INSERT = "suite_word.insert": "INSERT INTO suite_word (word) VALUES (?1)";
    WORD_ALL = "suite_word.all": "SELECT word FROM suite_word ORDER BY word";
    WORD_RANGE = "suite_word.range": "SELECT word FROM suite_word WHERE word >= ?1 AND word < ?2 ORDER BY word";
    CLAIM_INSERT = "suite_claim.insert": "INSERT INTO suite_claim (id, state) VALUES (?1, 0)";
    /// Checks its own condition again after it may have waited for another: that is what makes it right without
    /// serial isolation. An engine of its own may add SKIP LOCKED to be quicker; this is what all speak.
    CLAIM_TAKE = "suite_claim.take":
        "UPDATE suite_claim SET state = 1, owner = ?1
         WHERE id = (SELECT id FROM suite_claim WHERE state = 0 ORDER BY id LIMIT 1) AND state = 0
         RETURNING id";
    CLAIM_OPEN = "suite_claim.open": "SELECT COUNT(*) FROM suite_claim WHERE state = 0";
    CLAIM_OWNERS = "suite_claim.owners": "SELECT id, owner FROM suite_claim WHERE state = 1 ORDER BY id";
}

/// A store with the suite's schema.
pub(crate) fn prepared(fixture: &dyn Fixture) -> Arc<dyn Store> {
    with_schema(fixture.open())
}

/// The same store, with the suite's schema.
pub(crate) fn with_schema(store: Arc<dyn Store>) -> Arc<dyn Store> {
    store.migrate(SCHEMA).expect("the suite's schema");
    store
}

/// A new row with nothing but its id.
pub(crate) fn insert(tx: &mut dyn Tx, id: i64) -> StoreResult<()> {
    tx.execute(&VALUE_INSERT_ID, args![id]).map(drop)
}

/// The ids of all rows.
pub(crate) fn ids(tx: &mut dyn Tx) -> StoreResult<Vec<i64>> {
    Ok(integers(&tx.query(&VALUE_IDS, args![], 4_000)?))
}

/// The first column of all rows.
pub(crate) fn integers(rows: &[Row]) -> Vec<i64> {
    rows.iter().map(|row| row.int(0)).collect()
}

/// Makes accounts 0 … `count - 1`.
pub(crate) fn accounts(tx: &mut dyn Tx, count: i64, balance: i64) -> StoreResult<()> {
    (0..count).try_for_each(|id| tx.write(&ACCOUNT_INSERT, args![id, balance]))
}

/// An account's balance.
///
/// # Panics
/// If there is no such account.
pub(crate) fn balance(tx: &mut dyn Tx, id: i64) -> StoreResult<i64> {
    Ok(tx.query_one(&ACCOUNT_BALANCE, args![id])?.expect("the account").int(0))
}

/// The balances of all accounts, by id.
pub(crate) fn balances(tx: &mut dyn Tx) -> StoreResult<Vec<i64>> {
    Ok(tx.query(&ACCOUNT_ALL, args![], 1_000)?.iter().map(|row| row.int(1)).collect())
}

/// Reads both, decides, writes both: `false` if there is not enough.
pub(crate) fn transfer(tx: &mut dyn Tx, from: i64, to: i64, amount: i64) -> StoreResult<bool> {
    let (source, target) = (balance(tx, from)?, balance(tx, to)?);
    if source < amount {
        return Ok(false);
    }
    tx.execute(&ACCOUNT_SET, args![from, source - amount])?;
    tx.execute(&ACCOUNT_SET, args![to, target + amount])?;
    Ok(true)
}
