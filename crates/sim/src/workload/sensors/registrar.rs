//! Operators who change what is registered, one thing after the other, and ask until it is done.

use sensors::SensorId;

use super::books::{CHANGE, Change};
use super::voice::Voice;
use super::{PATIENCE_US, REGISTRAR, Sensors, changes_in, known};
use crate::run::act;
use crate::sim::{News, Sim};

/// Changes of the beginning, which follow each other without pause.
const FIRST: u64 = 60;

impl Sensors {
    /// The next change of what is registered, or the open one again.
    pub(super) fn register(&mut self, sim: &mut Sim) {
        self.turn += 1;
        let again = self.asker(REGISTRAR, self.turn);
        if self.change.is_none() && sim.is_up() {
            let change = self.clients.planned();
            let change = change.or_else(|| (!self.calm).then(|| self.clients.draw(&known(&self.voices), &mut sim.rng)));
            let Some(change) = change else { return };
            sim.say(&format!("books: {change:?}"));
            self.asked(&change, sim);
            self.changes += 1;
            self.change = Some(change);
        }
        if let Some(change) = self.change.clone() {
            sim.ask(again, &CHANGE, change, Some(&format!("books {}", self.changes)));
        }
        act(sim, again, PATIENCE_US);
    }

    pub(super) fn registered(&mut self, news: &News, sim: &mut Sim) {
        let mut pause_us = sim.rng.within(10_000, 500_000);
        if let News::Answer(Ok(answer)) = news
            && let Some(change) = self.change.take()
        {
            let secret: Option<Vec<u8>> = serde_json::from_value(answer.out.clone()).unwrap_or_default();
            self.done(&change, secret, sim);
            self.acknowledged += 1;
            pause_us = if self.changes < FIRST { 1_000 } else { sim.rng.within(500_000, 12_000_000) };
        }
        self.turn += 1;
        act(sim, self.asker(REGISTRAR, self.turn), pause_us);
    }

    fn voice(&mut self, sensor: SensorId) -> impl Iterator<Item = &mut Voice> {
        self.voices.iter_mut().filter(move |voice| voice.sensor == sensor)
    }

    fn asked(&mut self, change: &Change, sim: &mut Sim) {
        let up_ms = sim.up_ms();
        self.clients.asked(change, changes_in(sim));
        match change {
            Change::Sensor(sensor, _) => self.voice(*sensor).for_each(|voice| {
                voice.unsettle();
                voice.heard_up_ms = up_ms;
            }),
            Change::Silence(sensor, silence_ms) => self.voice(*sensor).for_each(|voice| {
                voice.unsettle();
                voice.silence_ms = voice.silence_ms.min(*silence_ms);
            }),
            Change::Remove(sensor) => self.voice(*sensor).for_each(Voice::unsettle),
            Change::Rotate(client) => sim.receivers.rotating(client),
            _ => {}
        }
    }

    fn done(&mut self, change: &Change, secret: Option<Vec<u8>>, sim: &mut Sim) {
        let up_ms = sim.up_ms();
        self.clients.done(change, up_ms, changes_in(sim));
        match change {
            Change::Sensor(sensor, silence_ms) | Change::Silence(sensor, silence_ms) => {
                self.voice(*sensor).for_each(|voice| voice.settle(*silence_ms, up_ms));
            }
            Change::Remove(sensor) => self.voice(*sensor).for_each(Voice::removed),
            Change::Rotate(client) => sim.receivers.rotated(client, secret, up_ms),
            _ => {}
        }
    }
}
