//! What a person asks for, and how it is sent.

use kernel::Role;
use kernel::accounts::begin_login::{BEGIN_LOGIN, BeginLogin};
use kernel::accounts::change_account::{CHANGE_ACCOUNT, ChangeAccount};
use kernel::accounts::change_password::{CHANGE_PASSWORD, ChangePassword};
use kernel::accounts::create_account::{CREATE_ACCOUNT, CreateAccount, NewPassword};
use kernel::accounts::delete_account::{DELETE_ACCOUNT, DeleteAccount};
use kernel::accounts::end_session::{END_SESSION, EndSession};
use kernel::accounts::open_session::{OPEN_SESSION, OpenSession};
use kernel::accounts::password::Kept;
use kernel::accounts::session::hash;

use super::known::Account;
use crate::sim::{Asker, Sim};

/// A question. A password is its own hash here: how it is hashed is the edge's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Question {
    /// An account is made.
    Create { role: Role, password: String },
    /// A try to log in.
    Begin,
    /// The password was shown: a session.
    Open { password: String, token: String },
    /// A new password by whoever has the old one.
    ChangePassword { old: String, new: String },
    /// A new password by an administrator.
    Reset { password: String },
    /// Another role.
    Turn { role: Role },
    /// A block, or its end.
    Block { blocked: bool },
    /// The account goes.
    Delete,
    /// A logout.
    End { token: String },
    /// Whose session is it?
    Use { token: String },
}

impl Question {
    /// Whether asking again can do no harm: by a key, or by its nature.
    pub(super) fn can_be_repeated(&self) -> bool {
        !matches!(self, Self::Begin | Self::Open { .. } | Self::Use { .. })
    }

    /// What the account becomes by it, if it becomes another.
    pub(super) fn wanted(&self, account: Option<&Account>) -> Option<Option<Account>> {
        let changed = |change: &dyn Fn(&mut Account)| {
            let mut account = account?.clone();
            change(&mut account);
            Some(Some(account))
        };
        match self {
            Self::Create { role, password } => {
                Some(Some(Account { role: *role, password: password.clone(), blocked: false }))
            }
            Self::ChangePassword { new, .. } => changed(&|account| account.password.clone_from(new)),
            Self::Reset { password } => changed(&|account| account.password.clone_from(password)),
            Self::Turn { role } => changed(&|account| account.role = *role),
            Self::Block { blocked } => changed(&|account| account.blocked = *blocked),
            Self::Delete => Some(None),
            Self::Begin | Self::Open { .. } | Self::End { .. } | Self::Use { .. } => None,
        }
    }

    /// Sends it, as the edge would.
    pub(super) fn send(&self, name: &str, asker: Asker, sim: &mut Sim) {
        let (account, address) = (name.to_owned(), format!("192.0.2.{}", asker.client));
        let once = format!("{name} {}", asker.token);
        let change =
            ChangeAccount { name: account.clone(), role: None, blocked: None, password: None, last_admin_stays: true };
        let copies = match self.clone() {
            Self::Create { role, password } => {
                let input = CreateAccount { name: account, role, password: new_password(password) };
                sim.ask(asker, &CREATE_ACCOUNT, input, Some(&once))
            }
            Self::Reset { password } => {
                let input = ChangeAccount { password: Some(new_password(password)), ..change };
                sim.ask(asker, &CHANGE_ACCOUNT, input, Some(&once))
            }
            Self::Turn { role } => {
                sim.ask(asker, &CHANGE_ACCOUNT, ChangeAccount { role: Some(role), ..change }, Some(&once))
            }
            Self::Block { blocked } => {
                sim.ask(asker, &CHANGE_ACCOUNT, ChangeAccount { blocked: Some(blocked), ..change }, Some(&once))
            }
            Self::Delete => {
                sim.ask(asker, &DELETE_ACCOUNT, DeleteAccount { name: account, last_admin_stays: true }, Some(&once))
            }
            Self::Begin => sim.ask(asker, &BEGIN_LOGIN, BeginLogin { account, address }, None),
            Self::Open { password, token } => {
                let input = OpenSession { account, password, hash: hash(&token), address };
                sim.ask(asker, &OPEN_SESSION, input, None)
            }
            Self::ChangePassword { old, new } => {
                sim.ask(asker, &CHANGE_PASSWORD, ChangePassword { account, old, new, address }, None)
            }
            Self::End { token } => sim.ask(asker, &END_SESSION, EndSession { hash: hash(&token) }, None),
            Self::Use { token } => sim.ask_whose_session(asker, token),
        };
        sim.say(&format!("{name} asks {self:?}, {copies} copies"));
    }
}

fn new_password(hash: String) -> NewPassword {
    NewPassword { hash, kept: Kept::new(&[7; 32], [7; 32]) }
}
