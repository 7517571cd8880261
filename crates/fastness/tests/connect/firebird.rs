//! Firebird.

use std::sync::atomic::{AtomicU32, Ordering};

use rsfbclient::builder_pure_rust;

use crate::books::Books;
use crate::story::{self, Codes};

/// isc_check_constraint.
const CODES: Codes = Codes { check: 335_544_558 };

fn books() -> Books {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let server = std::env::var("FASTNESS_TEST_FIREBIRD").expect("run by `cargo xtask services run -- …`");
    let connect = format!("{server}/connect{}_{}.fdb", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    builder_pure_rust().from_string(&connect).unwrap().create_database().unwrap().close().unwrap();
    let again = connect.clone();
    // One that a killed connector still has open stays until the server's folder goes.
    let end = move || drop(builder_pure_rust().from_string(&again).unwrap().connect().map(|last| last.drop_database()));
    let books = Books { engine: "firebird", connect, extra: String::new(), stock: "stock", end: Some(Box::new(end)) };
    books.make_tables(str::to_owned);
    books
}

#[test]
fn exc_25_exc_20_every_step_goes_wrong_and_each_order_is_booked_once() {
    story::every_step_goes_wrong_in_every_way(books);
}

#[test]
fn exc_25_results_reach_the_phone() {
    story::results_reach_the_phone(&books(), &CODES);
}

#[test]
fn exc_25_a_reply_that_is_none_stops_nobody_but_its_message() {
    story::a_reply_that_is_none_stops_nobody_but_its_message(&books());
}
