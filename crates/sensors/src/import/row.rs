//! What a line says, and doing it.

use base::{OpError, OpResult, Sql, Tx, args};
use kernel::OpCx;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::csv;
use super::state::{ImportFormat, ImportKind};
use crate::client;
use crate::id::SensorId;
use crate::link::{self, Link, Linked};
use crate::sensor::{self, Change, PutSensor};

/// A sensor to register.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct SensorLine {
    id: String,
    address: String,
    silence_s: Option<u32>,
}

/// A sensor to link.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkLine {
    sensor_id: String,
    client: String,
}

/// A line that was understood.
#[derive(Debug, Clone)]
pub(super) enum Said {
    /// Register this sensor.
    Sensor(PutSensor),
    /// Link this sensor to the client of this id or name.
    Link(SensorId, String),
}

pub(super) static NAMED: Sql = Sql::new(
    "sensor_client.of_id_or_name",
    "SELECT id FROM sensor_client WHERE id = ?1 OR name = ?1 ORDER BY id LIMIT 2",
);

/// The names of the columns of a CSV.
///
/// # Errors
/// Says which one is missing, twice there, or not known.
pub(super) fn columns(kind: ImportKind, line: &str) -> Result<Vec<String>, String> {
    let (needed, known): (&[&str], &[&str]) = match kind {
        ImportKind::Sensors => (&["id", "address"], &["id", "address", "silence_s"]),
        ImportKind::Links => (&["sensor_id", "client"], &["sensor_id", "client"]),
    };
    let columns: Vec<String> = csv::fields(line)?.iter().map(|name| name.trim().to_owned()).collect();
    for (at, name) in columns.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            let shown = kernel::watch::shown(name, 40);
            return Err(format!("the first line names a column `{shown}`, the columns are {}", known.join(", ")));
        }
        if columns[..at].contains(name) {
            return Err(format!("the first line names the column `{name}` twice"));
        }
    }
    let missing = needed.iter().find(|needed| !columns.iter().any(|name| name == *needed));
    missing.map_or(Ok(columns), |name| Err(format!("the first line has no column `{name}`")))
}

/// What a line says.
///
/// # Errors
/// Why it says nothing.
pub(super) fn said(kind: ImportKind, format: ImportFormat, columns: &[String], line: &str) -> Result<Said, String> {
    let value = match format {
        ImportFormat::Ndjson => {
            serde_json::from_str(line).map_err(|error| format!("not the JSON that is wanted: {error}"))?
        }
        ImportFormat::Csv => of_csv(columns, line)?,
    };
    match kind {
        ImportKind::Sensors => {
            let line: SensorLine = parse(value)?;
            let id = SensorId::to_register(&line.id).map_err(|error| error.message)?;
            Ok(Said::Sensor(PutSensor { id, address: line.address, silence_s: line.silence_s }))
        }
        ImportKind::Links => {
            let line: LinkLine = parse(value)?;
            let sensor = SensorId::given(&line.sensor_id).map_err(|error| error.message)?;
            Ok(Said::Link(sensor, line.client))
        }
    }
}

fn parse<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// The same as JSON; a number that is left empty is not given.
fn of_csv(columns: &[String], line: &str) -> Result<serde_json::Value, String> {
    let fields = csv::fields(line)?;
    if fields.len() != columns.len() {
        let text = "an address with commas is written in quotes";
        return Err(format!("the line has {} fields, the first line names {}; {text}", fields.len(), columns.len()));
    }
    let mut object = serde_json::Map::new();
    for (name, field) in columns.iter().zip(fields) {
        let value = match name.as_str() {
            "silence_s" if field.trim().is_empty() => continue,
            "silence_s" => {
                let number: Result<u32, _> = field.trim().parse();
                number.map_err(|_| format!("silence_s is no number: {}", kernel::watch::shown(&field, 40)))?.into()
            }
            _ => field.into(),
        };
        object.insert(name.clone(), value);
    }
    Ok(object.into())
}

/// What doing a line came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Did {
    /// Something is new.
    Created,
    /// Something is otherwise.
    Changed,
    /// It was so already.
    Nothing,
}

/// Does what a line says. Whatever it refuses is decided before anything is written.
///
/// # Errors
/// Why it cannot be: the import goes on; or a fault.
pub(super) fn carry_out(tx: &mut dyn Tx, cx: &mut OpCx<'_>, said: &Said) -> OpResult<Did> {
    match said {
        Said::Sensor(sensor) => Ok(match sensor::register(tx, cx, sensor)? {
            Change::Created => Did::Created,
            Change::Changed => Did::Changed,
            Change::None => Did::Nothing,
        }),
        Said::Link(sensor, client) => {
            let client = client_of(tx, client)?;
            Ok(match link::link(tx, cx, &Link { client, sensor: *sensor })? {
                Linked::New => Did::Created,
                Linked::Before => Did::Nothing,
            })
        }
    }
}

/// The id of the client of that id or name.
fn client_of(tx: &mut dyn Tx, text: &str) -> OpResult<String> {
    let rows = tx.query(&NAMED, args![text], 2)?;
    let by_id = rows.iter().find(|row| row.text(0) == text);
    let found = by_id.or(rows.first()).map(|row| row.text(0).to_owned());
    found.ok_or_else(|| client::absent(text))
}

/// Whether an error is the line's own fault, not ours.
pub(super) fn is_refusal(error: &OpError) -> bool {
    matches!(error.code.letter(), 'A' | 'N')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensor(format: ImportFormat, line: &str) -> Result<(String, String, Option<u32>), String> {
        let columns = ["id", "address", "silence_s"].map(str::to_owned);
        match said(ImportKind::Sensors, format, &columns, line)? {
            Said::Sensor(put) => Ok((put.id.to_string(), put.address, put.silence_s)),
            Said::Link(..) => panic!("a link"),
        }
    }

    #[test]
    fn sen_1_lines_of_both_forms_say_the_same() {
        let expected = Ok(("a1".into(), "Moscow, room 16".into(), Some(60)));
        assert_eq!(sensor(ImportFormat::Ndjson, r#"{"id":"a1","address":"Moscow, room 16","silence_s":60}"#), expected);
        assert_eq!(sensor(ImportFormat::Csv, r#"a1,"Moscow, room 16",60"#), expected);
        assert_eq!(sensor(ImportFormat::Csv, "a1,Oslo,").unwrap().2, None);
    }

    #[test]
    fn sen_1_lines_that_say_nothing_tell_why() {
        for (format, line, why) in [
            (ImportFormat::Ndjson, "{", "not the JSON"),
            (ImportFormat::Ndjson, "[]", "expected"),
            (ImportFormat::Ndjson, r#"{"id":"a"}"#, "missing field `address`"),
            (ImportFormat::Ndjson, r#"{"id":"a","address":"b","x":1}"#, "unknown field `x`"),
            (ImportFormat::Ndjson, r#"{"id":"a-b","address":"b"}"#, "letters and digits"),
            (ImportFormat::Ndjson, r#"{"id":"0123456789aBcDeF0","address":"b"}"#, "letters and digits"),
            (ImportFormat::Ndjson, r#"{"id":"import","address":"b"}"#, "word of the addresses"),
            (ImportFormat::Csv, "a,Moscow, Russia,60", "4 fields"),
            (ImportFormat::Csv, "a,b,soon", "no number"),
            (ImportFormat::Csv, "a,b,-1", "no number"),
            (ImportFormat::Csv, "a,\"b,60", "not closed"),
        ] {
            let error = sensor(format, line).unwrap_err();
            assert!(error.contains(why), "{line}: {error}");
        }
    }

    #[test]
    fn sen_1_the_first_line_of_a_csv_names_known_columns_once() {
        assert_eq!(columns(ImportKind::Sensors, "address, id"), Ok(vec!["address".into(), "id".into()]));
        assert_eq!(columns(ImportKind::Links, "sensor_id,client"), Ok(vec!["sensor_id".into(), "client".into()]));
        for (kind, line, why) in [
            (ImportKind::Sensors, "id", "no column `address`"),
            (ImportKind::Sensors, "id,address,id", "twice"),
            (ImportKind::Sensors, "id,address,data", "`data`"),
            (ImportKind::Links, "id,address", "`id`"),
            (ImportKind::Links, "", "``"),
        ] {
            assert!(columns(kind, line).unwrap_err().contains(why), "{line}");
        }
    }
}
