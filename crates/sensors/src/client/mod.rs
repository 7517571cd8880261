//! Clients: who is told of what sensors say (SEN-1, SEN-7). Each has one URL, its own secret, and its own count of what there was to
//! tell it.

mod change;
mod create;
mod forget;
mod list;
mod remove;
mod rotate;
mod url;

pub use change::{CHANGE_CLIENT, ChangeClient, WantedState};
pub use create::{CREATE_CLIENT, ClientMade, NewClient};
pub(crate) use forget::FORGET_CLIENT;
pub use list::{CLIENTS, ClientState, ClientView, ClientsOf, SHOW_CLIENT};
pub use remove::REMOVE_CLIENT;
pub use rotate::{ROTATE_CLIENT, Rotated};
pub use url::check_url;

use base::{ContentionKey, Keys, OpError, OpResult, Sql, Tx, args, codes};

use crate::codes::{ACLIENT, NCLIENT};
use crate::limits::{CLIENT_NAME_MAX, GROUP_LOST_MAX};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &EXISTS,
    &change::UPDATE,
    &change::NAMED,
    &create::INSERT,
    &create::COUNT,
    &create::SECRET,
    &forget::LINKS,
    &forget::UNLINK,
    &forget::EVENTS,
    &forget::DROP_EVENTS,
    &forget::DROP_ATTEMPTS,
    &list::PAGE,
    &list::ONE,
    &list::WAITING,
    &list::LINKED,
    &remove::DELETE,
    &rotate::ROTATE,
];

static EXISTS: Sql = Sql::new("sensor_client.exists", "SELECT name FROM sensor_client WHERE id = ?1");

/// There is no such client.
pub(crate) fn absent(id: &str) -> OpError {
    OpError::new(NCLIENT, format!("no client `{}`", kernel::watch::shown(id, 80)))
}

/// Refuses an id that is no client's.
pub(crate) fn check_exists(tx: &mut dyn Tx, id: &str) -> OpResult<()> {
    tx.query_one(&EXISTS, args![id])?.map(drop).ok_or_else(|| absent(id))
}

fn keys(id: &str) -> Keys {
    Keys::of(vec![ContentionKey::of("sensor.client", id)])
}

fn taken(name: &str) -> OpError {
    OpError::new(ACLIENT, format!("a client named `{}` is there already", kernel::watch::shown(name, 80)))
}

fn check_name(name: &str) -> OpResult<()> {
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(OpError::new(codes::ABODY, "the name of a client is empty or has control characters"));
    }
    if name.len() > CLIENT_NAME_MAX {
        let text = format!("the name of a client has {} bytes, at most {CLIENT_NAME_MAX}", name.len());
        return Err(OpError::new(codes::ALIMIT, text));
    }
    Ok(())
}

fn check_group(group_lost: u32) -> OpResult<()> {
    if group_lost > GROUP_LOST_MAX {
        return Err(OpError::new(codes::ALIMIT, format!("group_lost is {group_lost}, at most {GROUP_LOST_MAX}")));
    }
    Ok(())
}
