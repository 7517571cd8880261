//! What an order is, and the functions that do it. Nothing here knows of HTTP, of retries or of other workers.

use std::time::Duration;

use client::workflow::{Failure, Outcome, Plan, Promise, Rest, Retry, Task, Tried, Work};
use serde::{Deserialize, Serialize};

/// Sums up to this need nobody's approval.
const APPROVED_UP_TO: u64 = 100;
/// How long somebody may think about it.
const APPROVED_WITHIN: Duration = Duration::from_secs(7 * 86_400);

/// A line of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// What.
    pub article: String,
    /// How many.
    pub amount: u64,
}

/// What came of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bill {
    /// To be paid.
    pub pay: u64,
    /// Lines that nobody has a price for.
    pub unknown: usize,
}

/// The coordinator: a price for each line, all at once, then a decision by the prices.
pub async fn begin(mut plan: Plan, lines: Vec<Line>) -> Result<Outcome, Failure> {
    let again = || Retry::exponential(Duration::from_millis(200)).attempts(5).not_on(&["UnknownArticle"]);
    let price = |line: &Line| Task::new("price#1", "price").arg(line).retry(again()).accept_fail();
    let prices: Vec<Promise> = lines.iter().map(|line| plan.add(price(line))).collect();
    let bill = plan.add(Task::new("order#1", "decide").args(&prices));
    Ok(plan.result(&bill))
}

/// It knows the prices, or why there is none: a large sum waits for somebody.
pub async fn decide(mut plan: Plan, prices: Rest<Tried<u64>>) -> Result<Outcome, Failure> {
    let unknown = prices.0.iter().filter(|price| price.0.is_err()).count();
    let bill = Bill { pay: prices.0.iter().flat_map(|price| &price.0).sum(), unknown };
    if bill.pay <= APPROVED_UP_TO {
        return Ok(plan.result(&bill));
    }
    let approval = plan.add(Task::signal("approved").timeout(APPROVED_WITHIN).accept_fail());
    let end = plan.add(Task::new("order#1", "end").arg(&bill).arg(&approval));
    Ok(plan.result(&end))
}

/// Nobody said no, and somebody yes.
pub async fn end(bill: Bill, approved: Tried<bool>) -> Result<Bill, Failure> {
    Ok(if approved.0 == Ok(true) { bill } else { Bill { pay: 0, ..bill } })
}

/// A worker. Whatever it does outside is told apart by the task's id, which is the same in every attempt.
pub async fn price(work: Work, line: Line) -> Result<u64, Failure> {
    let each = match line.article.as_str() {
        "chair" => 40,
        "desk" => 200,
        "lamp" => 25,
        other => return Err(Failure::new("UnknownArticle", format!("task {}: no `{other}`", work.task_id()))),
    };
    Ok(each * line.amount)
}
