//! Who finds no room for a call was not tried, whatever its plan had written (SEN-8, SEN-9).

use base::Sql;

use crate::kit::{Doors, answer, signal};

static ATTEMPTS: Sql = Sql::new("test.attempts", "SELECT COUNT(*) FROM sensor_attempt");
static TRIED: Sql = Sql::new("test.tried", "SELECT COUNT(*) FROM sensor_event WHERE tries = 1");
static SENDING: Sql = Sql::new("test.sending", "SELECT COUNT(*) FROM sensor_notice WHERE sending IS NOT NULL");
/// By how much notices and their tasks differ in when they go on.
static APART: Sql = Sql::new(
    "test.apart",
    "SELECT MAX(t.start_at - n.next_at) - MIN(t.start_at - n.next_at) FROM sensor_notice n \
     JOIN task t ON t.unique_key = n.sensor_id || '/' || n.client_id || '/' || n.kind AND t.owner IS NULL",
);

#[test]
fn sen_9_what_finds_no_room_counts_as_no_try_and_is_told_once_there_is_room() {
    let names: Vec<String> = (0..40).map(|number| format!("a{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let doors = Doors::patient(&names);
    doors.client("hotel", 0, &names);
    doors.sent(&names.iter().map(|name| signal(name, true)).collect::<Vec<_>>());
    let held: Vec<_> = std::iter::from_fn(|| doors.call()).collect();
    assert_eq!(held.len(), 2, "the room of somebody whom nobody knows");
    doors.world.pass_ms(2_500);
    doors.world.check_invariants();
    let of = |sql| doors.world.count(sql);
    let under_way = of(&SENDING);
    assert!(under_way < 10, "{under_way}: those that are called, and those who came back and wait again");
    assert_eq!((of(&ATTEMPTS), of(&TRIED)), (under_way, under_way), "the others are as if nobody had tried");
    assert_eq!(of(&APART), 0, "what waits behind them need not look before they come back");
    doors.sent(&[signal("a5", false)]);
    held.into_iter().for_each(|(_, done)| done(answer(204)));
    let mut told = 0;
    for _ in 0..100 {
        told += doors.answer_all(204).len();
        doors.world.pass_ms(1_000);
    }
    assert_eq!((told, doors.waiting()), (38, 0), "each once, of the one that changed again only the newer");
    let sent = doors.states().iter().filter(|state| *state == "sent").count();
    assert_eq!((sent, of(&TRIED), of(&ATTEMPTS)), (40, 40, 40), "{:?}", doors.states());
}
