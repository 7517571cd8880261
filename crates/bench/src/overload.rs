//! `bench overload` (KER-45): goodput when ten times more is asked than can be done, over HTTP, on one server.
//!
//! The server runs in this process with a small admission limit, so that the excess is really refused; clients come again
//! at once, which is ruder than Retry-After allows. Two tenants: one floods, the other keeps asking at its own pace.
//!
//! All clients share one thread, so that hundreds of them take no more of the machine than a few. What they take all the
//! same, and how long our threads waited for a processor that others had, is printed beside the figures.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey};
use kernel::{Caller, Env, Kernel, KernelConfig, keys};
use store_sqlite::{SqliteConfig, SqliteStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use web::{App, AppConfig, EdgeLimits, Shutdown};

use crate::contest::Effort;
use crate::report::{Figure, Unit};

const KEY: &str = "a-key-for-this-benchmark-only";
/// Requests in flight that one namespace may have.
const IN_FLIGHT: usize = 32;
/// Clients of a flood.
const FLOOD: usize = 10 * IN_FLIGHT;

/// Runs the contest.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let runtime = Runtime::new()?;
    let (address, shutdown) = start(folder.path(), &runtime)?;
    println!(
        "\noverload over HTTP: {IN_FLIGHT} requests of one tenant in flight are taken, clients come again at once"
    );
    println!("  p99 is another tenant's; cores: used by the server, by the clients, wanted but not given to us");
    drive(address, effort.side, 0)?.print("nobody else");
    let (mut ratios, mut shares, mut p99s) = (vec![], vec![], [vec![], vec![]]);
    for _ in 0..effort.rounds {
        let peak = drive(address, effort.side, IN_FLIGHT)?;
        let flood = drive(address, effort.side, FLOOD)?;
        peak.print(&format!("{IN_FLIGHT} clients"));
        flood.print(&format!("{FLOOD} clients"));
        ratios.push(flood.against(&peak));
        shares.push(flood.done / peak.done * 100.0);
        p99s[0].push(flood.p99_ms);
        p99s[1].push(peak.p99_ms);
    }
    drive(address, effort.side, 0)?.print("afterwards");
    ratios.iter().for_each(|ratio| println!("{ratio}"));
    Figure::new("goodput when ten times more is asked, of the peak", Unit::Percent)
        .side("ours", &shares)
        .goal(80.0)
        .tell();
    let told = Figure::new("another tenant's p99", Unit::Milliseconds);
    told.side("while one floods", &p99s[0]).side("at the peak of one", &p99s[1]).tell();
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
    kernel.call(&kernel.admin_namespace(), &BOOTSTRAP_KEY, request, BootstrapKey { hash: keys::hash(KEY) }, done);
    told.recv()??;
    Ok(())
}

/// What was measured, per second.
struct Figures {
    done: f64,
    refused: f64,
    p99_ms: f64,
    server_cores: f64,
    client_cores: f64,
    missing_cores: f64,
}

impl Figures {
    fn print(&self, name: &str) {
        let Self { done, refused, p99_ms, server_cores, client_cores, missing_cores } = self;
        println!(
            "  {name:<12} {done:>7.0} done/s {refused:>7.0} refused/s, p99 {p99_ms:>6.1} ms, \
             cores {server_cores:.2} + {client_cores:.2}, {missing_cores:.2} missing"
        );
    }

    /// In words. On a machine that others use too, what a core gives says more than what a second gives.
    fn against(&self, peak: &Self) -> String {
        let goodput = self.done / peak.done * 100.0;
        let per_core = goodput * peak.server_cores / self.server_cores;
        let p99 = self.p99_ms / peak.p99_ms;
        format!("  flood against peak: goodput {goodput:.0} %, per core used {per_core:.0} %, p99 {p99:.1} times")
    }
}

/// What the clients of one drive were answered.
#[derive(Default)]
struct Tally {
    done: AtomicU64,
    refused: AtomicU64,
}

/// So many clients flood `main` while one asks `other` and measures.
fn drive(address: SocketAddr, time: Duration, clients: usize) -> Result<Figures> {
    let (tally, begun) = (Tally::default(), Processor::of_all()?);
    let (waits, flooded) = thread::scope(|scope| {
        let flooding = scope.spawn(|| flood(address, time, clients, &tally));
        (measure(address, time), flooding.join().expect("clients do not panic"))
    });
    let (waits, Flooded { clients, all }) = (waits?, flooded?);
    let rate = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64 / time.as_secs_f64();
    let cores = |seconds: f64| (seconds / time.as_secs_f64()).max(0.0);
    Ok(Figures {
        done: rate(&tally.done),
        refused: rate(&tally.refused),
        p99_ms: p99(waits),
        server_cores: cores(all.used_s - begun.used_s - clients.used_s),
        client_cores: cores(clients.used_s),
        missing_cores: cores(all.waited_s - begun.waited_s),
    })
}

/// What a flood took of the machine; read by its own thread, because one that ended is not counted any more.
struct Flooded {
    clients: Processor,
    all: Processor,
}

/// All clients on this thread.
fn flood(address: SocketAddr, time: Duration, clients: usize, tally: &Tally) -> Result<Flooded> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let all = async {
        try_join_all((0..clients).map(|_| client(address, tally))).await?;
        // Where there are none, the time passes all the same.
        std::future::pending::<Result<()>>().await
    };
    // Clients end only by an error.
    if let Ok(ended) = runtime.block_on(async { tokio::time::timeout(time, all).await }) {
        ended?;
    }
    Ok(Flooded { clients: Processor::read("/proc/thread-self/schedstat")?, all: Processor::of_all()? })
}

/// Asks again as soon as it is answered, until it is dropped.
async fn client(address: SocketAddr, tally: &Tally) -> Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    loop {
        match ask(&mut stream, "main").await? {
            201 => tally.done.fetch_add(1, Ordering::Relaxed),
            503 => tally.refused.fetch_add(1, Ordering::Relaxed),
            other => anyhow::bail!("answered {other}"),
        };
    }
}

/// The other tenant: one request after the other, up to fifty a second.
fn measure(address: SocketAddr, time: Duration) -> Result<Vec<f64>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut stream = TcpStream::connect(address).await?;
        let (begun, mut waits) = (Instant::now(), vec![]);
        while begun.elapsed() < time {
            let asked = Instant::now();
            anyhow::ensure!(ask(&mut stream, "other").await? == 201, "the other tenant was refused");
            waits.push(asked.elapsed().as_secs_f64() * 1000.0);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(waits)
    })
}

fn p99(mut waits: Vec<f64>) -> f64 {
    waits.sort_by(f64::total_cmp);
    waits.get(waits.len() * 99 / 100).or(waits.last()).copied().unwrap_or(f64::NAN)
}

/// Time on a processor, and time ready to run without one.
#[derive(Default)]
struct Processor {
    used_s: f64,
    waited_s: f64,
}

impl Processor {
    /// Of all threads of this process that live.
    fn of_all() -> Result<Self> {
        let mut all = Self::default();
        for thread in fs::read_dir("/proc/self/task")? {
            // One that has just ended has no file any more.
            if let Ok(one) = Self::read(thread?.path().join("schedstat")) {
                all.used_s += one.used_s;
                all.waited_s += one.waited_s;
            }
        }
        Ok(all)
    }

    fn read(file: impl AsRef<std::path::Path>) -> Result<Self> {
        let text = fs::read_to_string(file)?;
        let mut seconds = text.split_whitespace().map(|word| word.parse::<f64>().map(|nanos| nanos / 1e9));
        let mut next = || seconds.next().context("a short schedstat");
        Ok(Self { used_s: next()??, waited_s: next()?? })
    }
}

/// Creates a key: a small write that every server has.
async fn ask(stream: &mut TcpStream, ns: &str) -> Result<u16> {
    let body = r#"{"role":"app","label":"bench"}"#;
    let length = body.len();
    let request = format!(
        "POST /v1/{ns}/keys HTTP/1.1\r\nhost: b\r\nauthorization: Bearer {KEY}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    let (mut buffer, mut read) = ([0; 4096], 0);
    loop {
        let more = stream.read(&mut buffer[read..]).await?;
        anyhow::ensure!(more > 0, "a cut answer");
        read += more;
        if let Some(status) = status(std::str::from_utf8(&buffer[..read])?)? {
            return Ok(status);
        }
    }
}

/// The status of an answer that is there as a whole.
fn status(text: &str) -> Result<Option<u16>> {
    let Some((head, rest)) = text.split_once("\r\n\r\n") else { return Ok(None) };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).context("a length")?;
    if rest.len() < length.parse::<usize>()? {
        return Ok(None);
    }
    Ok(Some(head.split(' ').nth(1).context("a status")?.parse()?))
}
