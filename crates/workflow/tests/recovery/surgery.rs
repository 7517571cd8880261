//! A world that is watched over, in which rows can be cut out.

use std::ops::Deref;

use base::{Sql, Value};
use kernel::Op;
use workflow::recovery::{RECOVER, Repair, Watch};

use crate::kit::Flow;

/// More than the longest time after which somebody looks at a graph.
pub const A_LOOK_MS: u64 = 400_000;

pub struct Watched {
    pub flow: Flow,
    _watch: Watch,
}

impl Deref for Watched {
    type Target = Flow;
    fn deref(&self) -> &Flow {
        &self.flow
    }
}

impl Watched {
    pub fn new() -> Self {
        let flow = Flow::new();
        let watch = Watch::start(&flow.0.kernel);
        Self { flow, _watch: watch }
    }

    /// Time passes, and whoever watches looks.
    pub fn wait_ms(&self, ms: u64) {
        self.0.pass_ms(ms);
        self.0.check_invariants();
    }
}

impl Flow {
    /// Changes rows behind everybody's back; how many.
    pub fn cut(&self, sql: &'static Sql, values: Vec<Value<'static>>) -> u64 {
        static CUT: Op<(&'static Sql, Vec<Value<'static>>), u64> =
            Op::new("test.cut", |tx, _, (sql, values)| Ok(tx.execute(sql, values)?));
        self.0.call(&CUT, (sql, values)).expect("cut").out
    }

    /// Cuts one row of one process.
    pub fn cut_of(&self, sql: &'static Sql, process: &str) {
        assert_eq!(self.cut(sql, vec![Value::from(process.to_owned())]), 1, "{}", sql.name);
    }

    /// Has a process examined and repaired at once.
    pub fn recover(&self, id: &str) -> Repair {
        self.0.call(&RECOVER, id.into()).expect("recovered").out
    }

    /// What happened to a process, oldest first.
    pub fn kinds(&self, process: &str) -> Vec<String> {
        let mut lines = self.history(process);
        lines.reverse();
        lines.into_iter().map(|line| line.kind).collect()
    }
}
