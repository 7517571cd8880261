//! Compares what is committed, and what was sent, with what was said and told.

use std::collections::BTreeMap;

use sensors::TRIES_MAX;
use serde_json::Value;

use super::clients::{Clients, Link, Pair};
use super::keeper::Keeper;
use super::seen::{Committed, Event, Sensor};
use super::voice::{Manner, Voice};
use crate::receivers::Receivers;

/// What of our own may still run after the broker was seen drained.
const TRUST_MS: u64 = 11_000;

/// A call whose client was looked up may wait so long for room.
const LINE_MS: u64 = 2_500;

/// What was seen before.
#[derive(Default)]
pub(super) struct Judge {
    /// Events that had ended, and how.
    ended: BTreeMap<(String, i64), String>,
    lost: BTreeMap<String, bool>,
    sent_looked_at: usize,
    keeper: Keeper,
}

impl Judge {
    /// What must hold of sensors after every commit.
    ///
    /// # Errors
    /// What does not.
    pub(super) fn check_sensors(
        &mut self,
        sensors: &BTreeMap<String, Sensor>,
        voices: &[Voice],
        up_ms: u64,
    ) -> Result<(), String> {
        for voice in voices.iter().filter(|voice| voice.registered) {
            let id = voice.sensor.to_string();
            let Some(sensor) = sensors.get(&id) else {
                if !voice.may_be_gone() {
                    return Err(format!("sensor {id} is not there"));
                }
                self.lost.remove(&id);
                continue;
            };
            if voice.is_gone() {
                return Err(format!("sensor {id} was removed and is there"));
            }
            if !voice.is_open() && voice.expected.is_some() && voice.expected != sensor.data {
                return Err(format!("the last word of {id} was {:?}, it is {sensor:?}", voice.expected));
            }
            if !voice.passing && i64::try_from(voice.changed).unwrap_or(0) > sensor.changes {
                let text = format!("{} changes of {id} were acknowledged, {} are there", voice.changed, sensor.changes);
                // What is delivered again and cannot be told apart counts again.
                return Err(text);
            }
            let most = i64::try_from(voice.numbers()).unwrap_or(i64::MAX);
            if voice.manner != Manner::Plain && sensor.changes > most {
                return Err(format!("{id} said {most} things and changed {} times", sensor.changes));
            }
            if sensor.lost && self.lost.insert(id.clone(), true) != Some(true) {
                check_lost(voice, up_ms)?;
            }
            if !sensor.lost {
                self.lost.insert(id, false);
            }
        }
        Ok(())
    }

    /// What was sent since the last look went to nobody who was no more to be told.
    ///
    /// # Errors
    /// Something did.
    pub(super) fn check_sent(&mut self, receivers: &Receivers, clients: &Clients) -> Result<(), String> {
        receivers.check()?;
        for sent in &receivers.sent[self.sent_looked_at..] {
            let link = clients.links.get(&(sent.client.clone(), sent.sensor.clone()));
            let gone_ms = link.and_then(|link| link.gone_since_ms);
            if gone_ms.is_some_and(|gone_ms| gone_ms + LINE_MS < sent.sent_up_ms) {
                return Err(format!("{} was told of {}, which it has no more", sent.client, sent.sensor));
            }
        }
        self.sent_looked_at = receivers.sent.len();
        Ok(())
    }

    /// What must hold of history and events.
    ///
    /// # Errors
    /// What does not.
    pub(super) fn check_all(
        &mut self,
        now: &Committed,
        voices: &[Voice],
        clients: &Clients,
        receivers: &Receivers,
    ) -> Result<(), String> {
        voices.iter().filter(|voice| voice.registered).try_for_each(|voice| check_history(now, voice))?;
        for event in &now.events {
            self.check_event(event, clients, receivers)?;
        }
        check_numbers(now, clients)?;
        self.keeper.check(now, clients)?;
        let mut of_pairs: BTreeMap<Pair, Vec<&Event>> = BTreeMap::new();
        for event in now.events.iter().filter(|event| event.kind == "state") {
            of_pairs.entry((event.client.clone(), event.sensor.clone())).or_default().push(event);
        }
        let is_passing = |id: &str| voices.iter().any(|voice| voice.passing && voice.sensor.as_str() == id);
        // One that was removed and is registered again begins anew, maybe before it is linked again.
        for (pair, events) in of_pairs.iter().filter(|(pair, _)| !is_passing(&pair.1)) {
            check_state_events(pair, events)?;
        }
        for (pair, link) in clients.links.iter().filter(|((client, _), _)| !clients.removed.contains(client)) {
            let events = of_pairs.get(pair).map_or(&[][..], Vec::as_slice);
            if !is_passing(&pair.1) {
                check_complete(pair, link, events, now)?;
            }
            if !link.ended && link.since.is_some() {
                check_contact(pair, now)?;
            }
        }
        Ok(())
    }

    fn check_event(&mut self, event: &Event, clients: &Clients, receivers: &Receivers) -> Result<(), String> {
        let key = (event.client.clone(), event.seq);
        if let Some(ended) = self.ended.get(&key).filter(|ended| **ended != event.state) {
            return Err(format!("{event:?} had ended as {ended}"));
        }
        let kept = clients.links.get(&(event.client.clone(), event.sensor.clone())).is_none_or(|link| !link.ended);
        let removed = clients.removed.contains(&event.client);
        let silenced = clients.silenced.contains(&event.client) || receivers.gone.contains(&event.client);
        let good = match event.state.as_str() {
            "waiting" => return Ok(()),
            "sent" => receivers.arrived.contains(&key),
            "superseded" => event.superseded_by.is_some_and(|newer| newer > event.seq),
            "unlinked" => removed || !kept,
            "disabled" => silenced,
            "failed" => event.tries >= TRIES_MAX,
            _ => false,
        };
        self.ended.insert(key, event.state.clone());
        if good { Ok(()) } else { Err(format!("it ended without cause: {event:?}")) }
    }
}

/// Nobody is lost who spoke within its silence, as far as we could hear: our own downtime does not count, and what waits at the
/// broker was said.
fn check_lost(voice: &Voice, up_ms: u64) -> Result<(), String> {
    let waiting = voice.first_open_up_ms().filter(|_| voice.to_broker);
    let silent_ms = waiting.unwrap_or(up_ms).min(up_ms).saturating_sub(voice.heard_up_ms);
    let least_ms = u64::try_from(voice.silence_ms).unwrap_or(0) - TRUST_MS;
    if silent_ms >= least_ms {
        return Ok(());
    }
    Err(format!("{} is lost after {silent_ms} ms, its silence is {} ms", voice.sensor, voice.silence_ms))
}

fn check_history(now: &Committed, voice: &Voice) -> Result<(), String> {
    let id = voice.sensor.as_str();
    let rows: Vec<_> = now.history.iter().filter(|past| past.sensor == id).collect();
    let changes = now.sensors.get(id).map_or(0, |sensor| sensor.changes);
    if !voice.passing && i64::try_from(rows.len()).unwrap_or(0) != changes {
        return Err(format!("{id} changed {changes} times, history has {}", rows.len()));
    }
    if let Some(same) = rows.iter().find(|past| past.previous == Some(past.data)) {
        return Err(format!("no change: {same:?}"));
    }
    if !voice.passing && rows.iter().filter(|past| past.previous.is_none()).count() > 1 {
        return Err(format!("{id} has two first changes"));
    }
    if voice.manner != Manner::Timed {
        return Ok(());
    }
    for pair in rows.windows(2).filter(|_| !voice.passing) {
        if pair[0].at >= pair[1].at || pair[0].data == pair[1].data {
            return Err(format!("history of {id} goes from {:?} to {:?}", pair[0], pair[1]));
        }
    }
    if let Some(never) = rows.iter().find(|past| voice.said_at(past.at) != Some(past.data)) {
        return Err(format!("nobody said {never:?}"));
    }
    let lost = voice.changed_at.iter().find(|at| !rows.iter().any(|past| past.at == **at));
    lost.map_or(Ok(()), |at| Err(format!("the change of {id} at {at} was acknowledged and is not there")))
}

/// Each client's numbers have no gaps.
fn check_numbers(now: &Committed, clients: &Clients) -> Result<(), String> {
    let mut last: BTreeMap<&str, i64> = BTreeMap::new();
    for event in now.events.iter().filter(|event| !clients.removed.contains(&event.client)) {
        let before = last.insert(&event.client, event.seq).unwrap_or(0);
        if event.seq != before + 1 {
            return Err(format!("after number {before} of {} comes {event:?}", event.client));
        }
    }
    Ok(())
}

fn data(event: &Event) -> Value {
    let body: Value = serde_json::from_str(&event.body).unwrap_or_default();
    body["data"].clone()
}

fn sensor_seq(event: &Event) -> i64 {
    data(event)["sensor_seq"].as_i64().unwrap_or(0)
}

/// Events of changes tell each change once, in order, and no two of them after one another the same.
fn check_state_events(pair: &Pair, events: &[&Event]) -> Result<(), String> {
    for two in events.windows(2) {
        let (older, newer) = (sensor_seq(two[0]), sensor_seq(two[1]));
        let follows = newer == older + 1 && data(two[0])["data"] == data(two[1])["data"];
        if newer <= older || follows {
            return Err(format!("{pair:?}: {:?} comes after {:?}", two[1], two[0]));
        }
    }
    Ok(())
}

/// Every change while a client had the sensor made an event for it.
fn check_complete(pair: &Pair, link: &Link, events: &[&Event], now: &Committed) -> Result<(), String> {
    let changes = now.sensors.get(&pair.1).map_or(0, |sensor| sensor.changes);
    let open = link.since.map(|since| (since, changes));
    for (since, until) in link.was.iter().copied().chain(open) {
        if let Some(missing) =
            (since.saturating_add(1)..=until).find(|seq| !events.iter().any(|event| sensor_seq(event) == *seq))
        {
            return Err(format!("change {missing} of {pair:?} made no event"));
        }
    }
    Ok(())
}

/// Lost and restored come in turn, once for each silence.
fn check_contact(pair: &Pair, now: &Committed) -> Result<(), String> {
    let names = |event: &&Event| {
        let listed = |event: &Event| {
            data(event)["sensors"].as_array().is_some_and(|sensors| sensors.iter().any(|sensor| sensor == &pair.1))
        };
        event.client == pair.0
            && ((event.kind == "contact" && event.sensor == pair.1) || (event.kind == "group" && listed(event)))
    };
    let told: Vec<&Event> = now.events.iter().filter(names).collect();
    if let Some(twice) = told.windows(2).find(|two| two[0].what == two[1].what) {
        return Err(format!("{pair:?} was told twice of one silence: {twice:?}"));
    }
    let lost = now.sensors.get(&pair.1).is_some_and(|sensor| sensor.lost);
    match told.last() {
        Some(last) if (last.what == "sensor.lost") != lost => {
            Err(format!("{pair:?} was last told {last:?}, the sensor is lost: {lost}"))
        }
        Some(_) | None => Ok(()),
    }
}
