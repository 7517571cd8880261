//! Messages come in while the server is killed again and again in the middle of laying their files (EXC-6, EXC-7, EXC-19).

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;

use super::wire::{Machine, Outcome, Wire};
use super::{judge, post, register_company, wait_laid};
use crate::check::violation;
use crate::leftovers;
use crate::rng::Rng;
use crate::server::Launch;
use crate::world::store_of;

/// Phones that send at once.
const SENDERS: usize = 4;

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Laid {
    /// Messages that were acknowledged.
    pub acknowledged: usize,
    /// Messages that are there: all of those, and some whose answer was lost.
    pub kept: usize,
    /// Kills that left messages without a file.
    pub in_between: u32,
}

/// Kills a server so often while messages come in.
///
/// # Errors
/// A promise was broken.
pub fn lay(program: &Path, kills: u32, seed: u64) -> Result<Laid> {
    let folder = leftovers::folder()?;
    let machine = Machine::start(Launch::new(program, &folder.path().join("data")))?;
    register_company(&machine)?;
    post(&machine, "databases", &json!({ "id": "erp", "company": "acme" }))?;
    let (acknowledged, over) = (Mutex::new(vec![]), AtomicBool::new(false));
    let phones = (0..SENDERS).map(|number| Phone::register(&machine, number)).collect::<Result<Vec<_>>>()?;
    let mut in_between = 0;
    thread::scope(|scope| -> Result<()> {
        let send = |phone: &Phone| phone.send_until(&machine, &over, &acknowledged);
        let senders: Vec<_> = phones.iter().map(|phone| scope.spawn(move || send(phone))).collect();
        let killed = kill_again_and_again(&machine, kills, seed);
        over.store(true, Ordering::Relaxed);
        for sender in senders {
            sender.join().map_err(|_| violation("a sender panicked"))??;
        }
        in_between = killed?;
        Ok(())
    })?;
    wait_laid(&machine)?;
    machine.end()?;
    let store = store_of(machine.data(), "main");
    let kept = judge::judge(&store, &machine.data().join("exchange/main"))?;
    let acknowledged = acknowledged.into_inner().unwrap_or_default();
    judge::all_there(&store, &acknowledged)?;
    Ok(Laid { acknowledged: acknowledged.len(), kept, in_between })
}

fn kill_again_and_again(machine: &Machine, kills: u32, seed: u64) -> Result<u32> {
    let (mut rng, mut in_between) = (Rng::new(seed), 0);
    for _ in 0..kills {
        thread::sleep(Duration::from_millis(rng.between(600, 1_500))); // tidy: sleep — a kill comes whenever it comes
        in_between += u32::from(!judge::is_laid(&store_of(machine.data(), "main"))?);
        machine.restart()?;
    }
    Ok(in_between)
}

/// Who sends.
struct Phone {
    number: usize,
    id: String,
    key: String,
}

impl Phone {
    fn register(machine: &Machine, number: usize) -> Result<Self> {
        let wanted = json!({ "company": "acme", "subsystem": "sales", "name": format!("phone {number}") });
        let made = post(machine, "devices", &wanted)?;
        let active = post(machine, "activate", &json!({ "code": made["activation_code"] }))?;
        let text = |name: &str| active[name].as_str().map(str::to_owned).context(name.to_owned());
        Ok(Self { number, id: text("device")?, key: text("key")? })
    }

    fn send_until(&self, machine: &Machine, over: &AtomicBool, acknowledged: &Mutex<Vec<String>>) -> Result<()> {
        let mut number = 0;
        while !over.load(Ordering::Relaxed) {
            number += 1;
            let id = format!("m-{}-{number}", self.number);
            let message = json!({
                "version": 1, "id": id,
                "head": { "company": "acme", "subsystem": "sales", "from": self.id, "to": "erp",
                          "created_at": "2026-11-16T12:00:00Z" },
                "body": { "type": "order", "version": 1, "payload": { "n": number } },
            });
            if let Outcome::Answer(_) = Wire::new(machine, &self.key).post(None, "messages", &message)? {
                acknowledged.lock().map_err(|_| violation("a sender panicked"))?.push(id);
            }
        }
        Ok(())
    }
}
