//! Synchronisation: what it takes to bring a copy of 10,000 documents level after one in a hundred changed, and when none did.
//!
//! Both sides use their own client: ours the crate `client`, with a copy in memory, theirs PouchDB's replication into memory.
//! Ours is shown twice. A document of ours is what is asked about; a document of CouchDB is more like an item of ours, and a database
//! of it like one of our documents. So the same contacts are once documents of their own, and once the items of ten documents.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use client::{Change, Client, Replica};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::DOCUMENTS;
use super::drive::drive;
use super::ours::Ours;
use super::peers;
use super::process::Process;
use super::proxy::{Passed, Proxy};
use super::side::{Contact, Side};
use crate::contest::{Effort, median};
use crate::report::{Figure, Unit};

const TITLE: &str = "sync after 1 % of 10,000 documents changed";
const LEVEL_TITLE: &str = "sync of 1,000 documents that are level";
/// Contacts that change between two synchronisations.
const CHANGED: usize = DOCUMENTS / 100;
/// Documents that hold all contacts as their items.
const BOOKS: usize = 10;

/// Runs what is wanted.
pub fn run(effort: &Effort, folder: &Path) -> Result<()> {
    if LEVEL_TITLE.contains(&effort.only) {
        level(effort, &Ours::start(&folder.join("level"))?)?;
    }
    if TITLE.contains(&effort.only) {
        changed(effort, folder)?;
    }
    Ok(())
}

/// One copy that is kept level.
trait Copied {
    fn name(&self) -> &'static str;

    /// Changes some contacts at the source.
    fn change(&mut self, contacts: &[Contact]) -> Result<()>;

    /// Brings the copy level; gives milliseconds.
    fn pull(&mut self) -> Result<f64>;

    /// What passed between copy and source since it was last asked.
    fn passed(&self) -> Passed;
}

fn changed(effort: &Effort, folder: &Path) -> Result<()> {
    let runtime = Runtime::new()?;
    let ours = Ours::start(&folder.join("sync"))?;
    let mut copies: Vec<Box<dyn Copied + '_>> = vec![
        Box::new(OurCopy::start(&runtime, &ours, Shape::Documents)?),
        Box::new(OurCopy::start(&runtime, &ours, Shape::Items)?),
    ];
    match peers::pouchdb() {
        Ok(home) => copies.push(Box::new(PouchCopy::start(&runtime, &home, &folder.join("pouch"))?)),
        Err(error) => println!("pouchdb-server: not run, npm gives none: {error:#}"),
    }
    println!("\n{TITLE} (then again with none changed); medians of {} rounds", effort.rounds);
    let mut shown: Vec<Vec<Round>> = copies.iter().map(|_| vec![]).collect();
    for round in 1..=effort.rounds {
        for (copy, shown) in copies.iter_mut().zip(&mut shown) {
            shown.push(one_round(copy.as_mut(), round)?);
        }
    }
    for (what, of) in [("", (|round| round.0) as fn(&Round) -> f64), (", none changed", |round| round.2)] {
        let all = |shown: &[Round]| shown.iter().map(of).collect::<Vec<_>>();
        let told = Figure::new(format!("{TITLE}{what}"), Unit::Milliseconds);
        copies.iter().zip(&shown).fold(told, |told, (copy, shown)| told.side(copy.name(), &all(shown))).tell();
    }
    for (copy, shown) in copies.iter().zip(&shown) {
        let ms = |of: fn(&Round) -> f64| median(&shown.iter().map(of).collect::<Vec<_>>());
        let last = shown.last().context("a round")?;
        println!("  {:<40}{:>8.1} ms  {}", copy.name(), ms(|round| round.0), words(last.1));
        println!("  {:<40}{:>8.1} ms  {}", "  none changed", ms(|round| round.2), words(last.3));
    }
    Ok(())
}

/// Milliseconds and bytes of a round, with changes and then without.
type Round = (f64, Passed, f64, Passed);

fn one_round(copy: &mut dyn Copied, round: usize) -> Result<Round> {
    let contact = |at: usize| Contact { number: (at * 97 + round) % DOCUMENTS, turn: round };
    copy.change(&(0..CHANGED).map(contact).collect::<Vec<_>>())?;
    copy.passed();
    let changed_ms = copy.pull()?;
    let changed = copy.passed();
    let level_ms = copy.pull()?;
    Ok((changed_ms, changed, level_ms, copy.passed()))
}

fn words(passed: Passed) -> String {
    let Passed { up_bytes, down_bytes, round_trips } = passed;
    let all = up_bytes + down_bytes;
    format!("{round_trips:>3} round trips, {all:>9} bytes ({up_bytes} up, {down_bytes} down)")
}

/// How contacts are kept with us.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Each is a document.
    Documents,
    /// Each is an item of one of a few documents.
    Items,
}

impl Shape {
    fn changes(self, contacts: &[Contact]) -> Result<Vec<Vec<Change>>> {
        let json = |contact: &Contact| serde_json::from_str::<Value>(&contact.json());
        let mut changes: Vec<Change> = vec![];
        for contact in contacts {
            let (class, key) =
                if self == Self::Documents { ("Contact", String::new()) } else { ("Book", contact.id()) };
            changes.push(Change::of(class, &self.document(contact)).put("Card", &key, json(contact)?));
        }
        Ok(changes.chunks(32).map(<[Change]>::to_vec).collect())
    }

    fn document(self, contact: &Contact) -> String {
        if self == Self::Documents { contact.id() } else { format!("book{}", contact.number % BOOKS) }
    }

    fn all(self) -> Vec<(&'static str, String)> {
        let numbers = 0..if self == Self::Documents { DOCUMENTS } else { BOOKS };
        let class = if self == Self::Documents { "Contact" } else { "Book" };
        numbers.map(|number| (class, self.document(&Contact { number, turn: 0 }))).collect()
    }
}

/// A copy of ours.
struct OurCopy<'a> {
    runtime: &'a Runtime,
    source: Client,
    counted: Client,
    proxy: Proxy,
    replica: Replica,
    shape: Shape,
}

impl<'a> OurCopy<'a> {
    fn start(runtime: &'a Runtime, ours: &Ours, shape: Shape) -> Result<Self> {
        let address = ours.process().address;
        let proxy = runtime.block_on(Proxy::start(address))?;
        let client = |address| Client::new(&format!("http://{address}"), "main", ours.key());
        let (source, counted) = (client(address)?, client(proxy.address)?);
        let mut copy = Self { runtime, source, counted, proxy, replica: Replica::in_memory(), shape };
        copy.change(&(0..DOCUMENTS).map(|number| Contact { number, turn: 0 }).collect::<Vec<_>>())?;
        for (class, id) in shape.all() {
            copy.replica.follow(class, &id, None)?;
        }
        copy.pull()?;
        Ok(copy)
    }
}

impl Copied for OurCopy<'_> {
    fn name(&self) -> &'static str {
        if self.shape == Shape::Documents { "ours, as 10,000 documents" } else { "ours, as items of 10 documents" }
    }

    fn change(&mut self, contacts: &[Contact]) -> Result<()> {
        for changes in self.shape.changes(contacts)? {
            self.runtime.block_on(self.source.commit(&changes))?;
        }
        Ok(())
    }

    fn pull(&mut self) -> Result<f64> {
        let begun = Instant::now();
        self.runtime.block_on(self.counted.sync(&mut self.replica))?;
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    }

    fn passed(&self) -> Passed {
        self.proxy.passed()
    }
}

/// A copy of PouchDB's.
struct PouchCopy {
    script: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    proxy: Proxy,
    _server: Process,
}

impl PouchCopy {
    fn start(runtime: &Runtime, home: &Path, folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder.join("data"))?;
        let modules = home.join("node_modules");
        let server = Process::start(&folder.join("log"), |address| {
            let mut command = Command::new(modules.join(".bin/pouchdb-server"));
            let port = address.port().to_string();
            command.args(["--host", "127.0.0.1", "--port", &port, "--dir", "data", "--config", "config.json"]);
            command.current_dir(folder);
            command
        })?;
        let proxy = runtime.block_on(Proxy::start(server.address))?;
        std::fs::write(folder.join("pouch.cjs"), include_str!("../../peers/pouch.cjs"))?;
        let url = |address| format!("http://{address}/contacts");
        let mut script = Command::new("node");
        script.arg("pouch.cjs").arg(&modules).args([url(server.address), url(proxy.address)]).current_dir(folder);
        let mut script = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (ask, answers) = (script.stdin.take().context("a pipe")?, script.stdout.take().context("a pipe")?);
        let mut copy = Self { script, ask, answers: BufReader::new(answers), proxy, _server: server };
        copy.write("make", &(0..DOCUMENTS).map(|number| Contact { number, turn: 0 }).collect::<Vec<_>>())?;
        copy.pull()?;
        Ok(copy)
    }

    fn write(&mut self, command: &str, contacts: &[Contact]) -> Result<()> {
        let docs: Result<Vec<Value>, serde_json::Error> = contacts.iter().map(document).collect();
        self.told(&json!({"do": command, "docs": docs?})).map(drop)
    }

    fn told(&mut self, command: &Value) -> Result<Value> {
        writeln!(self.ask, "{command}")?;
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "PouchDB's script ended");
        Ok(serde_json::from_str(&line)?)
    }
}

fn document(contact: &Contact) -> Result<Value, serde_json::Error> {
    let mut document: Value = serde_json::from_str(&contact.json())?;
    document["_id"] = contact.id().into();
    Ok(document)
}

impl Copied for PouchCopy {
    fn name(&self) -> &'static str {
        "PouchDB with pouchdb-server"
    }

    fn change(&mut self, contacts: &[Contact]) -> Result<()> {
        self.write("change", contacts)
    }

    fn pull(&mut self) -> Result<f64> {
        self.told(&json!({"do": "pull"}))?["ms"].as_f64().context("a time")
    }

    fn passed(&self) -> Passed {
        self.proxy.passed()
    }
}

impl Drop for PouchCopy {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

/// One client asks about 1,000 documents that it has (goal: less than 5 ms).
fn level(effort: &Effort, ours: &Ours) -> Result<()> {
    ours.load(1_000)?;
    let runtime = Runtime::new()?;
    let client = Client::new(&format!("http://{}", ours.process().address), "main", ours.key())?;
    let mut replica = Replica::in_memory();
    for number in 0..1_000 {
        replica.follow("Contact", &Contact { number, turn: 0 }.id(), None)?;
    }
    runtime.block_on(client.sync(&mut replica))?;
    let ask = replica.asks()?.pop().context("what it holds")?;
    let request = ours.operation("doc.sync", &serde_json::to_string(&ask)?);
    println!("\n{LEVEL_TITLE}: {} bytes asked; {} rounds", request.len(), effort.rounds);
    for _ in 0..effort.rounds {
        let process = ours.process();
        let time = effort.side.max(Duration::from_millis(200));
        let figures = drive(process.address, &process.processor(), std::slice::from_ref(&request), 1, time)?;
        println!("  p50 {:.2} p99 {:.2} ms, {:.0}/s", figures.p50_ms, figures.p99_ms, figures.rate);
    }
    Ok(())
}
