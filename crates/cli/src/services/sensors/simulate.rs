//! `fastness sensors simulate`: plays doors against a running server, so that people can look at it.
//!
//! It does nothing that a program could not: it registers sensors, links them, and sends signals in batches with ids and times, so
//! that a batch whose answer got lost changes nothing when it is sent again.

use std::time::Duration;

use ::client::Request;
use base::Wall;
use clap::Args;
use serde_json::{Value, json};

use super::play::{Play, Said, silence_s};
use crate::failure::{Done, Failure};
use crate::local;
use crate::output::{Output, escaped};
use crate::page::items_of;
use crate::session::Session;
use crate::stop::Stop;

const SECOND_MS: i64 = 1_000;

/// How it is played.
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// So many sensors
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=5_000))]
    sensors: u32,
    /// For so long; 0: only registers, or with --clean only takes out
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=1_440))]
    minutes: u32,
    /// So many signals a second
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=5_000))]
    rate: u32,
    /// Plays the same again
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A client with this URL is told of all of them
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Takes its sensors and its client out again at the end, also after Ctrl-C or SIGTERM
    #[arg(long)]
    clean: bool,
}

/// What came of it so far.
#[derive(Debug, Default)]
struct Sums {
    sent: u64,
    accepted: u64,
    changed: u64,
    rejected: u64,
}

impl Simulate {
    pub(super) async fn run(self, session: &Session) -> Done {
        let mut stop = Stop::new()?;
        let mut play = Play::new(self.seed, self.sensors as usize);
        let played = tokio::select! {
            played = self.all(session, &mut play) => played,
            () = stop.comes() => Err(self.stopped(session, "stopped before its end", !self.clean)),
        };
        if !self.clean {
            return played;
        }
        let taken_out = tokio::select! {
            taken_out = self.take_out(session, &play) => taken_out,
            () = stop.comes() => Err(self.stopped(session, "stopped before all was taken out", true)),
        };
        played.and(taken_out)
    }

    /// What a person does next who ended it, if something stays.
    fn stopped(&self, session: &Session, what: &str, stays: bool) -> Failure {
        let failure = Failure::here(what);
        let Self { sensors, seed, .. } = self;
        let flags = session.flags_again();
        let again = format!("`fastness sensors simulate --sensors {sensors} --seed {seed} --minutes 0 --clean{flags}`");
        if stays { failure.hint(format!("what is registered stays; {again} takes it out")) } else { failure }
    }

    async fn all(&self, session: &Session, play: &mut Play) -> Done {
        if self.minutes > 0 || !self.clean {
            self.register(session, play).await?;
            self.link(session, play).await?;
        }
        if self.minutes > 0 { self.play(session, play).await } else { Ok(()) }
    }

    async fn register(&self, session: &Session, play: &Play) -> Done {
        let silence_s = silence_s(self.sensors, self.rate);
        for door in &play.doors {
            let body = json!({ "address": door.address, "silence_s": silence_s });
            session.step(Request::new("PUT", &["sensors", &door.id]).json(&body)).await?;
        }
        say(session, &json!({ "registered": self.sensors, "silence_s": silence_s }), || {
            format!("{} sensors are registered; one that is silent for {silence_s} s is lost", self.sensors)
        })
    }

    async fn link(&self, session: &Session, play: &Play) -> Done {
        let Some(url) = &self.url else { return Ok(()) };
        let id = match self.client(session).await? {
            Some(id) => id,
            None => {
                let body = json!({ "name": self.client_name(), "url": url });
                let made = session.step(Request::new("POST", &["sensor-clients"]).json(&body)).await?;
                made["id"].as_str().unwrap_or_default().to_owned()
            }
        };
        for door in &play.doors {
            session.step(Request::new("PUT", &["sensor-clients", &id, "sensors", &door.id])).await?;
        }
        say(session, &json!({ "client": id }), || format!("client {id} is told of them"))
    }

    fn client_name(&self) -> String {
        format!("simulation {}", self.seed)
    }

    /// The client of an earlier run.
    async fn client(&self, session: &Session) -> Result<Option<String>, Failure> {
        let mut after: Option<String> = None;
        loop {
            let request = Request::get(&["sensor-clients"]).query("limit", "1000");
            let request = after.iter().fold(request, |request, after| request.query("after", after.clone()));
            let page = session.get(request).await?;
            let found = items_of(&page)?.iter().find(|client| client["name"] == self.client_name().as_str());
            if let Some(id) = found.and_then(|client| client["id"].as_str()) {
                return Ok(Some(id.to_owned()));
            }
            after = page["next"].as_str().map(str::to_owned);
            if after.is_none() {
                return Ok(None);
            }
        }
    }

    async fn play(&self, session: &Session, play: &mut Play) -> Done {
        let (begun, seconds) = (local::now(), u64::from(self.minutes) * 60);
        let mut sums = Sums::default();
        for second in 0..seconds {
            let part = second * 1_000 / seconds;
            let said = play.beat(self.rate as usize, part);
            let moved = said.iter().filter(|said| said.moved).count();
            sums.add(&send(session, &said, self.seed, begun, second).await?, said.len());
            let (open, closed, silent) = play.counts(part);
            let told = json!({ "second": second + 1, "signals": said.len(), "moved": moved, "open": open, "closed": closed, "silent": silent });
            say(session, &told, || {
                format!(
                    "{:>4} s  {} signals, {moved} doors moved; {closed} closed, {open} open, {silent} silent",
                    second + 1,
                    said.len()
                )
            })?;
            until(begun.plus_ms(i64::try_from(second + 1).unwrap_or(i64::MAX) * SECOND_MS)).await;
        }
        let Sums { sent, accepted, changed, rejected } = sums;
        let told = json!({ "sent": sent, "accepted": accepted, "changed": changed, "rejected": rejected });
        say(session, &told, || {
            format!("{sent} signals sent: {accepted} accepted, {changed} changed something, {rejected} rejected")
        })
    }

    async fn take_out(&self, session: &Session, play: &Play) -> Done {
        if let Some(id) = self.client(session).await? {
            session.step(Request::new("DELETE", &["sensor-clients", &id]).also(404)).await?;
        }
        let mut taken_out = 0;
        for door in &play.doors {
            let answered = session.step(Request::new("DELETE", &["sensors", &door.id]).also(404)).await?;
            // One that is not there is answered with a refusal, which has a code.
            taken_out += u32::from(answered["code"].is_null());
        }
        let (of, namespace) = (self.sensors, escaped(&session.namespace));
        say(session, &json!({ "taken_out": taken_out }), || match taken_out {
            0 => format!("nothing was there to take out: none of the {of} sensors is in namespace `{namespace}`"),
            all if all == of => format!("all {of} sensors are taken out again, of namespace `{namespace}`"),
            some => {
                format!("{some} of {of} sensors are taken out again; the others were not in namespace `{namespace}`")
            }
        })
    }
}

impl Sums {
    fn add(&mut self, taken: &Value, sent: usize) {
        self.sent += sent as u64;
        self.accepted += taken["accepted"].as_u64().unwrap_or(0);
        self.changed += taken["changed"].as_u64().unwrap_or(0);
        self.rejected += taken["rejected"].as_array().map_or(0, Vec::len) as u64;
    }
}

/// Sends what was said in this second, each with an id that no other signal has.
async fn send(session: &Session, said: &[Said], seed: u64, begun: Wall, second: u64) -> Result<Value, Failure> {
    if said.is_empty() {
        return Ok(Value::Null);
    }
    let now = local::now().0;
    let one = |(at, one): (usize, &Said)| {
        // Those of one batch lie a millisecond apart, so that two signals of one door have an order.
        let back = i64::try_from(said.len() - at).unwrap_or(0);
        json!({ "sensor_id": one.sensor, "data": i64::from(one.closed), "at": Wall(now - back).rfc3339(),
            "id": format!("{seed}-{}-{second}-{at}", begun.0) })
    };
    let batch: Vec<Value> = said.iter().enumerate().map(one).collect();
    session.step(Request::new("POST", &["signals"]).json(&Value::Array(batch))).await
}

/// Waits for a moment of the calendar, at most a second.
async fn until(moment: Wall) {
    let left = (moment.0 - local::now().0).clamp(0, SECOND_MS);
    local::pause(Duration::from_millis(u64::try_from(left).unwrap_or(0))).await;
}

/// A line for people, or for programs.
fn say(session: &Session, told: &Value, line: impl FnOnce() -> String) -> Done {
    match (session.out.json, session.out.quiet) {
        (true, _) => session.out.print(&format!("{}\n", Output::json_text(told))),
        (_, true) => Ok(()),
        _ => session.out.print(&format!("{}\n", line())),
    }
}
