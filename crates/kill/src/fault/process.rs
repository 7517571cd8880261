//! The server's process: killed, killed again while it starts, stopped in its tracks, told to end.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::{Scene, Struck};
use crate::check::violation;
use crate::server::send_signal;
use crate::tracer::Tracer;

/// How long the server may take to end in good order under load: its own limit, and some.
const STOP_MAX: Duration = Duration::from_secs(15);
/// So often a start is tried; each that was over too soon halves the time that the next one is given.
const STARTS_MAX: u64 = 40;

pub(super) fn kill(scene: &mut Scene<'_>) -> Result<Struck> {
    scene.crowd.wait_acked(scene.rng.skewed(600))?;
    scene.world.take_server()?.kill()?;
    scene.crowd.point_to(None);
    let healed = restart(scene)?;
    Ok(Struck { times: 1, healed, note: String::new() })
}

/// Every write takes some milliseconds: a kill then comes before, between or after those of a commit.
pub(super) fn kill_slow(scene: &mut Scene<'_>) -> Result<Struck> {
    let delay_us = scene.rng.between(500, 5_000);
    let mut tracer = Tracer::attach(scene.world.server()?.pid(), "pwrite64", &format!("delay_enter={delay_us}"))?;
    tracer.wait_fired(1)?;
    scene.crowd.wait_acked(scene.rng.skewed(60))?;
    scene.world.take_server()?.kill()?;
    scene.crowd.point_to(None);
    let slow = tracer.detach()?;
    let healed = restart(scene)?;
    Ok(Struck { times: 1, healed, note: format!("{slow} writes of {delay_us} us") })
}

/// Starts that are killed before they are done, two of them if chance allows; the last one may live.
pub(super) fn kill_twice(scene: &mut Scene<'_>) -> Result<Struck> {
    scene.crowd.wait_acked(scene.rng.skewed(400))?;
    scene.world.take_server()?.kill()?;
    scene.crowd.point_to(None);
    let mut longest = u64::try_from(scene.world.start_time.as_micros()).unwrap_or(u64::MAX);
    let (mut starts, mut while_starting) = (0, 0);
    while while_starting < 2 && starts < STARTS_MAX {
        let moment = Duration::from_micros(scene.rng.between(0, longest));
        let starting = scene.world.launch.spawn(scene.world.launch.command())?;
        if starting.kill_after(moment)? {
            while_starting += 1;
        } else {
            longest = (longest / 2).max(1);
        }
        starts += 1;
    }
    let healed = restart(scene)?;
    Ok(Struck { times: while_starting, healed, note: format!("{while_starting} of {starts} while it started") })
}

pub(super) fn pause(scene: &mut Scene<'_>) -> Result<Struck> {
    scene.crowd.wait_acked(scene.rng.skewed(200))?;
    let pid = scene.world.server()?.pid();
    let time = Duration::from_millis(scene.rng.between(1_000, 3_000));
    send_signal(&[pid], "STOP")?;
    let before = scene.crowd.counts().acked;
    thread::sleep(time); // tidy: sleep — the fault is that time passes
    let during = scene.crowd.counts().acked - before;
    send_signal(&[pid], "CONT")?;
    // What was on its way may still arrive.
    ensure!(during <= crate::world::CLIENTS_MAX as u64, "the server went on while it was stopped: {during}");
    Ok(Struck::now(1, format!("{} ms", time.as_millis())))
}

pub(super) fn term(scene: &mut Scene<'_>) -> Result<Struck> {
    scene.crowd.wait_acked(scene.rng.skewed(400))?;
    let (status, took) = scene.world.take_server()?.end("TERM")?;
    scene.crowd.point_to(None);
    ensure!(status.success() && took < STOP_MAX, violation(format!("stopped with {status} after {took:?}")));
    let healed = restart(scene)?;
    Ok(Struck { times: 1, healed, note: format!("ended in {} ms", took.as_millis()) })
}

/// Looks at what the server left, starts it and tells the clients where it is. Says when it began to start.
pub(super) fn restart(scene: &mut Scene<'_>) -> Result<Instant> {
    scene.world.check_left()?;
    let begun = Instant::now();
    scene.world.start()?;
    scene.crowd.point_to(Some(scene.world.server()?.address));
    Ok(begun)
}
