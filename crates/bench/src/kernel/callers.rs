//! Callers that each wait for their answer before they ask again. One thread plays them all, so that every side pays
//! the same for being asked.

use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use base::OpResult;
use kernel::{Caller, Reply};

use super::workload::{ACCOUNTS, Bank, DEPOSIT, Deposit};

/// Says that a caller was answered.
pub type Answered = Sender<(usize, bool)>;

/// Drives `callers` for `time` and gives operations per second. A side in which more than one in a hundred fails is no
/// figure at all.
pub fn drive(callers: usize, time: Duration, ask: impl FnMut(usize, &Answered)) -> Result<f64> {
    let begun = Instant::now();
    let Told { done, failed } = count(callers, time, ask)?;
    if failed > done / 100 {
        bail!("{failed} of {} operations failed", done + failed);
    }
    Ok(done as f64 / begun.elapsed().as_secs_f64())
}

/// What callers were told.
pub struct Told {
    pub done: u64,
    pub failed: u64,
}

/// Drives `callers` for `time`; `ask(caller, answered)` starts one operation.
pub fn count(callers: usize, time: Duration, mut ask: impl FnMut(usize, &Answered)) -> Result<Told> {
    let (tell, told) = channel();
    let begun = Instant::now();
    (0..callers).for_each(|caller| ask(caller, &tell));
    let (mut waiting, mut done, mut failed) = (callers, 0u64, 0u64);
    while waiting > 0 {
        let (caller, good) = told.recv()?;
        waiting -= 1;
        done += u64::from(good);
        failed += u64::from(!good);
        if begun.elapsed() < time {
            ask(caller, &tell);
            waiting += 1;
        }
    }
    Ok(Told { done, failed })
}

/// The kernel under `callers`.
pub fn drive_kernel(bank: &Bank, callers: usize, time: Duration) -> Result<f64> {
    drive(callers, time, |caller, answered| {
        let answered = answered.clone();
        let done = Box::new(move |reply: OpResult<Reply<i64>>| {
            let _ = answered.send((caller, reply.is_ok()));
        });
        let input = Deposit { account: (caller % ACCOUNTS) as i64 };
        bank.kernel.call(&bank.main, &DEPOSIT, bank.kernel.request(Caller::server("bench")), input, done);
    })
}
