//! Connections between clients and server, cut by a proxy.

use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::{Scene, Struck};
use crate::proxy::{Proxy, Script};

pub(super) fn cut(scene: &mut Scene<'_>) -> Result<Struck> {
    let address = scene.world.server()?.address;
    let proxy = Proxy::start(address)?;
    proxy.follow(Script { mark: b"", percent: scene.rng.between(5, 50) }, scene.rng.fork());
    scene.crowd.point_to(Some(proxy.address()));
    let wanted = scene.rng.between(10, 60);
    wait_cuts(scene, &proxy, wanted)?;
    scene.crowd.point_to(Some(address));
    let cuts = proxy.cuts();
    Ok(Struck::now(cuts.all(), format!("{} before, {} after, {} in the answer", cuts.before, cuts.after, cuts.answer)))
}

/// Waits for so many cuts, however few requests come through.
pub(super) fn wait_cuts(scene: &Scene<'_>, proxy: &Proxy, wanted: u64) -> Result<()> {
    for _ in 0..6_000 {
        if proxy.cuts().all() >= wanted {
            return Ok(());
        }
        scene.crowd.wait_acked(0)?;
        thread::sleep(Duration::from_millis(5)); // tidy: sleep — the cuts are counted, and nobody tells of them
    }
    ensure!(proxy.cuts().all() >= wanted, "only {:?}", proxy.cuts());
    Ok(())
}
