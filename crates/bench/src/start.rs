//! `bench start`: from the start of the program until it says that it is ready, on an empty store and on one that is there; and how large the
//! program is. The goal is 200 ms on an empty store.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::contest::{Effort, median};
use crate::disk::print_sync_time;
use crate::documents::free_address;
use crate::report::{Figure, Unit};

const GOAL_MS: f64 = 200.0;
const PATIENCE: Duration = Duration::from_secs(60);
const MIB: f64 = 1_048_576.0;

/// Runs it with the program beside this one.
pub fn run(effort: &Effort) -> Result<()> {
    let program = std::env::current_exe()?.with_file_name("fastness");
    ensure!(program.exists(), "{} is not there: cargo build --release -p fastness", program.display());
    let folder = tempfile::tempdir_in(".")?;
    print_sync_time(folder.path())?;
    let (mut empty, mut there) = (vec![], vec![]);
    for round in 0..effort.rounds {
        let data = folder.path().join(format!("data-{round}"));
        empty.push(start(&program, &data)?);
        there.push(start(&program, &data)?);
    }
    println!("\nstart of the program until it is ready, {} rounds", effort.rounds);
    for (what, all, goal) in [("an empty store", &empty, Some(GOAL_MS)), ("a store that is there", &there, None)] {
        let spread = |all: &[f64]| all.iter().map(|ms| format!("{ms:.0}")).collect::<Vec<_>>().join(", ");
        println!("  {what:<24} {:>6.0} ms   [{}]", median(all), spread(all));
        let figure = Figure::new(format!("ready on {what}"), Unit::Milliseconds).side("ours", all);
        goal.map_or(figure.clone(), |goal| figure.goal(goal)).tell();
    }
    sizes(&program, folder.path())?;
    print_sync_time(folder.path())
}

/// The milliseconds until it is ready.
fn start(program: &Path, data: &Path) -> Result<f64> {
    let address = free_address()?;
    let begun = Instant::now();
    let mut command = Command::new(program);
    command.args(["serve", "--listen", &address.to_string(), "--data"]).arg(data);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _server = Server(command.spawn().with_context(|| format!("{command:?}"))?);
    while !is_ready(address) {
        ensure!(begun.elapsed() < PATIENCE, "it is not ready after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}

fn is_ready(address: SocketAddr) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: b\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.starts_with("HTTP/1.1 200"))
    };
    ask().unwrap_or(false)
}

/// A server that ends with this value, gently: the next start finds a store that was closed.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let asked = Command::new("kill").arg(self.0.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

/// The program as it is, and without symbols as packages have it.
fn sizes(program: &Path, folder: &Path) -> Result<()> {
    let bytes = |path: &Path| -> Result<f64> { Ok(std::fs::metadata(path)?.len() as f64) };
    let stripped: PathBuf = folder.join("stripped");
    let is_stripped =
        Command::new("strip").arg("-o").arg(&stripped).arg(program).status().is_ok_and(|status| status.success());
    if !is_stripped {
        println!("strip: not run, it is not installed (`apt-get install binutils`)");
    }
    for (what, path) in
        [("with symbols", program), ("stripped", stripped.as_path())].into_iter().filter(|(_, path)| path.exists())
    {
        println!("  size {what:<19} {:>6.1} MiB", bytes(path)? / MIB);
        Figure::new(format!("size of the program, {what}"), Unit::Mebibytes).side("ours", &[bytes(path)? / MIB]).tell();
    }
    Ok(())
}
