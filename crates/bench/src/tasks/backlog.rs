//! What a claim costs when a million tasks wait: later in the same queue, due in a queue that is suspended, and due behind those
//! that are claimed. What is measured is the claim inside its transaction; commits cost the same everywhere.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use base::{Store, Wall};
use kernel::tasks::SUSPEND;

use super::ours::{Enqueue, Shop};
use super::side::spread;
use crate::contest::{Effort, median};
use crate::report::{Figure, Unit};

const BACKLOG: usize = 1_000_000;
/// Tasks whose claims are measured in one round.
const MEASURED: usize = 2_000;
/// Workers: our default.
const WORKERS: usize = 4;
/// Tasks of one operation that fills a backlog, below what one operation may leave.
const FILL_BATCH: usize = 1_000;
/// The queue that is suspended.
const OTHER: i64 = 1;
/// Far enough that none becomes due.
const LATER_MS: i64 = 7 * 24 * 3_600_000;

/// Who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Nobody,
    Later,
    OtherQueue,
    Behind,
}

impl Waiting {
    fn words(self) -> &'static str {
        match self {
            Self::Nobody => "nobody else waits",
            Self::Later => "1,000,000 start later",
            Self::OtherQueue => "1,000,000 due in a suspended queue",
            Self::Behind => "1,000,000 due behind them",
        }
    }
}

struct Figures {
    waiting: Waiting,
    shop: Shop,
    claims_us: Vec<f64>,
    rates: Vec<f64>,
}

/// Each backlog in a store of its own, in turn.
pub fn run(effort: &Effort, engine: &str, store: impl Fn() -> Result<Arc<dyn Store>>) -> Result<()> {
    let title = format!("claims on {engine}");
    if !title.contains(&effort.only) {
        return Ok(());
    }
    let all = [Waiting::Nobody, Waiting::Later, Waiting::OtherQueue, Waiting::Behind];
    let open = |waiting| Ok(Figures { waiting, shop: filled(waiting, store()?)?, claims_us: vec![], rates: vec![] });
    let mut all: Vec<Figures> = all.into_iter().map(open).collect::<Result<_>>()?;
    for _ in 0..effort.rounds {
        all.iter_mut().try_for_each(round)?;
    }
    println!("\n{title}, {WORKERS} workers; medians of {} rounds [lowest – highest]", effort.rounds);
    let alone = median(&all[0].claims_us);
    all.iter().for_each(|figures| figures.print(alone));
    let told = Figure::new(format!("{title}: a claim"), Unit::Microseconds);
    all.iter().fold(told, |told, figures| told.side(figures.waiting.words(), &figures.claims_us)).tell();
    Ok(())
}

fn filled(waiting: Waiting, store: Arc<dyn Store>) -> Result<Shop> {
    let shop = Shop::open(store, WORKERS)?;
    let now = shop.kernel.env().clock.wall();
    let later = Wall(now.0 + LATER_MS);
    match waiting {
        Waiting::Nobody => {}
        Waiting::Later => fill(&shop, 0, later)?,
        Waiting::OtherQueue => {
            shop.call(&SUSPEND, OTHER, drop);
            fill(&shop, OTHER, now)?;
        }
        Waiting::Behind => fill(&shop, 0, now)?,
    }
    Ok(shop)
}

fn fill(shop: &Shop, queue: i64, at: Wall) -> Result<()> {
    shop.fill(BACKLOG, FILL_BATCH, 4, |count| Enqueue { count, queue, at: Some(at) })
}

/// Claims and runs some tasks that are due.
fn round(figures: &mut Figures) -> Result<()> {
    let shop = &figures.shop;
    if figures.waiting != Waiting::Behind {
        shop.fill(MEASURED, FILL_BATCH, 4, |count| Enqueue { count, queue: 0, at: None })?;
    }
    shop.seen.take_claims();
    let begun = Instant::now();
    let dispatcher = shop.start();
    for _ in 0..MEASURED {
        shop.next_done()?;
    }
    figures.rates.push(MEASURED as f64 / begun.elapsed().as_secs_f64());
    dispatcher.stop();
    figures.claims_us.push(median(&shop.seen.take_claims()));
    while dispatcher.busy() > 0 {
        std::thread::yield_now();
    }
    while shop.done.try_recv().is_ok() {}
    Ok(())
}

impl Figures {
    fn print(&self, alone: f64) {
        let (middle, (low, high)) = (median(&self.claims_us), spread(&self.claims_us));
        println!(
            "  {:<36} a claim {middle:>7.0} µs [{low:.0} – {high:.0}], {:>5.2} times; {:>7.0} tasks/s",
            self.waiting.words(),
            middle / alone,
            median(&self.rates)
        );
    }
}
