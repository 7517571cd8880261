//! Changes a client: its name, where it is told, whether it is told at all.

use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::list::{ClientState, ClientView, show};
use super::{absent, check_group, check_name, check_url, keys, taken};
use crate::notify::alert_key;
use crate::rules::reach;

/// Changes a client. To be active again ends its failing, and closes the alert of it.
pub static CHANGE_CLIENT: Op<(String, ChangeClient), ClientView> =
    Op::new("sensor.client_change", change).keyed(|(id, _)| keys(id));

/// What shall be otherwise; what is not given stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "url": "https://hotel.example/doors/2", "state": "active" }))]
pub struct ChangeClient {
    /// Its name. At most 255 bytes.
    #[schema(max_length = 255, nullable = false)]
    pub name: Option<String>,
    /// Where it is told: http or https, at most 2,048 bytes, without user and password.
    #[schema(max_length = 2048, nullable = false)]
    pub url: Option<String>,
    /// From so many of its sensors lost at once on it is told of them together; 0: never.
    #[schema(maximum = 200, nullable = false)]
    pub group_lost: Option<u32>,
    /// Whether it is told.
    #[schema(nullable = false)]
    pub state: Option<WantedState>,
}

/// A state that a person can wish for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WantedState {
    /// It is told.
    Active,
    /// It is not told; what happens meanwhile is kept as disabled, and can be fetched or replayed.
    Disabled,
}

pub(super) static UPDATE: Sql = Sql::new(
    "sensor_client.change",
    "UPDATE sensor_client SET name = ?2, url = ?3, group_lost = ?4, state = ?5, reason = ?6, \
     unheard_since = CASE WHEN ?5 = 'active' THEN NULL ELSE unheard_since END WHERE id = ?1",
);
pub(super) static NAMED: Sql =
    Sql::new("sensor_client.named", "SELECT id FROM sensor_client WHERE name = ?1 AND id <> ?2");

fn change(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (id, wanted): &(String, ChangeClient)) -> OpResult<ClientView> {
    check(cx, wanted)?;
    let before = show(tx, id)?;
    let name = wanted.name.as_ref().unwrap_or(&before.name);
    if *name != before.name && tx.query_one(&NAMED, args![name, id])?.is_some() {
        return Err(taken(name));
    }
    let url = wanted.url.as_ref().unwrap_or(&before.url);
    let group_lost = wanted.group_lost.map_or(before.group_lost, i64::from);
    let (state, reason) = next(&before, wanted.state, &cx.caller.name);
    if tx.execute(&UPDATE, args![id, name, url, group_lost, state.word(), reason])? == 0 {
        return Err(absent(id));
    }
    if state == ClientState::Active {
        cx.fx.close_alert(alert_key(id));
    }
    let after = show(tx, id)?;
    if after != before {
        cx.fx.journal("sensor.client_changed", id, format!("client `{name}`: {}", told(&before, &after)));
    }
    Ok(after)
}

fn check(cx: &OpCx<'_>, wanted: &ChangeClient) -> OpResult<()> {
    wanted.name.as_deref().map_or(Ok(()), check_name)?;
    wanted.group_lost.map_or(Ok(()), check_group)?;
    let reach = reach(cx.home);
    wanted.url.as_deref().map_or(Ok(()), |url| check_url(url, reach))
}

/// Its state, and why it is that.
fn next(before: &ClientView, wanted: Option<WantedState>, who: &str) -> (ClientState, String) {
    match wanted {
        None => (before.state, before.reason.clone()),
        Some(WantedState::Active) => (ClientState::Active, String::new()),
        Some(WantedState::Disabled) if before.state == ClientState::Disabled => (before.state, before.reason.clone()),
        Some(WantedState::Disabled) => (ClientState::Disabled, format!("disabled by {who}")),
    }
}

/// What changed, without the URLs: their paths may hold a secret.
fn told(before: &ClientView, after: &ClientView) -> String {
    let changed = [
        ("name", before.name != after.name),
        ("url", before.url != after.url),
        ("group_lost", before.group_lost != after.group_lost),
    ];
    let names = changed.iter().filter(|(_, changed)| *changed).map(|(name, _)| format!("another {name}"));
    let state = (before.state != after.state).then(|| format!("now {}", after.state.word()));
    names.chain(state).collect::<Vec<_>>().join(", ")
}
