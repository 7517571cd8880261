//! A world with sensors and clients, and what tests ask of it.

use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{Call, CallResult, HttpCall, HttpReply, OpResult, Sql, Wall};
use sensors::signal::{Signal, key_of};
use sensors::{
    CHANGE_CLIENT, CREATE_CLIENT, ChangeClient, LINK, Link, NewClient, PUT_SENSOR, PutSensor, UNLINK, WantedState,
};
use sensors::{Item, Outcome, SERVICE, SilenceWatch};
use serde_json::Value;
use testbed::World;

/// Seconds of a step.
pub(crate) const STEP_S: i64 = 5;

/// A call that waits, with what answers it.
type Asked = (HttpCall, Box<dyn FnOnce(CallResult) + Send>);

pub(crate) struct Doors {
    pub(crate) world: World,
    _watch: SilenceWatch,
}

pub(crate) fn signal(sensor: &str, closed: bool) -> Signal {
    Signal { sensor: sensor.parse().unwrap(), closed, at: None, key: None }
}

pub(crate) fn at(sensor: &str, closed: bool, at: i64) -> Signal {
    Signal { at: Some(Wall(at)), ..signal(sensor, closed) }
}

pub(crate) fn with_id(sensor: &str, closed: bool, id: &str) -> Signal {
    Signal { key: Some(key_of(id)), ..signal(sensor, closed) }
}

pub(crate) fn answer(status: u16) -> CallResult {
    CallResult::Http(HttpReply { status, headers: vec![], body: vec![] })
}

/// Not now, and not before so many seconds.
pub(crate) fn not_before(seconds: u32) -> CallResult {
    let headers = vec![("retry-after".into(), seconds.to_string())];
    CallResult::Http(HttpReply { status: 503, headers, body: vec![] })
}

impl Doors {
    /// A world with these sensors, silent after an hour.
    pub(crate) fn of(sensors: &[&str]) -> Self {
        let world = World::of(&[&SERVICE]);
        let watch = SilenceWatch::start(&world.kernel);
        let doors = Self { world, _watch: watch };
        sensors.iter().for_each(|sensor| doors.register(sensor, 3_600));
        doors
    }

    /// A world with these sensors, silent after a year: so that nobody is lost meanwhile.
    pub(crate) fn patient(sensors: &[&str]) -> Self {
        let doors = Self::of(&[]);
        sensors.iter().for_each(|sensor| doors.register(sensor, 31_536_000));
        doors
    }

    pub(crate) fn register(&self, sensor: &str, silence_s: u32) {
        let (id, address) = (sensor.parse().unwrap(), format!("Paris, rue {sensor}"));
        self.world.call(&PUT_SENSOR, PutSensor { id, address, silence_s: Some(silence_s) }).unwrap();
    }

    /// A client of these sensors; gives its id.
    pub(crate) fn client(&self, name: &str, group_lost: u32, sensors: &[&str]) -> String {
        let url = format!("https://{name}.example/doors");
        let new = NewClient { name: name.into(), url, group_lost };
        let client = self.world.call(&CREATE_CLIENT, new).unwrap().out.id;
        for sensor in sensors {
            self.world.call(&LINK, self.link(&client, sensor)).unwrap();
        }
        client
    }

    pub(crate) fn unlink(&self, client: &str, sensor: &str) {
        self.world.call(&UNLINK, self.link(client, sensor)).unwrap();
    }

    pub(crate) fn link_again(&self, client: &str, sensor: &str) {
        self.world.call(&LINK, self.link(client, sensor)).unwrap();
    }

    pub(crate) fn set_state(&self, client: &str, state: WantedState) {
        let change = ChangeClient { state: Some(state), ..ChangeClient::default() };
        self.world.call(&CHANGE_CLIENT, (client.to_owned(), change)).unwrap();
    }

    fn link(&self, client: &str, sensor: &str) -> Link {
        Link { client: client.to_owned(), sensor: sensor.parse().unwrap() }
    }

    /// What became of signals that come together.
    pub(crate) fn send(&self, signals: &[Signal]) -> Vec<OpResult<Outcome>> {
        let items = signals.iter().map(|signal| Item::Signal { signal: *signal, known: None }).collect();
        self.send_items(items)
    }

    pub(crate) fn send_items(&self, items: Vec<Item>) -> Vec<OpResult<Outcome>> {
        let (tell, told) = channel();
        sensors::take(&self.world.kernel, &self.world.main(), items, Box::new(move |all| tell.send(all).unwrap()));
        // What fails is tried again after a pause.
        for _ in 0..100 {
            if let Ok(outcomes) = told.try_recv() {
                return outcomes;
            }
            self.world.pass_ms(100);
        }
        panic!("nobody answered for the signals")
    }

    pub(crate) fn sent(&self, signals: &[Signal]) -> Vec<Outcome> {
        self.send(signals).into_iter().map(Result::unwrap).collect()
    }

    /// The call that waits for its answer, with what answers it.
    pub(crate) fn call(&self) -> Option<Asked> {
        self.world.pass_ms(0);
        loop {
            match self.world.partner.next()? {
                (Call::Http(call), done) => return Some((call, done)),
                // Housekeeping of other parts.
                (_, done) => done(CallResult::NotMade("not here".into())),
            }
        }
    }

    /// The next call, and how many seconds passed until it came. Time goes in small steps: a call is given up after a while.
    pub(crate) fn next_call(&self) -> (i64, HttpCall, Box<dyn FnOnce(CallResult) + Send>) {
        for step in 0..10_000 {
            if let Some((call, done)) = self.call() {
                return (step * STEP_S, call, done);
            }
            self.world.pass_ms(STEP_S.unsigned_abs() * 1_000);
        }
        panic!("no call came")
    }

    /// Answers all calls that wait; gives the types of what was told.
    pub(crate) fn answer_all(&self, status: u16) -> Vec<String> {
        let mut told = vec![];
        while let Some((call, done)) = self.call() {
            told.push(body(&call)["type"].as_str().unwrap().to_owned());
            done(answer(status));
        }
        self.world.check_invariants();
        told
    }

    pub(crate) fn states(&self) -> Vec<String> {
        static STATES: Sql = Sql::new("test.states", "SELECT state FROM sensor_event ORDER BY client_id, seq");
        self.world.rows(&STATES).iter().map(|row| row.text(0).to_owned()).collect()
    }

    pub(crate) fn waiting(&self) -> i64 {
        static WAITING: Sql = Sql::new("test.waiting", "SELECT COUNT(*) FROM sensor_notice");
        self.world.count(&WAITING)
    }

    pub(crate) fn history(&self) -> i64 {
        static HISTORY: Sql = Sql::new("test.history", "SELECT COUNT(*) FROM sensor_history");
        self.world.count(&HISTORY)
    }
}

pub(crate) fn body(call: &HttpCall) -> Value {
    serde_json::from_slice(&call.body).unwrap()
}

pub(crate) fn header<'a>(call: &'a HttpCall, name: &str) -> &'a str {
    &call.headers.iter().find(|(is, _)| is == name).unwrap().1
}

/// Keeps what is only held.
pub(crate) fn desk(doors: &Doors) -> Arc<sensors::Desk> {
    doors.world.main().home.memory()
}
