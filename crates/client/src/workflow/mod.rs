//! Workers and processes of the workflow (WFL-1): a worker is plain functions, a coordinator one that lays out further tasks.
//!
//! [`Worker`] polls as an actor and calls a function for each task, by its method: arguments and results are anything that serde knows.
//! It heartbeats while a function runs, cancels it when the task is not its own any more, brings results in batches, repeats a
//! release whose answer was lost, and waits for a server that is away. [`Workflow`] starts processes and looks after them.
//!
//! Invariants: a result is brought under one Idempotency-Key until its outcome is known; nothing is given to a function that the server
//! did not give out; a function that panics, or gets arguments that it cannot read, ends its task with an error and nothing else.
//!
//! Deliberately not here: replay of code. A coordinator is an ordinary function that runs once for each decision.
//!
//! ```no_run
//! use client::Client;
//! use client::workflow::{Failure, Outcome, Plan, Promise, Rest, Retry, Start, Task, Tried, Worker};
//! use std::time::Duration;
//!
//! // A worker: what it needs are its arguments, what it gives is the task's result.
//! async fn price(article: String, amount: u32) -> Result<u64, std::io::Error> {
//!     Ok(article.len() as u64 * u64::from(amount))
//! }
//!
//! // One that takes the error of a task that may fail.
//! async fn sum(discount: Tried<u64>, prices: Rest<u64>) -> Result<u64, Failure> {
//!     Ok(prices.0.iter().sum::<u64>() - discount.0.unwrap_or(0))
//! }
//!
//! // A coordinator: it lays out tasks, and promises their results as arguments of others and as its own.
//! async fn begin(mut plan: Plan, lines: Vec<(String, u32)>) -> Result<Outcome, Failure> {
//!     let price = |(article, amount): &(String, u32)| Task::new("price#1", "price").arg(article).arg(amount);
//!     let again = || Retry::exponential(Duration::from_secs(1)).attempts(10);
//!     let prices: Vec<Promise> = lines.iter().map(|line| plan.add(price(line).retry(again()))).collect();
//!     let discount = plan.add(Task::signal("discount").timeout(Duration::from_secs(3600)).accept_fail());
//!     let total = plan.add(Task::new("sum#1", "sum").arg(&discount).args(&prices));
//!     Ok(plan.result(&total))
//! }
//!
//! # async fn example() -> Result<(), client::ClientError> {
//! let client = Client::new("https://fastness.example", "main", "the key")?;
//! let order = Start::new("order", Task::new("order#1", "begin").arg([("chair", 2)])).key("order 17");
//! let process = client.workflow().start(&order).await?;
//! let stop = std::future::pending();
//! Worker::new(&client, "order#1").on("begin", begin).concurrency(8).run(stop).await?;
//! # drop(process);
//! # Ok(())
//! # }
//! ```

mod calls;
mod failure;
mod handler;
mod plan;
mod process;
mod task;
mod wire;
mod work;
mod worker;

pub use calls::{Start, Workflow};
pub use failure::Failure;
pub use handler::{Answer, Arguments, Handler, Parameter, Rest, Tried};
pub use plan::{Outcome, Plan};
pub use process::{Process, State};
pub use task::{Argument, IntoArgument, Promise, Retry, Task};
pub use work::Work;
pub use worker::{Event, Served, Worker};
