//! A phone sends orders, an ERP books them. The ERP is killed twice, at the two moments at which nobody outside can tell whether a batch was
//! booked; its own marker tells.

use std::collections::BTreeSet;

use client::exchange::{Activated, Message};
use client::{Client, Request};
use connector::engine;
use serde_json::{Value, json};

use super::machine::Part;
use super::narrator::Narrator;
use super::parts::{self, Address, Erp, Order, StopAt};
use super::stage::{Stage, until};
use crate::failure::{Done, Failure};
use crate::local;
use crate::session::Session;

const DATABASE: &str = "erp";
/// Orders that the phone sends, in two halves.
const ORDERS: usize = 40;
/// Messages of one fetch.
const FETCH: u32 = 100;
/// Rows that are read back at most.
const ROWS_MAX: usize = 1_000;

/// Everybody who takes part.
struct Cast<'a> {
    stage: &'a Stage,
    phone: Client,
    device: String,
    database_key: String,
}

pub(super) async fn play(stage: &Stage, narrator: &mut Narrator) -> Done {
    narrator
        .step(
            "A company registers its ERP database and a phone; the phone activates itself with a code.",
            "Each has a key that speaks for it alone.",
            "exchange",
        )
        .await?;
    let cast = Cast::register(stage).await?;
    first_half(&cast, narrator).await?;
    killed_before_commit(&cast, narrator).await?;
    killed_after_commit(&cast, narrator).await?;
    let answered = fetch(&cast, narrator).await?;
    verify(&cast, narrator, &answered).await
}

impl<'a> Cast<'a> {
    async fn register(stage: &'a Stage) -> Result<Self, Failure> {
        let session = &stage.session;
        make(session, "companies", json!({ "id": "acme", "name": "Acme" })).await?;
        make(session, "subsystems", json!({ "id": "sales", "company": "acme", "name": "Orders on the road" })).await?;
        let database = make(session, "databases", json!({ "id": DATABASE, "company": "acme" })).await?;
        let device = json!({ "company": "acme", "subsystem": "sales", "name": "Demo phone" });
        let code = text(&make(session, "devices", device).await?, "activation_code");
        let nobody = Client::new(session.server(), &session.namespace, "").map_err(Failure::here)?;
        let Activated { device, key } = nobody.activate(&code).await.map_err(Failure::here)?;
        let phone = Client::new(session.server(), &session.namespace, &key).map_err(Failure::here)?;
        Ok(Self { stage, phone, device, database_key: text(&database, "key") })
    }

    fn file(&self) -> std::path::PathBuf {
        self.stage.folder.join("erp.db")
    }

    fn erp(&self, stop_at: Option<StopAt>) -> Result<Part, Failure> {
        let session = &self.stage.session;
        let address = Address {
            server: session.server().to_owned(),
            namespace: session.namespace.clone(),
            key: self.database_key.clone(),
        };
        let file = self.file().display().to_string();
        Part::start(&Order::Erp(Erp { address, database: DATABASE.into(), file, stop_at }))
    }

    async fn send(&self, number: usize) -> Done {
        let message = json!({ "version": 1, "id": format!("order-{number}"), "head": {
                "company": "acme", "subsystem": "sales", "from": self.device, "to": DATABASE,
                "created_at": local::now().rfc3339(), "order": number },
            "body": { "type": "order", "version": 1, "payload": { "lines": number % 7 + 1 } } });
        let message: Message = serde_json::from_str(&message.to_string()).map_err(Failure::here)?;
        self.phone.send_message(&message).await.map_err(Failure::here)?;
        // A phone whose answer was lost sends the same text again: it is stored once.
        if number.is_multiple_of(10) {
            self.phone.send_message(&message).await.map_err(Failure::here)?;
        }
        Ok(())
    }
}

async fn make(session: &Session, what: &str, body: Value) -> Result<Value, Failure> {
    session.step(Request::new("POST", &["exchange", what]).json(&body)).await
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

async fn send(cast: &Cast<'_>, narrator: &mut Narrator, numbers: std::ops::RangeInclusive<usize>) -> Done {
    for number in numbers {
        cast.send(number).await?;
        narrator.count("orders sent", number, ORDERS)?;
        narrator.beat().await;
    }
    Ok(())
}

async fn first_half(cast: &Cast<'_>, narrator: &mut Narrator) -> Done {
    let what = format!("The phone sends the first {} orders, some of them twice, as after a lost answer.", ORDERS / 2);
    let why = "Answered means that it survives a power cut; the same message again changes nothing.";
    narrator.step(&what, why, "exchange/folders?db=erp&folder=Messages").await?;
    send(cast, narrator, 1..=ORDERS / 2).await
}

/// The server knows the results, the database has not committed: the worst moment, first half.
async fn killed_before_commit(cast: &Cast<'_>, narrator: &mut Narrator) -> Done {
    let mut erp = cast.erp(Some(StopAt::Prepared))?;
    let what = format!("The ERP (process {}) takes orders in batches and books them in its own database.", erp.id());
    narrator
        .step(
            &what,
            "Results and replies are prepared at the server before the database commits.",
            "exchange/databases/erp",
        )
        .await?;
    erp.says("booked").await?;
    let left = erp.says("prepared").await?;
    erp.kill();
    let what = format!("kill -9: it had prepared {} orders, and its database had not committed.", left["messages"]);
    let page = format!("exchange/processes/{}", text(&left, "process"));
    narrator
        .step(&what, "Nobody outside can tell whether they are booked. The phone does not notice, and sends on.", &page)
        .await?;
    send(cast, narrator, ORDERS / 2 + 1..=ORDERS).await
}

/// The database has committed, the server does not know: the worst moment, second half.
async fn killed_after_commit(cast: &Cast<'_>, narrator: &mut Narrator) -> Done {
    let mut erp = cast.erp(Some(StopAt::Committed))?;
    let settled = erp.says("settled").await?;
    let what = format!("A second ERP comes up and asks its marker: {}.", said(&settled));
    let page = format!("exchange/processes/{}", text(&settled, "process"));
    narrator
        .step(
            &what,
            "The marker is a row that is written in the very transaction that books: it cannot be wrong.",
            &page,
        )
        .await?;
    erp.says("booked").await?;
    let left = erp.says("committed").await?;
    erp.kill();
    let what = format!("kill -9 again: {} orders are booked this time, and the server was not told.", left["messages"]);
    let page = format!("exchange/processes/{}", text(&left, "process"));
    narrator
        .step(&what, "Doing them again would book them twice; forgetting them would lose their replies.", &page)
        .await?;
    let mut erp = cast.erp(None)?;
    let settled = erp.says("settled").await?;
    let what = format!("A third ERP comes up: {}. It books the rest.", said(&settled));
    narrator
        .step(
            &what,
            "The replies of that batch go out now, and nothing of it is booked again.",
            "exchange/databases/erp",
        )
        .await?;
    let is_done = async || {
        let ledger = ledger(cast).await?;
        narrator.count(
            "orders done",
            usize::try_from(ledger["log"].as_u64().unwrap_or(0)).unwrap_or(0).min(ORDERS),
            ORDERS,
        )?;
        Ok(booked(cast)?.len() >= ORDERS && ledger["in_process"] == 0 && ledger["unknown"] == 0)
    };
    until("all orders to be booked", is_done).await
}

fn said(settled: &Value) -> &'static str {
    if settled["committed"] == true {
        "the marker is there, so it was booked"
    } else {
        "there is no marker, so it was not booked"
    }
}

async fn ledger(cast: &Cast<'_>) -> Result<Value, Failure> {
    cast.stage.session.get(Request::get(&["exchange", "ledger"]).query("db", DATABASE)).await
}

/// The phone fetches its replies and acknowledges each after it has it.
async fn fetch(cast: &Cast<'_>, narrator: &mut Narrator) -> Result<Vec<String>, Failure> {
    let page = format!("exchange/devices/{}", cast.device);
    narrator.step("The phone fetches the replies.", "What it does not acknowledge would come again.", &page).await?;
    let mut answered = vec![];
    let all = async || {
        for reply in cast.phone.fetch_messages(FETCH, 1).await.map_err(Failure::here)? {
            cast.phone.acknowledge_message(&reply.id).await.map_err(Failure::here)?;
            answered.extend(reply.head.reply_to);
        }
        narrator.count("replies fetched", answered.len(), ORDERS)?;
        Ok(answered.len() >= ORDERS)
    };
    until("all replies", all).await?;
    Ok(answered)
}

/// What the ERP's own database holds; no key in it hides a second time.
fn booked(cast: &Cast<'_>) -> Result<Vec<String>, Failure> {
    let sql = |error: connector::SqlError| Failure::here(error.text);
    let mut books = engine::open(&parts::settings(DATABASE, &cast.file())?).map_err(sql)?;
    let rows = books.query("SELECT id FROM booked", &[], ROWS_MAX).map_err(sql)?;
    let id = |row: &engine::Row| row.iter().find_map(|(_, value)| value.as_str()).unwrap_or_default().to_owned();
    Ok(rows.iter().map(id).collect())
}

async fn verify(cast: &Cast<'_>, narrator: &mut Narrator, answered: &[String]) -> Done {
    narrator.step("What came of it, counted in the ERP's own database and at the server:", "", "exchange").await?;
    let sent: BTreeSet<String> = (1..=ORDERS).map(|number| format!("order-{number}")).collect();
    let booked = booked(cast)?;
    let is_all = |found: &[String]| found.len() == sent.len() && found.iter().cloned().collect::<BTreeSet<_>>() == sent;
    let (count, replies) = (booked.len(), answered.len());
    narrator.claim(&format!("{ORDERS} orders sent = {count} booked, each once"), is_all(&booked))?;
    narrator.claim(&format!("{replies} replies reached the phone, one for each order"), is_all(answered))?;
    let left = cast.phone.fetch_messages(FETCH, 0).await.map_err(Failure::here)?.len();
    narrator.claim(&format!("{left} replies are left over"), left == 0)?;
    let ledger = ledger(cast).await?;
    let open =
        ["queued", "in_process", "error", "unknown"].iter().filter_map(|name| ledger[name].as_i64()).sum::<i64>();
    narrator.claim(
        &format!("{open} messages wait, failed or are of unknown outcome; the ledger balances"),
        open == 0 && ledger["balances"] == true,
    )
}
