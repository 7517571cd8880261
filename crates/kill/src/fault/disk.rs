//! Disks that are full, that fail, and that are slow.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::{Scene, Struck};
use crate::check::violation;
use crate::rng::Rng;
use crate::tracer::Tracer;
use crate::world::Base;

const SYNCS: &str = "fsync,fdatasync";
const WRITES: &str = "pwrite64";
/// The server looks twice a second.
const SEVERAL_LOOKS: Duration = Duration::from_millis(1_300);

/// Cell D1: the disk fills up under load. Clear refusals, reads and work that ends something go on, and when there is
/// room again so does everything, without a restart.
pub(super) fn full(scene: &mut Scene<'_>) -> Result<Struck> {
    let mut client = scene.world.server()?.client();
    let spare = client.post("/v1/main/keys", &json!({ "role": "app" }), "").map_err(std::io::Error::from)?;
    let spare = spare.body["id"].as_str().context("no key was made")?.to_owned();
    let Base::Small(disk) = &scene.world.base else { bail!("no small disk") };
    let left = usize::try_from(scene.rng.between(64 << 10, 2 << 20))?;
    let ballast = disk.fill(left)?;
    let before = scene.crowd.counts().put_off;
    scene.crowd.wait("refusals for want of room", |counts| counts.put_off > before)?;
    check_full(scene, &spare)?;
    means_it(scene)?;
    fs::remove_file(ballast)?;
    let times = scene.crowd.counts().put_off - before;
    Ok(Struck::now(times, format!("{} KiB left", left >> 10)))
}

/// What still works on a full disk.
fn check_full(scene: &Scene<'_>, spare_key: &str) -> Result<()> {
    let mut client = scene.world.server()?.client();
    let ready = client.get("/readyz")?;
    let says_so = ready.status == 503 && ready.body.to_string().contains("ReadOnly");
    ensure!(says_so, violation(format!("a full disk, and /readyz says {ready:?}")));
    ensure!(client.get("/healthz")?.status == 200, violation("a full disk, and not alive"));
    let read = client.get("/v1/main/ledger/accounts/pool")?;
    ensure!(read.status == 200, violation(format!("a full disk, and reads end: {read:?}")));
    let ended = client.delete(&format!("/v1/main/keys/{spare_key}"))?;
    ensure!(ended.status == 204, violation(format!("work that ends something did not use the reserve: {ended:?}")));
    Ok(())
}

/// Over several of its looks the server does not say that it is ready without doing anything: the room that it gave up
/// itself is no reason to think that there is room again. It may find some, though, by emptying its log.
fn means_it(scene: &Scene<'_>) -> Result<()> {
    let (begun, mut client) = (Instant::now(), scene.world.server()?.client());
    let mut acked = scene.crowd.counts().acked;
    let mut was_ready = false;
    while begun.elapsed() < SEVERAL_LOOKS {
        let is_ready = client.get("/readyz")?.status == 200;
        let now_acked = scene.crowd.counts().acked;
        let idle = was_ready && !is_ready && acked == now_acked;
        ensure!(!idle, violation("on a full disk the server said that it was ready, and did nothing"));
        if is_ready && !was_ready {
            acked = now_acked;
        }
        was_ready = is_ready;
        thread::sleep(Duration::from_millis(1)); // tidy: sleep — the fault is that time passes
    }
    Ok(())
}

/// Cell D6.
pub(super) fn sync_error(scene: &mut Scene<'_>) -> Result<Struck> {
    trace(scene, SYNCS, "error=EIO")
}

pub(super) fn write_full(scene: &mut Scene<'_>) -> Result<Struck> {
    trace(scene, WRITES, "error=ENOSPC")
}

pub(super) fn write_error(scene: &mut Scene<'_>) -> Result<Struck> {
    trace(scene, WRITES, "error=EIO")
}

/// Cell D11.
pub(super) fn slow_sync(scene: &mut Scene<'_>) -> Result<Struck> {
    let delay_ms = scene.rng.between(20, 200);
    let mut tracer = Tracer::attach(scene.world.server()?.pid(), SYNCS, &format!("delay_enter={delay_ms}ms"))?;
    tracer.wait_fired(scene.rng.between(5, 15))?;
    scene.crowd.wait_acked(1)?;
    Ok(Struck::now(tracer.detach()?, format!("{delay_ms} ms each")))
}

fn trace(scene: &mut Scene<'_>, calls: &str, fault: &str) -> Result<Struck> {
    let (when, wanted) = moments(scene.rng);
    let mut tracer = Tracer::attach(scene.world.server()?.pid(), calls, &format!("{fault}:when={when}"))?;
    tracer.wait_fired(wanted)?;
    let times = tracer.detach()?;
    scene.world.check_running()?;
    Ok(Struck::now(times, format!("when={when}")))
}

/// Now and then, or several in a row, so that getting over the first one fails too; and how many to wait for.
fn moments(rng: &mut Rng) -> (String, u64) {
    let first = rng.between(1, 30);
    if rng.percent(50) {
        (format!("{first}+{}", rng.between(2, 20)), rng.between(1, 8))
    } else {
        let row = rng.between(1, 12);
        (format!("{first}..{}", first + row - 1), row.min(3))
    }
}
