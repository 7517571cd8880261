//! The outbox with an archive in memory that fails as it is told.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::Sql;
use proptest::prelude::*;
use sensors::history::Archive;

use crate::kit::{Fate, Scene, Shelf};

fn scene() -> (Arc<Shelf>, Scene) {
    let shelf = Arc::new(Shelf::default());
    let scene = Scene::new(shelf.clone() as Arc<dyn Archive>);
    (shelf, scene)
}

#[test]
fn sen_11_rows_wait_a_minute_for_others_and_then_move_together() {
    let (shelf, scene) = scene();
    scene.happen(100);
    assert_eq!(scene.move_on(50_000), None, "they wait for others");
    assert!(scene.move_on(15_000).is_some());
    assert_eq!(scene.waiting(), 0);
    assert_eq!(shelf.rows.lock().unwrap().len(), 100);
    assert_eq!(shelf.tries.lock().unwrap().len(), 45, "those that ended");
    static LEFT: Sql = Sql::new("test.left", "SELECT COUNT(*) FROM sensor_attempt");
    assert_eq!(scene.world.count(&LEFT), 5, "those that have not");
    assert_eq!(scene.move_on(300_000), None, "nothing more to do");
}

#[test]
fn sen_11_a_whole_batch_does_not_wait_and_the_rest_follows_at_once() {
    let (shelf, scene) = scene();
    scene.happen(12_500);
    assert!(scene.move_on(6_000).is_some());
    while scene.perform().is_some() {}
    assert_eq!((scene.waiting(), shelf.rows.lock().unwrap().len()), (0, 12_500));
    let sizes: Vec<usize> =
        shelf.batches.lock().unwrap().values().map(|tries| tries[0].history.len() + tries[0].tries.len()).collect();
    assert!(sizes.iter().all(|size| *size <= 12_000) && sizes.len() >= 2, "{sizes:?}");
}

#[test]
fn sen_11_an_archive_that_is_away_is_told_of_after_a_while_and_when_it_is_back() {
    let (shelf, scene) = scene();
    *shelf.fates.lock().unwrap() = vec![Fate::Refused; 9];
    static OPEN: Sql =
        Sql::new("test.open", "SELECT COUNT(*) FROM alert WHERE key = 'sensors.history' AND closed_at IS NULL");
    scene.happen(10);
    assert!(scene.move_on(65_000).is_some());
    assert_eq!(scene.world.count(&OPEN), 0, "it may be a restart");
    for _ in 0..8 {
        assert!(scene.move_on(61_000).is_some(), "it is tried again every minute");
    }
    assert_eq!((scene.world.count(&OPEN), scene.waiting() > 0), (1, true));
    scene.move_all();
    assert_eq!((scene.world.count(&OPEN), scene.waiting()), (0, 0));
}

#[test]
fn sen_11_a_batch_whose_task_somebody_removed_goes_on() {
    let (shelf, scene) = scene();
    scene.happen(10);
    scene.world.pass_ms(65_000);
    let (_, done) = scene.world.partner.next().expect("a write");
    static REMOVE: base::Sql = base::Sql::new("test.remove", "DELETE FROM task WHERE op = 'sensor.export'");
    static REMOVED: kernel::Op<(), ()> =
        kernel::Op::new("test.removed", |tx, _, ()| Ok(tx.write(&REMOVE, base::args![])?));
    scene.world.call(&REMOVED, ()).unwrap();
    drop(done);
    scene.world.pass_ms(650_000);
    scene.move_all();
    assert_eq!(shelf.rows.lock().unwrap().len(), 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sen_11_whatever_fails_each_row_arrives_and_a_batch_is_always_the_same(
        portions in proptest::collection::vec(1_i64..300, 1..6),
        fates in proptest::collection::vec(prop_oneof![Just(Fate::Refused), Just(Fate::AnswerLost), Just(Fate::Done)], 0..12),
    ) {
        let (shelf, scene) = scene();
        *shelf.fates.lock().unwrap() = fates;
        let mut happened = 0;
        for rows in &portions {
            // Numbers of tries begin anew, so only the first portion has some.
            if happened == 0 { scene.happen(*rows) } else { scene.happen_more(*rows) }
            happened += rows;
            scene.move_on(61_000);
        }
        scene.move_all();
        let rows = shelf.rows.lock().unwrap();
        let ids: BTreeSet<_> = rows.iter().map(|row| row.id).collect();
        prop_assert_eq!(i64::try_from(ids.len()).unwrap(), happened);
        for tries in shelf.batches.lock().unwrap().values() {
            prop_assert!(tries.iter().all(|batch| *batch == tries[0]));
        }
    }
}
