//! What requests and answers of accounts and sessions hold.

use kernel::Role;
use kernel::accounts::Account;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::keys::RoleWord;
use crate::time::rfc3339;

/// An account to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "anna", "role": "operator" }))]
pub(super) struct NewConsoleAccount {
    /// 1 to 64 of a-z, 0-9 and . _ @ -
    #[schema(max_length = 64, example = "anna")]
    pub(super) name: String,
    /// What its owner may do: admin, operator or reader.
    #[schema(value_type = RoleWord)]
    pub(super) role: Role,
}

/// What changes of an account; what is not named stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "blocked": true }))]
pub(super) struct ConsoleAccountChange {
    /// What its owner may do: admin, operator or reader.
    #[schema(value_type = Option<RoleWord>, nullable = false)]
    pub(super) role: Option<Role>,
    /// Whether nobody can log in with it.
    #[schema(nullable = false)]
    pub(super) blocked: Option<bool>,
    /// Make a new one-time password.
    #[serde(default)]
    #[schema(required = false)]
    pub(super) new_password: bool,
}

/// Which page of the accounts.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct AccountsQuery {
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    pub(super) limit: Option<u32>,
    /// Only accounts after this name: `next` of the page before.
    #[param(nullable = false)]
    pub(super) after: Option<String>,
}

/// An account as it is shown.
#[derive(Serialize, ToSchema)]
pub(super) struct ConsoleAccount {
    /// Its name.
    #[schema(example = "anna")]
    pub(super) name: String,
    /// What its owner may do.
    #[schema(value_type = RoleWord)]
    role: Role,
    /// Its password was made by somebody else and should be changed.
    must_change: bool,
    /// When it was created.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    created_at: String,
    /// When it was blocked; null while it is not.
    #[schema(format = DateTime)]
    blocked_at: Option<String>,
}

impl From<Account> for ConsoleAccount {
    fn from(account: Account) -> Self {
        Self {
            name: account.name,
            role: account.role,
            must_change: account.must_change,
            created_at: rfc3339(account.created_at),
            blocked_at: account.blocked_at.map(rfc3339),
        }
    }
}

/// An account, with its one-time password if one was made.
#[derive(Serialize, ToSchema)]
pub(super) struct MadeConsoleAccount {
    #[serde(flatten)]
    account: ConsoleAccount,
    /// The one-time password, shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "4f2k9-c0r3w-x8ngt-1zqv7")]
    password: Option<String>,
}

impl MadeConsoleAccount {
    pub(super) fn new(account: Account, password: Option<String>) -> Self {
        Self { account: account.into(), password }
    }
}

/// Who wants in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "account": "admin", "password": "4f2k9-c0r3w-x8ngt-1zqv7" }))]
pub(super) struct ConsoleLogin {
    /// Name of the account.
    #[schema(max_length = 64)]
    pub(super) account: String,
    /// Its password.
    #[schema(max_length = 256)]
    pub(super) password: String,
}

/// Who asks.
#[derive(Serialize, ToSchema)]
pub(super) struct Identity {
    /// The caller's name, as in the journal.
    #[schema(example = "account.z.admin")]
    pub(super) caller: String,
    /// What the caller may do.
    #[schema(value_type = RoleWord)]
    pub(super) role: Role,
    /// Namespace of the key or the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "z")]
    pub(super) namespace: Option<String>,
    /// The account, if it is a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "admin")]
    pub(super) account: Option<String>,
    /// What every change by this session must carry as X-CSRF-Token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) csrf: Option<String>,
}

/// A session that was opened.
#[derive(Serialize, ToSchema)]
pub(super) struct ConsoleSession {
    /// The account.
    #[schema(example = "admin")]
    pub(super) account: String,
    /// Its namespace.
    #[schema(example = "z")]
    pub(super) namespace: String,
    /// What its owner may do.
    #[schema(value_type = RoleWord)]
    pub(super) role: Role,
    /// The password was made by somebody else and should be changed.
    pub(super) must_change: bool,
    /// What every change must carry as X-CSRF-Token.
    pub(super) csrf: String,
    /// When it ends, however much it is used; later if the server was down meanwhile.
    #[schema(format = DateTime, example = "2026-11-16T00:00:00.000Z")]
    pub(super) expires_at: String,
    /// Without use it ends after so many seconds.
    pub(super) idle_s: i64,
}

/// A new password of one's own.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PasswordChange {
    /// The password so far.
    #[schema(max_length = 256)]
    pub(super) old: String,
    /// The new one.
    #[schema(min_length = 12, max_length = 256)]
    pub(super) new: String,
}
