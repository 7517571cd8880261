//! A random history: whatever happens together, the end is the sum of what was acknowledged (KER-6).

use std::collections::BTreeSet;

use base::{Outcome, Store, StoreError, StoreResult, Tx, Verdict, args};
use host::side_by_side;

use crate::fixture::Fixture;
use crate::pace::beside_no_long_write;
use crate::tables::{self, accounts, balances, ids, insert, prepared, transfer};
use crate::work::{Work, change, look, work};

const ACCOUNTS: usize = 8;
const FIRST_BALANCE: i64 = 100;
const THREADS: usize = 8;
const STEPS: usize = 60;

/// SplitMix64: small, seeded, and good enough to mix steps.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("below a usize")
    }
}

/// What a step does after it wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Keep,
    Refuse,
    Panic,
    BreakARule,
}

/// One step of a thread.
#[derive(Debug, Clone, Copy)]
enum Step {
    Transfer { from: usize, to: usize, amount: i64 },
    Insert { id: i64 },
    Delete { id: i64 },
}

/// What one thread knows to have happened.
#[derive(Default)]
struct Ledger {
    moved: [i64; ACCOUNTS],
    rows: BTreeSet<i64>,
    acknowledged: usize,
}

/// Transfers, inserts and deletes of many threads, with refusals, panics and broken rules among them. Nothing that was
/// acknowledged may be missing, nothing that was refused may be there.
pub fn ker_6_the_end_is_the_sum_of_what_was_acknowledged(fixture: &dyn Fixture) {
    let _alone = beside_no_long_write();
    let mut drawn = [0; 8];
    fixture.entropy().fill(&mut drawn);
    let store = prepared(fixture);
    change(store.as_ref(), |tx| accounts(tx, ACCOUNTS as i64, FIRST_BALANCE));
    let mut all = Ledger { moved: [FIRST_BALANCE; ACCOUNTS], ..Ledger::default() };
    for (round, seed) in [1, u64::from_le_bytes(drawn)].into_iter().enumerate() {
        let first_id = i64::try_from(round * THREADS).expect("a small number") * 1_000_000;
        let ledgers = side_by_side(THREADS, |thread| live(store.as_ref(), seed, thread, first_id));
        ledgers.iter().for_each(|ledger| all.add(ledger));
        let (balances, ids) = look(store.as_ref(), |tx| Ok((balances(tx)?, ids(tx)?)));
        assert_eq!(balances, all.moved, "seed {seed}");
        assert_eq!(ids, all.rows.iter().copied().collect::<Vec<_>>(), "seed {seed}");
    }
    assert!(all.acknowledged > THREADS * STEPS / 2, "too little happened: {} steps", all.acknowledged);
}

impl Ledger {
    fn add(&mut self, other: &Self) {
        self.moved.iter_mut().zip(other.moved).for_each(|(sum, moved)| *sum += moved);
        self.rows.extend(&other.rows);
        self.acknowledged += other.acknowledged;
    }

    fn record(&mut self, step: Step) {
        self.acknowledged += 1;
        match step {
            Step::Transfer { from, to, amount } => {
                self.moved[from] -= amount;
                self.moved[to] += amount;
            }
            Step::Insert { id } => assert!(self.rows.insert(id), "row {id} was inserted twice"),
            Step::Delete { id } => assert!(self.rows.remove(&id), "row {id} was deleted twice"),
        }
    }
}

/// The life of one thread.
fn live(store: &dyn Store, seed: u64, thread: usize, first_id: i64) -> Ledger {
    let mut chance = Chance(seed ^ (thread as u64) << 32);
    let mut ledger = Ledger::default();
    let mut next_id = first_id + i64::try_from(thread).expect("a small number") * 1_000_000;
    for _ in 0..STEPS {
        next_id += 1;
        let step = draw_step(&mut chance, &ledger, next_id);
        let end = draw_end(&mut chance);
        let outcome = job(step, end, thread).outcome(store);
        if happened(&outcome, end) {
            ledger.record(step);
        }
    }
    ledger
}

fn draw_step(chance: &mut Chance, ledger: &Ledger, next_id: i64) -> Step {
    let from = chance.below(ACCOUNTS);
    let to = (from + 1 + chance.below(ACCOUNTS - 1)) % ACCOUNTS;
    let amount = i64::try_from(chance.below(60)).expect("a small number");
    let own: Vec<i64> = ledger.rows.iter().copied().collect();
    match chance.below(10) {
        0..5 => Step::Transfer { from, to, amount },
        5 | 6 if !own.is_empty() => Step::Delete { id: own[chance.below(own.len())] },
        _ => Step::Insert { id: next_id },
    }
}

fn draw_end(chance: &mut Chance) -> End {
    match chance.below(10) {
        0 => End::Refuse,
        1 => End::Panic,
        2 => End::BreakARule,
        _ => End::Keep,
    }
}

fn job(step: Step, end: End, thread: usize) -> Work {
    let run = work("step", move |tx| {
        let done = take(tx, step)?;
        match end {
            End::Keep if done => Ok(Verdict::Keep),
            End::Keep | End::Refuse => Ok(Verdict::Undo),
            End::Panic => panic!("on purpose, in a history"),
            End::BreakARule => tx.execute(&tables::ACCOUNT_INSERT, args![0, 0]).map(|_| Verdict::Keep),
        }
    });
    match step {
        Step::Transfer { from, to, .. } => run.keys(&[key(to), key(from)]),
        Step::Insert { .. } | Step::Delete { .. } => run.keys(&[key(ACCOUNTS + thread)]),
    }
}

fn key(number: usize) -> i64 {
    i64::try_from(number).expect("a small number")
}

fn take(tx: &mut dyn Tx, step: Step) -> StoreResult<bool> {
    match step {
        Step::Transfer { from, to, amount } => transfer(tx, key(from), key(to), amount),
        Step::Insert { id } => insert(tx, id).map(|()| true),
        Step::Delete { id } => Ok(tx.execute(&tables::VALUE_DELETE, args![id])? == 1),
    }
}

/// Whether the step was acknowledged; the outcome must be one that its end allows.
fn happened(outcome: &Outcome, end: End) -> bool {
    let allowed = match outcome {
        Outcome::Committed => end == End::Keep,
        Outcome::Undone => end == End::Keep || end == End::Refuse,
        Outcome::Panicked(_) => end == End::Panic,
        Outcome::Failed(StoreError::Constraint { .. }) => end == End::BreakARule,
        Outcome::Failed(error) => *error == StoreError::Conflict,
    };
    assert!(allowed, "{outcome:?} for a step that ends by {end:?}");
    *outcome == Outcome::Committed
}
