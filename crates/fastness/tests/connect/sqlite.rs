//! SQLite.

use crate::books::Books;
use crate::story::{self, Codes};

/// SQLITE_CONSTRAINT_CHECK.
const CODES: Codes = Codes { check: 275 };

fn books() -> Books {
    let folder = tempfile::tempdir().unwrap();
    let connect = folder.path().join("erp.db").display().to_string();
    // In one file two writers cannot even begin: what others lock lies in a file beside.
    let extra = format!("setup = [\"ATTACH '{}' AS side\"]", folder.path().join("side.db").display());
    let end: Box<dyn FnOnce() + Send + Sync> = Box::new(move || drop(folder));
    let books = Books { engine: "sqlite", connect, extra, stock: "side.stock", end: Some(end) };
    books.make_tables(|sql| sql.replace("TABLE stock", "TABLE side.stock"));
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
