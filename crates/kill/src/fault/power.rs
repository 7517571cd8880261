//! The power goes, and syncs that forget.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::process::restart;
use super::{Scene, Struck};
use crate::lossfs::{Event, LossDisk, Survival};
use crate::world::Base;

/// Longest wait for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Cell D9: the power goes at any change of any file, or at any acknowledgement.
pub(super) fn cut(scene: &mut Scene<'_>) -> Result<Struck> {
    scene.crowd.wait_acked(scene.rng.skewed(400))?;
    let survival = survival(scene);
    if scene.rng.percent(50) {
        let (changes, rng) = (scene.rng.skewed(400), scene.rng.fork());
        let told = disk(scene)?.listen();
        disk(scene)?.cut_after(changes, survival, rng);
        wait(&told, 1)?;
    }
    power_off_and_on(scene, survival)
}

/// A sync fails and forgets, as ext4 does; the server goes on by itself. Then the power goes: was all that it
/// acknowledged since really written?
pub(super) fn sync_lost(scene: &mut Scene<'_>) -> Result<Struck> {
    let failures = scene.rng.between(1, 5);
    let told = disk(scene)?.listen();
    disk(scene)?.fail_syncs(failures);
    wait(&told, failures)?;
    let healed = Instant::now();
    let ready = scene.world.wait_ready(healed, scene.bound)?;
    scene.world.check_running()?;
    scene.crowd.wait_acked(scene.rng.between(20, 100))?;
    let cut = power_off_and_on(scene, Survival(0))?;
    let note = format!("{failures} syncs, ready {} ms later without a start; {}", ready.as_millis(), cut.note);
    Ok(Struck { times: failures, note, ..cut })
}

fn power_off_and_on(scene: &mut Scene<'_>, survival: Survival) -> Result<Struck> {
    scene.world.take_server()?.kill()?;
    scene.crowd.point_to(None);
    let rng = scene.rng.fork();
    let Base::Loss(disk) = &mut scene.world.base else { bail!("no disk that forgets") };
    let loss = disk.cut(survival, rng)?;
    let healed = restart(scene)?;
    let note = format!("{} pages unsynced, {} survived", loss.unsynced, loss.survived);
    Ok(Struck { times: 1, healed, note })
}

/// How much of what was not synced reaches the disk all the same.
fn survival(scene: &mut Scene<'_>) -> Survival {
    Survival(*scene.rng.pick(&[0, 0, 10, 50, 90]))
}

fn disk<'a>(scene: &'a Scene<'_>) -> Result<&'a LossDisk> {
    match &scene.world.base {
        Base::Loss(disk) => Ok(disk),
        Base::Disk | Base::Small(_) | Base::Postgres(_) | Base::Link(..) => bail!("no disk that forgets"),
    }
}

fn wait(told: &Receiver<Event>, count: u64) -> Result<()> {
    for _ in 0..count {
        told.recv_timeout(PATIENCE).context("the disk's fault did not strike")?;
    }
    Ok(())
}
