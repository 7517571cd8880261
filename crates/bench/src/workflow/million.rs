//! A million processes wait (WFL-31): polls beside them, and how long it takes to look whether all of them are well.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rusqlite::{Connection as Database, OpenFlags, Transaction};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use super::worker::{Line, Polled, post};
use crate::documents::Process;
use crate::report::{Figure, Unit};
use crate::sensors::start_process;

pub const TITLE: &str = "a million processes wait";
const TABLES: [&str; 5] = ["wfl_process", "wfl_task", "wfl_decision", "wfl_queue", "wfl_graph"];
/// Polls that are measured, of so many tasks each.
const POLLS: (usize, usize) = (200, 10);

pub fn run(folder: &Path) -> Result<()> {
    println!("\n{TITLE}");
    for count in [5_000, 1_000_000] {
        let home = folder.join(format!("processes-{count}"));
        std::fs::create_dir(&home)?;
        let process = {
            let server = start_process(&home)?;
            ask(
                &server,
                "processes",
                &json!({ "type": "wait", "start": { "actor": "later#1", "args": [{ "value": 1 }] } }),
            )?
        };
        let file = home.join("data/namespaces/main/store.db");
        multiply(&file, process["process_id"].as_str().context("an id")?, count, &TABLES)?;
        let server = start_process(&home)?;
        let mut waits = polls(&server)?;
        waits.sort();
        let ms = |share: usize| waits[waits.len() * share / 100].as_secs_f64() * 1e3;
        println!("  poll of ten, {count:>9} waiting: p50 {:.2} ms, p99 {:.2} ms", ms(50), ms(99));
        Figure::new(format!("p50 of a poll of ten, {count} waiting"), Unit::Milliseconds)
            .side("ours", &[ms(50)])
            .tell();
        let told = json!({ "waiting": count, "p50_ms": ms(50), "p99_ms": ms(99) });
        println!("{}", json!({ "bench": "workflow", "name": TITLE, "figures": told }));
        drop(server);
        if count == 1_000_000 {
            scan(&home, &file)?;
        }
    }
    Ok(())
}

pub fn ask(server: &Process, path: &str, body: &Value) -> Result<Value> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut line = Line { address: server.address, connection: None };
    Ok(runtime.block_on(line.ask_until_answered(&post(path, None, body))))
}

/// Copies of a process in all of its tables: starting a million is not what is measured.
pub fn multiply(file: &Path, process: &str, count: usize, tables: &[&str]) -> Result<()> {
    let mut store = Database::open(file)?;
    let transaction = store.transaction()?;
    for table in tables {
        let id = if *table == "wfl_process" { "id" } else { "process" };
        let columns = columns(&transaction, table)?;
        // Ids of the same moment, one after the other.
        let values: Vec<String> = columns
            .iter()
            .map(
                |column| {
                    if column == id { "substr(?1, 1, 16) || printf('%010d', n)".to_owned() } else { column.clone() }
                },
            )
            .collect();
        let copied = transaction.execute(
            &format!(
                "INSERT INTO {table} ({}) WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ?2) \
                 SELECT {} FROM more, (SELECT * FROM {table} WHERE {id} = ?1)",
                columns.join(", "),
                values.join(", ")
            ),
            (process, i64::try_from(count)?),
        )?;
        ensure!(copied == count, "{copied} rows of {table}");
    }
    transaction.commit()?;
    Ok(())
}

fn columns(transaction: &Transaction<'_>, table: &str) -> Result<Vec<String>> {
    let mut statement = transaction.prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(names)
}

fn polls(server: &Process) -> Result<Vec<Duration>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let wanted = post("poll", None, &json!({ "actor": "later#1", "max": POLLS.1 }));
    runtime.block_on(async {
        let mut line = Line { address: server.address, connection: None };
        let mut waits = vec![];
        for _ in 0..POLLS.0 {
            let begun = Instant::now();
            let polled: Polled = line.ask_until_answered(&wanted).await;
            waits.push(begun.elapsed());
            ensure!(polled.tasks.len() == POLLS.1, "{} tasks", polled.tasks.len());
        }
        Ok(waits)
    })
}

/// All of them are to be looked at: from the first that was to the last.
fn scan(home: &Path, file: &Path) -> Result<()> {
    {
        let store = Database::open(file)?;
        store.execute("UPDATE wfl_graph SET recovery = 0 WHERE recovery IS NOT NULL", [])?;
        store.execute("UPDATE wfl_process SET recovery = 0 WHERE recovery IS NOT NULL", [])?;
    }
    let server = start_process(home)?;
    let store = Database::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let is_left = |table: &str| -> Result<bool> {
        let text = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE recovery = 0)");
        Ok(store.query_row(&text, [], |row| row.get(0))?)
    };
    let is_begun = || -> Result<bool> {
        let text = "SELECT EXISTS (SELECT 1 FROM wfl_graph WHERE recovery > 0) OR EXISTS (SELECT 1 FROM wfl_process WHERE recovery > 0)";
        Ok(store.query_row(text, [], |row| row.get(0))?)
    };
    wait_until("the scan begins", Duration::from_secs(180), is_begun)?;
    let (begun, used) = (Instant::now(), server.processor().used_s()?);
    wait_until("graphs are looked at", Duration::from_secs(600), || Ok(!is_left("wfl_graph")?))?;
    let graphs = begun.elapsed().as_secs_f64();
    wait_until("processes are looked at", Duration::from_secs(600), || Ok(!is_left("wfl_process")?))?;
    let (all, used) = (begun.elapsed().as_secs_f64(), server.processor().used_s()? - used);
    let memory = server.memory()?.resident_mib;
    Figure::new("a million healthy processes looked at", Unit::Seconds).side("ours", &[all]).goal(10.0).tell();
    println!(
        "  a million healthy ones looked at: graphs in {graphs:.1} s, processes as well in {all:.1} s ({used:.1} s of processor, {memory:.0} MiB)"
    );
    println!(
        "{}",
        json!({ "bench": "workflow", "name": "scan", "figures": { "graphs_s": graphs, "all_s": all, "processor_s": used } })
    );
    Ok(())
}

fn wait_until(what: &str, most: Duration, mut is_so: impl FnMut() -> Result<bool>) -> Result<()> {
    let begun = Instant::now();
    while !is_so()? {
        ensure!(begun.elapsed() < most, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
