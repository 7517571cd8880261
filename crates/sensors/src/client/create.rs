//! Creates a client, with a secret of its own.

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::{Op, OpCx, secret};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{absent, check_group, check_name, check_url, taken};
use crate::limits::CLIENTS_MAX;
use crate::rules::reach;

/// Creates a client. A repeat of the same request shows the secret again, which is why it is not kept with the answer.
pub static CREATE_CLIENT: Op<NewClient, ClientMade> = Op::new("sensor.client_create", create).rebuilt(show_again);

/// A client to be.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "Hotel Europa", "url": "https://hotel.example/doors" }))]
pub struct NewClient {
    /// Its name, of which there is one only. At most 255 bytes.
    #[schema(max_length = 255)]
    pub name: String,
    /// Where it is told: http or https, at most 2,048 bytes, without user and password.
    #[schema(max_length = 2048)]
    pub url: String,
    /// From so many of its sensors lost at once on it is told of them together; 0: never.
    #[serde(default)]
    #[schema(required = false, maximum = 200)]
    pub group_lost: u32,
}

/// A client that was created.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ClientMade {
    /// Its id.
    #[schema(example = "01KA2B3C4D5E6F7G8H9JKMNPQR")]
    pub id: String,
    /// Its secret, with which it can tell that we call: shown this once.
    #[schema(example = "whsec_…")]
    pub secret: String,
}

pub(super) static INSERT: Sql = Sql::new(
    "sensor_client.insert",
    "INSERT INTO sensor_client (id, name, url, secret, state, reason, seq, group_lost, created_at) \
     VALUES (?1, ?2, ?3, ?4, 'active', '', 0, ?5, ?6) ON CONFLICT (name) DO NOTHING",
);
pub(super) static COUNT: Sql = Sql::new("sensor_client.count", "SELECT COUNT(*) FROM sensor_client");
pub(super) static SECRET: Sql = Sql::new("sensor_client.secret", "SELECT secret FROM sensor_client WHERE id = ?1");

fn create(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &NewClient) -> OpResult<ClientMade> {
    check_name(&input.name)?;
    check_group(input.group_lost)?;
    check_url(&input.url, reach(cx.home))?;
    check_room(tx)?;
    let (id, chance) = (cx.id().to_string(), cx.chance());
    let row = args![&id, &input.name, &input.url, &chance, input.group_lost, cx.wall];
    if tx.execute(&INSERT, row)? == 0 {
        return Err(taken(&input.name));
    }
    cx.fx.journal("sensor.client_created", &id, format!("client `{}`", input.name));
    Ok(ClientMade { id, secret: secret::text(&chance) })
}

fn check_room(tx: &mut dyn Tx) -> OpResult<()> {
    let count = tx.query_one(&COUNT, args![])?.map_or(0, |row| row.int(0));
    if count < CLIENTS_MAX {
        return Ok(());
    }
    Err(OpError::new(codes::ALIMIT, format!("{count} clients are there, at most {CLIENTS_MAX}")))
}

fn show_again(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &NewClient) -> OpResult<ClientMade> {
    let id = cx.id().to_string();
    Ok(ClientMade { secret: secret_of(tx, &id)?, id })
}

/// The secret as its owner configures it.
pub(super) fn secret_of(tx: &mut dyn Tx, id: &str) -> OpResult<String> {
    let row = tx.query_one(&SECRET, args![id])?.ok_or_else(|| absent(id))?;
    Ok(secret::text(row.blob(0)))
}
