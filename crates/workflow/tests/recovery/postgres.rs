//! The same on PostgreSQL: what got lost is repaired.

use std::sync::mpsc::channel;
use std::time::Duration;

use base::{Sql, Value};
use kernel::{Caller, Op};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use testbed_web::PostgresKernel;
use workflow::process::{PROCESS, START};
use workflow::recovery::{ANALYSE, Analyse, RECOVER};
use workflow::work::{GivenTask, POLL, Poll, RELEASE};

struct Place {
    below: PostgresKernel,
}

impl Place {
    fn open(name: &str) -> Self {
        Self { below: PostgresKernel::open(name, &workflow::SERVICE) }
    }

    fn call<I, O>(&self, op: &'static Op<I, O>, input: I) -> O
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = channel();
        let main = self.below.kernel.namespace("main").unwrap();
        let request = self.below.kernel.request(Caller::server("test"));
        self.below.kernel.call(&main, op, request, input, Box::new(move |answer| tell.send(answer).expect("heard")));
        told.recv_timeout(Duration::from_secs(20)).expect("answered").expect("done").out
    }

    fn read<I: Send + 'static, O: Send + 'static>(&self, query: &'static kernel::Query<I, O>, input: I) -> O {
        let (tell, told) = channel();
        let main = self.below.kernel.namespace("main").unwrap();
        self.below.kernel.read(&main, query, input, Box::new(move |answer| tell.send(answer).expect("heard")));
        told.recv_timeout(Duration::from_secs(20)).expect("answered").expect("read")
    }

    fn cut(&self, sql: &'static Sql, process: &str) {
        static CUT: Op<(&'static Sql, Vec<Value<'static>>), u64> =
            Op::new("test.cut", |tx, _, (sql, values)| Ok(tx.execute(sql, values)?));
        assert_eq!(self.call(&CUT, (sql, vec![Value::from(process.to_owned())])), 1, "{}", sql.name);
    }

    fn poll(&self, actor: &str) -> Vec<GivenTask> {
        self.call(&POLL, Poll { actor: actor.into(), task_list: None, worker: None, max: 10 }).tasks
    }

    fn bring(&self, task: &GivenTask, mut says: serde_json::Value) {
        says["task_id"] = json!(task.task_id);
        says["attempt"] = json!(task.attempt);
        let release = serde_json::from_value(json!({ "results": [says] })).unwrap();
        assert!(self.call(&RELEASE, release).results[0].accepted);
    }
}

static QUEUE: Sql = Sql::new("test.pg_queue", "DELETE FROM wfl_queue WHERE process = ?1");
static DECISION: Sql = Sql::new("test.pg_decision", "DELETE FROM wfl_decision WHERE process = ?1 AND number = 2");
static GRAPH: Sql = Sql::new("test.pg_graph", "DELETE FROM wfl_graph WHERE process = ?1");

#[test]
fn wfl_25_what_got_lost_is_repaired_on_postgres() {
    let place = Place::open("wfl_lost");
    let start = json!({ "type": "test", "start": { "actor": "decide#1" } });
    let id = place.call(&START, serde_json::from_value(start).unwrap()).process_id;
    let tasks = json!([{ "id": "a", "actor": "a#1" }, { "id": "b", "actor": "b#1", "args": [{ "promise": "a" }] }]);
    let first = place.poll("decide#1").remove(0);
    place.bring(&first, json!({ "value": { "promise": "b" }, "tasks": tasks }));
    place.cut(&QUEUE, &id);
    std::thread::yield_now();
    while place.call(&RECOVER, id.clone()).repaired.is_empty() {
        assert!(place.poll("a#1").is_empty(), "its place in the queue is lost");
    }
    let a = place.poll("a#1").remove(0);
    place.bring(&a, json!({ "value": 1 }));
    place.cut(&DECISION, &id);
    place.cut(&GRAPH, &id);
    let wanted = Analyse { limit: 100, now: 0, ..Analyse::default() };
    let analysed = place.read(&ANALYSE, wanted);
    assert_eq!((analysed.found, analysed.ill.len()), (1, 1), "{analysed:?}");
    assert!(!place.call(&RECOVER, id.clone()).repaired.is_empty());
    let again = place.poll("a#1").remove(0);
    place.bring(&again, json!({ "value": 2 }));
    let b = place.poll("b#1").remove(0);
    place.bring(&b, json!({ "value": 3 }));
    let process = place.read(&PROCESS, id);
    assert_eq!((process.state.as_str(), process.value.unwrap().get()), ("FINISHED", "3"));
}
