//! A process held to a share of a core: it stands still whenever it has used more than the share of the time that passed.
//!
//! By signals: who may make a control group and who may not gets the same figures. A shell sends them, for each would otherwise be a
//! process of its own.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::documents::used_by;

/// Between two looks. Processor time is told in hundredths of a second.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// What a process may catch up that had nothing to do.
const SAVED_MAX_S: f64 = 0.02;

/// Held until dropped.
pub struct Share {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Share {
    pub fn hold(pid: u32, share: f64) -> Result<Self> {
        let script = format!("while read -r signal; do kill -$signal {pid}; done");
        let mut shell = Command::new("sh").arg("-c").arg(script).stdin(Stdio::piped()).spawn().context("no `sh`")?;
        let over = Arc::new(AtomicBool::new(false));
        let ended = over.clone();
        let thread = thread::spawn(move || {
            // A process that ended needs nobody who holds it.
            let _ = hold(pid, share, &mut shell, &ended);
            let _ = shell.stdin.take().map(|mut input| input.write_all(b"CONT\n"));
            let _ = shell.wait();
        });
        Ok(Self { over, thread: Some(thread) })
    }
}

fn hold(pid: u32, share: f64, shell: &mut Child, over: &AtomicBool) -> Result<()> {
    let input = shell.stdin.as_mut().context("its input")?;
    let (mut last, mut used, mut left_s, mut stands) = (Instant::now(), used_by(pid)?, 0.0, false);
    while !over.load(Ordering::Relaxed) {
        thread::sleep(LOOK_EVERY);
        let (now, now_used) = (Instant::now(), used_by(pid)?);
        left_s = f64::min(left_s + (now - last).as_secs_f64() * share - (now_used - used), SAVED_MAX_S);
        (last, used) = (now, now_used);
        if stands != (left_s < 0.0) {
            stands = !stands;
            input.write_all(if stands { b"STOP\n" } else { b"CONT\n" })?;
        }
    }
    Ok(())
}

impl Drop for Share {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
