//! Counters per device and database (EXC-23): exact, in the commit of what they count; and rates for the overview.

use base::{OpError, OpResult, Sql, Tx, Wall, args};
use kernel::counters::Field;
use kernel::{OpCx, Query};
use serde::Serialize;
use utoipa::ToSchema;

use crate::codes::NPARTY;
use crate::message::check_present;

/// The kind under which devices are counted over time.
pub(crate) const DEVICES: &str = "exchange-device";
/// The kind under which databases are.
pub(crate) const DATABASES: &str = "exchange-database";

pub(crate) static DEVICE_SENT: Sql = Sql::new(
    "exc_device.count_sent",
    "UPDATE exc_device SET sent = sent + 1, bytes = bytes + ?2, contact_at = ?3 WHERE id = ?1",
);
pub(crate) static DATABASE_SENT: Sql = Sql::new(
    "exc_database.count_sent",
    "UPDATE exc_database SET sent = sent + ?2, bytes = bytes + ?3, contact_at = ?4 WHERE id = ?1",
);
pub(crate) static DEVICE_RESULTS: Sql = Sql::new(
    "exc_device.count_results",
    "UPDATE exc_device SET processed = processed + ?2, errors = errors + ?3, deadlocks = deadlocks + ?4 WHERE id = ?1",
);
pub(crate) static DATABASE_RESULTS: Sql = Sql::new(
    "exc_database.count_results",
    "UPDATE exc_database SET processed = processed + ?2, errors = errors + ?3, deadlocks = deadlocks + ?4, contact_at = ?5 \
     WHERE id = ?1",
);
pub(crate) static DEVICE_CONTACT: Sql =
    Sql::new("exc_device.contact", "UPDATE exc_device SET contact_at = ?2 WHERE id = ?1");
pub(crate) static DATABASE_CONTACT: Sql =
    Sql::new("exc_database.contact", "UPDATE exc_database SET contact_at = ?2 WHERE id = ?1");
pub(crate) static RESULTS: Sql = Sql::new(
    "exc_message.results",
    "SELECT sender, COUNT(CASE WHEN result = 'PROCESSED' THEN 1 END), COUNT(CASE WHEN result = 'PROCESSED_INCORRECT' THEN 1 END), \
     COUNT(CASE WHEN result = 'PROCESSED_DEADLOCK' THEN 1 END) FROM exc_message WHERE process = ?1 AND draft = 0 \
     GROUP BY sender ORDER BY sender LIMIT 10000",
);
pub(crate) static REPLIES: Sql = Sql::new(
    "exc_message.replies",
    "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM exc_message WHERE process = ?1 AND draft = 1",
);

macro_rules! figures {
    ($table:literal) => {
        concat!("SELECT sent, processed, errors, deadlocks, bytes, contact_at FROM ", $table, " WHERE id = ?1")
    };
}
pub(crate) static OF_DEVICE: Sql = Sql::new("exc_device.statistics", figures!("exc_device"));
pub(crate) static OF_DATABASE: Sql = Sql::new("exc_database.statistics", figures!("exc_database"));

/// The counters of a device.
pub static DEVICE_STATISTICS: Query<String, Statistics> = Query::new("exchange.device_statistics", |tx, id| {
    read(tx, &OF_DEVICE, id).map(|found| Statistics { device: Some(id.clone()), ..found })
});
/// The same for the device itself, unless it is blocked.
pub static OWN_DEVICE_STATISTICS: Query<String, Statistics> = Query::new("exchange.own_statistics", |tx, id| {
    check_present(tx, id)?;
    read(tx, &OF_DEVICE, id).map(|found| Statistics { device: Some(id.clone()), ..found })
});
/// The counters of a database.
pub static DATABASE_STATISTICS: Query<String, Statistics> = Query::new("exchange.database_statistics", |tx, id| {
    read(tx, &OF_DATABASE, id).map(|found| Statistics { db: Some(id.clone()), ..found })
});

/// The counters of a device or a database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeStatistics)]
pub struct Statistics {
    /// Of which device.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub device: Option<String>,
    /// Of which database.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub db: Option<String>,
    /// Messages that it sent.
    pub sent: i64,
    /// Of a device: those of them that were processed. Of a database: those that it processed.
    pub processed: i64,
    /// Those that were wrong.
    pub errors: i64,
    /// How often one could not be processed because of a lock.
    pub deadlocks: i64,
    /// Bytes of what it sent.
    pub bytes: i64,
    /// When it last spoke to us.
    #[schema(format = DateTime)]
    pub contact_at: Option<String>,
}

fn read(tx: &mut dyn Tx, sql: &'static Sql, id: &str) -> OpResult<Statistics> {
    let absent = || OpError::new(NPARTY, format!("no device or database `{}`", kernel::watch::shown(id, 80)));
    let row = tx.query_one(sql, args![id])?.ok_or_else(absent)?;
    let [sent, processed, errors, deadlocks, bytes] = [0, 1, 2, 3, 4].map(|column| row.int(column));
    let contact_at = row.opt_int(5).map(|at| Wall(at).rfc3339());
    Ok(Statistics { device: None, db: None, sent, processed, errors, deadlocks, bytes, contact_at })
}

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &DEVICE_SENT,
    &DATABASE_SENT,
    &DEVICE_RESULTS,
    &DATABASE_RESULTS,
    &DEVICE_CONTACT,
    &DATABASE_CONTACT,
    &RESULTS,
    &REPLIES,
    &OF_DEVICE,
    &OF_DATABASE,
];

pub(crate) fn sent_by_device(tx: &mut dyn Tx, cx: &mut OpCx<'_>, device: &str, bytes: usize) -> OpResult<()> {
    cx.fx.count(DEVICES, device, &[(Field::Sent, 1)]);
    Ok(tx.write(&DEVICE_SENT, args![device, i64::try_from(bytes).unwrap_or(i64::MAX), cx.wall])?)
}

pub(crate) fn sent_by_database(tx: &mut dyn Tx, cx: &mut OpCx<'_>, db: &str, bytes: usize) -> OpResult<()> {
    cx.fx.count(DATABASES, db, &[(Field::Sent, 1)]);
    Ok(tx.write(&DATABASE_SENT, args![db, 1, i64::try_from(bytes).unwrap_or(i64::MAX), cx.wall])?)
}

/// A device spoke to us.
pub(crate) fn device_spoke(tx: &mut dyn Tx, cx: &OpCx<'_>, device: &str) -> OpResult<()> {
    Ok(tx.write(&DEVICE_CONTACT, args![device, cx.wall])?)
}

/// A database spoke to us.
pub(crate) fn database_spoke(tx: &mut dyn Tx, cx: &OpCx<'_>, db: &str) -> OpResult<()> {
    Ok(tx.write(&DATABASE_CONTACT, args![db, cx.wall])?)
}

/// The results of a process count: its database committed. Before its messages are let go.
pub(crate) fn committed(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &str, db: &str) -> OpResult<()> {
    let mut sums = [0_i64; 3];
    for row in tx.query(&RESULTS, args![process], 10_000)? {
        let counts = [row.int(1), row.int(2), row.int(3)];
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        tx.write(&DEVICE_RESULTS, args![row.text(0), counts[0], counts[1], counts[2]])?;
        cx.fx.count(DEVICES, row.text(0), &fields(counts));
    }
    tx.write(&DATABASE_RESULTS, args![db, sums[0], sums[1], sums[2], cx.wall])?;
    cx.fx.count(DATABASES, db, &fields(sums));
    let replies = tx.query_one(&REPLIES, args![process])?;
    match replies.map_or((0, 0), |row| (row.int(0), row.int(1))) {
        (0, _) => Ok(()),
        (many, bytes) => Ok(tx.write(&DATABASE_SENT, args![db, many, bytes, cx.wall])?),
    }
}

fn fields([processed, errors, deadlocks]: [i64; 3]) -> [(Field, i64); 3] {
    [(Field::Processed, processed), (Field::Errors, errors), (Field::Deadlocks, deadlocks)]
}
