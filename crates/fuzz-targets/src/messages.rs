//! What services are told: messages of the exchange, signals, imports, upgrades of copies.

use base::Wall;
use exchange::message::form::Form;
use exchange::message::name::FileName;
use replica::{DocCopy, Upgrade};
use sensors::import::{ImportFormat, ImportKind, count_lines};

use crate::text;

const NOON: Wall = Wall(1_794_744_000_000);
const MEGABYTE: usize = 1 << 20;

/// A message of a device or a database.
pub(crate) fn message(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(form) = Form::read(text, MEGABYTE) {
        let at = form.ordered_at(NOON);
        assert!(at <= NOON || at.0 - NOON.0 <= 86_400_000, "ordered at {at:?}");
    }
    assert!(text.is_empty() || Form::read(text, text.len() - 1).is_err(), "larger than it may be");
}

/// The name of a message's file says the same when it is written again.
pub(crate) fn exchange_file(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Some(name) = FileName::read(text) {
        assert_eq!(name.text(), text);
    }
}

/// A signal, from the queue or by HTTP.
pub(crate) fn signal(bytes: &[u8]) {
    if let Err(reason) = sensors::signal::parse(bytes, NOON) {
        assert!(!reason.is_empty());
    }
    if let Some((namespace, id)) = sensors::announce::read(bytes) {
        assert!(bytes.starts_with(namespace.as_bytes()) && namespace.len() < bytes.len(), "{id}");
    }
}

/// An answer of ClickHouse with rows of history or of tries: cut off it is no shorter answer, unless at the end of a row.
pub(crate) fn clickhouse(bytes: &[u8]) {
    let Some(rows) = sensors::history::count_rows(bytes) else { return };
    assert!(rows <= bytes.len());
    if let Some((_, cut)) = bytes.split_last() {
        assert!(rows == 0 || sensors::history::count_rows(cut).is_none_or(|fewer| fewer <= rows));
    }
}

/// The configuration of a connector, its statements, and rows of its database as replies.
pub(crate) fn connector(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Err(error) = connector::fuzzing::reads_settings(text) {
        assert!(!error.is_empty());
    }
    for is_dollar in [false, true] {
        if let Some((sql, names)) = connector::fuzzing::statement(text, is_dollar) {
            assert!(names > 0 || sql == text.trim().trim_end_matches(';'), "{sql:?} is not {text:?}");
            assert!(sql.matches(if is_dollar { '$' } else { '?' }).count() >= names, "{sql:?} has not {names}");
        }
    }
    if let Some(Err(reason)) = connector::fuzzing::reply(text) {
        assert!(!reason.is_empty());
    }
}

/// Every line is either understood or not, in each of the forms.
pub(crate) fn imports(bytes: &[u8]) {
    for kind in [ImportKind::Sensors, ImportKind::Links] {
        for format in [ImportFormat::Ndjson, ImportFormat::Csv] {
            let (good, bad) = count_lines(kind, format, bytes);
            assert!(good + bad <= bytes.len() + 1);
        }
    }
}

/// Upgrades are taken one after the other; a copy is never of an older version than before.
pub(crate) fn replica(bytes: &[u8]) {
    let mut held: Option<DocCopy> = None;
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(upgrade) = serde_json::from_slice::<Upgrade>(line) else { continue };
        let written = serde_json::to_string(&upgrade).expect("an upgrade is JSON");
        assert_eq!(serde_json::from_str::<Upgrade>(&written).ok(), Some(upgrade.clone()));
        let (full, before) = (upgrade.full, held.as_ref().map_or(0, |copy| copy.head.v));
        match DocCopy::apply(held.take(), upgrade) {
            Ok(copy) => {
                assert!(full || copy.as_ref().is_none_or(|copy| copy.head.v >= before), "it went back");
                held = copy;
            }
            Err(_) => return,
        }
    }
}
