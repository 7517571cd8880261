//! Orders as processes with a fan-out. Of the workers some fail, one is killed with a task in its hands, one answers twice.

use client::workflow::{Failure as TaskFailure, Outcome, Plan, Promise, Rest, Retry, Start, State, Task, Worker};
use client::{Client, Request};
use serde_json::{Value, json};
use std::time::Duration;

use super::machine::Part;
use super::narrator::Narrator;
use super::parts::{self, Address, Line, Order};
use super::stage::{Stage, until};
use crate::failure::{Done, Failure};
use crate::page::items_of;
use crate::session::Session;

/// Who prices lines.
pub(super) const PRICE: &str = "price#1";
/// Who lays out orders and adds up.
const ORDER: &str = "order#1";
const ORDERS: u64 = 3;
const LINES: u64 = 12;
/// How long a worker may be silent.
const SILENCE_MS: u64 = 2_000;
/// Looks without anything done, after which somebody asks why.
const QUIET_LOOKS: u32 = 10;
/// Why.
const WAITS: &str = "wait: what failed is tried again after a pause, of a second at most, and may fail once more.";
/// Of a hundred tries so many fail.
const FAILS: u32 = 30;

pub(super) async fn play(stage: &Stage, narrator: &mut Narrator) -> Done {
    let session = &stage.session;
    let client = Client::new(session.server(), &session.namespace, session.access_key()?).map_err(Failure::here)?;
    let coordinator = Worker::new(&client, ORDER).named("coordinator").on("begin", begin).on("sum", sum);
    let told = tokio::select! {
        told = told(session, &client, narrator) => told,
        ended = coordinator.run(std::future::pending()) => Err(Failure::here(format!("the coordinator ended: {ended:?}"))),
    };
    told
}

/// The coordinator: a price for each line, all at once, then their sum.
async fn begin(mut plan: Plan, lines: Vec<Line>) -> Result<Outcome, TaskFailure> {
    // A pause that went on doubling would let the demo wait a minute for a line that has no luck.
    let again = || Retry::exponential(Duration::from_millis(200)).up_to(Duration::from_secs(1)).attempts(100);
    let price =
        |line: &Line| Task::new(PRICE, "price").arg(line).retry(again()).named(&format!("line {}", line.number));
    let prices: Vec<Promise> = lines.iter().map(|line| plan.add(price(line))).collect();
    let sum = plan.add(Task::new(ORDER, "sum").args(&prices).named("sum"));
    Ok(plan.result(&sum))
}

async fn sum(prices: Rest<u64>) -> Result<u64, TaskFailure> {
    Ok(prices.0.iter().sum())
}

fn lines(order: u64) -> Vec<Line> {
    (1..=LINES).map(|number| Line { number, amount: order + number % 5, each: 10 * number }).collect()
}

async fn told(session: &Session, client: &Client, narrator: &mut Narrator) -> Done {
    let patience =
        Request::new("PATCH", &["workflow", "actors", PRICE]).json(&json!({ "work_timeout_ms": SILENCE_MS }));
    session.step(patience).await?;
    let what = format!(
        "{ORDERS} orders of {LINES} lines are started; a coordinator lays out a task for each line, and one that adds up."
    );
    narrator.step(&what, "A process is rows: whoever started it may go away.", "workflow").await?;
    let mut orders = vec![];
    for order in 1..=ORDERS {
        let start =
            Start::new("order", Task::new(ORDER, "begin").arg(lines(order))).custom_id(&format!("order-{order}"));
        orders.push(client.workflow().start(&start).await.map_err(Failure::here)?);
    }
    let refused = answer_twice(session, narrator, &orders[0]).await?;
    let lost = die(session, narrator, &orders[0]).await?;
    work(session, client, narrator, &orders).await?;
    verify(session, client, narrator, &orders, (refused, &lost)).await
}

/// A worker brings a result, does not hear the answer, and brings it again, with another value at that.
async fn answer_twice(session: &Session, narrator: &mut Narrator, order: &str) -> Result<bool, Failure> {
    let page = format!("workflow/processes/{order}");
    narrator
        .step(
            "A worker brings a result, and a moment later another one for the same task.",
            "Work may be done twice; its result counts once.",
            &page,
        )
        .await?;
    let poll = json!({ "actor": PRICE, "worker": "twice", "max": 1, "wait_ms": 30_000 });
    let polled = session.step(Request::new("POST", &["workflow", "poll"]).json(&poll)).await?;
    let task = &polled["tasks"][0];
    let line: Line = serde_json::from_value(task["args"][0]["value"].clone()).map_err(Failure::here)?;
    let bring = async |value: u64| {
        let result =
            json!({ "task_id": task["task_id"], "attempt": task["attempt"], "pass": task["pass"], "value": value });
        let body = json!({ "results": [result] });
        let released = session.step(Request::new("POST", &["workflow", "release"]).json(&body)).await?;
        Ok::<_, Failure>(released["results"][0]["accepted"] == true)
    };
    let first = bring(line.price()).await?;
    let second = bring(line.price() + 1_000_000).await?;
    narrator.note(&format!("the first is {}, the second is {}", accepted(first), accepted(second)))?;
    Ok(first && !second)
}

fn accepted(it: bool) -> &'static str {
    if it { "accepted" } else { "not accepted" }
}

/// A worker takes a task and is killed; the task is named.
async fn die(session: &Session, narrator: &mut Narrator, order: &str) -> Result<String, Failure> {
    let mut worker = part(session, "doomed", true, 0)?;
    let took = worker.says("took").await?;
    let task = took["task"].as_str().unwrap_or_default().to_owned();
    let process = worker.id();
    worker.kill();
    let what = format!("A worker (process {process}) takes a task and is killed with kill -9.");
    let why = format!("After {} s of silence the task is given to the next who asks.", SILENCE_MS / 1_000);
    narrator.step(&what, &why, &format!("workflow/processes/{order}")).await?;
    Ok(task)
}

fn part(session: &Session, name: &str, hangs: bool, fails: u32) -> Result<Part, Failure> {
    let address = Address {
        server: session.server().to_owned(),
        namespace: session.namespace.clone(),
        key: session.access_key()?.to_owned(),
    };
    Part::start(&Order::Worker(parts::Worker { address, name: name.into(), hangs, fails }))
}

/// Two workers do the rest, with errors on the way.
async fn work(session: &Session, client: &Client, narrator: &mut Narrator, orders: &[String]) -> Done {
    let what = format!("Two workers do the rest; of a hundred tries {FAILS} fail.");
    narrator
        .step(&what, "A task says how often it is tried again; nobody's code knows of it.", "workflow/actors")
        .await?;
    let _workers = [part(session, "careful", false, FAILS)?, part(session, "hasty", false, FAILS)?];
    let all_tasks = orders.len() * usize::try_from(LINES + 2).unwrap_or(1);
    let (mut before, mut looks, mut told) = (0, 0, false);
    let all = async || {
        let (mut done, mut ended) = (0, 0);
        for order in orders {
            done += tasks(session, order).await?.iter().filter(|task| task["state"] == "FINISH").count();
            ended += usize::from(client.workflow().process(order).await.map_err(Failure::here)?.state != State::Active);
        }
        looks = if done == before { looks + 1 } else { 0 };
        before = done;
        if looks == QUIET_LOOKS && ended < orders.len() && !std::mem::replace(&mut told, true) {
            narrator.note(&format!("{done} of {all_tasks} are done; the rest {WAITS}"))?;
        }
        narrator.count("tasks done", done, all_tasks)?;
        Ok(ended == orders.len())
    };
    until("the orders to end", all).await
}

async fn tasks(session: &Session, process: &str) -> Result<Vec<Value>, Failure> {
    let request = Request::get(&["workflow", "processes", process, "tasks"]).query("limit", "1000");
    Ok(items_of(&session.get(request).await?)?.clone())
}

async fn verify(
    session: &Session,
    client: &Client,
    narrator: &mut Narrator,
    orders: &[String],
    (refused, lost): (bool, &str),
) -> Done {
    narrator.step("What came of it:", "", "workflow/processes").await?;
    let (mut results, mut given, mut failures, mut taken_again) = (0, 0, 0, false);
    for (number, order) in (1_u64..).zip(orders) {
        let expected: u64 = lines(number).iter().map(Line::price).sum();
        let process = client.workflow().process(order).await.map_err(Failure::here)?;
        let total = process.result::<u64>();
        let shown = total.as_ref().map_or_else(ToString::to_string, ToString::to_string);
        narrator.claim(&format!("order {number}: {shown}, as its lines cost"), total == Ok(expected))?;
        for task in tasks(session, order).await?.iter().filter(|task| task["actor"] == PRICE) {
            results += i32::from(task["state"] == "FINISH");
            given += task["attempt"].as_i64().unwrap_or(0);
            failures += task["failures"].as_i64().unwrap_or(0);
            taken_again |= task["task_id"] == lost && task["attempt"].as_i64() >= Some(2);
        }
    }
    let expected = i32::try_from(ORDERS * LINES).unwrap_or(0);
    let claim = format!(
        "{expected} tasks were given out {given} times, {failures} tries failed, and {results} results count: one each"
    );
    narrator.claim(&claim, results == expected && failures > 0)?;
    narrator.claim("the task of the killed worker was done by another", taken_again)?;
    narrator.claim("of two results for one task the first counts", refused)
}
