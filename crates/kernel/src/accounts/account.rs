//! An account: its row, its rules.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};
use serde::{Deserialize, Serialize};

use crate::request::Role;

/// Longest name.
pub const NAME_MAX: usize = 64;

/// An account without its password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Its name, unique in its namespace.
    pub name: String,
    /// What its owner may do: admin, operator or reader.
    pub role: Role,
    /// Its password was made by somebody else and should be changed.
    pub must_change: bool,
    /// When it was made.
    pub created_at: Wall,
    /// When it was blocked.
    pub blocked_at: Option<Wall>,
}

/// The row, with the hash of the password.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) account: Account,
    pub(crate) password: String,
}

pub(crate) static GET: Sql = Sql::new(
    "console_account.get",
    "SELECT name, role, must_change, created_at, blocked_at, password FROM console_account WHERE name = ?1",
);
pub(crate) static INSERT: Sql = Sql::new(
    "console_account.insert",
    "INSERT INTO console_account (name, role, password, must_change, created_at) VALUES (?1, ?2, ?3, 1, ?4) \
     ON CONFLICT (name) DO NOTHING",
);
pub(crate) static SAVE: Sql = Sql::new(
    "console_account.save",
    "UPDATE console_account SET role = ?2, password = ?3, must_change = ?4, blocked_at = ?5 WHERE name = ?1",
);
pub(crate) static DELETE: Sql = Sql::new("console_account.delete", "DELETE FROM console_account WHERE name = ?1");
pub(crate) static PAGE: Sql = Sql::new(
    "console_account.page",
    "SELECT name, role, must_change, created_at, blocked_at FROM console_account WHERE name > ?1 ORDER BY name LIMIT ?2",
);
pub(crate) static ANY: Sql = Sql::new("console_account.any", "SELECT name FROM console_account ORDER BY name LIMIT 1");
pub(crate) static OTHER_ADMINS: Sql = Sql::new(
    "console_account.other_admins",
    "SELECT name FROM console_account WHERE role = 'admin' AND blocked_at IS NULL AND name <> ?1 ORDER BY name LIMIT 1",
);

/// Names are lower case, so that two that people take for one cannot both exist.
///
/// # Errors
/// `ABODY`: it is no name.
pub fn check_name(name: &str) -> OpResult<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._@-".contains(&byte);
    if (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(plain) {
        return Ok(());
    }
    Err(OpError::new(codes::ABODY, format!("an account's name has 1 to {NAME_MAX} of a-z, 0-9 and . _ @ -")))
}

/// People have one of three roles; the others belong to keys of programs.
///
/// # Errors
/// `ABODY`: it is another role.
pub fn check_role(role: Role) -> OpResult<()> {
    match role {
        Role::Admin | Role::Operator | Role::Reader => Ok(()),
        Role::Database | Role::Device | Role::Actor | Role::Gateway | Role::Folder | Role::App => {
            let message = format!("role {} is not one of an account: admin, operator or reader", role.word());
            Err(OpError::new(codes::ABODY, message))
        }
    }
}

pub(crate) fn of_row(row: &Row) -> Account {
    Account {
        name: row.text(0).to_owned(),
        // The schema lets no other word in.
        role: Role::from_word(row.text(1)).unwrap_or(Role::Reader),
        must_change: row.int(2) != 0,
        created_at: Wall(row.int(3)),
        blocked_at: row.opt_int(4).map(Wall),
    }
}

pub(crate) fn find(tx: &mut dyn Tx, name: &str) -> OpResult<Option<Stored>> {
    let row = tx.query_one(&GET, args![name])?;
    Ok(row.map(|row| Stored { account: of_row(&row), password: row.text(5).to_owned() }))
}

pub(crate) fn get(tx: &mut dyn Tx, name: &str) -> OpResult<Stored> {
    find(tx, name)?.ok_or_else(|| OpError::new(codes::NPERSON, format!("no account `{name}`")))
}

pub(crate) fn save(tx: &mut dyn Tx, stored: &Stored) -> OpResult<()> {
    let Stored { account, password } = stored;
    let role = account.role.word();
    Ok(tx.write(&SAVE, args![&account.name, role, password, account.must_change, account.blocked_at])?)
}

/// Whether an administrator remains who can log in, when this account is none any more.
pub(crate) fn check_admin_remains(tx: &mut dyn Tx, name: &str) -> OpResult<()> {
    if tx.query_one(&OTHER_ADMINS, args![name])?.is_some() {
        return Ok(());
    }
    let message = format!("`{name}` is the last administrator who can log in: make another one first");
    Err(OpError::new(codes::ALASTADMIN, message))
}

/// Whether an account counts as an administrator who can log in.
pub(crate) fn is_working_admin(account: &Account) -> bool {
    account.role == Role::Admin && account.blocked_at.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_32_names_of_accounts_stay_names() {
        for good in ["a", "admin", "anna.b@c-d_1", &"a".repeat(64)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "Admin", "a b", "a/b", "ä", "a\n", &"a".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ker_32_people_have_one_of_three_roles() {
        let people: Vec<_> = Role::ALL.into_iter().filter(|role| check_role(*role).is_ok()).collect();
        assert_eq!(people, [Role::Admin, Role::Operator, Role::Reader]);
    }
}
