//! `bench nodes`: what one, two and three nodes do over one PostgreSQL that is not the limit.
//!
//! Every node is held to the same small share of a core ([`share`]), so that on one machine the store and the clients have what they need, as
//! they would on machines of their own. One, two and three nodes take turns, round after round; all of them run all the time, and those whose
//! turn it is not have nothing to do. What the nodes used of their share, and the whole machine of its cores, is printed beside each figure:
//! where the share is not used up, something else was the limit.

mod load;
mod share;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::contest::{Effort, median};
use crate::disk::print_sync_time;
use crate::documents::{Process, ask_all};
use crate::report::{Figure, Unit};
use crate::sensors::KEY;
use load::{Figures, Load, drive};
use share::Share;

/// How many nodes there are at most.
const NODES: usize = 3;
/// Clients of each node whose turn it is.
const CLIENTS: usize = 16;
/// Of one core, for each node.
const SHARE: f64 = 0.15;

/// Runs every load whose name has the text.
pub fn run(effort: &Effort) -> Result<()> {
    let store = std::env::var("FASTNESS_TEST_POSTGRES").context("needs PostgreSQL: cargo xtask services run -- …")?;
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    print_sync_time(&folder)?;
    let nodes: Result<Vec<Process>> = (1..=NODES).map(|number| start(&folder, &store, number)).collect();
    let nodes = nodes?;
    let loads = load::all(NODES * CLIENTS);
    prepare(&nodes[0], &loads)?;
    for load in loads.iter().filter(|load| load.name.contains(&effort.only)) {
        measure(effort, &nodes, load)?;
    }
    print_sync_time(&folder)
}

fn start(folder: &Path, store: &str, number: usize) -> Result<Process> {
    let home = folder.join(format!("node {number}"));
    std::fs::create_dir(&home)?;
    // Built together with this program.
    let program = std::env::current_exe()?.with_file_name("fastness");
    let process = Process::start(&home.join("log"), |address| {
        let mut command = Command::new(&program);
        command.args(["serve", "--listen", &address.to_string(), "--data"]).arg(home.join("data"));
        command.env("FASTNESS_ADMIN_KEY", KEY).env("FASTNESS_TASKS__NODE", format!("node-{number}"));
        command.env("FASTNESS_STORE__ENGINE", "postgres").env("FASTNESS_STORE__URL", store);
        command.env("FASTNESS_STORE__SCHEMA_PREFIX", format!("bench_nodes_{}_", std::process::id()));
        command
    });
    let process = process.context("cargo build --release -p fastness makes it")?;
    load::wait_ready(process.address)?;
    Ok(process)
}

/// What the loads work on is there, and was changed once.
fn prepare(node: &Process, loads: &[Load]) -> Result<()> {
    // In order: documents need their class.
    load::made_before(NODES * CLIENTS)
        .iter()
        .try_for_each(|made| ask_all(node.address, std::slice::from_ref(made)).map(drop))?;
    // Commits before reads.
    loads.iter().try_for_each(|load| ask_all(node.address, &load.requests.concat()).map(drop))
}

fn measure(effort: &Effort, nodes: &[Process], load: &Load) -> Result<()> {
    let mut rounds: Vec<Vec<Figures>> = vec![vec![]; NODES];
    let _held: Vec<Share> = nodes.iter().map(|node| Share::hold(node.pid(), SHARE)).collect::<Result<_>>()?;
    for _ in 0..effort.rounds {
        for (count, figures) in (1..).zip(&mut rounds) {
            figures.push(drive(&nodes[..count], load, CLIENTS, effort.side)?);
        }
    }
    println!("\n{}: {CLIENTS} clients of each node, each node held to {SHARE} of a core", load.name);
    let told = Figure::new(format!("{} by nodes held to {SHARE} of a core", load.name), Unit::PerSecond);
    let rates = |figures: &[Figures]| figures.iter().map(|figures| figures.rate).collect::<Vec<_>>();
    let each = rounds.iter().enumerate().rev();
    each.fold(told, |told, (before, figures)| told.side(format!("{} nodes", before + 1), &rates(figures))).tell();
    for (count, figures) in (1..).zip(&rounds) {
        print_line(count, figures, &rounds[0]);
    }
    Ok(())
}

fn print_line(count: usize, figures: &[Figures], one: &[Figures]) {
    let of = |part: fn(&Figures) -> f64| figures.iter().map(part).collect::<Vec<f64>>();
    let rates = of(|figures| figures.rate);
    // Each round against its own: what the machine does meanwhile moves both.
    let mut times: Vec<f64> = rates.iter().zip(one).map(|(rate, one)| rate / one.rate).collect();
    times.sort_by(f64::total_cmp);
    let (rate, used, busy, p50) =
        (median(&rates), median(&of(|f| f.nodes_cores)), median(&of(|f| f.busy_cores)), median(&of(|f| f.p50_ms)));
    let retries = median(&of(|f| f.retries));
    let (low, high) = (times.first().copied().unwrap_or(f64::NAN), times.last().copied().unwrap_or(f64::NAN));
    println!(
        "  {count} nodes {rate:>8.0}/s   {:.2} times one [{low:.2} – {high:.2}]   p50 {p50:>5.1} ms   nodes {used:.2} cores, machine {busy:.2}   {retries:.2} retries",
        median(&times)
    );
    let told: Value = json!({ "bench": "nodes", "nodes": count, "rates": rates, "times": times, "nodes_cores": used, "machine_cores": busy, "retries": retries });
    println!("{told}");
}
