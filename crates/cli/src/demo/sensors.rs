//! A house of doors, and a receiver that is told of them by webhook. The receiver goes down and comes back; one door falls silent.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use client::Request;
use serde_json::{Value, json};

use super::narrator::Narrator;
use super::receiver::{Receiver, Told};
use super::stage::{Stage, until};
use crate::failure::{Done, Failure};
use crate::local;
use crate::page::items_of;
use crate::session::Session;

const DOORS: usize = 12;
/// The shortest silence that a server takes.
const SILENCE_S: u32 = 10;
/// How often one looks for the first word of the server, 50 ms apart.
const FIRST_LOOKS: u32 = 200;

/// The house.
struct House<'a> {
    session: &'a Session,
    client: String,
    receiver: Receiver,
    /// How each door stands.
    closed: [bool; DOORS],
    signals: usize,
}

pub(super) async fn play(stage: &Stage, narrator: &mut Narrator) -> Done {
    let receiver = Receiver::start().await?;
    let what =
        format!("A house of {DOORS} doors is registered, and a client that is told of them at {}.", receiver.url());
    narrator
        .step(
            &what,
            "Sensors say 0 (open) or 1 (closed); clients hear of changes, each signed and numbered.",
            "sensors",
        )
        .await?;
    let mut house = House::register(&stage.session, receiver).await?;
    let what = "All doors say that they are closed; then three open.";
    let page = format!("sensor-clients/{}", house.client);
    narrator.step(what, "A signal that says nothing new is a sign of life, and nobody is told.", &page).await?;
    house.say_all(narrator).await?;
    if !house.is_told().await {
        return unreachable(&house, narrator).await;
    }
    house.until_told("the client to be told of all changes").await?;
    went_down(&mut house, narrator, &page).await?;
    silent(&mut house, narrator).await?;
    verify(&house, narrator, &page).await
}

fn door(number: usize) -> String {
    format!("door{:02}", number + 1)
}

impl<'a> House<'a> {
    async fn register(session: &'a Session, receiver: Receiver) -> Result<Self, Failure> {
        let body = json!({ "name": "Demo house", "url": receiver.url() });
        let made = session.step(Request::new("POST", &["sensor-clients"]).json(&body)).await?;
        let client = made["id"].as_str().unwrap_or_default().to_owned();
        for number in 0..DOORS {
            let floor = number / 4 + 1;
            let mut body = json!({ "address": format!("Demo house, Floor {floor}, Door {}", number + 1) });
            if number == DOORS - 1 {
                body["silence_s"] = SILENCE_S.into();
            }
            session.step(Request::new("PUT", &["sensors", &door(number)]).json(&body)).await?;
            session.step(Request::new("PUT", &["sensor-clients", &client, "sensors", &door(number)])).await?;
        }
        Ok(Self { session, client, receiver, closed: [false; DOORS], signals: 0 })
    }

    /// A door says how it stands.
    async fn say(&mut self, number: usize, closed: bool) -> Done {
        self.closed[number] = closed;
        self.signals += 1;
        let signal = json!([{ "sensor_id": door(number), "data": i64::from(closed), "at": local::now().rfc3339() }]);
        self.session.step(Request::new("POST", &["signals"]).json(&signal)).await?;
        // The order of two signals of one door is that of their moments, which have milliseconds.
        local::pause(Duration::from_millis(2)).await;
        Ok(())
    }

    async fn say_all(&mut self, narrator: &mut Narrator) -> Done {
        for number in 0..DOORS {
            self.say(number, true).await?;
            narrator.count("doors closed", number + 1, DOORS)?;
            narrator.beat().await;
        }
        for number in [0, 4, 8] {
            self.say(number, false).await?;
            narrator.beat().await;
        }
        Ok(())
    }

    /// Whether a first word of the server comes.
    async fn is_told(&self) -> bool {
        for _ in 0..FIRST_LOOKS {
            if !self.receiver.told().is_empty() {
                return true;
            }
            local::pause(Duration::from_millis(50)).await;
        }
        false
    }

    /// All that there is to tell the client, in order.
    async fn events(&self) -> Result<Vec<Value>, Failure> {
        let request =
            Request::get(&["sensor-clients", &self.client, "events"]).query("after", "0").query("limit", "1000");
        Ok(items_of(&self.session.get(request).await?)?.clone())
    }

    async fn until_told(&self, what: &str) -> Done {
        until(what, async || Ok(self.events().await?.iter().all(|event| event["state"] != "waiting"))).await
    }

    /// Whether a try to tell the client has failed.
    async fn has_failed(&self) -> Result<bool, Failure> {
        let request = Request::get(&["sensor-clients", &self.client, "notifications"]);
        let told = self.session.get(request).await?;
        let failed = |event: &Value| {
            let tries = event["tries"].as_array().map(Vec::as_slice).unwrap_or_default();
            event["state"] == "waiting" && tries.iter().any(|one| one["error"].is_string())
        };
        Ok(items_of(&told)?.iter().any(failed))
    }
}

async fn went_down(house: &mut House<'_>, narrator: &mut Narrator, page: &str) -> Done {
    house.receiver.go_down().await;
    narrator.step("The receiver goes down. The doors go on: one opens and closes four times, two more open.", "What cannot be told waits, in a row of its own; a newer state of a door takes the place of an older one that still waits.", page).await?;
    for closed in [false, true, false, true, false] {
        house.say(2, closed).await?;
        narrator.beat().await;
    }
    house.say(5, false).await?;
    house.say(9, false).await?;
    until("a try to fail", async || house.has_failed().await).await?;
    house.receiver.come_up().await?;
    narrator
        .step(
            "The receiver is back.",
            "It is tried again 5 s after the first try, then 30 s, 2 min … for some sixteen hours.",
            page,
        )
        .await?;
    house.until_told("the client to be told of what it missed").await
}

/// The last door has said nothing since it was closed.
async fn silent(house: &mut House<'_>, narrator: &mut Narrator) -> Done {
    let last = DOORS - 1;
    let what = format!("Door {DOORS} has said nothing for {SILENCE_S} s.");
    narrator.step(&what, "Who is silent for too long is lost, and clients are told; time in which the server could not hear does not count.", &format!("sensors/{}", door(last))).await?;
    let is_told = |told: &[Told], what: &str| told.iter().any(|told| told.body["type"] == what);
    until("the door to be lost", async || Ok(is_told(&house.receiver.told(), "sensor.lost"))).await?;
    narrator.note("the client was told that it is lost; now it speaks again")?;
    house.say(last, true).await?;
    until("the door to be found", async || Ok(is_told(&house.receiver.told(), "sensor.restored"))).await?;
    house.until_told("the client to be told of everything").await
}

async fn verify(house: &House<'_>, narrator: &mut Narrator, page: &str) -> Done {
    narrator.step("What came of it, as the receiver wrote it down:", "", page).await?;
    let (events, told) = (house.events().await?, house.receiver.told());
    let ids = |state: &str| -> BTreeSet<String> {
        let of_state = events.iter().filter(|event| event["state"] == state);
        of_state.filter_map(|event| event["webhook_id"].as_str().map(str::to_owned)).collect()
    };
    let (sent, superseded) = (ids("sent"), ids("superseded"));
    let claim = format!(
        "{} changes: {} told, {} superseded by a newer state, 0 lost",
        events.len(),
        sent.len(),
        superseded.len()
    );
    narrator.claim(&claim, sent.len() + superseded.len() == events.len() && !events.is_empty())?;
    let heard: BTreeSet<String> = told.iter().map(|told| told.id.clone()).collect();
    let claim = format!("{} events heard, each once: what was told is what arrived", told.len());
    narrator.claim(&claim, told.len() == heard.len() && heard == sent)?;
    narrator.claim("of each door in the order in which it happened", is_in_order(&told))?;
    let last = last_states(&told);
    let agrees = (0..DOORS).all(|number| last.get(&door(number)) == Some(&i64::from(house.closed[number])));
    narrator.claim(&format!("the receiver knows how all {DOORS} doors stand now"), agrees)?;
    let lost = told.iter().filter(|told| told.body["type"] == "sensor.lost").count();
    narrator.claim(&format!("{lost} silence was told, of one door"), lost == 1)
}

/// A server in a container, or on another machine, has another loopback: then events are fetched, as a client behind a firewall does.
async fn unreachable(house: &House<'_>, narrator: &mut Narrator) -> Done {
    let what = "This server cannot reach the receiver here: it runs on another machine or in a container.";
    let page = format!("sensor-clients/{}", house.client);
    narrator
        .step(what, "Clients that cannot be called fetch what they missed, with the same numbers and bodies.", &page)
        .await?;
    let events = house.events().await?;
    let seqs: Vec<i64> = events.iter().filter_map(|event| event["seq"].as_i64()).collect();
    let claim = format!("{} changes of {} signals can be fetched, in order, none missing", seqs.len(), house.signals);
    narrator.claim(&claim, seqs.len() == house.signals && seqs.windows(2).all(|two| two[1] == two[0] + 1))
}

fn is_in_order(told: &[Told]) -> bool {
    let mut last: BTreeMap<&str, i64> = BTreeMap::new();
    told.iter().all(|told| {
        let data = &told.body["data"];
        let (Some(sensor), Some(seq)) = (data["sensor_id"].as_str(), data["seq"].as_i64()) else { return false };
        last.insert(sensor, seq).is_none_or(|before| before < seq)
    })
}

fn last_states(told: &[Told]) -> BTreeMap<String, i64> {
    let state = |told: &Told| {
        let data = &told.body["data"];
        Some((data["sensor_id"].as_str()?.to_owned(), data["data"].as_i64()?))
    };
    told.iter().filter_map(state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sensor: &str, seq: i64) -> Told {
        Told {
            id: format!("{sensor}{seq}"),
            body: json!({ "data": { "sensor_id": sensor, "seq": seq, "data": seq % 2 } }),
        }
    }

    #[test]
    fn con_12_the_order_of_each_door_counts_and_not_that_between_doors() {
        assert!(is_in_order(&[told("a", 1), told("b", 7), told("a", 2), told("b", 9)]));
        assert!(!is_in_order(&[told("a", 2), told("a", 1)]));
        assert!(!is_in_order(&[told("a", 1), told("a", 1)]), "twice");
        assert_eq!(last_states(&[told("a", 1), told("a", 2)])["a"], 0);
    }
}
