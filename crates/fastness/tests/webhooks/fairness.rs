//! Receivers that hang delay nobody else.

use super::kit::{Kit, sensors};
use super::receiver::Receiver;

#[test]
fn sen_9_slow_receivers_delay_nobody() {
    let mut kit = Kit::start();
    let hanging: Vec<Receiver> = (0..20).map(|_| Receiver::hanging()).collect();
    let mut slow = vec![];
    for (number, receiver) in hanging.iter().enumerate() {
        let own = sensors(&format!("slow{number}x"), 10);
        kit.client(&format!("slow {number}"), &receiver.url(), &own);
        slow.extend(own);
    }
    let (fast, quick) = (Receiver::good(), sensors("quick", 50));
    let (id, _) = kit.client("fast", &fast.url(), &quick);
    let begun = std::time::Instant::now();
    kit.signal(&slow, 1);
    // Every one of them is being told, and will be for 15 seconds; eight more notifications of each wait behind that.
    hanging.iter().for_each(|receiver| drop((receiver.next(), receiver.next())));
    kit.signal(&quick, 1);
    let mut told: Vec<String> = (0..50).map(|_| fast.next().header("webhook-id").to_owned()).collect();
    // Two calls of each at a time; every 15 seconds they are given up.
    let rounds = usize::try_from(begun.elapsed().as_secs() / 15).unwrap() + 1;
    assert!(hanging.iter().all(|receiver| receiver.got.try_iter().count() + 2 <= 2 * rounds), "two calls at a time");
    told.sort();
    told.dedup();
    assert_eq!(told.len(), 50, "each once");
    kit.ended(&id, "sent");
}
