//! PostgreSQL.

use connector::Settings;
use connector::engine;

use crate::books::Books;
use crate::story::{self, Codes};

/// check_violation.
const CODES: Codes = Codes { check: 23_514 };

fn books() -> Books {
    let server = std::env::var("FASTNESS_TEST_POSTGRES").expect("run by `cargo xtask services run -- …`");
    let schema = kill::postgres::Database::new("FASTNESS_TEST_POSTGRES", "connect").unwrap().schema();
    let plain =
        |connect: String| Books { engine: "postgres", connect, extra: String::new(), stock: "stock", end: None };
    let root = plain(server.clone());
    root.other().execute(&format!("CREATE SCHEMA {schema}"), &[]).unwrap();
    let mut books = plain(format!("{server} options='-c search_path={schema}'"));
    books.make_tables(str::to_owned);
    books.end = Some(Box::new(move || {
        let settings = Settings::read(&root.config("root")).unwrap();
        engine::open(&settings).unwrap().execute(&format!("DROP SCHEMA {schema} CASCADE"), &[]).unwrap();
    }));
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
