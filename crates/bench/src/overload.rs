//! `bench overload` (KER-45): goodput when ten times more is asked than can be done, over HTTP, on one server.
//!
//! The server runs in this process with a small admission limit, so that the excess is really refused; clients come again at
//! once, which is ruder than Retry-After allows. Two tenants: one floods, the other keeps asking at its own pace.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey};
use kernel::{Caller, Env, Kernel, KernelConfig, keys};
use store_sqlite::{SqliteConfig, SqliteStore};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use web::{App, AppConfig, EdgeLimits, Shutdown};

use crate::contest::Effort;

const KEY: &str = "a-key-for-this-benchmark-only";
/// Requests in flight that one namespace may have.
const IN_FLIGHT: usize = 32;

/// Runs the contest.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let runtime = Runtime::new()?;
    let (address, shutdown) = start(folder.path(), &runtime)?;
    let alone = drive(address, effort.side, 0)?;
    let peak = drive(address, effort.side, IN_FLIGHT)?;
    let flood = drive(address, effort.side, 10 * IN_FLIGHT)?;
    let after = drive(address, effort.side, 0)?;
    println!("\noverload over HTTP: {IN_FLIGHT} requests of one tenant in flight are taken");
    println!("  {IN_FLIGHT} clients:  {:>7.0} done/s, {:>7.0} refused/s", peak.done, peak.refused);
    let ratio = flood.done / peak.done * 100.0;
    println!(
        "  {} clients: {:>7.0} done/s, {:>7.0} refused/s: goodput {ratio:.0} % of the peak",
        10 * IN_FLIGHT,
        flood.done,
        flood.refused
    );
    println!(
        "  another tenant's p99: {:.1} ms alone, {:.1} ms beside the peak, {:.1} ms beside the flood, {:.1} ms after it",
        alone.p99_ms, peak.p99_ms, flood.p99_ms, after.p99_ms
    );
    shutdown.begin();
    Ok(())
}

fn start(folder: &std::path::Path, runtime: &Runtime) -> Result<(SocketAddr, Shutdown)> {
    let clock = Arc::new(RealClock::new());
    let open = |name: &str| -> Result<(String, Arc<dyn base::Store>)> {
        let store = SqliteStore::open(&folder.join(format!("{name}.db")), SqliteConfig::default(), clock.clone())?;
        Ok((name.to_owned(), Arc::new(store)))
    };
    let stores = vec![open("main")?, open("other")?, open("z")?];
    let env = Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
    let kernel = Kernel::open(env, KernelConfig::default(), &[], stores)?;
    first_key(&kernel)?;
    let shutdown = Shutdown::new();
    let config =
        AppConfig { in_flight_per_namespace_max: IN_FLIGHT, shutdown: shutdown.clone(), ..AppConfig::default() };
    let router = App::new(kernel, vec![], config).router();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let address = listener.local_addr()?;
    runtime.spawn(web::serve(listener, router, EdgeLimits::default(), shutdown.clone()));
    Ok((address, shutdown))
}

fn first_key(kernel: &Kernel) -> Result<()> {
    let (tell, told) = std::sync::mpsc::channel();
    let request = kernel.request(Caller::server("bench"));
    let done = Box::new(move |reply| {
        let _ = tell.send(reply);
    });
    kernel.call(kernel.admin_namespace(), &BOOTSTRAP_KEY, request, BootstrapKey { hash: keys::hash(KEY) }, done);
    told.recv()??;
    Ok(())
}

struct Figures {
    done: f64,
    refused: f64,
    p99_ms: f64,
}

/// So many clients flood `main` while one asks `other` and measures.
fn drive(address: SocketAddr, time: Duration, clients: usize) -> Result<Figures> {
    let (stop, done, refused) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let waits = thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(|| flood(address, &stop, &done, &refused));
        }
        let waits = measure(address, time);
        stop.store(true, Ordering::Relaxed);
        waits
    })?;
    let rate = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64 / time.as_secs_f64();
    Ok(Figures { done: rate(&done), refused: rate(&refused), p99_ms: p99(waits) })
}

fn flood(address: SocketAddr, stop: &AtomicBool, done: &AtomicU64, refused: &AtomicU64) {
    let Ok(mut stream) = TcpStream::connect(address) else { return };
    while !stop.load(Ordering::Relaxed) {
        match ask(&mut stream, "main") {
            Ok(201) => done.fetch_add(1, Ordering::Relaxed),
            Ok(503) => refused.fetch_add(1, Ordering::Relaxed),
            Ok(_) | Err(_) => return,
        };
    }
}

/// The other tenant: one request after the other, twenty a second.
fn measure(address: SocketAddr, time: Duration) -> Result<Vec<f64>> {
    let mut stream = TcpStream::connect(address)?;
    let (begun, mut waits) = (Instant::now(), vec![]);
    while begun.elapsed() < time {
        let asked = Instant::now();
        ask(&mut stream, "other").context("the other tenant")?;
        waits.push(asked.elapsed().as_secs_f64() * 1000.0);
        thread::sleep(Duration::from_millis(20));
    }
    Ok(waits)
}

fn p99(mut waits: Vec<f64>) -> f64 {
    waits.sort_by(f64::total_cmp);
    waits.get(waits.len() * 99 / 100).or(waits.last()).copied().unwrap_or(f64::NAN)
}

/// Creates a key: a small write that every server has.
fn ask(stream: &mut TcpStream, ns: &str) -> Result<u16> {
    let body = r#"{"role":"app","label":"bench"}"#;
    let length = body.len();
    let request = format!(
        "POST /v1/{ns}/keys HTTP/1.1\r\nhost: b\r\nauthorization: Bearer {KEY}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes())?;
    let mut buffer = [0; 4096];
    let mut read = 0;
    loop {
        read += stream.read(&mut buffer[read..])?;
        let text = std::str::from_utf8(&buffer[..read])?;
        if let Some((head, rest)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).context("a length")?;
            if rest.len() >= length.parse::<usize>()? {
                return Ok(head.split(' ').nth(1).context("a status")?.parse()?);
            }
        }
        anyhow::ensure!(read > 0 && read < buffer.len(), "a cut answer");
    }
}
