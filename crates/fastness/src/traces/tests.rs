use base::trace::{Fact, SpanKind};
use base::{Clock, HttpReply, Wall};
use serde_json::Value;

use super::*;

/// Waits for nobody: what is put off is kept until it is run.
#[derive(Default)]
struct Later(Mutex<Vec<Box<dyn FnOnce() + Send>>>);

impl Timers for Later {
    fn after(&self, _: u64, then: Box<dyn FnOnce() + Send>) {
        self.0.lock().unwrap().push(then);
    }
}

impl Later {
    /// Runs what was put off until now, and says how much it was.
    fn pass(&self) -> usize {
        let due = std::mem::take(&mut *self.0.lock().unwrap());
        let count = due.len();
        due.into_iter().for_each(|then| then());
        count
    }
}

/// Answers as it was told to, and keeps what it was asked.
#[derive(Default)]
struct Partner {
    answers: Mutex<VecDeque<CallResult>>,
    asked: Mutex<Vec<HttpCall>>,
}

impl Outbound for Partner {
    fn perform(&self, call: Call, done: Box<dyn FnOnce(CallResult) + Send>) {
        if let Call::Http(call) = call {
            self.asked.lock().unwrap().push(call);
        }
        let answer = self.answers.lock().unwrap().pop_front();
        done(answer.unwrap_or_else(|| answered(200)));
    }
}

impl Partner {
    /// The spans of each message, as they arrived.
    fn messages(&self) -> Vec<Vec<Value>> {
        let spans = |call: &HttpCall| {
            let message: Value = serde_json::from_slice(&call.body).unwrap();
            message["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
        };
        self.asked.lock().unwrap().iter().map(spans).collect()
    }

    fn names(&self) -> Vec<String> {
        self.messages().concat().iter().map(|span| span["name"].as_str().unwrap().to_owned()).collect()
    }
}

fn answered(status: u16) -> CallResult {
    CallResult::Http(HttpReply { status, headers: vec![], body: vec![] })
}

/// Counts up, so that no two places are the same.
struct Counted(Mutex<u8>);

impl Entropy for Counted {
    fn fill(&self, bytes: &mut [u8]) {
        let mut next = self.0.lock().unwrap();
        *next = next.wrapping_add(1);
        bytes.fill(*next);
    }
}

struct World {
    timers: Arc<Later>,
    partner: Arc<Partner>,
    collector: Collector,
}

fn world(one_in: u64) -> World {
    let (timers, partner) = (Arc::new(Later::default()), Arc::new(Partner::default()));
    let means = Means { entropy: Arc::new(Counted(Mutex::new(0))), timers: timers.clone(), outbound: partner.clone() };
    let (url, authorization) = ("http://127.0.0.1:4318/v1/traces".to_owned(), Some("Bearer x".to_owned()));
    let destination = Destination { url, authorization, node: "north".into(), one_in };
    World { timers, partner, collector: Collector::new(destination, means) }
}

fn span(name: &str) -> Span {
    Span {
        place: Place { trace: [0xab; 16], span: [0xcd; 8], parent: None },
        kind: SpanKind::Server,
        name: name.into(),
        begun: Wall(1_000),
        took_us: 1_500,
        facts: vec![("http.response.status_code", Fact::Number(200))],
        failed: None,
    }
}

#[test]
fn ker_30_spans_are_gathered_and_sent_as_otlp() {
    let World { timers, partner, collector } = world(1);
    collector.tell(span("a"));
    collector.tell(Span { failed: Some("XDISK: full".into()), ..span("b") });
    assert!(partner.messages().is_empty(), "gathered first");
    assert_eq!(timers.pass(), 1, "one timer for both");
    let asked = partner.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 1);
    assert_eq!((asked[0].method, asked[0].url.as_str()), ("POST", "http://127.0.0.1:4318/v1/traces"));
    assert!(asked[0].headers.contains(&("authorization".to_owned(), "Bearer x".to_owned())));
    let message: Value = serde_json::from_slice(&asked[0].body).unwrap();
    let resource = &message["resourceSpans"][0];
    assert_eq!(resource["resource"]["attributes"][2]["value"]["stringValue"], "north");
    let spans = &resource["scopeSpans"][0]["spans"];
    assert_eq!(spans[0]["traceId"], "abababababababababababababababab");
    assert_eq!(
        (&spans[0]["startTimeUnixNano"], &spans[0]["endTimeUnixNano"]),
        (&"1000000000".into(), &"1001500000".into())
    );
    assert_eq!(spans[0]["attributes"][0]["value"]["intValue"], "200");
    assert!(spans[0].get("status").is_none());
    assert_eq!(spans[1]["status"], serde_json::json!({ "code": 2, "message": "XDISK: full" }));
}

#[test]
fn ker_30_what_a_collector_does_not_take_now_comes_later_and_in_order() {
    let World { timers, partner, collector } = world(1);
    let later = [CallResult::NotMade("refused".into()), answered(503)];
    partner.answers.lock().unwrap().extend(later);
    collector.tell(span("a"));
    timers.pass();
    collector.tell(span("b"));
    assert_eq!(timers.pass(), 1, "the second try, and no timer beside it");
    assert_eq!(timers.pass(), 1);
    assert_eq!(partner.names(), ["a", "a", "b", "a", "b"]);
    assert_eq!(timers.pass(), 0, "nothing waits");
}

#[test]
fn ker_30_what_a_collector_refuses_or_may_have_taken_is_not_sent_twice() {
    for answer in [answered(400), CallResult::Unknown("time ran out".into())] {
        let World { timers, partner, collector } = world(1);
        partner.answers.lock().unwrap().push_back(answer);
        collector.tell(span("a"));
        timers.pass();
        collector.tell(span("b"));
        timers.pass();
        assert_eq!(partner.names(), ["a", "b"]);
    }
}

#[test]
fn ker_30_a_collector_that_is_away_costs_bounded_memory_and_what_is_newest_is_kept() {
    let World { timers, partner, collector } = world(1);
    for number in 0..WAITING_MAX + 3 {
        collector.tell(span(&number.to_string()));
    }
    timers.pass();
    let messages = partner.messages();
    assert!(messages.iter().all(|spans| spans.len() <= BATCH));
    let names = messages.concat();
    assert_eq!((names.len(), &names[0]["name"]), (WAITING_MAX, &"3".into()));
}

#[test]
fn ker_30_the_end_sends_what_waits_and_waits_for_no_second_try() {
    let World { partner, collector, .. } = world(1);
    collector.tell(span("a"));
    collector.close(CLOSE_WAIT);
    assert_eq!(partner.names(), ["a"]);
    partner.answers.lock().unwrap().push_back(answered(503));
    collector.tell(span("b"));
    assert!(collector.last_batch().try_recv().is_err(), "told by hanging up, not by waiting");
    assert!(collector.lock().waiting.is_empty());
}

#[test]
fn ker_30_a_trace_goes_on_as_its_caller_decided_and_one_in_so_many_begins() {
    let World { collector, .. } = world(4);
    let parent = TraceParent { trace: [5; 16], span: [6; 8], is_sampled: true };
    let place = collector.begin(Some(parent)).unwrap();
    assert_eq!((place.trace, place.parent), (parent.trace, Some(parent.span)));
    assert_ne!(place.span, parent.span);
    assert_eq!(collector.begin(Some(TraceParent { is_sampled: false, ..parent })), None);
    let begun = (0..400).filter(|_| collector.begin(None).is_some()).count();
    assert!((1..400).contains(&begun), "{begun} of 400");
}

struct Stopped;

impl Clock for Stopped {
    fn wall(&self) -> Wall {
        Wall(5)
    }
    fn monotonic_us(&self) -> u64 {
        7
    }
    fn ran_ms(&self) -> u64 {
        0
    }
}

#[test]
fn ker_30_a_call_to_the_outside_is_a_span_that_names_no_path_and_its_target_can_go_on() {
    let World { timers, partner, collector } = world(1);
    let target = Arc::new(Partner::default());
    target.answers.lock().unwrap().push_back(answered(500));
    let traced = Traced { outbound: target.clone(), spans: Arc::new(collector), clock: Arc::new(Stopped) };
    let url = "https://erp.example/secret".to_owned();
    let call = HttpCall { method: "POST", url, headers: vec![], body: vec![], timeout_ms: 1, reply_max: 1 };
    let (tell, told) = channel();
    traced.perform(Call::Http(call), Box::new(move |result| tell.send(result).unwrap()));
    assert_eq!(told.recv().unwrap(), answered(500));
    timers.pass();
    let spans = partner.messages().concat();
    assert_eq!((&spans[0]["name"], &spans[0]["kind"]), (&"POST erp.example".into(), &3.into()));
    assert_eq!(spans[0]["status"]["message"], "status 500");
    assert!(!spans[0].to_string().contains("secret"));
    let sent = target.asked.lock().unwrap()[0].headers.clone();
    let parent = sent.iter().find(|(name, _)| name == "traceparent").map(|(_, text)| TraceParent::parse(text).unwrap());
    assert_eq!(Value::from(base::archive::hex(&parent.unwrap().span)), spans[0]["spanId"]);
}
