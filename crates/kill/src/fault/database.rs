//! PostgreSQL stopped, crashed, stopped in its tracks, and cut off (cell B1).

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use super::network::wait_cuts;
use super::{Scene, Struck};
use crate::check::violation;
use crate::postgres::Database;
use crate::proxy::Script;
use crate::world::Base;

/// Longest wait for the server to notice that its database is gone.
const NOTICE_MAX: Duration = Duration::from_secs(10);
/// What the engine sends to commit.
const COMMIT: &[u8] = b"COMMIT\0";

pub(super) fn stop(scene: &mut Scene<'_>) -> Result<Struck> {
    gone_and_back(scene, "stop")
}

pub(super) fn kill(scene: &mut Scene<'_>) -> Result<Struck> {
    gone_and_back(scene, "kill")
}

fn gone_and_back(scene: &mut Scene<'_>, word: &str) -> Result<Struck> {
    scene.crowd.wait_acked(scene.rng.skewed(300))?;
    let database = database(scene)?;
    database.control(word)?;
    wait_down(scene)?;
    database.control("start")?;
    scene.world.check_running()?;
    Ok(Struck::now(1, ""))
}

fn wait_down(scene: &Scene<'_>) -> Result<()> {
    let (begun, mut client) = (Instant::now(), scene.world.server()?.client());
    loop {
        let ready = client.get("/readyz")?;
        if ready.status == 503 && ready.body.to_string().contains("Down") {
            return Ok(());
        }
        ensure!(begun.elapsed() < NOTICE_MAX, violation(format!("PostgreSQL is gone, and /readyz says {ready:?}")));
        thread::sleep(Duration::from_millis(5)); // tidy: sleep — another process notices something, and tells nobody
    }
}

/// Mostly for some seconds; sometimes for longer than the engine waits for an answer.
pub(super) fn pause(scene: &mut Scene<'_>) -> Result<Struck> {
    scene.crowd.wait_acked(scene.rng.skewed(200))?;
    let long = scene.rng.percent(20);
    let time = Duration::from_millis(if long { 17_000 } else { scene.rng.between(1_000, 4_000) });
    let frozen = database(scene)?.freeze()?;
    let before = scene.crowd.counts().acked;
    thread::sleep(time); // tidy: sleep — the fault is that time passes
    let during = scene.crowd.counts().acked - before;
    let times = frozen.count() as u64;
    drop(frozen);
    scene.world.check_running()?;
    ensure!(during <= crate::world::CLIENTS_MAX as u64, "PostgreSQL went on while it was stopped: {during}");
    Ok(Struck::now(times, format!("{} ms", time.as_millis())))
}

/// Single connections around their COMMIT, then all at once.
pub(super) fn cut(scene: &mut Scene<'_>) -> Result<Struck> {
    scene.crowd.wait_acked(scene.rng.skewed(200))?;
    let (percent, wanted, rng) = (scene.rng.between(5, 40), scene.rng.between(5, 30), scene.rng.fork());
    let Base::Link(proxy, _) = &scene.world.base else { bail!("no proxy before PostgreSQL") };
    proxy.follow(Script { mark: COMMIT, percent }, rng);
    wait_cuts(scene, proxy, wanted)?;
    proxy.pass();
    let all = proxy.cut_all();
    let cuts = proxy.cuts();
    scene.world.check_running()?;
    let note = format!("{} before COMMIT, {} after, {} answers, {all} at once", cuts.before, cuts.after, cuts.answer);
    Ok(Struck::now(cuts.all(), note))
}

fn database(scene: &Scene<'_>) -> Result<Database> {
    match &scene.world.base {
        Base::Postgres(database) | Base::Link(_, database) => Ok(database.clone()),
        Base::Disk | Base::Small(_) | Base::Loss(_) => bail!("no database"),
    }
}
