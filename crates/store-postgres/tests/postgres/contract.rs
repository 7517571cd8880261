//! The contract of all engines, on this one.

use std::sync::Arc;

use base::{Clock, Store};
use host::RealClock;
use store_suite::Fixture;

use crate::sandbox::Sandbox;

/// A schema of its own on the server.
struct OneSchema {
    sandbox: Sandbox,
    clock: Arc<RealClock>,
}

impl OneSchema {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        Self { clock: sandbox.clock(), sandbox }
    }
}

/// What the server says when its disk is full, without filling a disk that others use.
const FILL: &str = "
    CREATE FUNCTION refuse_growth() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER refuse_growth BEFORE INSERT ON suite_value FOR EACH ROW EXECUTE FUNCTION refuse_growth()";
const EMPTY: &str = "DROP TRIGGER refuse_growth ON suite_value; DROP FUNCTION refuse_growth()";

impl Fixture for OneSchema {
    fn open(&self) -> Arc<dyn Store> {
        self.sandbox.open_bare(|_| ())
    }

    fn open_small(&self, queue_max: usize) -> Arc<dyn Store> {
        self.sandbox.open_bare(|config| config.queue_max = queue_max)
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    fn two_at_once(&self) -> bool {
        true
    }

    fn fill_disk(&self, _: &dyn Store, on: bool) -> bool {
        self.sandbox.admin().run(if on { FILL } else { EMPTY });
        true
    }

    fn full_disk_takes_updates(&self) -> bool {
        true
    }
}

store_suite::contract_tests!(OneSchema::new());
