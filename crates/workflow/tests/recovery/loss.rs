//! Data loss (WFL-25): rows of queues, decisions and graphs, and of tasks where a type may begin anew, get lost at any moment; every process
//! ends with the value that it should have, and those of which nothing is lost go on untouched.

use base::{Sql, Value};
use kernel::{Invariant, Query};
use serde_json::json;

use crate::cases::RESTARTS;
use crate::program::{Dice, program, serial, start_of, work};
use crate::surgery::Watched;

static TABLES: [(Sql, Sql); 4] = [
    (
        Sql::new("test.queues", "SELECT process, number FROM wfl_queue ORDER BY queue, at, process, number"),
        Sql::new("test.lose_queue", "DELETE FROM wfl_queue WHERE process = ?1 AND number = ?2"),
    ),
    (
        Sql::new("test.decisions", "SELECT process, number FROM wfl_decision ORDER BY process, number"),
        Sql::new("test.lose_decision", "DELETE FROM wfl_decision WHERE process = ?1 AND number = ?2"),
    ),
    (
        Sql::new("test.all_graphs", "SELECT process, 0 FROM wfl_graph ORDER BY process"),
        Sql::new("test.lose_graph", "DELETE FROM wfl_graph WHERE process = ?1 AND ?2 = 0"),
    ),
    (
        Sql::new(
            "test.tasks",
            "SELECT t.process, t.number FROM wfl_task t JOIN wfl_process p ON p.id = t.process WHERE p.type = 'again' \
             ORDER BY t.process, t.number",
        ),
        Sql::new("test.lose_task", "DELETE FROM wfl_task WHERE process = ?1 AND number = ?2"),
    ),
];
static WHOLE: [Sql; 4] = [
    Sql::new("test.wipe_queue", "DELETE FROM wfl_queue"),
    Sql::new("test.wipe_decisions", "DELETE FROM wfl_decision"),
    Sql::new("test.wipe_graphs", "DELETE FROM wfl_graph"),
    Sql::new(
        "test.wipe_tasks",
        "DELETE FROM wfl_task WHERE process IN (SELECT p.id FROM wfl_process p WHERE p.type = 'again')",
    ),
];
static REPAIRS: Sql =
    Sql::new("test.repairs", "SELECT COUNT(*) FROM wfl_history WHERE kind IN ('requeued', 'rebuilt', 'restarted')");
static TROUBLE: Sql = Sql::new("test.open", "SELECT COUNT(*) FROM wfl_process WHERE state <> 'FINISHED'");

/// A row, or now and then a whole table.
fn lose(world: &Watched, dice: &mut Dice) {
    if dice.below(15) == 0 {
        world.cut(&WHOLE[dice.below(WHOLE.len())], vec![]);
        return;
    }
    let (find, cut) = &TABLES[dice.below(TABLES.len())];
    let rows = world.0.rows(find);
    if let Some(row) = rows.get(dice.below(rows.len())) {
        world.cut(cut, vec![Value::from(row.text(0).to_owned()), Value::from(row.int(1))]);
    }
}

/// What holds as long as nothing gets lost.
fn check_sound(world: &Watched) {
    static CHECK: Query<&'static Invariant, Vec<String>> = Query::new("test.sound", |tx, invariant| {
        Ok((invariant.check)(tx)?.into_iter().map(|violation| violation.0).collect())
    });
    for invariant in &workflow::check::SOUND {
        assert_eq!(world.0.read(&CHECK, invariant), Ok(vec![]), "{}", invariant.name);
    }
}

/// How much was repaired.
fn run(seed: u64, loses: bool) -> i64 {
    let (world, mut dice) = (Watched::new(), Dice::new(seed));
    world.cut_of(&RESTARTS, "again");
    let mut wanted = vec![];
    for place in 0..6 {
        let kind = if place % 2 == 0 { "again" } else { "once" };
        let program = program(&mut dice, kind, 3);
        let id = world.try_start(json!({ "type": kind, "start": start_of(&program) })).unwrap();
        wanted.push((id, serial(&program), program));
    }
    for _ in 0..40 {
        match dice.below(5) {
            0 | 1 if loses => lose(&world, &mut dice),
            2 => world.wait_ms(u64::try_from(dice.below(20_000)).unwrap()),
            _ => {
                let silent = dice.below(10);
                work(&world, || silent == 0);
            }
        }
        if !loses {
            check_sound(&world);
        }
    }
    for _ in 0..600 {
        if world.0.count(&TROUBLE) == 0 {
            break;
        }
        world.wait_ms(20_000);
        while work(&world, || false) > 0 {}
    }
    for (id, value, program) in &wanted {
        let process = world.process(id);
        assert_eq!(
            process.state,
            "FINISHED",
            "seed {seed}: {program} {process:?} {:#?} {:#?}",
            world.tasks(id),
            world.history(id)
        );
        assert_eq!(world.value(id), json!(value), "seed {seed}: {program} {:#?}", world.history(id));
        if !loses {
            let kinds = world.kinds(id);
            assert!(kinds.iter().all(|kind| kind == "failed" || kind == "work-timeout"), "seed {seed}: {kinds:?}");
        }
    }
    world.0.count(&REPAIRS)
}

#[test]
fn wfl_25_whatever_rows_get_lost_every_process_ends_with_its_value() {
    let repairs: i64 = (1..=40).map(|seed| run(seed, true)).sum();
    assert!(repairs > 200, "{repairs} repairs: too little was lost");
}

#[test]
fn wfl_15_where_no_row_gets_lost_nothing_is_repaired() {
    assert_eq!((1..=5).map(|seed| run(seed, false)).sum::<i64>(), 0);
}
