//! Several nodes over one PostgreSQL (SEN-12).

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base::{Call, CallResult, Delivery, HttpReply, Outbound, Sink, Sql, Store, Taken, Wall, args};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::tasks::Dispatcher;
use kernel::{Caller, Env, Kernel, KernelConfig, Nodes, Op, Query};
use sensors::SERVICE;
use sensors::broker::Intake;
use store_postgres::{PostgresConfig, PostgresStore};

const DOORS: i64 = 12;
const ROUNDS: i64 = 40;
const PATIENCE: Duration = Duration::from_secs(120);

/// Answers every call with 204 and shows what it was told.
struct Teller(Mutex<Sender<(String, serde_json::Value)>>);

impl Outbound for Teller {
    fn perform(&self, call: Call, done: Box<dyn FnOnce(CallResult) + Send>) {
        let Call::Http(call) = call else { panic!("{call:?}") };
        let id = call.headers.iter().find(|(name, _)| name == "webhook-id").unwrap().1.clone();
        self.0.lock().unwrap().send((id, serde_json::from_slice(&call.body).unwrap())).unwrap_or_default();
        done(CallResult::Http(HttpReply { status: 204, headers: vec![], body: vec![] }));
    }
}

struct Node {
    kernel: Kernel,
    dispatcher: Dispatcher,
    intake: Arc<Intake>,
}

impl Node {
    fn open(schema: &str, name: &str, teller: Arc<Teller>) -> Self {
        let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("run by `cargo xtask services run`");
        let clock = Arc::new(RealClock::new());
        let store = |place: &str| {
            let config = PostgresConfig::new(url.clone(), format!("{schema}_{place}_{}", std::process::id()));
            let store = PostgresStore::open(config, clock.clone(), Arc::new(OsEntropy)).unwrap();
            (place.to_owned(), Arc::new(store) as Arc<dyn Store>)
        };
        let env = Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
        let config = KernelConfig { nodes: Nodes::Several, ..KernelConfig::default() };
        let kernel = Kernel::open(env, config, &[&SERVICE], vec![store("main"), store("z")]).unwrap();
        let dispatcher = Dispatcher::start(&kernel, teller);
        let intake = Intake::start(&kernel, "main", name);
        Self { kernel, dispatcher, intake }
    }

    /// The intake takes all of them, and says when each is done.
    fn take(&self, signals: &[String]) -> Receiver<Vec<Taken>> {
        let (tell, told) = channel();
        let delivery = |body: &String| Delivery { body: body.clone().into(), id: None, redelivered: false };
        let batch = signals.iter().map(delivery).collect();
        self.intake.take(batch, Box::new(move |taken| tell.send(taken).unwrap()));
        told
    }

    fn count(&self, query: &'static Query<(), i64>) -> i64 {
        let (tell, told) = channel();
        let ns = self.kernel.namespace("main").unwrap();
        self.kernel.read(&ns, query, (), Box::new(move |count| tell.send(count).unwrap()));
        told.recv().unwrap().unwrap()
    }

    fn close(self) {
        self.dispatcher.stop();
        self.kernel.namespaces().iter().for_each(|ns| ns.store.close());
    }
}

macro_rules! number {
    ($name:ident, $text:literal) => {
        static $name: Query<(), i64> = Query::new(concat!("test.", stringify!($name)), |tx, ()| {
            static COUNT: Sql = Sql::new(concat!("test.", stringify!($name)), $text);
            Ok(tx.query_one(&COUNT, args![])?.map_or(0, |row| row.int(0)))
        });
    };
}

static DOOR: Sql = Sql::new(
    "test.door",
    "INSERT INTO sensor (id, address, silence_ms, registered_at, recent, seen, lost_at) VALUES (?1, ?1, 3600000, 0, ?2, 0, 99999999999)",
);
static HOTEL: Sql = Sql::new(
    "test.hotel",
    "INSERT INTO sensor_client (id, name, url, secret, state, reason, seq, group_lost, created_at) \
     VALUES ('hotel', 'hotel', 'http://hotel.example/doors', ?1, 'active', '', 0, 0, 0)",
);
static LINK: Sql =
    Sql::new("test.link", "INSERT INTO sensor_link (sensor_id, client_id, linked_at) VALUES (?1, 'hotel', 0)");
static SCENE: Op<(), ()> = Op::new("test.scene", |tx, _, ()| {
    tx.write(&HOTEL, args![&[7_u8; 32][..]])?;
    for door in 0..DOORS {
        tx.write(&DOOR, args![format!("door{door}"), &[][..]])?;
        tx.write(&LINK, args![format!("door{door}")])?;
    }
    Ok(())
});

fn signal(door: i64, round: i64) -> String {
    let at = Wall(1_700_000_000_000 + round).rfc3339();
    format!(r#"{{"sensor_id":"door{door}","data":{},"at":"{at}","id":"{door}-{round}"}}"#, round % 2)
}

/// Both nodes take signals of the same doors in turns, and each signal comes once to each; one stops telling in the middle.
#[test]
fn sen_12_two_nodes_judge_and_tell_each_change_once_and_in_order() {
    number!(CHANGES, "SELECT CAST(SUM(changes) AS BIGINT) FROM sensor");
    number!(WAITING, "SELECT COUNT(*) FROM sensor_notice");
    number!(ENDED, "SELECT COUNT(*) FROM sensor_event WHERE state IN ('sent', 'superseded')");
    let (tell, told) = channel();
    let teller = Arc::new(Teller(Mutex::new(tell)));
    let (one, two) = (Node::open("sen_nodes", "one", teller.clone()), Node::open("sen_nodes", "two", teller));
    let (say, said) = channel();
    let (ns, request) = (one.kernel.namespace("main").unwrap(), one.kernel.request(Caller::server("test")));
    one.kernel.call(&ns, &SCENE, request, (), Box::new(move |reply| say.send(reply.map(drop)).unwrap()));
    said.recv().unwrap().unwrap();
    for round in 1..=ROUNDS {
        let signals: Vec<String> = (0..DOORS).map(|door| signal(door, round)).collect();
        let (first, second) = (one.take(&signals), two.take(&signals));
        for taken in [first, second] {
            assert_eq!(taken.recv().unwrap(), vec![Taken::Done; usize::try_from(DOORS).unwrap()]);
        }
        if round == ROUNDS / 2 {
            one.dispatcher.stop();
        }
    }
    assert_eq!(two.count(&CHANGES), DOORS * ROUNDS, "each change once, whoever heard of it first");
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    let mut ids = std::collections::BTreeSet::new();
    while last.len() < usize::try_from(DOORS).unwrap() || last.values().any(|seq| *seq < ROUNDS) {
        let (id, body) = told.recv_timeout(PATIENCE).expect("somebody is told of the last change of each door");
        let (door, seq) = (body["data"]["sensor_id"].as_str().unwrap(), body["data"]["sensor_seq"].as_i64().unwrap());
        assert!(ids.insert(id), "told twice");
        assert!(last.insert(door.to_owned(), seq).is_none_or(|before| before < seq), "the older after the newer");
    }
    while two.count(&WAITING) > 0 {
        std::thread::yield_now();
    }
    assert_eq!(two.count(&ENDED), DOORS * ROUNDS);
    one.close();
    two.close();
}

#[test]
fn sen_12_states_and_notices_are_partitioned() {
    number!(
        STATES,
        "SELECT COUNT(*) FROM pg_inherits WHERE inhparent = 'sensor'::regclass OR inhparent = 'sensor_notice'::regclass"
    );
    number!(SPREAD, "SELECT COUNT(DISTINCT tableoid) FROM sensor");
    let (tell, _told) = channel();
    let node = Node::open("sen_parts", "one", Arc::new(Teller(Mutex::new(tell))));
    let (say, said) = channel();
    let (ns, request) = (node.kernel.namespace("main").unwrap(), node.kernel.request(Caller::server("test")));
    node.kernel.call(&ns, &SCENE, request, (), Box::new(move |reply| say.send(reply.map(drop)).unwrap()));
    said.recv().unwrap().unwrap();
    assert_eq!(node.count(&STATES), 16);
    assert!(node.count(&SPREAD) > 3, "a dozen doors lie in several parts");
    node.close();
}
