//! Several nodes on one PostgreSQL: one sequencer at a time, one order for everybody, whatever becomes of a node.
#![expect(clippy::disallowed_methods, reason = "takes the time until somebody hears")]

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::*;
use crate::nodes::LONG;
use kernel::Hint;
use kernel::feed::Sequencer;

/// Waits for a wake-up of this node, or a moment: wake-ups may be lost.
struct Waiter(mpsc::Receiver<Hint>);

impl Waiter {
    fn on(node: &Node) -> Self {
        let (tell, told) = mpsc::channel();
        node.main.wakes.listen(move |hint| _ = tell.send(hint));
        Self(told)
    }

    fn wait(&self) {
        let _ = self.0.recv_timeout(Duration::from_millis(200));
        self.0.try_iter().for_each(drop);
    }
}

/// Reads on until `count` events are there: their subjects and numbers, in the order of the feed.
fn follow(node: &Node, count: usize) -> Vec<(i64, String)> {
    let (waiter, begun) = (Waiter::on(node), Instant::now());
    let (mut seen, mut after) = (vec![], String::new());
    while seen.len() < count {
        assert!(begun.elapsed() < LONG, "{} of {count} events", seen.len());
        let page = node.read(&PAGE, page_of(&[], &after, 70)).unwrap().expect("an epoch");
        after = page.next().to_string();
        seen.extend(page.events.iter().map(|event| (event.number, event.subject.clone())));
        if !page.more {
            waiter.wait();
        }
    }
    seen
}

fn settle(node: &Node, count: i64) {
    let _ = follow(node, usize::try_from(count).unwrap());
}

#[test]
fn ker_25_readers_resume_from_a_cursor_and_never_miss_or_double() {
    let nodes = Node::postgres(1);
    let node = &nodes[0];
    let _sequencer = Sequencer::start(&node.kernel);
    node.call(&EPOCH, ()).unwrap();
    let tell = |tell: Tell| node.call(&TELL, tell).is_ok();
    let by_the_way = |page| node.read(&PAGE, page);
    readers_rely_on(&by_the_way, &tell, &|| settle(node, 8));
}

/// Three nodes write at once; the one that numbers dies in the middle and leaves its lease behind.
#[test]
fn ker_25_three_nodes_see_every_event_once_in_one_order_though_the_sequencer_dies() {
    const EACH: i64 = 150;
    let nodes = Node::postgres(4);
    let first = Sequencer::start(&nodes[0].kernel);
    nodes[0].call(&EPOCH, ()).unwrap();
    nodes[0].call(&TELL, some("a.b", 10_000, 10_010)).unwrap();
    settle(&nodes[0], 10);
    let others: Vec<Sequencer> = nodes[1..].iter().map(|node| Sequencer::start(&node.kernel)).collect();
    let write = |node: &Node, writer: i64| {
        (0..EACH).for_each(|n| node.call(&TELL, some("a.b", writer * 1_000 + n, writer * 1_000 + n + 1)).unwrap());
    };
    let count = usize::try_from(10 + 3 * EACH).unwrap();
    let feeds: Vec<Vec<(i64, String)>> = std::thread::scope(|scope| {
        let writers: Vec<_> =
            nodes[1..].iter().zip(1..).map(|(node, writer)| scope.spawn(move || write(node, writer))).collect();
        let readers: Vec<_> = nodes[1..].iter().map(|node| scope.spawn(move || follow(node, count))).collect();
        // No good-bye: its lease stays taken until it ends by itself.
        nodes[0].die();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    assert!(feeds.iter().all(|feed| *feed == feeds[0]), "one order for everybody");
    let numbers: Vec<i64> = feeds[0].iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=i64::try_from(count).unwrap()).collect::<Vec<_>>(), "no gap");
    let subjects: BTreeSet<&String> = feeds[0].iter().map(|(_, subject)| subject).collect();
    assert_eq!(subjects.len(), count, "each once");
    drop((first, others));
}

/// Lease stolen under a running sequencer: it stops numbering, and takes over again when the thief is gone.
#[test]
fn ker_24_a_sequencer_whose_lease_was_stolen_numbers_nothing_meanwhile() {
    static STEAL: Op<(), u64> = Op::new("test.steal", |tx, cx, ()| {
        static SET: Sql = Sql::new("test.steal", "UPDATE lease SET holder = 'thief', epoch = epoch + 1, until = ?1");
        Ok(tx.execute(&SET, args![cx.heard.plus_ms(1_500)])?)
    });
    static UNNUMBERED: Query<(), bool> = Query::new("test.unnumbered", |tx, ()| {
        static ANY: Sql = Sql::new("test.unnumbered", "SELECT id FROM event WHERE number IS NULL ORDER BY id LIMIT 1");
        Ok(tx.query_one(&ANY, args![])?.is_some())
    });
    let nodes = Node::postgres(1);
    let node = &nodes[0];
    let sequencer = Sequencer::start(&node.kernel);
    node.call(&EPOCH, ()).unwrap();
    node.call(&TELL, some("a.b", 0, 5)).unwrap();
    settle(node, 5);
    assert_eq!(node.call(&STEAL, ()), Ok(1));
    node.call(&TELL, some("a.b", 5, 9)).unwrap();
    let step = node.call(&SEQUENCE, Sequence { holder: sequencer.holder().to_owned() }).unwrap();
    assert_eq!((step.epoch, step.numbered), (None, 0));
    assert_eq!(node.read(&UNNUMBERED, ()), Ok(true));
    settle(node, 9);
    sequencer.stop();
}

#[test]
fn ker_25_a_subscriber_hears_within_100_ms_here_and_within_1_s_on_another_node() {
    let nodes = Node::postgres(2);
    // The other node only listens: what it hears it hears by a word.
    let sequencer = Sequencer::start(&nodes[0].kernel);
    nodes[0].call(&EPOCH, ()).unwrap();
    // Both nodes hear each other before time is taken.
    nodes[0].call(&TELL, some("a.b", 0, 1)).unwrap();
    nodes.iter().for_each(|node| settle(node, 1));
    let times: Vec<(Duration, Duration)> = (1..=9)
        .map(|n| {
            std::thread::scope(|scope| {
                let elsewhere = scope.spawn(|| (settle(&nodes[1], n + 1), Instant::now()).1);
                let begun = Instant::now();
                nodes[0].call(&TELL, some("a.b", n, n + 1)).unwrap();
                settle(&nodes[0], n + 1);
                let here = begun.elapsed();
                (here, elsewhere.join().unwrap().saturating_duration_since(begun))
            })
        })
        .collect();
    // A busy machine makes them slow, the quickest least; without wake-ups none would be below the readers' own look, 200 ms.
    let here = times.iter().map(|(here, _)| *here).min().unwrap();
    let elsewhere = times.iter().map(|(_, elsewhere)| *elsewhere).min().unwrap();
    assert!(
        here < Duration::from_millis(100) && elsewhere < Duration::from_secs(1),
        "{here:?}, {elsewhere:?}: {times:?}"
    );
    sequencer.stop();
}

#[test]
fn ker_13_a_word_of_one_node_is_heard_on_the_other_once_for_many() {
    let nodes = Node::postgres(2);
    let (tell, told) = mpsc::channel();
    nodes[1].main.wakes.listen(move |hint| _ = tell.send(hint));
    let hint = Hint::Tasks { queue: 3, start_at: Wall(8_000) };
    let word = hint.word(Wall(7_500)).unwrap();
    let begun = Instant::now();
    // The listening connection is opened beside us; a word before that is lost.
    let heard = loop {
        assert!(begun.elapsed() < LONG, "nothing was heard");
        (0..1_000).for_each(|_| nodes[0].main.store.notify(&word));
        match told.recv_timeout(Duration::from_millis(100)) {
            Ok(heard) => break heard,
            Err(_) => continue,
        }
    };
    assert_eq!(heard, hint);
    let more = told.try_iter().count();
    assert!(more < 50, "{more} of thousands came through");
}
