//! What tells of many sensors at once (SEN-13): which, and whether the client still has any of them.

use base::{OpError, OpResult, Tx, args, codes};
use serde::Deserialize;

use super::Told;
use crate::link::EXISTS;

#[derive(Deserialize)]
struct Body {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    sensors: Vec<String>,
}

/// The sensors that it tells of.
pub(super) fn sensors_of(body: &str) -> OpResult<Vec<String>> {
    let wrong = |error| OpError::new(codes::BDETECTED, format!("no notification of many sensors: {error}"));
    let body: Body = serde_json::from_str(body).map_err(wrong)?;
    Ok(body.data.sensors)
}

/// Whether the client has one of them (SEN-8).
pub(super) fn has_any(tx: &mut dyn Tx, told: &Told, body: &str) -> OpResult<bool> {
    for sensor in sensors_of(body)? {
        if tx.query_one(&EXISTS, args![&sensor, &told.client])?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
