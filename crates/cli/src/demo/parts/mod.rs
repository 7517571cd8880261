//! What child processes of a demo do. A part reads its order from the first line of its standard input, says what happens in lines of JSON,
//! and ends when its input ends: with whoever started it, whatever ended that one.

mod erp;
mod folder;
mod worker;

use std::io::Read as _;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::{Done, Failure};
use crate::output::Output;

pub(super) use erp::{Erp, StopAt, settings};
pub(super) use folder::Folder;
pub(super) use worker::{Line, Worker};

/// What a part is to do.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    Erp(Erp),
    Worker(Worker),
    Folder(Folder),
}

/// Where the server is, and by what right.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Address {
    pub(super) server: String,
    pub(super) namespace: String,
    pub(super) key: String,
}

impl Address {
    fn client(&self) -> Result<client::Client, Failure> {
        client::Client::new(&self.server, &self.namespace, &self.key).map_err(Failure::here)
    }
}

/// Plays a part until its input ends.
pub(super) async fn run() -> Done {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(Failure::here)?;
    let order: Order = serde_json::from_str(&line).map_err(|_| Failure::usage("this is a part of `fastness demo`"))?;
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().lock().read_to_end(&mut vec![]));
    let played = tokio::select! {
        played = played(order) => played,
        _ = ended => Ok(()),
    };
    if let Err(failure) = &played {
        tell(&json!({ "failed": failure.message() }))?;
    }
    Ok(())
}

async fn played(order: Order) -> Done {
    match order {
        Order::Erp(order) => order.play().await,
        Order::Worker(order) => order.play().await,
        Order::Folder(order) => order.play().await,
    }
}

/// Says something to whoever started this process.
fn tell(word: &Value) -> Done {
    let mut out = std::io::stdout().lock();
    let line = format!("{}\n", Output::json_text(word));
    let told = std::io::Write::write_all(&mut out, line.as_bytes()).and_then(|()| std::io::Write::flush(&mut out));
    told.map_err(|error| Failure::output(&error))
}

/// Stands still for good: whoever started this process is about to end it.
async fn stand_still() -> ! {
    std::future::pending::<()>().await;
    unreachable!("it never ends")
}
