//! KER-24: leases with epochs. The statements do what a pure model says, one holder at a time, on both engines.

use std::sync::atomic::Ordering;

use base::{OpResult, Sql, args};
use kernel::Op;
use kernel::leases::{self, Lease, Taking};
use proptest::prelude::*;

use crate::nodes::Node;
use crate::world::{World, error_code};

const NAME: &str = "feed";
const TERM_MS: i64 = 1_000;

static TAKE: Op<&'static str, Taking> =
    Op::new("test.take", |tx, cx, holder| leases::take(tx, cx, NAME, holder, TERM_MS));
static RENEW: Op<i64, ()> = Op::new("test.renew", |tx, cx, epoch| leases::renew(tx, cx, NAME, *epoch, TERM_MS));
static RELEASE: Op<i64, bool> = Op::new("test.release", |tx, cx, epoch| leases::release(tx, cx, NAME, *epoch));
static CHECK: Op<i64, ()> = Op::new("test.check", |tx, _, epoch| leases::check(tx, NAME, *epoch));
static LOOK: Op<(), Option<Lease>> = Op::new("test.lease", |tx, _, ()| leases::get(tx, NAME));

/// A lease as the model has it: the rules in words.
#[derive(Debug, Clone, Default)]
struct Model {
    holder: &'static str,
    epoch: i64,
    until: i64,
}

impl Model {
    fn take(&mut self, holder: &'static str, now: i64) -> Option<i64> {
        let over = self.until <= now;
        if !over && self.holder != holder {
            return None;
        }
        self.epoch += i64::from(over);
        (self.holder, self.until) = (holder, now + TERM_MS);
        Some(self.epoch)
    }

    fn holds(&self, epoch: i64, now: i64) -> bool {
        self.epoch == epoch && self.until > now
    }

    fn set_until(&mut self, epoch: i64, now: i64, until: i64) -> bool {
        let holds = self.holds(epoch, now);
        self.until = if holds { until } else { self.until };
        holds
    }
}

#[derive(Debug, Clone)]
enum Step {
    Take(&'static str),
    Renew(i64),
    Release(i64),
    Check(i64),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let epoch = || 0..6i64;
    prop_oneof![
        prop_oneof![Just("a"), Just("b"), Just("c")].prop_map(Step::Take),
        epoch().prop_map(Step::Renew),
        epoch().prop_map(Step::Release),
        epoch().prop_map(Step::Check),
        prop_oneof![Just(1), Just(500), Just(999), Just(1_000), 0..3_000u64].prop_map(Step::Wait),
    ]
}

fn apply(world: &World, model: &mut Model, step: Step) {
    let start = crate::world::NOON;
    let now = start + i64::try_from(world.clock.ran_ms.load(Ordering::Relaxed)).unwrap();
    match step {
        Step::Take(holder) => {
            let taken = match world.call(&TAKE, world.request(), holder).unwrap().out {
                Taking::Taken { epoch } => Some(epoch),
                Taking::HeldBy(lease) => {
                    assert_eq!(
                        (lease.holder.as_str(), lease.epoch, lease.until.0),
                        (model.holder, model.epoch, model.until)
                    );
                    None
                }
            };
            assert_eq!(taken, model.take(holder, now));
        }
        Step::Renew(epoch) => refused_unless(world.call(&RENEW, world.request(), epoch).map(|_| ()), {
            model.set_until(epoch, now, now + TERM_MS)
        }),
        Step::Release(epoch) => {
            let released = world.call(&RELEASE, world.request(), epoch).unwrap().out;
            assert_eq!(released, model.set_until(epoch, now, now));
        }
        Step::Check(epoch) => {
            refused_unless(world.call(&CHECK, world.request(), epoch).map(|_| ()), model.holds(epoch, now));
        }
        Step::Wait(ms) => {
            world.clock.ran_ms.fetch_add(ms, Ordering::Relaxed);
        }
    }
    let epoch = world.call(&LOOK, world.request(), ()).unwrap().out.map_or(0, |lease| lease.epoch);
    assert_eq!(epoch, model.epoch, "an epoch never goes back");
}

fn refused_unless(result: OpResult<()>, holds: bool) {
    match result {
        Ok(()) => assert!(holds, "accepted without holding"),
        Err(error) => assert!(!holds && error.code.name == "CLEASE", "{error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ker_24_leases_do_what_the_model_says(steps in prop::collection::vec(step(), 1..60)) {
        let (world, mut model) = (World::new(), Model::default());
        for step in steps {
            // A refused renewal is run again with pauses; they must not count as waiting.
            let ran_ms = world.clock.ran_ms.load(Ordering::Relaxed);
            let waited = if let Step::Wait(ms) = step { ms } else { 0 };
            apply(&world, &mut model, step);
            world.clock.ran_ms.store(ran_ms + waited, Ordering::Relaxed);
        }
    }
}

#[test]
fn ker_43_a_pause_of_ours_and_a_jump_of_the_calendar_end_nobodys_lease() {
    let world = World::new();
    let take = |holder| world.call(&TAKE, world.request(), holder).unwrap().out;
    assert_eq!(take("a"), Taking::Taken { epoch: 1 });
    // The process stood still for an hour: the calendar went on, its own running time did not.
    world.clock.wall_ms.fetch_add(3_600_000, Ordering::Relaxed);
    assert!(matches!(take("b"), Taking::HeldBy(_)), "a's lease is longer by the pause");
    world.clock.ran_ms.fetch_add(u64::try_from(TERM_MS).unwrap(), Ordering::Relaxed);
    assert_eq!(take("b"), Taking::Taken { epoch: 2 });
}

/// A value that only the holder may write.
static WRITE: Op<(i64, i64), ()> = Op::new("test.fenced", |tx, cx, (epoch, value)| {
    static PUT: Sql = Sql::new(
        "test.fenced_put",
        "INSERT INTO task_queue (queue, suspended_at) VALUES (7, ?1) ON CONFLICT (queue) DO UPDATE SET suspended_at = ?1",
    );
    leases::check(tx, NAME, *epoch)?;
    let _ = cx.id();
    Ok(tx.write(&PUT, args![*value])?)
});

fn two_holders(one: &Node, two: &Node) {
    assert_eq!(one.call(&TAKE, "one"), Ok(Taking::Taken { epoch: 1 }));
    assert_eq!(one.call(&TAKE, "one"), Ok(Taking::Taken { epoch: 1 }), "our own keeps its epoch");
    let Ok(Taking::HeldBy(lease)) = two.call(&TAKE, "two") else { panic!("two holders") };
    assert_eq!((lease.holder.as_str(), lease.epoch), ("one", 1));
    one.call(&WRITE, (1, 10)).unwrap();
    assert_eq!(one.call(&RELEASE, 1), Ok(true));
    assert_eq!(error_code(one.call(&WRITE, (1, 11))).0, "CLEASE", "given back");
    assert_eq!(two.call(&TAKE, "two"), Ok(Taking::Taken { epoch: 2 }));
    assert_eq!(error_code(one.call(&WRITE, (1, 12))).0, "CLEASE", "overtaken");
    assert_eq!(error_code(one.call(&RENEW, 1)).0, "CLEASE");
    assert_eq!(one.call(&RELEASE, 1), Ok(false), "an old epoch gives nothing back");
    two.call(&WRITE, (2, 20)).unwrap();
    two.call(&RENEW, 2).unwrap();
}

#[test]
fn ker_24_two_holders_never_write_at_once() {
    let node = Node::sqlite();
    two_holders(&node, &node);
}

mod postgres {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ker_24_two_nodes_never_write_at_once() {
        let nodes = Node::postgres(2);
        two_holders(&nodes[0], &nodes[1]);
    }

    /// Every node asks at once for a lease that ends at once: each epoch is given to one of them only.
    #[test]
    fn ker_24_no_epoch_is_given_twice_when_many_ask_at_once() {
        static GRAB: Op<&'static str, Taking> =
            Op::new("test.grab", |tx, cx, holder: &&str| leases::take(tx, cx, NAME, holder, 0)).claiming();
        let nodes = Node::postgres(3);
        let grab = |node: &Node, holder| -> Vec<i64> {
            let epoch = |taking| if let Taking::Taken { epoch } = taking { Some(epoch) } else { None };
            (0..40).filter_map(|_| epoch(node.call(&GRAB, holder).unwrap())).collect()
        };
        let given: Vec<i64> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                nodes.iter().zip(["a", "b", "c"]).map(|(node, name)| scope.spawn(move || grab(node, name))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let different: BTreeSet<i64> = given.iter().copied().collect();
        // One that began a moment earlier may still find it held: then it got none.
        assert!(given.len() >= 40 && different.len() == given.len(), "{given:?}");
        assert_eq!(different.last().copied(), i64::try_from(given.len()).ok(), "none is skipped");
    }
}
