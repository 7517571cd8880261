//! A business database: takes messages in batches, books them in one transaction with its marker, answers. It is the only one of its kind, so
//! it may ask its marker about whatever it finds prepared at its start: nobody else can still be at it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use client::exchange::{Message, Start, Status};
use client::{Client, ClientError, new_key};
use connector::{Blame, Database, MarkerSeen, Settings, Work};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Address, stand_still, tell};
use crate::failure::{Done, Failure};
use crate::local;

/// Messages of one process.
const BATCH: u32 = 4;
const PAUSE: Duration = Duration::from_millis(100);

/// What an ERP is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct Erp {
    pub(in super::super) address: Address,
    /// Its id at the server.
    pub(in super::super) database: String,
    /// Its file.
    pub(in super::super) file: String,
    /// Where it stands still, in its second batch.
    pub(in super::super) stop_at: Option<StopAt>,
}

/// The two moments at which nobody outside can tell whether a batch was booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum StopAt {
    /// The server knows the results, the database has not committed.
    Prepared,
    /// The database has committed, the server does not know.
    Committed,
}

/// What its database is, and what it does with an order.
pub(in super::super) fn settings(database: &str, file: &Path) -> Result<Settings, Failure> {
    let text = format!(
        r#"
database = "{database}"
engine = "sqlite"
connect = '''{}'''
setup = [
  "CREATE TABLE IF NOT EXISTS booked (id TEXT NOT NULL, process TEXT NOT NULL)",
  "CREATE TABLE IF NOT EXISTS outbox (id TEXT NOT NULL, recipient TEXT NOT NULL, answers TEXT NOT NULL)",
]

[[message]]
type = "order"
sql = [
  "INSERT INTO booked (id, process) VALUES (:id, :process)",
  "INSERT INTO outbox (id, recipient, answers) VALUES ('r-' || :id, :sender, :id)",
]

[replies]
query = "SELECT id, recipient, 'booked' AS type, answers AS payload_text, answers AS reply_to FROM outbox ORDER BY id"
then = "DELETE FROM outbox WHERE id = :id"
"#,
        file.display()
    );
    Settings::read(&text).map_err(Failure::here)
}

impl Erp {
    pub(super) async fn play(self) -> Done {
        let client = self.address.client()?;
        let mut database = Database::new(Arc::new(settings(&self.database, Path::new(&self.file))?));
        database.ready().map_err(sql)?;
        self.settle(&client, &mut database).await?;
        let mut batches = 0;
        loop {
            let start = Start { db: self.database.clone(), max_files: Some(BATCH), ..Start::default() };
            let started = client.start_process(&start, &new_key()).await.map_err(call)?;
            match (started.status, started.process) {
                (Status::Ok, Some(process)) => {
                    batches += 1;
                    let stop_at = self.stop_at.filter(|_| batches == 2);
                    book(&client, &mut database, &process, started.messages, stop_at).await?;
                }
                _ => local::pause(PAUSE).await,
            }
        }
    }

    /// What a predecessor left: its marker says whether it was booked.
    async fn settle(&self, client: &Client, database: &mut Database) -> Done {
        for process in client.processes_in(&self.database, "READY_TO_COMMIT").await.map_err(call)? {
            let committed = match database.marker(&process.id).map_err(sql)? {
                MarkerSeen::Present => true,
                MarkerSeen::Absent => false,
                MarkerSeen::Open => return Err(Failure::here("somebody else still writes to the database")),
            };
            let answer = match committed {
                true => client.commit_process(&process.id).await,
                false => {
                    client.rollback_process(&process.id, "its marker is not there: it was not booked", false).await
                }
            };
            answer.map_err(call)?;
            tell(&json!({ "at": "settled", "process": process.id, "committed": committed }))?;
        }
        tell(&json!({ "at": "ready" }))
    }
}

/// The handshake with one batch. Whatever fails ends the process, and the next one asks the marker.
async fn book(
    client: &Client,
    database: &mut Database,
    process: &str,
    messages: Vec<Message>,
    stop_at: Option<StopAt>,
) -> Done {
    let count = messages.len();
    let work = Work { process: process.to_owned(), messages, blame: Blame::default() };
    let worked = database.work(&work).map_err(sql)?;
    let prepared = client.prepare_process(process, &worked.results, &worked.replies).await.map_err(call)?;
    if prepared != Status::Ok {
        database.roll_back();
        return Ok(());
    }
    tell(&json!({ "at": "prepared", "process": process, "messages": count }))?;
    if stop_at == Some(StopAt::Prepared) {
        stand_still().await;
    }
    database.commit().map_err(|failure| Failure::here(format!("{failure:?}")))?;
    tell(&json!({ "at": "committed", "process": process, "messages": count }))?;
    if stop_at == Some(StopAt::Committed) {
        stand_still().await;
    }
    client.commit_process(process).await.map_err(call)?;
    tell(&json!({ "at": "booked", "process": process, "messages": count }))
}

fn call(error: ClientError) -> Failure {
    Failure::here(error)
}

fn sql(error: connector::SqlError) -> Failure {
    Failure::here(error.text)
}
