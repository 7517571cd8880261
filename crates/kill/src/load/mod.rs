//! Clients that write and remember what they were told.

mod crowd;
mod history;
mod work;
mod writer;

pub use crowd::{Allowed, Counts, Crowd};
pub use history::{Known, Request};
pub use work::{POOL, Plan, Work, label};
pub use writer::{Told, Writer, is_put_off, is_refusal};

use anyhow::{Result, ensure};
use serde_json::json;

use crate::server::Server;

/// Opens the pool, so that there is an account to transfer to.
///
/// # Errors
/// The server does not do it.
pub fn open_pool(server: &Server) -> Result<()> {
    let body = json!({ "account": POOL, "amount": 0 });
    let answer = server.client().post("/v1/main/ledger/entries", &body, "open-pool").map_err(std::io::Error::from)?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(())
}
