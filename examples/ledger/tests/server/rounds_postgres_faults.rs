//! Rounds of the kill harness on PostgreSQL, which is stopped, crashed, frozen and cut off.

use kill::fault::Fault;
use kill::round::EngineName;

use crate::rounds::play;

#[test]
fn ker_10_ker_31_a_database_that_goes_away_and_comes_back_loses_nothing() {
    let faults = [Fault::PostgresStop, Fault::PostgresKill, Fault::PostgresPause, Fault::PostgresCut];
    play(8, EngineName::Postgres, &faults);
}

#[test]
fn ker_10_kills_pauses_stops_and_cut_connections_lose_nothing_on_postgresql() {
    let faults = [Fault::Kill, Fault::KillTwice, Fault::Pause, Fault::Term, Fault::Cut];
    play(9, EngineName::Postgres, &faults);
}
