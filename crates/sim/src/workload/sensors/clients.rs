//! Clients and their sensors, as far as it was told: who must have been told of which change, and who must not any more.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sensors::SensorId;

use super::books::Change;
use crate::rng::Rng;

/// A client and a sensor.
pub(super) type Pair = (String, String);

/// What is known of such a pair.
#[derive(Debug, Default)]
pub(super) struct Link {
    /// The change since which it is linked for certain.
    pub(super) since: Option<i64>,
    /// Changes during which it was: more than the first, up to the second.
    pub(super) was: Vec<(i64, i64)>,
    /// Since when it is not linked for certain, in running time of the server.
    pub(super) gone_since_ms: Option<u64>,
    /// Whether anybody ever asked to end it.
    pub(super) ended: bool,
}

impl Link {
    fn ends(&mut self, changes: i64) {
        self.ended = true;
        self.was.extend(self.since.take().map(|since| (since, changes)));
    }
}

/// All of them.
#[derive(Default)]
pub(super) struct Clients {
    pub(super) links: BTreeMap<Pair, Link>,
    /// Clients that somebody asked to tell nothing for a while.
    pub(super) silenced: BTreeSet<String>,
    /// Clients that somebody asked to remove.
    pub(super) removed: BTreeSet<String>,
    names: Vec<String>,
    made: u64,
    numbers: u64,
    plan: VecDeque<Change>,
}

/// Clients whose links stay.
const KEPT: usize = 2;
/// Sensors whose registration changes: the last ones.
pub(super) const PASSING: usize = 3;
const OTHERS: usize = 2;

impl Clients {
    /// Those of the beginning, linked to most of the sensors.
    pub(super) fn new(sensors: &[(SensorId, i64)], rng: &mut Rng) -> Self {
        let mut clients = Self::default();
        clients.plan.extend(sensors.iter().map(|(sensor, silence_ms)| Change::Sensor(*sensor, *silence_ms)));
        for number in 0..KEPT + OTHERS {
            let name = clients.new_name();
            clients.plan.push_back(Change::Client(name.clone()));
            if number == 0 && rng.once_in(2) {
                clients.plan.push_back(Change::Group(name.clone(), 2));
            }
            for (sensor, _) in sensors {
                if number < KEPT || rng.once_in(3) {
                    clients.plan.push_back(Change::Link(name.clone(), *sensor));
                }
            }
        }
        clients
    }

    fn new_name(&mut self) -> String {
        let name = format!("c{}", self.made);
        self.made += 1;
        self.names.push(name.clone());
        name
    }

    /// Whether nothing is planned.
    pub(super) fn is_idle(&self) -> bool {
        self.plan.is_empty()
    }

    /// What is to be done at the beginning, or after something else.
    pub(super) fn planned(&mut self) -> Option<Change> {
        self.plan.pop_front()
    }

    /// Something else to change.
    pub(super) fn draw(&mut self, sensors: &[(SensorId, i64)], rng: &mut Rng) -> Change {
        let sensor = rng.pick(sensors).0;
        let other = KEPT + usize::try_from(rng.below(OTHERS as u64)).unwrap_or(0);
        let any = rng.pick(&self.names).clone();
        let name = self.names[other].clone();
        self.numbers += 1;
        match rng.below(20) {
            12 | 13 => Change::Rotate(any),
            14 | 15 => Change::Silence(passing(sensors, rng), *rng.pick(&PASSING_MS)),
            16..=19 => self.remove_for_a_while(passing(sensors, rng), rng),
            0..=3 => Change::Unlink(name, sensor),
            4..=7 => Change::Link(name, sensor),
            8 => Change::Address(any, self.numbers),
            9 => Change::Told(any, rng.once_in(2)),
            10 => Change::Group(any, i64::try_from(rng.below(4)).unwrap_or(0)),
            _ => {
                self.names.remove(other);
                let new = self.new_name();
                self.plan.push_back(Change::Client(new.clone()));
                self.plan.push_back(Change::Link(new, sensor));
                Change::Gone(name)
            }
        }
    }

    /// A sensor is removed, and registered again a while later.
    fn remove_for_a_while(&mut self, sensor: SensorId, rng: &mut Rng) -> Change {
        let first = self.names[0].clone();
        (0..rng.below(3)).for_each(|from| self.plan.push_back(Change::Group(first.clone(), 1 + i64::from(from != 0))));
        self.plan.push_back(Change::Sensor(sensor, *rng.pick(&PASSING_MS)));
        self.plan.extend(self.names[..KEPT].iter().map(|name| Change::Link(name.clone(), sensor)));
        Change::Remove(sensor)
    }

    /// A change is asked for, when the sensors had changed so often.
    pub(super) fn asked(&mut self, change: &Change, changes: impl Fn(&str) -> i64) {
        match change {
            Change::Unlink(client, sensor) => {
                let link = self.links.entry((client.clone(), sensor.to_string())).or_default();
                link.ends(changes(sensor.as_str()));
            }
            Change::Gone(client) => {
                let of_it = self.links.iter_mut().filter(|((of, _), _)| of == client);
                of_it.for_each(|((_, sensor), link)| link.ends(changes(sensor)));
                self.removed.insert(client.clone());
            }
            Change::Remove(sensor) => {
                let of_it = self.links.iter_mut().filter(|((_, of), _)| of == sensor.as_str());
                of_it.for_each(|(_, link)| link.ends(changes(sensor.as_str())));
            }
            Change::Link(client, sensor) => {
                self.links.entry((client.clone(), sensor.to_string())).or_default().gone_since_ms = None;
            }
            Change::Told(client, false) => {
                self.silenced.insert(client.clone());
            }
            _ => {}
        }
    }

    /// It is told to be done.
    pub(super) fn done(&mut self, change: &Change, up_ms: u64, changes: impl Fn(&str) -> i64) {
        match change {
            Change::Link(client, sensor) => {
                let since = changes(sensor.as_str());
                let link = self.links.entry((client.clone(), sensor.to_string())).or_default();
                link.since.get_or_insert(since);
            }
            Change::Unlink(client, sensor) => {
                let link = self.links.entry((client.clone(), sensor.to_string())).or_default();
                link.gone_since_ms = Some(up_ms);
            }
            Change::Gone(client) => {
                let of_it = self.links.iter_mut().filter(|((of, _), _)| of == client);
                of_it.for_each(|(_, link)| link.gone_since_ms = Some(up_ms));
            }
            Change::Remove(sensor) => {
                let of_it = self.links.iter_mut().filter(|((_, of), _)| of == sensor.as_str());
                of_it.for_each(|(_, link)| link.gone_since_ms = Some(up_ms));
            }
            _ => {}
        }
    }
}

/// Silences that sensors have.
pub(super) const SILENCES_MS: [i64; 3] = [30_000, 40_000, 60_000];
/// Those of sensors whose registration changes: one is so long that memory settles signals for seconds.
pub(super) const PASSING_MS: [i64; 3] = [30_000, 60_000, 600_000];

fn passing(sensors: &[(SensorId, i64)], rng: &mut Rng) -> SensorId {
    rng.pick(&sensors[sensors.len() - PASSING..]).0
}
