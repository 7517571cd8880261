//! Sensors that speak to a broker or to the server itself, fall silent and speak again; a broker that delivers at least once;
//! clients that come and go and take what they are told in every bad way; operators who change who is told of what, and which sensors
//! there are; strangers who send nonsense; an archive that history moves to (checker S).
//!
//! What always holds: the state of a sensor is its last acknowledged word; each change makes one event for each client that has the
//! sensor; each event ends once, and for a reason; whoever is told hears each event under one id, in order, one at a time, and nothing of a
//! sensor that it has no more; nobody is lost who spoke within its silence while we could hear. When all is calm everybody falls
//! silent, is lost in time, and nothing is left to be told or to be moved.

mod books;
mod broker;
mod clients;
mod judge;
mod keeper;
mod registrar;
mod seen;
mod strangers;
mod voice;

use std::collections::BTreeMap;

use sensors::outbox::BEGIN;
use sensors::{Item, LEVEL, Level, Outcome, SensorId, Word};

use super::Workload;
use crate::run::act;
use crate::sim::{Asker, Event, News, Sim};
use books::Change;
use broker::Broker;
use clients::{Clients, PASSING, PASSING_MS, SILENCES_MS};
use judge::Judge;
use seen::{Counts, Sensor};
use strangers::Strangers;
use voice::{Manner, Said, Voice};

/// A client that hears nothing for so long asks again.
const PATIENCE_US: u64 = 15_000_000;
const SENSORS: usize = 15;
/// Who acts: whoever registers, the sensors, the consumer of the broker, its word that it is level, and speakers by HTTP.
const REGISTRAR: usize = 0;
const SPEAKERS: usize = 1;
const CONSUMER: usize = 2;
const LEVELLER: usize = 3;
const CALLERS: usize = 4;
const CALLERS_MAX: usize = 3;
const STRANGER: usize = CALLERS + CALLERS_MAX;
/// Once all is calm, a sensor is lost within this time beyond its silence.
const LATE_MS: u64 = 30_000;
const LEVEL_EVERY_US: u64 = 5_000_000;
/// Signals of one sensor that may be open: fewer than ids are remembered.
const OPEN_MAX: usize = 4;

/// A request with signals.
#[derive(Default)]
struct Caller {
    open: Option<Vec<Said>>,
    life: u32,
    token: u64,
}

/// All of them.
pub(super) struct Sensors {
    workload: usize,
    voices: Vec<Voice>,
    has_broker: bool,
    broker: Broker,
    /// The life that the consumer lives in, and whether the server knows of the broker in it.
    life: u32,
    watched: bool,
    level_us: u64,
    callers: Vec<Caller>,
    strangers: Strangers,
    clients: Clients,
    change: Option<Change>,
    changes: u64,
    turn: u64,
    judge: Judge,
    /// As they were at the last look; `None`: nobody looked.
    counts: Option<Counts>,
    archives: bool,
    all_lost: bool,
    level_up_ms: Option<u64>,
    acknowledged: u64,
    calm: bool,
    wrong: Option<String>,
}

impl Sensors {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let has_broker = !sim.rng.once_in(4);
        if !sim.rng.once_in(3) {
            sim.build_archive();
        }
        let voices: Vec<Voice> = (0..SENSORS).map(|number| draw_voice(number, has_broker, sim)).collect();
        let clients = Clients::new(&known(&voices), &mut sim.rng);
        (0..=STRANGER).for_each(|client| act(sim, Asker { workload, client, token: 0 }, 300_000));
        Self {
            workload,
            voices,
            has_broker,
            broker: Broker::default(),
            life: 0,
            watched: false,
            level_us: 0,
            callers: (0..CALLERS_MAX).map(|_| Caller::default()).collect(),
            strangers: Strangers::default(),
            clients,
            change: None,
            changes: 0,
            turn: 0,
            judge: Judge::default(),
            counts: None,
            archives: false,
            all_lost: false,
            level_up_ms: None,
            acknowledged: 0,
            calm: false,
            wrong: None,
        }
    }

    fn asker(&self, client: usize, token: u64) -> Asker {
        Asker { workload: self.workload, client, token }
    }

    /// Some sensors speak to the broker.
    fn publish(&mut self, sim: &mut Sim) {
        let (now_us, up_ms) = (sim.now_us(), sim.up_ms());
        for _ in 0..sim.rng.within(1, 4) {
            let number = usize::try_from(sim.rng.below(SENSORS as u64)).unwrap_or(0);
            let voice = &mut self.voices[number];
            if !voice.to_broker || !voice.registered || voice.asleep_until_us > now_us || voice.open() >= OPEN_MAX {
                continue;
            }
            let said = voice.say(number, sim.rng.once_in(3), calendar_ms(now_us), up_ms);
            sim.say(&format!("says {said:?}"));
            self.broker.publish(said, self.voices[number].manner, &mut sim.rng);
            self.may_sleep(number, sim);
        }
    }

    fn may_sleep(&mut self, number: usize, sim: &mut Sim) {
        if sim.rng.once_in(20) {
            let silence_us = u64::try_from(self.voices[number].silence_ms).unwrap_or(0) * 1_000;
            self.voices[number].asleep_until_us = sim.now_us() + sim.rng.within(silence_us / 2, silence_us * 5 / 2);
        }
    }

    /// Somebody does not wait until a batch of history is full.
    fn may_move_history(&self, sim: &mut Sim) {
        if sim.archives() && sim.rng.once_in(8) {
            sim.call(self.asker(LEVELLER, 2), &BEGIN, (), None);
        }
    }

    /// The consumer: a new connection for each life and after each outage, a delivery at a time, and a word when nothing is left.
    fn consume(&mut self, sim: &mut Sim) {
        let now_us = sim.now_us();
        if !sim.is_up() || sim.life() != self.life {
            self.broker.cut();
            (self.life, self.watched) = (sim.life(), false);
        }
        if !self.watched {
            if !self.has_broker {
                self.watched = true;
                return;
            }
            return sim.call(self.asker(LEVELLER, 1), &LEVEL, word(Level::Watched), None);
        }
        if !self.calm && self.has_broker && sim.rng.once_in(sim.faults.outage * 8) {
            self.broker.away_until_us = now_us + sim.rng.within(5_000_000, 150_000_000);
            sim.say("the broker is away");
        }
        if !self.calm && self.broker.away_until_us > now_us {
            return self.broker.cut();
        }
        if self.broker.is_drained() && self.has_broker && now_us >= self.level_us + LEVEL_EVERY_US {
            self.level_us = now_us;
            sim.call(self.asker(LEVELLER, 0), &LEVEL, word(Level::Drained), None);
        }
        if let Some((delivery, said)) = self.broker.deliver() {
            sim.take_signals(self.asker(CONSUMER, delivery), items(&said));
        }
    }

    fn consumed(&mut self, delivery: u64, news: &News, sim: &mut Sim) {
        match outcomes(news) {
            Some(outcomes) => {
                let said = self.broker.acknowledge(delivery);
                self.told(&said, &outcomes, self.life, sim);
            }
            None => self.broker.cut(),
        }
    }

    /// Somebody speaks to the server itself, and repeats it until there is an answer.
    fn call(&mut self, caller: usize, sim: &mut Sim) {
        if self.callers[caller].open.is_none() {
            let said = if self.calm { vec![] } else { self.draw_request(caller, sim) };
            if said.is_empty() {
                self.callers[caller].token += 1;
                let asker = self.asker(CALLERS + caller, self.callers[caller].token);
                let pause_us = sim.rng.within(300_000, 2_000_000);
                return if self.calm {
                } else {
                    act(sim, asker, pause_us)
                };
            }
            self.callers[caller].open = Some(said);
        }
        self.callers[caller].token += 1;
        self.callers[caller].life = sim.life();
        let asker = self.asker(CALLERS + caller, self.callers[caller].token);
        let said = self.callers[caller].open.clone().unwrap_or_default();
        let plain = said.iter().any(|said| self.voices[said.voice].manner == Manner::Plain);
        let copies = match sim.rng.once_in(sim.faults.request_lost) {
            true => 0,
            false if !plain && sim.rng.once_in(sim.faults.request_doubled) => 2,
            false => 1,
        };
        for _ in 0..copies {
            let items = items(&said);
            let delay_us = sim.rng.within(100, 50_000);
            let arrive = Box::new(move |sim: &mut Sim| sim.take_signals(asker, items));
            sim.after(delay_us, Event::Arrive(sim.life(), arrive));
        }
        act(sim, asker, PATIENCE_US);
    }

    fn draw_request(&mut self, caller: usize, sim: &mut Sim) -> Vec<Said> {
        let (now_us, up_ms) = (sim.now_us(), sim.up_ms());
        let own = |number: &usize| number % CALLERS_MAX == caller;
        let own: Vec<usize> = (0..SENSORS).filter(|number| !self.voices[*number].to_broker).filter(own).collect();
        let mut request = vec![];
        for number in own {
            let voice = &mut self.voices[number];
            if !voice.registered || voice.asleep_until_us > now_us || sim.rng.once_in(3) {
                continue;
            }
            for _ in 0..sim.rng.within(1, 2) {
                let said = self.voices[number].say(number, sim.rng.once_in(3), calendar_ms(now_us), up_ms);
                sim.say(&format!("asks {said:?}"));
                request.push(said);
            }
            self.may_sleep(number, sim);
        }
        request
    }

    fn called(&mut self, caller: usize, token: u64, news: &News, sim: &mut Sim) {
        if self.callers[caller].token != token {
            return;
        }
        let mut pause_us = sim.rng.within(10_000, 2_000_000);
        if let Some(outcomes) = outcomes(news) {
            let said = self.callers[caller].open.take().unwrap_or_default();
            self.told(&said, &outcomes, self.callers[caller].life, sim);
            pause_us = sim.rng.within(300_000, 4_000_000);
        }
        self.callers[caller].token += 1;
        act(sim, self.asker(CALLERS + caller, self.callers[caller].token), pause_us);
    }

    fn told(&mut self, said: &[Said], outcomes: &[Outcome], life: u32, sim: &Sim) {
        let up_ms = sim.up_ms();
        self.acknowledged += said.len() as u64;
        for (said, outcome) in said.iter().zip(outcomes) {
            if let Err(wrong) = self.voices[said.voice].told(said, *outcome, life, up_ms) {
                self.wrong.get_or_insert(wrong);
            }
        }
    }

    /// Once all is calm, nobody stays silent for long without being lost.
    fn check_silence(&mut self, sensors: &BTreeMap<String, Sensor>, sim: &Sim) -> Result<(), String> {
        let registered = self.voices.iter().filter(|voice| voice.registered && !voice.may_be_gone());
        let lost = |voice: &Voice| sensors.get(voice.sensor.as_str()).is_some_and(|sensor| sensor.lost);
        let heard: Vec<&Voice> = registered.filter(|voice| !lost(voice)).collect();
        self.all_lost = heard.is_empty();
        let level = self.calm && self.broker.is_drained() && self.callers.iter().all(|caller| caller.open.is_none());
        if !level {
            return Ok(());
        }
        let up_ms = sim.up_ms();
        let level_up_ms = *self.level_up_ms.get_or_insert(up_ms);
        let late = |voice: &&&Voice| {
            let most_ms = u64::try_from(voice.silence_ms + voice.silence_ms / 30).unwrap_or(0) + LATE_MS;
            up_ms - voice.told_up_ms.max(level_up_ms) > most_ms
        };
        let late = heard.iter().find(late);
        late.map_or(Ok(()), |voice| {
            Err(format!("{} is silent and not lost: {:?}", voice.sensor, sensors[voice.sensor.as_str()]))
        })
    }

    fn check_all(&mut self, sim: &Sim) -> Result<(), String> {
        let archive = sim.archive.as_deref();
        let now = sim
            .look(|tx| seen::committed(tx, archive))
            .ok_or("the server is down")?
            .map_err(|error| error.to_string())?;
        self.judge.check_all(&now, &self.voices, &self.clients, &sim.receivers)
    }
}

fn draw_voice(number: usize, has_broker: bool, sim: &mut Sim) -> Voice {
    let sensor = format!("s{number}").parse().unwrap_or_else(|error| panic!("{error}"));
    let passing = number + PASSING >= SENSORS;
    let silence_ms = *sim.rng.pick(if passing { &PASSING_MS } else { &SILENCES_MS });
    let manner = *sim.rng.pick(&[Manner::Timed, Manner::Timed, Manner::Named, Manner::Plain]);
    let to_broker = has_broker && !number.is_multiple_of(3);
    let manner = if passing { Manner::Timed } else { manner };
    let mut voice = Voice::new(sensor, silence_ms, manner, to_broker);
    voice.passing = passing;
    voice
}

fn known(voices: &[Voice]) -> Vec<(SensorId, i64)> {
    voices.iter().map(|voice| (voice.sensor, voice.silence_ms)).collect()
}

fn items(said: &[Said]) -> Vec<Item> {
    said.iter().map(|said| Item::Signal { signal: said.signal, known: None }).collect()
}

fn outcomes(news: &News) -> Option<Vec<Outcome>> {
    match news {
        News::Answer(Ok(answer)) => serde_json::from_value(answer.out.clone()).ok(),
        News::Answer(Err(_)) | News::Cut | News::Message(_) => None,
    }
}

/// The sensors' own clocks are right.
fn calendar_ms(now_us: u64) -> i64 {
    1_767_225_600_000 + i64::try_from(now_us / 1_000).unwrap_or(0)
}

/// How often sensors changed, as far as can be seen now.
fn changes_in(sim: &Sim) -> impl Fn(&str) -> i64 + use<> {
    let sensors = sim.look(seen::sensors).and_then(Result::ok).unwrap_or_default();
    move |id| sensors.get(id).map_or(i64::MAX, |sensor| sensor.changes)
}

impl Workload for Sensors {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        match asker.client {
            REGISTRAR if asker.token == self.turn => self.register(sim),
            SPEAKERS if !self.calm => {
                self.publish(sim);
                self.may_move_history(sim);
                let pause_us = sim.rng.within(300_000, 2_000_000);
                act(sim, asker, pause_us);
            }
            CONSUMER => {
                self.consume(sim);
                let pause_us = sim.rng.within(200_000, 1_500_000);
                act(sim, asker, pause_us);
            }
            STRANGER => self.strangers.act(asker, sim, self.calm),
            client if client >= CALLERS && self.callers[client - CALLERS].token == asker.token => {
                self.call(client - CALLERS, sim);
            }
            _ => {}
        }
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        match asker.client {
            REGISTRAR if asker.token == self.turn && self.change.is_some() => self.registered(&news, sim),
            CONSUMER => self.consumed(asker.token, &news, sim),
            LEVELLER if asker.token == 1 => self.watched = matches!(news, News::Answer(Ok(_))),
            STRANGER => {
                if let Err(wrong) = self.strangers.hear(asker, &news, sim) {
                    self.wrong.get_or_insert(wrong);
                }
            }
            client if client >= CALLERS => self.called(client - CALLERS, asker.token, &news, sim),
            _ => {}
        }
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        if let Some(wrong) = &self.wrong {
            return Err(wrong.clone());
        }
        let sensors = sim.look(seen::sensors).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        self.judge.check_sensors(&sensors, &self.voices, sim.up_ms())?;
        self.judge.check_sent(&sim.receivers, &self.clients)?;
        self.strangers.check(&self.voices, sim)?;
        self.check_silence(&sensors, sim)?;
        let counts = sim.look(seen::counts).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        if self.counts.replace(counts) != Some(counts) {
            self.check_all(sim)?;
        }
        self.archives = sim.archives();
        sim.archive.as_ref().map_or(Ok(()), |archive| archive.check())
    }

    fn is_settled(&self) -> bool {
        let quiet = self.change.is_none() && self.clients.is_idle() && !self.strangers.is_open();
        let quiet = quiet && self.callers.iter().all(|caller| caller.open.is_none());
        let told = self.counts.is_some_and(|counts| counts.waiting == 0 && counts.tasks == 0);
        let moved = !self.archives || self.counts.is_some_and(|counts| counts.unmoved() == 0);
        self.wrong.is_some() || (quiet && told && moved && self.broker.is_drained() && self.all_lost)
    }

    fn stuck(&self) -> String {
        format!(
            "sensors: {:?}, archives {}, all lost: {}, drained: {}, change {:?}",
            self.counts,
            self.archives,
            self.all_lost,
            self.broker.is_drained(),
            self.change
        )
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.counts = None;
        self.check(sim)
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }
}

/// What the one intake says.
fn word(how: Level) -> Word {
    Word { by: "one".into(), how }
}
