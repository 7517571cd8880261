//! Those who are told of sensors: they take notifications, refuse them, hang, lose their answers, and remember all of it.
//!
//! What always holds, whatever happens to the server: one webhook-id is one body and the other way round; nothing is sent twice at
//! once of one sensor, client and kind; the first arrivals of such come in order, and nothing comes after something newer was answered;
//! whoever is told of many lost at once hears nothing newer of one of them before; every secret that counts has signed.

use std::collections::{BTreeMap, BTreeSet};

use base::{CallResult, HttpCall, HttpReply};
use kernel::secret;
use serde_json::Value;

use crate::faults::Faults;
use crate::partner::Fate;
use crate::rng::Rng;

/// Where they are, each at a host of its own name.
const DOMAIN: &str = ".receiver.example/";

/// What is told of one sensor, to one client, of one kind.
type Told = (String, String, &'static str);

/// A notification that was sent.
#[derive(Debug, Clone)]
pub struct Notification {
    /// To whom.
    pub client: String,
    /// Of which sensor; empty for many at once.
    pub sensor: String,
    /// The client's number of it.
    pub seq: i64,
    /// When it was sent, in running time of the server.
    pub sent_up_ms: u64,
    id: String,
    body: String,
    told: Told,
    /// Sensors that it tells to be lost, if they are many.
    lost: Vec<String>,
}

/// All of them.
#[derive(Debug, Default)]
pub struct Receivers {
    /// Everything that was sent, in order.
    pub sent: Vec<Notification>,
    /// What arrived: client and number.
    pub arrived: BTreeSet<(String, i64)>,
    /// Who may have answered that it is gone.
    pub gone: BTreeSet<String>,
    open: BTreeMap<usize, Told>,
    first: BTreeMap<Told, i64>,
    answered: BTreeMap<Told, i64>,
    bodies: BTreeMap<String, String>,
    ids: BTreeMap<(String, i64), String>,
    secrets: BTreeMap<String, Secrets>,
    wrong: Option<String>,
}

impl Receivers {
    /// Whether an address is one of theirs.
    pub fn is_one(url: &str) -> bool {
        url.contains(DOMAIN)
    }

    /// Where a client is told; it may move.
    pub fn url(client: &str, number: u64) -> String {
        format!("http://{client}{DOMAIN}{number}")
    }

    /// The secret of a client.
    pub fn secret(client: &str) -> Vec<u8> {
        format!("secret of {client}").into_bytes()
    }

    /// What is wrong with what was sent so far.
    ///
    /// # Errors
    /// Something is.
    pub fn check(&self) -> Result<(), String> {
        self.wrong.clone().map_or(Ok(()), Err)
    }

    /// A notification goes out.
    pub fn called(&mut self, call: &HttpCall, faults: &Faults, rng: &mut Rng, up_ms: u64) -> (u64, Fate) {
        let fate = fate(call, faults, rng);
        let sent = notification(call, up_ms);
        if matches!(&fate.heard, CallResult::Http(reply) if reply.status == 410) {
            self.gone.insert(sent.client.clone());
        }
        if self.open.values().any(|told| *told == sent.told) {
            self.note(format!("two notifications of {:?} are on their way at once", sent.told));
        }
        let secrets = self.secrets.entry(sent.client.clone()).or_insert_with(|| Secrets::of(&sent.client));
        if !secrets.fit(call, &sent) {
            self.note(format!("the signature of {} does not fit", sent.id));
        }
        let number = self.sent.len();
        self.open.insert(number, sent.told.clone());
        self.sent.push(sent);
        (number as u64, fate)
    }

    /// It arrives.
    pub fn arrive(&mut self, number: u64) {
        let Some(sent) = self.sent.get(index(number)).cloned() else { return };
        let (told, seq) = (&sent.told, sent.seq);
        let body = self.bodies.entry(sent.id.clone()).or_insert_with(|| sent.body.clone());
        if *body != sent.body {
            let text = format!("webhook-id {} has two bodies: {body} and {}", sent.id, sent.body);
            self.note(text);
        }
        let id = self.ids.entry((sent.client.clone(), seq)).or_insert_with(|| sent.id.clone());
        if *id != sent.id {
            let text = format!("number {seq} of {} has two webhook-ids: {id} and {}", sent.client, sent.id);
            self.note(text);
        }
        if self.answered.get(told).is_some_and(|newest| *newest > seq) {
            self.note(format!("{told:?} number {seq} arrives after something newer was answered"));
        }
        let first = self.arrived.insert((sent.client.clone(), seq));
        if first && self.first.get(told).is_some_and(|newest| *newest > seq) {
            self.note(format!("{told:?} number {seq} arrives for the first time after something newer"));
        }
        let overtaken = |sensor: &&String| {
            let contact = (sent.client.clone(), (*sensor).clone(), "contact");
            self.first.get(&contact).is_some_and(|newest| *newest > seq)
        };
        if let Some(sensor) = sent.lost.iter().find(overtaken).filter(|_| first) {
            self.note(format!("{} number {seq} tells that {sensor} is lost after something newer of it", sent.client));
        }
        let newest = self.first.entry(told.clone()).or_insert(seq);
        *newest = seq.max(*newest);
    }

    /// The server hears of it.
    pub fn replied(&mut self, number: u64, heard: &CallResult) {
        let Some(told) = self.open.remove(&index(number)) else { return };
        if matches!(heard, CallResult::Http(reply) if reply.status < 300) {
            let seq = self.sent[index(number)].seq;
            let newest = self.answered.entry(told).or_insert(seq);
            *newest = seq.max(*newest);
        }
    }

    /// Somebody asks for another secret of a client.
    pub fn rotating(&mut self, client: &str) {
        self.secrets.entry(client.to_owned()).or_insert_with(|| Secrets::of(client)).rotating = true;
    }

    /// A client is told its new secret, if it is still there.
    pub fn rotated(&mut self, client: &str, secret: Option<Vec<u8>>, up_ms: u64) {
        let secrets = self.secrets.entry(client.to_owned()).or_insert_with(|| Secrets::of(client));
        (secrets.rotating, secrets.since_up_ms) = (false, up_ms);
        if let Some(secret) = secret {
            secrets.before = Some(std::mem::replace(&mut secrets.newest, secret));
        }
    }

    /// The process that sent ended.
    pub fn cut_off(&mut self) {
        self.open.clear();
    }

    fn note(&mut self, wrong: String) {
        self.wrong.get_or_insert(wrong);
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn header<'a>(call: &'a HttpCall, name: &str) -> &'a str {
    call.headers.iter().find(|(is, _)| is == name).map_or("", |(_, value)| value)
}

fn notification(call: &HttpCall, sent_up_ms: u64) -> Notification {
    let host = call.url.split_once(DOMAIN).map_or("", |(host, _)| host);
    let client = host.trim_start_matches("http://").to_owned();
    let body = String::from_utf8_lossy(&call.body).into_owned();
    let json: Value = serde_json::from_str(&body).unwrap_or_default();
    let sensor = json["data"]["sensor_id"].as_str().unwrap_or_default().to_owned();
    let seq = json["data"]["seq"].as_i64().unwrap_or(0);
    let kind = match json["type"].as_str() {
        Some("sensor.opened" | "sensor.closed") => "state",
        _ => "contact",
    };
    // What tells of many sensors is only itself.
    let of = if sensor.is_empty() { format!("*{seq}") } else { sensor.clone() };
    let told = (client.clone(), of, kind);
    let sensors = json["data"]["sensors"].as_array().into_iter().flatten();
    let lost = sensors.filter_map(|sensor| sensor.as_str().map(str::to_owned)).collect();
    Notification { client, sensor, seq, sent_up_ms, id: header(call, "webhook-id").to_owned(), body, told, lost }
}

/// A call that was signed may wait so long for room.
const LINE_MS: u64 = 2_500;

/// What a client verifies signatures with. Nobody runs for a day, after which the one before counts no more.
#[derive(Debug)]
struct Secrets {
    newest: Vec<u8>,
    before: Option<Vec<u8>>,
    /// Somebody asked for another one, and nobody was told it yet.
    rotating: bool,
    since_up_ms: u64,
}

impl Secrets {
    fn of(client: &str) -> Self {
        Self { newest: Receivers::secret(client), before: None, rotating: false, since_up_ms: 0 }
    }

    /// Whether each of its secrets that must sign now does. While a rotation is under way that is the one that was the newest before.
    fn fit(&self, call: &HttpCall, sent: &Notification) -> bool {
        let at_s = header(call, "webhook-timestamp").parse().unwrap_or(0);
        let signatures: Vec<&str> = header(call, "webhook-signature").split(' ').collect();
        let signs = |secret: &Vec<u8>| {
            let good = secret::webhook_headers_of(&[secret], &sent.id, at_s, &call.body);
            good.iter().any(|(name, value)| name == "webhook-signature" && signatures.contains(&value.as_str()))
        };
        let just_now = sent.sent_up_ms <= self.since_up_ms + LINE_MS;
        match &self.before {
            _ if self.rotating => signs(&self.newest),
            Some(before) if just_now => signs(before),
            Some(before) => signs(&self.newest) && signs(before) && signatures.len() == 2,
            None => signs(&self.newest) && signatures.len() == 1,
        }
    }
}

/// Draws what becomes of a notification.
fn fate(call: &HttpCall, faults: &Faults, rng: &mut Rng) -> Fate {
    let (there, back, timeout) = (rng.within(1, 200), rng.within(1, 200), call.timeout_ms);
    let later = rng.within(1, 40).to_string();
    let answer = |status: u16, retry_after: Option<String>| {
        let headers = retry_after.map(|seconds| ("retry-after".to_owned(), seconds)).into_iter().collect();
        CallResult::Http(HttpReply { status, headers, body: vec![] })
    };
    let arrives = |heard, heard_after_ms| Fate { reaches_after_ms: vec![there], heard, heard_after_ms };
    let unknown = || CallResult::Unknown("no answer".into());
    if !rng.once_in(faults.partner) {
        return arrives(answer(204, None), there + back);
    }
    match rng.below(9) {
        0 => Fate {
            reaches_after_ms: vec![],
            heard: CallResult::NotMade("connection refused".into()),
            heard_after_ms: there,
        },
        1 => arrives(answer(500, None), there + back),
        2 => arrives(answer(302, None), there + back),
        3 => arrives(answer(429, Some(later)), there + back),
        4 => arrives(answer(503, Some(later)), there + back),
        5 => arrives(unknown(), timeout),
        6 => arrives(unknown(), there + back),
        7 => arrives(answer(200, None), there + rng.within(5_000, timeout - 500)),
        _ if rng.once_in(6) => arrives(answer(410, None), there + back),
        _ => arrives(answer(404, None), there + back),
    }
}
