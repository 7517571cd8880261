//! A worker that prices lines of orders: well, or with errors, or one that takes a task and is never heard of again.

use client::workflow::{Failure as TaskFailure, Work};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Address, stand_still, tell};
use crate::failure::{Done, Failure};

/// What a worker is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct Worker {
    pub(in super::super) address: Address,
    /// Its name, for people.
    pub(in super::super) name: String,
    /// Takes a task and stands still.
    pub(in super::super) hangs: bool,
    /// Of a hundred tries so many fail; the first try of each fourth line always does.
    pub(in super::super) fails: u32,
}

/// A line of an order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) struct Line {
    pub(in super::super) number: u64,
    pub(in super::super) amount: u64,
    pub(in super::super) each: u64,
}

impl Line {
    /// What it costs.
    pub(in super::super) fn price(&self) -> u64 {
        self.amount * self.each
    }
}

impl Worker {
    pub(super) async fn play(self) -> Done {
        let client = self.address.client()?;
        let (hangs, fails) = (self.hangs, self.fails);
        let price = move |work: Work, line: Line| async move {
            // Whoever listens may be gone; then so are we, soon.
            let _ = tell(&json!({ "at": "took", "task": work.task_id(), "attempt": work.attempt() }));
            if hangs {
                stand_still().await;
            }
            match (line.number.is_multiple_of(4) && work.attempt() == 1) || chance() < fails {
                true => Err(TaskFailure::new("Busy", format!("the price list is locked, line {}", line.number))),
                false => Ok(line.price()),
            }
        };
        let worker = client::workflow::Worker::new(&client, super::super::workflow::PRICE).named(&self.name);
        let served = worker.on("price", price).concurrency(if hangs { 1 } else { 2 }).run(std::future::pending()).await;
        served.map(drop).map_err(Failure::here)
    }
}

/// 0 to 99, by chance: the last digits of a new key.
fn chance() -> u32 {
    client::new_key().bytes().rev().take(4).fold(0, |sum, byte| sum * 31 + u32::from(byte)) % 100
}
