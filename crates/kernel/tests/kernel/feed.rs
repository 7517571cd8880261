//! KER-25, KER-46: the feed and its cursors, on both engines; the sequencer and the words between nodes.

use std::sync::atomic::Ordering;

use base::{OpError, OpResult, Sql, Stamp, Tx, Wall, args, codes};
use kernel::feed::{self, EPOCH, FeedPage, PAGE, PageOf, RENEW_EPOCH, SEQUENCE, Sequence};
use kernel::{Event, Op, OpCx, Plan, Query, ServiceDef, TaskRow};

use crate::nodes::Node;
use crate::world::{World, error_code};

/// Leaves events `from..to` of a topic, and refuses after that if told so.
#[derive(Clone)]
struct Tell {
    topic: &'static str,
    from: i64,
    to: i64,
    refuse: bool,
}

static TELL: Op<Tell, ()> = Op::new("test.tell", tell);

fn tell(_: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Tell) -> OpResult<()> {
    for number in input.from..input.to {
        let (topic, subject) = (input.topic.to_owned(), number.to_string());
        cx.fx.event(Event { topic, subject, version: Stamp::MIN, data: format!("{{\"n\":{number}}}") });
    }
    if input.refuse { Err(OpError::new(codes::ALIMIT, "no")) } else { Ok(()) }
}

fn some(topic: &'static str, from: i64, to: i64) -> Tell {
    Tell { topic, from, to, refuse: false }
}

fn page_of(topics: &[&str], after: &str, limit: u32) -> PageOf {
    PageOf { topics: topics.iter().map(|&topic| topic.to_owned()).collect(), after: after.to_owned(), limit }
}

/// A reader on any engine.
type Read<'a> = &'a dyn Fn(PageOf) -> OpResult<Option<FeedPage>>;

fn read(read: Read<'_>, topics: &[&str], after: &str, limit: u32) -> OpResult<FeedPage> {
    read(page_of(topics, after, limit)).map(|page| page.expect("the store has an epoch"))
}

fn subjects(page: &FeedPage) -> String {
    page.events.iter().map(|event| event.subject.as_str()).collect::<Vec<_>>().join(" ")
}

/// What every reader may rely on, whatever the engine. `settle` lets events get their numbers.
fn readers_rely_on(reader: Read<'_>, tell: &dyn Fn(Tell) -> bool, settle: &dyn Fn()) {
    assert!(tell(some("a.b", 0, 3)) && tell(some("c.d", 3, 5)));
    assert!(!tell(Tell { refuse: true, ..some("a.b", 90, 99) }), "what was refused is never seen");
    assert!(tell(some("a.b", 5, 8)));
    settle();
    let all = read(reader, &[], "", 100).unwrap();
    assert_eq!((subjects(&all).as_str(), all.through, all.more), ("0 1 2 3 4 5 6 7", 8, false));
    assert_eq!(all.events.iter().map(|event| event.number).collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
    assert_eq!(all.events[3].data["n"], 3);
    let first = read(reader, &["a.b"], "", 2).unwrap();
    assert_eq!((subjects(&first).as_str(), first.through, first.more), ("0 1", 2, true));
    let second = read(reader, &["a.b", "x.y"], &first.next().to_string(), 2).unwrap();
    assert_eq!((subjects(&second).as_str(), second.through), ("2 5", 6));
    let third = read(reader, &["a.b"], &second.next().to_string(), 9).unwrap();
    assert_eq!((subjects(&third).as_str(), third.through, third.more), ("6 7", 8, false));
    let none = read(reader, &["c.d"], &third.next().to_string(), 9).unwrap();
    assert_eq!((none.events.len(), none.next()), (0, third.next()), "at the end a reader stays where it is");
    assert_eq!(read(reader, &[], "head", 9).unwrap(), none);
    let beyond = format!("{}.9", all.epoch);
    assert_eq!(error_code(read(reader, &[], &beyond, 9)).0, "CEPOCH");
    assert_eq!(error_code(read(reader, &[], "1-other.1", 9)).0, "CEPOCH");
    assert_eq!(error_code(read(reader, &[], "nonsense", 9)).0, "ABODY");
    assert_eq!(error_code(read(reader, &["t"; 9], "", 9)).0, "ALIMIT");
    assert_eq!(error_code(read(reader, &[], "", 0)).0, "ALIMIT");
}

fn said(world: &World, tell: Tell) -> bool {
    world.call(&TELL, world.request(), tell).is_ok()
}

#[test]
fn ker_25_readers_resume_from_a_cursor_and_never_miss_or_double() {
    let world = World::new();
    assert_eq!(world.read(&PAGE, page_of(&[], "", 1)), Ok(None), "no epoch yet");
    world.call(&EPOCH, world.request(), ()).unwrap();
    readers_rely_on(&|page| world.read(&PAGE, page), &|tell| said(&world, tell), &|| ());
    world.check_invariants();
}

#[test]
fn ker_46_a_store_with_a_new_epoch_refuses_the_old_cursors() {
    let world = World::new();
    let first = world.call(&EPOCH, world.request(), ()).unwrap().out;
    assert_eq!(world.call(&EPOCH, world.request(), ()).unwrap().out, first, "given once");
    said(&world, some("a.b", 0, 2));
    let cursor = format!("{first}.1");
    let read = |after: &str| world.read(&PAGE, page_of(&[], after, 9));
    assert_eq!(subjects(&read(&cursor).unwrap().unwrap()), "1");
    let second = world.call(&RENEW_EPOCH, world.request(), ()).unwrap().out;
    assert!(first.starts_with("1-") && second.starts_with("2-"), "{first} {second}");
    assert_eq!(error_code(read(&cursor)).0, "CEPOCH");
    let start_over = read("").unwrap().unwrap();
    assert_eq!((subjects(&start_over).as_str(), &start_over.epoch), ("0 1", &second));
    let (tell, told) = std::sync::mpsc::channel();
    world.kernel.epoch(&world.main(), Box::new(move |epoch| tell.send(epoch).unwrap()));
    assert_eq!(told.recv().unwrap(), Ok(second));
}

const DAY_MS: u64 = 86_400_000;

static FORGET: Op<(), bool> = Op::new("test.forget", |tx, cx, ()| {
    let row = TaskRow::first_attempt(cx.id(), "feed.forget", "null", cx.wall);
    Ok((feed::FORGET.plan)(tx, cx, &row)? == Plan::Done)
});

fn forget_all(world: &World) -> u32 {
    (1..).find(|_| world.call(&FORGET, world.request(), ()).unwrap().out).unwrap()
}

#[test]
fn ker_25_old_events_are_forgotten_in_portions_and_an_old_cursor_is_told_so() {
    let world = World::new();
    let epoch = world.call(&EPOCH, world.request(), ()).unwrap().out;
    said(&world, some("a.b", 0, 1_500));
    said(&world, some("a.b", 1_500, 2_700));
    world.clock.wall_ms.fetch_add(365 * i64::try_from(DAY_MS).unwrap(), Ordering::Relaxed);
    assert_eq!(forget_all(&world), 1, "a jump of the calendar forgets nothing (KER-43)");
    world.clock.ran_ms.fetch_add(8 * DAY_MS, Ordering::Relaxed);
    said(&world, some("a.b", 2_700, 2_702));
    assert_eq!(forget_all(&world), 3, "1,000 at a time");
    let read = |number: i64| world.read(&PAGE, page_of(&[], &format!("{epoch}.{number}"), 9));
    assert_eq!(subjects(&read(2_700).unwrap().unwrap()), "2700 2701");
    assert_eq!(error_code(read(2_699)).0, "CGONE");
    world.clock.ran_ms.fetch_add(8 * DAY_MS, Ordering::Relaxed);
    forget_all(&world);
    said(&world, some("a.b", 2_702, 2_703));
    let last = world.read(&PAGE, page_of(&[], "", 9)).unwrap().unwrap();
    assert_eq!((subjects(&last).as_str(), last.through), ("2701 2702", 2_703), "the newest stays, numbers go on");
    world.check_invariants();
}

/// What the service definition says is stuck.
fn stuck(service: &'static ServiceDef) -> Query<(), usize> {
    assert_eq!(service.stuck.len(), 1);
    Query::new("test.stuck", |tx, ()| Ok((feed::SERVICE.stuck[0].find)(tx, Wall(0))?.len()))
}

#[test]
fn ker_40_an_event_without_a_number_is_stuck_after_10_s() {
    static UNNUMBER: Op<(), u64> = Op::new("test.unnumber", |tx, _, ()| {
        static SET: Sql = Sql::new("test.unnumber", "UPDATE event SET number = NULL WHERE number = 2");
        Ok(tx.execute(&SET, args![])?)
    });
    let world = World::new();
    said(&world, some("a.b", 0, 2));
    world.call(&UNNUMBER, world.request(), ()).unwrap();
    let query: &'static Query<(), usize> = Box::leak(Box::new(stuck(&feed::SERVICE)));
    world.clock.ran_ms.fetch_add(10_000, Ordering::Relaxed);
    assert_eq!(world.read(query, ()), Ok(0));
    world.clock.ran_ms.fetch_add(1, Ordering::Relaxed);
    assert_eq!(world.read(query, ()), Ok(1));
    // The sequencer's step works on this engine too, and then nothing is stuck.
    let step = world.call(&SEQUENCE, world.request(), Sequence { holder: "a".into() }).unwrap().out;
    assert_eq!((step.epoch, step.numbered), (Some(1), 1));
    assert_eq!(world.read(query, ()), Ok(0));
}

/// As a namespace that was moved here from PostgreSQL a moment too early.
#[test]
fn ker_40_events_that_came_without_a_number_get_one_when_the_server_starts() {
    static UNNUMBER: Op<(), u64> = Op::new("test.unnumber_last", |tx, _, ()| {
        static SET: Sql = Sql::new("test.unnumber_last", "UPDATE event SET number = NULL WHERE number > 3");
        Ok(tx.execute(&SET, args![])?)
    });
    let node = Node::sqlite();
    node.call(&TELL, some("a.b", 0, 5)).unwrap();
    assert_eq!(node.call(&UNNUMBER, ()), Ok(2));
    let sequencer = feed::Sequencer::start(&node.kernel);
    let page = node.read(&PAGE, page_of(&[], "", 9)).unwrap().unwrap();
    assert_eq!((subjects(&page).as_str(), page.through), ("0 1 2 3 4", 5));
    sequencer.stop();
}

#[test]
fn ker_24_a_node_that_was_overtaken_numbers_nothing() {
    let world = World::new();
    let step = |holder: &str| world.call(&SEQUENCE, world.request(), Sequence { holder: holder.into() }).unwrap().out;
    assert_eq!(step("a").epoch, Some(1));
    assert_eq!(step("b").epoch, None);
    world.clock.ran_ms.fetch_add(u64::try_from(feed::SEQUENCER_LEASE_MS).unwrap(), Ordering::Relaxed);
    assert_eq!(step("b").epoch, Some(2));
    assert_eq!(step("a").epoch, None, "paused for longer than its lease");
}

mod postgres;
