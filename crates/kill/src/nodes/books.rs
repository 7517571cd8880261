//! What is in PostgreSQL, read by SQL without our engine.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use crate::postgres::Database;

/// A connection of one's own to the schema of the nodes.
pub(crate) struct Reading {
    runtime: Runtime,
    client: Client,
}

/// A mark that a task left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) name: String,
    pub(super) cycle: u32,
    pub(super) task: String,
    pub(super) attempt: i64,
}

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) number: i64,
    pub(super) topic: String,
    pub(super) subject: String,
    pub(super) data: String,
}

impl Reading {
    pub(crate) fn open(database: &Database) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&database.url, NoTls).await.context("no connection")?;
            tokio::spawn(connection);
            client.batch_execute(&format!("SET search_path TO \"{}\"", database.schema())).await?;
            anyhow::Ok(client)
        })?;
        Ok(Self { runtime, client })
    }

    /// What a statement finds, each value as a text; nothing for NULL.
    pub(crate) fn rows<const N: usize>(&self, text: &str) -> Result<Vec<[String; N]>> {
        let messages = self.runtime.block_on(self.client.simple_query(text)).context(text.to_owned())?;
        let rows = messages.into_iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(std::array::from_fn(|at| row.get(at).unwrap_or_default().to_owned())),
            _ => None,
        });
        Ok(rows.collect())
    }

    /// The one number that a statement finds.
    pub(crate) fn number(&self, text: &str) -> Result<u64> {
        let rows = self.rows::<1>(text)?;
        Ok(rows.first().context("no row")?[0].parse()?)
    }

    /// Marks so far.
    pub(super) fn marks_count(&self) -> Result<u64> {
        self.number("SELECT COUNT(*) FROM drill_mark")
    }

    /// Tasks that nodes have claimed, by the nodes' names: how many of them call outside, and how many there are.
    pub(super) fn claimed(&self) -> Result<BTreeMap<String, (u64, u64)>> {
        let rows = self.rows::<3>(
            "SELECT node.name, COUNT(*) FILTER (WHERE op = 'drill.call'), COUNT(*) FROM task JOIN node ON node.id = task.owner \
             GROUP BY node.name",
        )?;
        rows.into_iter().map(|[name, calls, all]| Ok((name, (calls.parse()?, all.parse()?)))).collect()
    }

    /// Tasks that have not ended.
    pub(super) fn tasks_count(&self) -> Result<u64> {
        self.number("SELECT COUNT(*) FROM task WHERE op IN ('drill.mark', 'drill.call', 'drill.inscribe')")
    }

    /// Tasks that are left, as a person reads them.
    pub(super) fn tasks(&self) -> Result<Vec<String>> {
        let rows = self.rows::<8>(
            "SELECT id, op, attempt, retry, COALESCE(owner, ''), COALESCE(exc, ''), COALESCE(report, ''), start_at FROM task \
             WHERE op IN ('drill.mark', 'drill.call', 'drill.inscribe') ORDER BY id LIMIT 5",
        )?;
        Ok(rows.into_iter().map(|row| row.join(" ")).collect())
    }

    /// Everything that tasks did.
    pub(super) fn marks(&self) -> Result<Vec<Mark>> {
        let rows = self.rows::<4>("SELECT name, cycle, task, attempt FROM drill_mark ORDER BY id")?;
        let mark = |[name, cycle, task, attempt]: [String; 4]| {
            anyhow::Ok(Mark { name, cycle: cycle.parse()?, task, attempt: attempt.parse()? })
        };
        rows.into_iter().map(mark).collect()
    }

    /// Events without a number.
    pub(super) fn unnumbered_count(&self) -> Result<u64> {
        self.number("SELECT COUNT(*) FROM event WHERE number IS NULL")
    }

    /// The feed, in its order.
    pub(super) fn events(&self) -> Result<Vec<Kept>> {
        let rows = self.rows::<4>("SELECT number, topic, subject, data FROM event ORDER BY number")?;
        let kept = |[number, topic, subject, data]: [String; 4]| {
            anyhow::Ok(Kept { number: number.parse()?, topic, subject, data })
        };
        rows.into_iter().map(kept).collect()
    }
}
