//! Whoever registers companies, subsystems, databases and devices, each until it is acknowledged.

use exchange::registry::{
    CREATE_COMPANY, CREATE_DATABASE, CREATE_DEVICE, CREATE_SUBSYSTEM, NewCompany, NewDatabase, NewDevice, NewSubsystem,
};
use serde_json::Value;

use super::known::{DATABASES, DEVICES, Known};
use crate::run::act;
use crate::sim::{Asker, News, Sim};

const PATIENCE_US: u64 = 3_000_000;
const COMPANIES: [&str; 2] = ["acme", "beta"];
const SUBSYSTEMS: [&str; 2] = ["sales", "stock"];

/// The registrar: which of its wishes is open.
#[derive(Default)]
pub(super) struct Registrar {
    next: usize,
    token: u64,
}

impl Registrar {
    pub(super) fn act(&mut self, asker: Asker, known: &Known, sim: &mut Sim) {
        if asker.token != self.token || known.is_ready() {
            return;
        }
        self.token += 1;
        let asker = Asker { token: self.token, ..asker };
        let once = format!("register {}", self.next);
        let (once, number) = (Some(once.as_str()), self.next);
        let (subsystems, databases) = (COMPANIES.len(), COMPANIES.len() + 4);
        let devices = databases + DATABASES.len();
        let text = |text: &str| text.to_owned();
        if number < subsystems {
            let company = COMPANIES[number];
            sim.ask(asker, &CREATE_COMPANY, NewCompany { id: text(company), name: text(company) }, once);
        } else if number < databases {
            let (company, id) = (COMPANIES[number % 2], SUBSYSTEMS[(number - subsystems) / 2]);
            let new = NewSubsystem { id: text(id), company: text(company), name: text(id) };
            sim.ask(asker, &CREATE_SUBSYSTEM, new, once);
        } else if number < devices {
            let (id, company) = DATABASES[number - databases];
            sim.ask(asker, &CREATE_DATABASE, NewDatabase { id: text(id), company: text(company) }, once);
        } else {
            let (company, subsystem) = DEVICES[number - devices];
            let new = NewDevice { company: text(company), subsystem: text(subsystem), name: text("phone") };
            sim.ask(asker, &CREATE_DEVICE, new, once);
        }
        act(sim, asker, PATIENCE_US);
    }

    pub(super) fn hear(&mut self, asker: Asker, news: &News, known: &mut Known, sim: &mut Sim) {
        if asker.token != self.token {
            return;
        }
        if let News::Answer(Ok(answer)) = news {
            self.next += 1;
            if let Some(device) = answer.out.get("activation_code").and(answer.out.get("id")).and_then(Value::as_str) {
                known.devices.push(device.to_owned());
            }
        }
        self.token += 1;
        act(sim, Asker { token: self.token, ..asker }, 10_000);
    }
}
