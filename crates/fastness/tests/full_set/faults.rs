//! Each part is killed, missed for as long as all who do without it go on, and started again.

use crate::load::{Load, Work};
use crate::site::Site;

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Broker(usize),
    Redis,
    ClickHouse,
    Storage,
    Postgres,
    Node(usize),
}

const FAULTS: [Fault; 9] = [
    Fault::Broker(0),
    Fault::Redis,
    Fault::Node(0),
    Fault::Broker(1),
    Fault::Storage,
    Fault::ClickHouse,
    Fault::Broker(2),
    Fault::Postgres,
    Fault::Node(1),
];

pub fn strike_each(site: &Site, load: &Load) {
    for fault in FAULTS {
        load.wait_progress(&Work::ALL);
        fault.kill(site);
        fault.be_missed(site, load);
        fault.heal(site);
        println!("{fault:?} was killed and came back; done so far: {load:?}");
    }
    load.wait_progress(&Work::ALL);
}

impl Fault {
    fn kill(self, site: &Site) {
        match self {
            Self::Broker(number) => site.parts.brokers[number].control("kill"),
            Self::Redis => site.parts.redis.control("kill"),
            Self::ClickHouse => site.parts.clickhouse.control("kill"),
            Self::Storage => site.parts.storage.lock().unwrap().kill(),
            Self::Postgres => site.parts.postgres.control("kill"),
            Self::Node(number) => site.nodes[number].kill(),
        }
    }

    fn heal(self, site: &Site) {
        match self {
            Self::Broker(number) => site.parts.brokers[number].control("start"),
            Self::Redis => site.parts.redis.control("start"),
            Self::ClickHouse => site.parts.clickhouse.control("start"),
            Self::Storage => site.parts.storage.lock().unwrap().begin(),
            Self::Postgres => site.parts.postgres.control("start"),
            Self::Node(number) => site.nodes[number].begin(),
        }
    }

    /// A fault that nobody noticed did not strike.
    fn be_missed(self, site: &Site, load: &Load) {
        match self {
            Self::Postgres => load.wait_refused(),
            Self::ClickHouse => load.wait_history_refused(site),
            _ => {}
        }
        let go_on: Vec<Work> = Work::ALL.into_iter().filter(|work| !work.needs(self)).collect();
        load.wait_progress(&go_on);
    }
}
