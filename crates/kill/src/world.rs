//! A server with its disk or database, its clients and what they know. Lives for some rounds, is read to the ground, and
//! makes way for a fresh one.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use tempfile::TempDir;

use crate::check::{Books, check_invariants, check_left, judge, violation};
use crate::disk::SmallDisk;
use crate::leftovers;
use crate::load::{POOL, Plan, Told, Writer, is_put_off, open_pool};
use crate::lossfs::LossDisk;
use crate::postgres::{self, Database};
use crate::proxy::Proxy;
use crate::server::{Launch, Server};

/// Clients of one world; a round uses some of them.
pub const CLIENTS_MAX: usize = 16;
/// Of what was acknowledged in earlier rounds, every so manieth is asked again in the end.
const ASKED_AGAIN: usize = 7;
/// How long a stop may take: the server's own limit for requests in flight, and some.
const STOP_MAX: Duration = Duration::from_secs(15);

/// What a world stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ground {
    /// SQLite on the machine's own disk.
    Disk,
    /// SQLite on a disk that can be filled up.
    Small,
    /// SQLite on a disk that forgets.
    Loss,
    /// PostgreSQL.
    Postgres,
    /// PostgreSQL behind a proxy.
    Link,
}

/// The thing itself.
pub enum Base {
    /// Nothing of its own.
    Disk,
    /// A small disk.
    Small(SmallDisk),
    /// A disk that forgets.
    Loss(LossDisk),
    /// A database.
    Postgres(Database),
    /// A database behind a proxy: the way to it, and itself.
    Link(Proxy, Database),
}

/// A server with all around it.
pub struct World {
    /// Dropped first: it lives on what comes below.
    server: Option<Server>,
    /// How it is started.
    pub launch: Launch,
    /// Its clients.
    pub writers: Vec<Writer>,
    probe: Writer,
    /// What it stands on.
    pub base: Base,
    /// Rounds so far.
    pub rounds: u32,
    /// How long the last start took.
    pub start_time: Duration,
    _folder: TempDir,
}

impl World {
    /// A fresh one. `mutant` names a promise that its server breaks on purpose. With `strict_names` a disk that forgets
    /// also forgets the folders of the first start unless the server synced them; most real ones do not.
    ///
    /// # Errors
    /// The ground cannot be had, or the server does not start.
    pub fn new(ground: Ground, program: &Path, mutant: Option<&str>, strict_names: bool) -> Result<Self> {
        let folder = leftovers::folder()?;
        let (base, launch) = lay(ground, program, folder.path())?;
        let launch = mutant.map_or(launch.clone(), |name| launch.env("FASTNESS_MUTANT", name));
        let mut world = Self {
            server: None,
            launch,
            writers: Writer::several(CLIENTS_MAX, Plan::MIXED),
            probe: Writer::new("probe", Plan::PLAIN),
            base,
            rounds: 0,
            start_time: Duration::ZERO,
            _folder: folder,
        };
        world.start()?;
        let on = mutant.is_none_or(|name| world.launch.log().contains(&format!("mutant {name} is on")));
        ensure!(on, "the server was built without mutants");
        open_pool(world.server()?)?;
        match &world.base {
            Base::Loss(disk) if !strict_names => disk.keep_names(),
            Base::Loss(_) | Base::Disk | Base::Small(_) | Base::Postgres(_) | Base::Link(..) => {}
        }
        Ok(world)
    }

    /// The running server.
    ///
    /// # Errors
    /// None runs.
    pub fn server(&self) -> Result<&Server> {
        self.server.as_ref().context("no server is running")
    }

    /// Takes the server out, to end it.
    ///
    /// # Errors
    /// None runs.
    pub fn take_server(&mut self) -> Result<Server> {
        self.server.take().context("no server is running")
    }

    /// Starts the server.
    ///
    /// # Errors
    /// It does not become ready: whatever happened before, that is a broken promise.
    pub fn start(&mut self) -> Result<()> {
        let begun = Instant::now();
        let server = self.launch.start().map_err(|error| violation(format!("{error:#}")))?;
        self.start_time = begun.elapsed();
        self.server = Some(server);
        Ok(())
    }

    /// What a server left that ended in whatever way is sound, before another one touches it.
    ///
    /// # Errors
    /// It is not.
    pub fn check_left(&self) -> Result<()> {
        match &self.base {
            Base::Disk | Base::Small(_) | Base::Loss(_) => check_left(&store_of(self.launch.data(), "main")),
            Base::Postgres(_) | Base::Link(..) => Ok(()),
        }
    }

    /// The server is the one that was started last, and still runs.
    ///
    /// # Errors
    /// It has ended by itself.
    pub fn check_running(&mut self) -> Result<()> {
        let server = self.server.as_mut().context("no server is running")?;
        ensure!(server.is_running()?, violation("the server ended by itself"));
        Ok(())
    }

    /// Waits until the server says that it is ready and does something, and tells how long that was since `healed`.
    ///
    /// # Errors
    /// It takes longer than `bound`.
    pub fn wait_ready(&mut self, healed: Instant, bound: Duration) -> Result<Duration> {
        loop {
            if self.is_ready()? {
                return Ok(healed.elapsed());
            }
            let late = healed.elapsed() > bound;
            ensure!(!late, violation(format!("not ready {bound:?} after the fault has ended")));
            self.check_running()?;
            thread::sleep(Duration::from_millis(2)); // tidy: sleep — another process gets well, and tells nobody
        }
    }

    fn is_ready(&mut self) -> Result<bool> {
        let mut client = self.server()?.client();
        let ready = client.get("/readyz").map_err(|error| violation(format!("/readyz: {error}")))?;
        if ready.status != 200 {
            return Ok(false);
        }
        match self.probe.ask(&mut client)? {
            Told::Answer(answer) if answer.status == 200 => Ok(true),
            Told::Answer(answer) if is_put_off(&answer) => Ok(false),
            told => Err(violation(format!("ready, but {told:?}"))),
        }
    }

    /// Asks every open request again until it is known.
    ///
    /// # Errors
    /// The server contradicts itself or does not answer.
    pub fn settle(&mut self) -> Result<()> {
        let server = self.server.as_ref().context("no server is running")?;
        let settled = thread::scope(|scope| {
            let writers = self.writers.iter_mut().chain([&mut self.probe]);
            let threads: Vec<_> = writers.map(|writer| scope.spawn(|| writer.settle(server))).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().map_err(|_| anyhow!("a client panicked")))
                .collect::<Vec<_>>()
        });
        settled.into_iter().try_for_each(|settled| settled?)
    }

    /// Compares all that clients were ever told with what the server shows.
    ///
    /// # Errors
    /// A promise was broken.
    pub fn check(&self) -> Result<()> {
        judge(&self.books()?, &self.everybody())
    }

    fn books(&self) -> Result<Books> {
        let accounts = self.everybody().into_iter().map(|writer| writer.name.clone());
        Books::over_http(&mut self.server()?.client(), accounts.chain([POOL.to_owned()]))
    }

    fn everybody(&self) -> Vec<&Writer> {
        self.writers.iter().chain([&self.probe]).collect()
    }

    /// The end of this world: old answers are asked again, the server is stopped, and what it left is read without it.
    ///
    /// # Errors
    /// A promise was broken.
    pub fn close(mut self) -> Result<()> {
        let server = self.server.as_ref().context("no server is running")?;
        self.writers.iter_mut().try_for_each(|writer| writer.ask_old(server, ASKED_AGAIN))?;
        let shown = self.books()?;
        let (status, took) = self.take_server()?.end("TERM")?;
        ensure!(status.success() && took < STOP_MAX, violation(format!("stopped with {status} after {took:?}")));
        let kept = self.raw_books()?;
        ensure!(kept.entries == shown.entries, violation("the store holds other entries than the server showed"));
        judge(&kept, &self.everybody())
    }

    /// The books as they are in the store, without the server.
    fn raw_books(&self) -> Result<Books> {
        match &self.base {
            Base::Disk | Base::Small(_) | Base::Loss(_) => {
                let books = Books::of_file(&store_of(self.launch.data(), "main"))?;
                for namespace in ["main", "z"] {
                    check_invariants(&store_of(self.launch.data(), namespace))?;
                }
                Ok(books)
            }
            Base::Postgres(database) | Base::Link(_, database) => Books::of_schema(&database.url, &database.schema()),
        }
    }

    /// Saves what is needed to find out what went wrong. Says where.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save(&self, name: &str) -> Result<PathBuf> {
        let folder = std::env::temp_dir().join(format!("fastness-kill-failed-{name}"));
        fs::create_dir_all(&folder)?;
        for writer in self.everybody() {
            fs::write(folder.join(format!("{}.jsonl", writer.name)), writer.history())?;
        }
        fs::write(folder.join("server.log"), self.launch.log())?;
        if let Ok(books) = self.books() {
            fs::write(
                folder.join("entries.txt"),
                books.entries.iter().map(|entry| format!("{entry:?}\n")).collect::<String>(),
            )?;
        }
        Ok(folder)
    }
}

/// The file of a namespace.
#[must_use]
pub fn store_of(data: &Path, namespace: &str) -> PathBuf {
    data.join("namespaces").join(namespace).join("store.db")
}

/// Makes the ground, and how to start a server on it.
fn lay(ground: Ground, program: &Path, folder: &Path) -> Result<(Base, Launch)> {
    let plain = Launch::new(program, &folder.join("data")).env("FASTNESS_STORE__WAL_MAX", "4 MiB");
    let on_disk = |at: &Path| {
        let launch = Launch::new(program, &at.join("data")).log_to(&folder.join("server.log"));
        launch.env("FASTNESS_STORE__WAL_MAX", "4 MiB").env("FASTNESS_STORE__RESERVE", "2 MiB")
    };
    Ok(match ground {
        Ground::Disk => (Base::Disk, plain),
        Ground::Small => {
            let disk = SmallDisk::mount(&folder.join("disk"), "128m")?;
            let launch = on_disk(disk.path());
            (Base::Small(disk), launch)
        }
        Ground::Loss => {
            let disk = LossDisk::mount(&folder.join("disk"))?;
            let launch = on_disk(disk.path());
            (Base::Loss(disk), launch)
        }
        Ground::Postgres => {
            let database = Database::new(postgres::FAULTY, "kill")?;
            let launch = database.launch(plain);
            (Base::Postgres(database), launch)
        }
        Ground::Link => {
            let database = Database::new(postgres::FAULTY, "kill")?;
            let proxy = Proxy::start(database.address()?)?;
            let launch = database.through(proxy.address())?.launch(plain);
            (Base::Link(proxy, database), launch)
        }
    })
}
