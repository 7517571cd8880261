//! Orders as processes.
//!
//! `orders SERVER KEY work` works until Ctrl-C; start it as often as you like. `orders SERVER KEY start chair:2 desk:1` starts an order and
//! waits for its end. `orders SERVER KEY approve PROCESS yes` says what a large one waits for.

mod order;

use anyhow::{Context, Result, bail};
use client::workflow::{Event, Start, Task, Worker};
use client::{Client, ClientError};
use order::{Line, begin, decide, end, price};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, key, what, more @ ..] = &words[..] else { bail!("orders SERVER KEY work|start|approve …") };
    let client = Client::new(server, "main", key)?;
    match (what.as_str(), more) {
        ("work", []) => Ok(work(&client).await?),
        ("start", lines) => start(&client, lines).await,
        ("approve", [process, answer]) => {
            Ok(client.workflow().signal(process, "approved", &(answer.as_str() == "yes")).await?)
        }
        _ => bail!("orders SERVER KEY work | start ARTICLE:AMOUNT … | approve PROCESS yes|no"),
    }
}

/// Two actors in one program; they could as well be two programs, in two languages.
async fn work(client: &Client) -> Result<(), ClientError> {
    let tell = |event: Event<'_>| println!("{event:?}");
    let orders = Worker::new(client, "order#1").on("begin", begin).on("decide", decide).on("end", end);
    let prices = Worker::new(client, "price#1").on("price", price).concurrency(8);
    let (orders, prices) = tokio::join!(orders.tell(tell).run(stopped()), prices.tell(tell).run(stopped()));
    println!("orders: {:?}\nprices: {:?}", orders?, prices?);
    Ok(())
}

async fn stopped() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

async fn start(client: &Client, lines: &[String]) -> Result<()> {
    let lines: Vec<Line> = lines.iter().map(|text| line(text)).collect::<Result<_>>()?;
    let process = client.workflow().start(&Start::new("order", Task::new("order#1", "begin").arg(&lines))).await?;
    println!("{process}");
    let ended = client.workflow().wait(&process).await?;
    println!(
        "{:?} {}",
        ended.state,
        ended.value.map_or_else(|| "without a value".to_owned(), |value| value.to_string())
    );
    Ok(())
}

fn line(text: &str) -> Result<Line> {
    let (article, amount) = text.split_once(':').with_context(|| format!("`{text}` is not ARTICLE:AMOUNT"))?;
    Ok(Line { article: article.to_owned(), amount: amount.parse()? })
}
