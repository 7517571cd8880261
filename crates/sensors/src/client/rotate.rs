//! Gives a client a new secret; the one before signs too for a day of listening, so that a receiver can change over.

use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx, secret};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::create::secret_of;
use super::{absent, keys};
use crate::limits::ROTATION_MS;

/// Rotates the secret of a client. A repeat of the same request shows the same secret, unless it was rotated again since.
pub static ROTATE_CLIENT: Op<String, Rotated> = Op::new("sensor.client_rotate", rotate)
    .keyed(|id| keys(id))
    .rebuilt(|tx, _, id| Ok(Rotated { secret: secret_of(tx, id)? }));

/// The new secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Rotated {
    /// Shown this once.
    #[schema(example = "whsec_…")]
    pub secret: String,
}

pub(super) static ROTATE: Sql = Sql::new(
    "sensor_client.rotate",
    "UPDATE sensor_client SET old_secret = secret, old_until = ?2, secret = ?3 WHERE id = ?1",
);

fn rotate(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &String) -> OpResult<Rotated> {
    let chance = cx.chance();
    if tx.execute(&ROTATE, args![id, cx.heard.plus_ms(ROTATION_MS), &chance])? == 0 {
        return Err(absent(id));
    }
    cx.fx.journal("sensor.client_rotated", id, "the secret before signs too for a day");
    Ok(Rotated { secret: secret::text(&chance) })
}
