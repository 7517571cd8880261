//! `bench console`: how long every page of the console takes with 100,000 rows of each kind behind it (CON-2, CON-8). The goal is
//! 200 ms; there is no peer to compare with, so the same requests with empty lists run first.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::contest::Effort;
use crate::disk::print_sync_time;
use crate::documents::{Ours, Side, ask_all, ask_json, drive, request};
use crate::folders;
use crate::report::{Figure, Unit};

/// Rows of each kind.
const ROWS: usize = 100_000;
/// Requests that are made in one go.
const PORTION: usize = 10_000;

/// Files of one group.
const GROUP: usize = 400;

/// Pages, as a person comes across them; `{directory}` is that of the files.
const PAGES: [&str; 63] = [
    "",
    "?span=24h",
    "?span=7d",
    "tasks",
    "tasks?state=parked",
    "tasks?state=running",
    "tasks?op=report.7",
    "tasks?info=nothing-like-this",
    "tasks?retry=1",
    "queues",
    "stuck",
    "journal",
    "journal?kind=key.created",
    "journal?q=nothing-like-this",
    "alerts",
    "keys",
    "counters",
    "documents",
    "documents/Contact",
    "documents/Contact?prefix=000001",
    "exchange",
    "exchange/devices",
    "exchange/devices?company=bench",
    "exchange/devices?company=bench&subsystem=sales",
    "exchange/companies",
    "exchange/processes",
    "exchange/processes?state=unknown",
    "exchange/folders?db=erp&folder=Messages",
    "exchange/folders?db=erp&folder=Log",
    "exchange/databases/erp",
    "workflow",
    "workflow/processes",
    "workflow/processes?state=ACTIVE",
    "workflow/processes?type=order&error=nothing-like-this",
    "workflow/processes?custom_id=order-7",
    "workflow/broken",
    "workflow/jobs",
    "workflow/actors",
    "workflow/types",
    "workflow/schedules",
    "sensors",
    "sensors?address=Street%207",
    "sensors/as-list",
    "sensors/as-list?prefix=door00077",
    "sensors/as-list?state=lost",
    "sensors/door0000077",
    "sensors/not-known",
    "sensor-clients",
    "folders",
    "folders/{directory}",
    "folders/{directory}/deleted",
    "folders/{directory}/conflicts",
    "folders/{directory}/devices",
    "folders/{directory}/locks",
    "accounts",
    "alerts/messages",
    "search",
    "search?q=01",
    "search?q=phone%2077",
    "search?q=order-7",
    "search?q=order-7&kind=process",
    "search?q=door00077",
    "search?q=nothing-like-this",
];

/// An engine with what the server is told of it.
struct Engine {
    name: &'static str,
    configuration: Vec<(&'static str, String)>,
}

/// SQLite, and PostgreSQL where there is one.
fn engines() -> Vec<Engine> {
    let mut engines = vec![Engine { name: "SQLite", configuration: vec![] }];
    match std::env::var("FASTNESS_TEST_POSTGRES") {
        Ok(url) => {
            let prefix = format!("bench_console_{}_", std::process::id());
            let configuration = vec![
                ("FASTNESS_STORE__ENGINE", "postgres".to_owned()),
                ("FASTNESS_STORE__URL", url),
                ("FASTNESS_STORE__SCHEMA_PREFIX", prefix),
            ];
            engines.push(Engine { name: "PostgreSQL", configuration });
        }
        Err(_) => println!("PostgreSQL: not run, FASTNESS_TEST_POSTGRES is not set (cargo xtask services run -- …)"),
    }
    engines
}

/// Loads rows and asks for every page, before and after, on each engine whose name has the text.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    print_sync_time(&folder)?;
    for engine in engines().iter().filter(|engine| engine.name.contains(&effort.only)) {
        measure(effort, &folder, engine)?;
    }
    print_sync_time(&folder)
}

fn measure(effort: &Effort, folder: &Path, engine: &Engine) -> Result<()> {
    let ours = Ours::start_with(&folder.join(engine.name), &engine.configuration)?;
    let empty = times(&ours, effort, &folders::fill(ours.process(), 0, 0)?)?;
    load(&ours)?;
    let directory = folders::fill(ours.process(), ROWS / GROUP, GROUP)?;
    println!("loaded {ROWS} files");
    let full = times(&ours, effort, &directory)?;
    println!("\n{:<40} {:>12} {:>12} {:>12}", format!("page, {}", engine.name), "empty p50", "100,000 p50", "p99 (ms)");
    for ((page, empty), full) in PAGES.iter().zip(&empty).zip(&full) {
        println!("{:<40} {:>12.1} {:>12.1} {:>12.1}", format!("/console/main/{page}"), empty.0, full.0, full.1);
    }
    tell(engine, &full);
    Ok(())
}

/// The slowest page stands for all: the goal is one of each.
fn tell(engine: &Engine, full: &[(f64, f64)]) {
    let slowest = PAGES.iter().zip(full).max_by(|(_, one), (_, other)| one.0.total_cmp(&other.0));
    if let Some((page, (p50, p99))) = slowest {
        let (pages, engine) = (PAGES.len(), engine.name);
        let what = format!("{engine}: the slowest page of {pages} with {ROWS} rows of each kind, /console/main/{page}");
        Figure::new(format!("{what}, p50"), Unit::Milliseconds).side("ours", &[*p50]).goal(200.0).tell();
        Figure::new(format!("{what}, p99"), Unit::Milliseconds).side("ours", &[*p99]).tell();
    }
}

/// Middle and slow times of each page, in milliseconds.
fn times(ours: &Ours, effort: &Effort, directory: &str) -> Result<Vec<(f64, f64)>> {
    let key = format!("Bearer {}", ours.key());
    let process = ours.process();
    let time = effort.side.min(Duration::from_secs(2));
    let one = |page: &&str| {
        let page = page.replace("{directory}", directory);
        let asked = [request("GET", &format!("/console/main/{page}"), &key, "")];
        let figures = drive(process.address, &process.processor(), &asked, 1, time)?;
        Ok((figures.p50_ms, figures.p99_ms))
    };
    PAGES.iter().map(one).collect()
}

/// A company with a database and a device; gives the device's id.
fn office(ours: &Ours, key: &str) -> Result<String> {
    let (company, subsystem) =
        (json!({ "id": "bench", "name": "Bench" }), json!({ "id": "sales", "company": "bench", "name": "Sales" }));
    let (database, device) = (json!({ "id": "erp", "company": "bench" }), device(0));
    let mut made = json!(null);
    for (what, body) in
        [("companies", company), ("subsystems", subsystem), ("databases", database), ("devices", device)]
    {
        let asked = request("POST", &format!("/v1/main/exchange/{what}"), key, &body.to_string());
        made = ask_json(ours.process().address, &asked)?;
    }
    made["id"].as_str().map(str::to_owned).context("a device")
}

fn device(number: usize) -> Value {
    json!({ "company": "bench", "subsystem": "sales", "name": format!("phone {number}") })
}

fn message(number: usize, device: &str) -> Value {
    json!({
        "version": 1, "id": format!("m-{number}"),
        "head": { "company": "bench", "subsystem": "sales", "from": device, "to": "erp", "created_at": "2026-11-16T12:00:00Z" },
        "body": { "type": "order", "version": 1, "payload": number },
    })
}

/// A process whose first task waits for a worker.
fn order(number: usize) -> Value {
    json!({ "type": "order", "custom_id": format!("order-{number}"), "start": { "actor": "order#1", "args": [{ "value": number }] } })
}

/// A sensor at one of 2,000 addresses.
fn sensor(number: usize, key: &str) -> Vec<u8> {
    let body = json!({ "address": format!("Street {}, {}", number / 1_000, number % 20) });
    request("PUT", &format!("/v1/main/sensors/door{number:07}"), key, &body.to_string())
}

/// Tasks that start next year, keys (each with a line of the journal), documents, devices, messages, processes that wait, sensors.
fn load(ours: &Ours) -> Result<()> {
    let key = format!("Bearer {}", ours.key());
    let sender = office(ours, &key)?;
    let sent = |number: usize| {
        let [device, message, order] =
            [device(number), message(number, &sender), order(number)].map(|body| body.to_string());
        [
            request("POST", "/v1/main/exchange/devices", &key, &device),
            request("POST", "/v1/main/exchange/messages", &key, &message),
            request("POST", "/v1/main/workflow/processes", &key, &order),
            sensor(number, &key),
        ]
    };
    let task = |number: usize| {
        let (op, info) = (number % 50, number);
        let body = format!(
            r#"{{"op":"report.{op}","info":"night {info}","target":"https://erp.example/","start_at":"2099-01-01T00:00:00Z"}}"#
        );
        request("POST", "/v1/main/tasks", &key, &body)
    };
    let made = |number: usize| {
        let body = format!(r#"{{"role":"app","label":"phone {number}"}}"#);
        request("POST", "/v1/main/keys", &key, &body)
    };
    for from in (0..ROWS).step_by(PORTION) {
        let numbers = from..from + PORTION;
        let requests = numbers.clone().map(task).chain(numbers.clone().map(made));
        let requests: Vec<_> = requests.chain(numbers.flat_map(sent)).collect();
        ask_all(ours.process().address, &requests)?;
        ours.load_many(from, PORTION)?;
    }
    println!("loaded {ROWS} tasks, keys, lines of the journal, documents, devices, messages, processes and sensors");
    Ok(())
}
