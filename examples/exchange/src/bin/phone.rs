//! The phone: activates itself with a code, sends orders, and waits for an answer to each.
//!
//! `phone SERVER CODE ORDERS`. Its key is kept in the file `phone.json`, so that it can be run again without a code; an order that was sent
//! twice because an answer got lost is one order, because it has an id.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a program of its own, with a clock and a file"
)]

use std::collections::BTreeSet;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use base::Wall;
use client::exchange::{Activated, Body, Head, Message, VERSION};
use client::{Client, new_key};
use serde_json::{json, value::to_raw_value};

const COMPANY: &str = "acme";
const SUBSYSTEM: &str = "shop";
const DATABASE: &str = "erp";
/// How long a fetch waits for something to come.
const WAIT_S: u32 = 20;
/// Fetches without any answer before it gives up.
const SILENCE_MAX: u32 = 6;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, code, orders] = &words[..] else { bail!("phone SERVER CODE ORDERS") };
    let me = activated(server, code).await?;
    let client = Client::new(server, "main", &me.key)?;
    let mut open = BTreeSet::new();
    for number in 1..=orders.parse::<u32>().context("ORDERS is no number")? {
        let order = order(&me.device, number)?;
        client.send_message(&order).await?;
        println!("sent order {}", order.id);
        open.insert(order.id);
    }
    wait_for_answers(&client, open).await
}

/// The device of an earlier run, or a new one.
async fn activated(server: &str, code: &str) -> Result<Activated> {
    if let Ok(text) = std::fs::read_to_string("phone.json") {
        return Ok(serde_json::from_str(&text)?);
    }
    let me = Client::new(server, "main", "")?.activate(code).await?;
    std::fs::write("phone.json", json!({ "device": me.device, "key": me.key }).to_string())?;
    Ok(me)
}

fn order(device: &str, number: u32) -> Result<Message> {
    let head = Head {
        company: COMPANY.into(),
        subsystem: SUBSYSTEM.into(),
        from: device.into(),
        to: DATABASE.into(),
        created_at: now()?.rfc3339(),
        order: Some(number.into()),
        reply_to: None,
    };
    let payload = to_raw_value(&json!({ "item": format!("item {number}"), "amount": number }))?;
    let body = Body { kind: "order".into(), version: 1.into(), payload };
    Ok(Message { version: VERSION, id: new_key(), head, body })
}

fn now() -> Result<Wall> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(Wall(i64::try_from(since.as_millis())?))
}

async fn wait_for_answers(client: &Client, mut open: BTreeSet<String>) -> Result<()> {
    let mut silence = 0;
    while !open.is_empty() && silence < SILENCE_MAX {
        let replies = client.fetch_messages(10, WAIT_S).await?;
        silence = if replies.is_empty() { silence + 1 } else { 0 };
        for reply in replies {
            println!("answer {}", reply.body.payload.get());
            client.acknowledge_message(&reply.id).await?;
            open.remove(reply.head.reply_to.as_deref().unwrap_or_default());
        }
    }
    for id in &open {
        println!("order {id}: {:?}", client.message_status(id).await?);
    }
    if open.is_empty() { Ok(()) } else { bail!("{} orders have no answer", open.len()) }
}
