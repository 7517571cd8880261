//! Tellers: clients of a stateful connection that is cut, timed out and opened again, until every order is settled.

use std::collections::BTreeMap;

use base::{Ran, Sql, args};
use kernel::{Caller, Out, Session, SessionDef, SessionEvent};
use serde_json::{Value, json};

use super::Workload;
use crate::run::act;
use crate::sim::{Asker, Event, News, Sim};

/// A session closes a connection on which nothing was said for so long.
const SILENCE_MS: u64 = 20_000;
/// A client that hears nothing for so long connects anew.
const PATIENCE_US: u64 = 12_000_000;
const IDLE: u64 = 0;

/// The server's side: one order at a time becomes an operation, its end a reply.
struct Teller;

pub(super) static TELLER: SessionDef = SessionDef { name: "sim.teller", open: |_: &Caller, _| Box::new(Teller) };

impl Session for Teller {
    fn on(&mut self, event: SessionEvent, _: Ran) -> Vec<Out> {
        match event {
            SessionEvent::Message(bytes) => order(&bytes),
            SessionEvent::Ended { call, result } => vec![Out::Reply(ended(call, result).to_string().into_bytes())],
            SessionEvent::Timer(_) | SessionEvent::Stopping => vec![Out::Close],
            SessionEvent::Wake | SessionEvent::Gone => vec![],
            SessionEvent::Bytes { .. } | SessionEvent::News(_) | SessionEvent::Sent => vec![],
        }
    }
}

fn order(bytes: &[u8]) -> Vec<Out> {
    let Ok(order) = serde_json::from_slice::<Value>(bytes) else { return vec![Out::Close] };
    let call = order["call"].as_u64().unwrap_or(0);
    let input = order["input"].clone();
    vec![Out::Call { call, op: "ledger.add_entry", input }, Out::Timer { number: IDLE, after_ms: SILENCE_MS }]
}

fn ended(call: u64, result: Result<Value, base::OpError>) -> Value {
    match result {
        Ok(out) => json!({ "call": call, "ok": out }),
        Err(error) => json!({ "call": call, "error": error.code.name }),
    }
}

#[derive(Default)]
struct Client {
    /// Answers by order; an order without one is open.
    orders: BTreeMap<u64, Option<Value>>,
    connection: Option<u64>,
    /// Number of the last look at the clock that counts.
    turn: u64,
}

/// Some clients.
pub(super) struct TellerClients {
    workload: usize,
    clients: Vec<Client>,
    connections: u64,
    calm: bool,
}

impl TellerClients {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let count = usize::try_from(sim.rng.below(4)).unwrap_or(1);
        for client in 0..count {
            act(sim, Asker { workload, client, token: 0 }, 500_000);
        }
        let clients = (0..count).map(|_| Client::default()).collect();
        Self { workload, clients, connections: 1_000_000, calm: false }
    }

    /// Sends the open order, on a connection that is opened first if there is none.
    fn send(&mut self, client: usize, sim: &mut Sim) {
        let call = self.clients[client].orders.len() as u64;
        let connection = match self.clients[client].connection {
            Some(connection) => connection,
            None => self.connect(client, sim),
        };
        let input = json!({ "account": "t", "amount": 1, "memo": memo(client, call) });
        let message = json!({ "call": call, "input": input }).to_string().into_bytes();
        let delay_us = sim.rng.within(60_000, 100_000);
        sim.after(delay_us, Event::Session(sim.life(), connection, SessionEvent::Message(message)));
        if sim.rng.once_in(sim.faults.answer_lost) {
            let cut_us = sim.rng.within(60_000, 1_000_000);
            sim.after(cut_us, Event::Disconnect(sim.life(), connection));
        }
        self.look_again(client, PATIENCE_US, sim);
    }

    fn connect(&mut self, client: usize, sim: &mut Sim) -> u64 {
        self.connections += 1;
        let connection = self.connections;
        self.clients[client].connection = Some(connection);
        let asker = Asker { workload: self.workload, client, token: connection };
        sim.after(50_000, Event::Arrive(sim.life(), Box::new(move |sim| sim.connect(asker, &TELLER))));
        connection
    }

    fn look_again(&mut self, client: usize, after_us: u64, sim: &mut Sim) {
        let state = &mut self.clients[client];
        state.turn += 1;
        act(sim, Asker { workload: self.workload, client, token: state.turn }, after_us);
    }
}

fn memo(client: usize, call: u64) -> String {
    format!("teller {client} {call:06}")
}

fn is_open(client: &Client) -> bool {
    client.orders.last_key_value().is_some_and(|(_, answer)| answer.is_none())
}

impl Workload for TellerClients {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        let state = &mut self.clients[asker.client];
        if asker.token != state.turn || (self.calm && !is_open(state)) {
            return;
        }
        if is_open(state) {
            // Nothing came: whatever became of the connection, a new one and the same order.
            state.connection = None;
        } else {
            state.orders.insert(state.orders.len() as u64 + 1, None);
        }
        self.send(asker.client, sim);
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        let state = &mut self.clients[asker.client];
        match news {
            News::Message(bytes) => {
                let reply: Value = serde_json::from_slice(&bytes).unwrap_or_default();
                let call = reply["call"].as_u64().unwrap_or(0);
                let answered = reply["ok"].is_object();
                if let Some(open @ None) = state.orders.get_mut(&call).filter(|_| answered) {
                    *open = Some(reply["ok"].clone());
                    let pause_us = sim.rng.below(3_000_000);
                    self.look_again(asker.client, pause_us, sim);
                } else if !answered && is_open(state) {
                    self.look_again(asker.client, 1_000_000, sim);
                }
            }
            News::Cut if state.connection == Some(asker.token) => state.connection = None,
            News::Cut | News::Answer(_) => {}
        }
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        let booked = booked(sim)?;
        for (client, state) in self.clients.iter().enumerate() {
            for (call, answer) in &state.orders {
                let found = booked.get(&memo(client, *call)).copied().unwrap_or(0);
                if found > 1 || (answer.is_some() && found == 0) {
                    return Err(format!("{} was answered {answer:?} and done {found} times", memo(client, *call)));
                }
            }
        }
        Ok(())
    }

    fn is_settled(&self) -> bool {
        !self.clients.iter().any(is_open)
    }

    fn stuck(&self) -> String {
        let open = self.clients.iter().enumerate().filter(|(_, state)| is_open(state));
        open.map(|(client, state)| format!("teller {client} order {}", state.orders.len()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        let orders: usize = self.clients.iter().map(|state| state.orders.len()).sum();
        let done: i64 = booked(sim)?.values().sum();
        if i64::try_from(orders) == Ok(done) { Ok(()) } else { Err(format!("{orders} orders of tellers, {done} done")) }
    }

    fn acknowledged(&self) -> u64 {
        self.clients.iter().flat_map(|state| state.orders.values()).filter(|answer| answer.is_some()).count() as u64
    }
}

static BOOKED: Sql = Sql::new(
    "sim.tellers",
    "SELECT memo, COUNT(*) FROM ledger_entry WHERE account = 't' GROUP BY memo ORDER BY memo LIMIT 4000",
);

fn booked(sim: &Sim) -> Result<BTreeMap<String, i64>, String> {
    let rows = sim.look(|tx| tx.query(&BOOKED, args![], 4000)).ok_or("the server is down")?;
    let rows = rows.map_err(|error| error.to_string())?;
    Ok(rows.iter().map(|row| (row.text(0).to_owned(), row.int(1))).collect())
}
