//! The daemon of one device: keeps its folder in step, as `fastness folders run` does.

use std::path::PathBuf;

use folder_agent::run::{Home, keep};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::tell;
use crate::failure::{Done, Failure};

/// What a daemon is to keep.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct Folder {
    /// Where its links are.
    pub(in super::super) home: PathBuf,
}

impl Folder {
    pub(super) async fn play(self) -> Done {
        let home = Home::at(self.home);
        let link = home.links().map_err(Failure::here)?.pop().ok_or_else(|| Failure::here("no folder is linked"))?;
        let mut keeper = keep(&home, &link).map_err(Failure::here)?;
        tell(&json!({ "at": "ready" }))?;
        Err(Failure::here(keeper.ended().await))
    }
}
