//! Every job is run twice, the first time undone: both runs must ask the same of the store and get the same from it.
//!
//! An operation that looks at a clock, at chance or at memory that outlives a run shows here at once, because its second
//! run asks something else.

use base::{Engine, Heard, Job, Keys, Outcome, Row, Sql, StoreResult, Tx, Urgency, Value, Verdict};

static SAVE: Sql = Sql::new("sim.save", "SAVEPOINT twice");
static BACK: Sql = Sql::new("sim.back", "ROLLBACK TO twice");
static FREE: Sql = Sql::new("sim.free", "RELEASE twice");

/// A transaction that remembers a hash of everything asked and answered.
struct Recording<'a> {
    tx: &'a mut dyn Tx,
    said: String,
    failed: bool,
}

impl Recording<'_> {
    fn note<T: std::fmt::Debug>(&mut self, sql: &Sql, args: &[Value<'_>], result: StoreResult<T>) -> StoreResult<T> {
        self.said += &format!("{} {args:?} = {result:?}\n", sql.name);
        self.failed |= result.is_err();
        result
    }
}

impl Tx for Recording<'_> {
    fn query(&mut self, sql: &'static Sql, args: &[Value<'_>], rows_max: usize) -> StoreResult<Vec<Row>> {
        let result = self.tx.query(sql, args, rows_max);
        self.note(sql, args, result)
    }

    fn execute(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<u64> {
        let result = self.tx.execute(sql, args);
        self.note(sql, args, result)
    }

    fn write(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<()> {
        let result = self.tx.write(sql, args);
        self.note(sql, args, result)
    }

    fn heard(&self) -> Heard {
        self.tx.heard()
    }

    fn engine(&self) -> Engine {
        self.tx.engine()
    }
}

/// A job that is run twice.
pub struct Twice(pub Box<dyn Job>);

impl Twice {
    fn record(&mut self, tx: &mut dyn Tx) -> (Verdict, String, bool) {
        let mut recording = Recording { tx, said: String::new(), failed: false };
        let verdict = self.0.run(&mut recording);
        (verdict, recording.said, recording.failed)
    }
}

impl Job for Twice {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn keys(&self) -> &Keys {
        self.0.keys()
    }

    fn urgency(&self) -> Urgency {
        self.0.urgency()
    }

    fn deadline_us(&self) -> u64 {
        self.0.deadline_us()
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        if tx.execute(&SAVE, &[]).is_err() {
            return Verdict::Undo;
        }
        let (verdict, first, failed) = self.record(tx);
        if failed || tx.execute(&BACK, &[]).is_err() || tx.execute(&FREE, &[]).is_err() {
            return verdict;
        }
        let (verdict_again, second, failed) = self.record(tx);
        if !failed && (verdict != verdict_again || first != second) {
            NotRepeatable::raise(self.name(), &first, &second);
        }
        verdict_again
    }

    fn done(self: Box<Self>, outcome: Outcome) {
        self.0.done(outcome);
    }
}

/// Says that an operation did something else in its second run. A panic would be contained, so it is left in a place
/// where the run looks after every event.
pub struct NotRepeatable;

thread_local! {
    static FOUND: std::cell::RefCell<Option<String>> = const { std::cell::RefCell::new(None) };
}

impl NotRepeatable {
    fn raise(name: &str, first: &str, second: &str) {
        let text = format!("{name} did not do the same when run again\nfirst:\n{first}second:\n{second}");
        FOUND.with_borrow_mut(|found| *found = Some(text));
    }

    /// What was found since the last look.
    pub fn take() -> Option<String> {
        FOUND.take()
    }
}
