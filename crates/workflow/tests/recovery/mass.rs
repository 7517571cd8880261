//! Thousands of processes are damaged at once: they are repaired one batch after the other, without waiting between (WFL-25).

use base::Sql;
use serde_json::json;

use crate::surgery::Watched;

const MANY: i64 = 3_000;

static QUEUES: Sql = Sql::new("test.mass_queues", "DELETE FROM wfl_queue");
static DUE: Sql = Sql::new("test.mass_due", "UPDATE wfl_graph SET recovery = 1");
static QUEUED: Sql = Sql::new("test.mass_queued", "SELECT COUNT(*) FROM wfl_queue");
static NOTES: Sql = Sql::new("test.mass_notes", "SELECT COUNT(*) FROM wfl_history WHERE kind = 'requeued'");
static LEFT: Sql = Sql::new("test.mass_left", "SELECT COUNT(*) FROM wfl_graph WHERE recovery = 1");

#[test]
fn wfl_25_thousands_of_damaged_processes_are_repaired_in_one_go() {
    let world = Watched::new();
    (0..MANY).for_each(|_| drop(world.start(json!({ "actor": "a#1" }))));
    world.cut(&QUEUES, vec![]);
    world.0.pass_ms(50_000);
    world.nothing_for("a#1");
    world.cut(&DUE, vec![]);
    world.0.pass_ms(16_000);
    assert_eq!((world.0.count(&LEFT), world.0.count(&QUEUED)), (0, MANY), "one round and what follows it at once");
    assert_eq!(world.0.count(&NOTES), MANY, "each once");
    world.wait_ms(60_000);
    assert_eq!(world.0.count(&NOTES), MANY);
}
