//! What everybody in this world knows: who takes part, what was acknowledged, and what is true of each database.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::books::Books;
use super::cuts::Cut;
use crate::sim::Sim;

/// Companies and their databases. The ids of two of them differ from others in their letters alone.
pub(super) const DATABASES: [(&str, &str); 3] = [("erp1", "acme"), ("Erp.2", "acme"), ("erp-3", "beta")];
/// Companies and subsystems of devices.
pub(super) const DEVICES: [(&str, &str); 4] =
    [("acme", "sales"), ("acme", "sales"), ("acme", "stock"), ("beta", "sales")];

/// A message of a device: which device, and its id. All devices use the same ids.
pub(super) type Key = (usize, String);

/// What is known.
pub(super) struct Known {
    /// Ids of the devices, as far as they are registered.
    pub(super) devices: Vec<String>,
    /// All that devices sent, acknowledged or not.
    pub(super) sent: BTreeMap<Key, Value>,
    /// What was acknowledged of it.
    pub(super) acknowledged: BTreeSet<Key>,
    /// What the databases have.
    pub(super) books: Vec<Books>,
    /// Processes whose outcome the server confirmed.
    pub(super) settled: BTreeSet<String>,
    /// Whether databases write the process into their own transaction.
    pub(super) marker: bool,
    pub(super) calm: bool,
    pub(super) answers: u64,
    pub(super) cuts: BTreeSet<Cut>,
    wrong: Option<String>,
}

impl Known {
    pub(super) fn new(marker: bool) -> Self {
        Self {
            devices: vec![],
            sent: BTreeMap::new(),
            acknowledged: BTreeSet::new(),
            books: DATABASES.iter().map(|_| Books::default()).collect(),
            settled: BTreeSet::new(),
            marker,
            calm: false,
            answers: 0,
            cuts: BTreeSet::new(),
            wrong: None,
        }
    }

    /// Something was cut.
    pub(super) fn cut(&mut self, cut: Cut) {
        self.cuts.insert(cut);
    }

    /// A promise was broken.
    pub(super) fn wrong(&mut self, text: String) {
        self.wrong.get_or_insert(text);
    }

    /// Whether one was.
    pub(super) fn check(&self) -> Result<(), String> {
        self.wrong.clone().map_or(Ok(()), Err)
    }

    /// Whether everybody is registered.
    pub(super) fn is_ready(&self) -> bool {
        self.devices.len() == DEVICES.len()
    }

    /// The number of a device.
    pub(super) fn device(&self, id: &str) -> Option<usize> {
        self.devices.iter().position(|device| device == id)
    }

    /// The number of a database.
    pub(super) fn database(id: &str) -> Option<usize> {
        DATABASES.iter().position(|(database, _)| *database == id)
    }

    /// A message between a device and a database.
    pub(super) fn message(&self, id: &str, way: Way, payload: &Value, sim: &Sim) -> Value {
        let (device, database, reply_to) = match way {
            Way::In { device, database } => (device, database, None),
            Way::Out { device, database, reply_to } => (device, database, Some(reply_to)),
        };
        let (company, subsystem) = DEVICES[device];
        let (device, database) = (self.devices[device].as_str(), DATABASES[database].0);
        let (from, to) = if reply_to.is_some() { (database, device) } else { (device, database) };
        let created_at = base::Wall(1_767_225_600_000 + i64::try_from(sim.now_us() / 1_000).unwrap_or(0)).rfc3339();
        let mut head = json!({
            "company": company, "subsystem": subsystem, "from": from, "to": to, "created_at": created_at,
        });
        if let Some(reply_to) = reply_to {
            head["reply_to"] = json!(reply_to);
        }
        json!({ "version": 1, "id": id, "head": head, "body": { "type": "order", "version": 1, "payload": payload } })
    }
}

/// Which way a message goes.
#[derive(Clone, Copy)]
pub(super) enum Way<'a> {
    /// From a device to a database.
    In {
        /// The device.
        device: usize,
        /// The database.
        database: usize,
    },
    /// Back.
    Out {
        /// The device.
        device: usize,
        /// The database.
        database: usize,
        /// What it answers.
        reply_to: &'a str,
    },
}
