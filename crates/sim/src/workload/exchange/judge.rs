//! Compares what the server has with what is true: after every commit, and once more when all is calm.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use base::{Row, Sql, StoreResult, Tx, Wall, args};
use exchange::Bodies;
use exchange::folders::path_of;
use exchange::message::name::FileName;
use serde_json::Value;

use super::device::Device;
use super::known::{DATABASES, Key, Known};
use crate::disk::SimDisk;
use crate::office::Office;

const ROWS: usize = 20_000;

static MESSAGES: Sql = Sql::new(
    "sim.exchange_messages",
    "SELECT m.number, m.id, m.db, m.sender, m.receiver, m.subsystem, m.at, m.place, m.process, m.draft, m.on_disk, m.due, p.state, \
     b.name, k.begins, m.size FROM exc_message m LEFT JOIN exc_process p ON p.id = m.process \
     LEFT JOIN exc_packed k ON k.number = m.number LEFT JOIN blob b ON b.sha = k.sha ORDER BY m.number LIMIT 20000",
);
static PROCESSES: Sql = Sql::new(
    "sim.exchange_processes",
    "SELECT id, db, state, ready FROM exc_process WHERE state <> 'ENDED' ORDER BY id LIMIT 20000",
);
static OUTCOMES: Sql = Sql::new(
    "sim.exchange_outcomes",
    "SELECT id, db, outcome FROM exc_process WHERE state = 'ENDED' ORDER BY id LIMIT 20000",
);
static ALERTS: Sql = Sql::new(
    "sim.exchange_alerts",
    "SELECT key FROM alert WHERE closed_at IS NULL AND kind IN ('exchange-unknown', 'exchange-failed') ORDER BY key LIMIT 20000",
);
static COUNTED: Sql = Sql::new(
    "sim.exchange_counted",
    "SELECT d.id, d.sent, d.processed, d.errors FROM exc_device d ORDER BY d.id LIMIT 20000",
);
static UNKNOWN: Sql =
    Sql::new("sim.exchange_unknown", "SELECT id, db FROM exc_process WHERE state = 'UNKNOWN' ORDER BY id LIMIT 20000");
static HELD: Sql =
    Sql::new("sim.exchange_held", "SELECT process FROM exc_message WHERE sender = ?1 AND id = ?2 AND draft = 0");

/// Processes whose outcome is unknown, with their databases (`GET …/unresolved`).
pub(super) fn unknown(tx: &mut dyn Tx) -> StoreResult<Vec<(String, String)>> {
    let rows = tx.query(&UNKNOWN, args![], ROWS)?;
    Ok(rows.iter().map(|row| (row.text(0).to_owned(), row.text(1).to_owned())).collect())
}

/// Whether a process holds a message.
pub(super) fn is_held(tx: &mut dyn Tx, sender: &str, id: &str) -> StoreResult<bool> {
    Ok(tx.query_one(&HELD, args![sender, id])?.is_some_and(|row| row.opt_text(0).is_some()))
}

/// A message as its row has it.
struct Message {
    name: FileName,
    db: String,
    place: String,
    draft: bool,
    on_disk: Option<String>,
    due: bool,
    /// The state of the process that holds it.
    held: Option<String>,
    /// The file of the pack that its text is in, and where in it.
    packed: Option<(String, Range<usize>)>,
}

impl Message {
    fn read(row: &Row) -> Self {
        let word = |column: usize| row.text(column).to_owned();
        let name = FileName {
            at: Wall(row.int(6)),
            number: row.int(0),
            id: word(1),
            from: word(3),
            to: word(4),
            subsystem: word(5),
        };
        Self {
            name,
            db: word(2),
            place: word(7),
            draft: row.int(9) == 1,
            on_disk: row.opt_text(10).map(str::to_owned),
            due: row.opt_int(11).is_some(),
            held: row.opt_text(12).map(str::to_owned),
            packed: row.opt_text(13).map(|pack| (pack.to_owned(), within(row.int(14), row.int(15)))),
        }
    }
}

/// Where a text lies that begins there and has so many bytes.
fn within(begins: i64, size: i64) -> Range<usize> {
    let place = |at: i64| usize::try_from(at).unwrap_or_default();
    place(begins)..place(begins + size)
}

/// What the server has.
pub(super) struct Seen {
    messages: Vec<Message>,
    /// Those that are not over: id, database, state, since when they may commit.
    processes: Vec<(String, String, String, Option<i64>)>,
    outcomes: Vec<(String, String, String)>,
    alerts: BTreeSet<String>,
    counted: BTreeMap<String, [i64; 3]>,
    heard: i64,
}

/// Looks at all of it.
pub(super) fn seen(tx: &mut dyn Tx) -> StoreResult<Seen> {
    let heard = tx.heard().0;
    let messages = tx.query(&MESSAGES, args![], ROWS)?.iter().map(Message::read).collect();
    let word = |row: &Row, column: usize| row.text(column).to_owned();
    let process = |row: &Row| (word(row, 0), word(row, 1), word(row, 2), row.opt_int(3));
    let processes = tx.query(&PROCESSES, args![], ROWS)?.iter().map(process).collect();
    let outcome = |row: &Row| (word(row, 0), word(row, 1), word(row, 2));
    let outcomes = tx.query(&OUTCOMES, args![], ROWS)?.iter().map(outcome).collect();
    let alerts = tx.query(&ALERTS, args![], ROWS)?.iter().map(|row| word(row, 0)).collect();
    let count = |row: &Row| (word(row, 0), [1, 2, 3].map(|column| row.int(column)));
    let counted = tx.query(&COUNTED, args![], ROWS)?.iter().map(count).collect();
    Ok(Seen { messages, processes, outcomes, alerts, counted, heard })
}

impl Seen {
    /// What always holds.
    pub(super) fn check(&self, known: &Known, ready_ms: i64) -> Result<(), String> {
        self.check_messages(known)?;
        self.check_processes(known, ready_ms)?;
        self.check_counters(known)
    }

    fn check_messages(&self, known: &Known) -> Result<(), String> {
        let mut there: BTreeSet<Key> = BTreeSet::new();
        for message in self.messages.iter().filter(|message| !message.draft) {
            let Some(device) = known.device(&message.name.from) else {
                check_reply(message, known)?;
                continue;
            };
            let key = (device, message.name.id.clone());
            check_outcome(&key, message, known)?;
            if !there.insert(key) {
                return Err(format!("message {} is there twice", message.name.text()));
            }
        }
        match known.acknowledged.difference(&there).next() {
            Some(lost) => Err(format!("message {lost:?} was acknowledged and is not there")),
            None => Ok(()),
        }
    }

    fn check_processes(&self, known: &Known, ready_ms: i64) -> Result<(), String> {
        let mut wanted = BTreeSet::new();
        let mut active = BTreeSet::new();
        for (id, db, state, ready) in &self.processes {
            if matches!(state.as_str(), "UNKNOWN" | "FAILED") {
                wanted.insert(format!("exchange-process/{id}"));
            } else if !active.insert(db) {
                return Err(format!("two processes of {db} are active"));
            }
            let waited_ms = self.heard - ready.unwrap_or(self.heard);
            if state == "UNKNOWN" && (known.settled.contains(id) || waited_ms < ready_ms) {
                return Err(format!(
                    "process {id} is unknown after {waited_ms} ms, though its outcome was told or may be"
                ));
            }
        }
        if wanted == self.alerts { Ok(()) } else { Err(format!("alerts are {:?}, not {wanted:?}", self.alerts)) }
    }

    /// What is counted of a device is what it did (EXC-23).
    fn check_counters(&self, known: &Known) -> Result<(), String> {
        for (number, device) in known.devices.iter().enumerate() {
            let own = || self.messages.iter().filter(|message| message.name.from == *device);
            let told = |message: &&Message| message.held.as_deref() != Some("UNKNOWN");
            let in_place = |place: &str| own().filter(|message| message.place == place).filter(told).count();
            let truth = [own().count(), in_place("log"), in_place("error")];
            let truth = truth.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
            if self.counted.get(device).is_some_and(|counted| *counted != truth) {
                let counted = &self.counted[device];
                return Err(format!("device {number} is counted {counted:?} (sent, processed, errors), not {truth:?}"));
            }
        }
        Ok(())
    }

    /// What keeps this world from being settled.
    pub(super) fn open(&self) -> Vec<String> {
        let waits = |message: &&Message| message.due || !matches!(message.place.as_str(), "log" | "error");
        let messages = self.messages.iter().filter(waits);
        let open = messages.map(|message| {
            let Message { name, db, place, held, on_disk, due, .. } = message;
            format!("{} of {db} in {place}, held by {held:?}, on disk in {on_disk:?}, due {due}", name.text())
        });
        let processes = self.processes.iter().map(|process| format!("{process:?}"));
        open.chain(processes).collect()
    }

    /// What holds when nothing is open any more: everything happened exactly once, and everybody knows it.
    pub(super) fn check_settled(&self, known: &Known, devices: &[Device]) -> Result<(), String> {
        for (books, (name, _)) in known.books.iter().zip(DATABASES) {
            for (id, (device, _)) in &books.replies {
                if !devices[*device].has(name, id) {
                    return Err(format!("reply {id} of {name} was committed, and device {device} did not get it"));
                }
            }
        }
        for (id, db, outcome) in &self.outcomes {
            let truth = Known::database(db).is_some_and(|number| known.books[number].committed.contains(id));
            if truth != (outcome == "committed") {
                return Err(format!("process {id} of {db} is {outcome}; committed in its database: {truth}"));
            }
        }
        let done = |key: &&Key| known.books.iter().any(|books| books.is_done(key));
        let all = known.acknowledged.iter().filter(done).count();
        if all == known.acknowledged.len() { Ok(()) } else { Err("an acknowledged message is not done".into()) }
    }

    /// Files that are known to lie somewhere lie there.
    pub(super) fn check_files(&self, office: &Office) -> Result<(), String> {
        let Some(disk) = disk_of(office, Bodies::Folders) else { return Ok(()) };
        let files = disk.files();
        for message in self.messages.iter().filter(|message| !message.due) {
            let place = message.on_disk.as_deref().unwrap_or("gone");
            let path = path_of(&message.db, place, &message.name.text());
            if !path.as_ref().is_some_and(|path| files.contains_key(path.as_str())) {
                return Err(format!("{} in {place} is not on the disk", message.name.text()));
            }
        }
        Ok(())
    }

    /// What is in a pack by its row is on the disk, and is what was sent.
    pub(super) fn check_packs(&self, known: &Known, office: &Office) -> Result<(), String> {
        let Some(disk) = disk_of(office, Bodies::Blobs) else { return Ok(()) };
        let files = disk.files();
        for message in &self.messages {
            let Some((pack, range)) = &message.packed else { continue };
            let name = message.name.text();
            let bytes = files.get(pack).and_then(|bytes| bytes.get(range.clone()));
            let bytes = bytes.ok_or_else(|| format!("the text of {name} is not in {pack}"))?;
            let content: Value = serde_json::from_slice(bytes).map_err(|error| format!("{name} in {pack}: {error}"))?;
            if sent(message, known).is_some_and(|sent| *sent != content) {
                return Err(format!("{name} in {pack} is {content}"));
            }
        }
        Ok(())
    }

    /// All that is done is in packs.
    pub(super) fn check_all_packed(&self, office: &Office) -> Result<(), String> {
        let is_left = |message: &&Message| message.held.is_none() && message.packed.is_none();
        match disk_of(office, Bodies::Blobs).and_then(|_| self.messages.iter().find(is_left)) {
            Some(message) => Err(format!("{} in {} is in no pack", message.name.text(), message.place)),
            None => Ok(()),
        }
    }

    /// Folders and rows agree exactly: no file is missing, none is too many, none lies elsewhere, each is whole.
    pub(super) fn check_folders(&self, known: &Known, office: &Office) -> Result<(), String> {
        let Some(disk) = disk_of(office, Bodies::Folders) else { return Ok(()) };
        let mut files = disk.files();
        for message in &self.messages {
            let text = message.name.text();
            let path = path_of(&message.db, &message.place, &text).ok_or_else(|| format!("no path of {text}"))?;
            let Some(bytes) = files.remove(path.as_str()) else {
                return Err(format!("{path} is missing; there is {:?}", files.keys().collect::<Vec<_>>()));
            };
            let content: Value = serde_json::from_slice(&bytes).map_err(|error| format!("{path}: {error}"))?;
            if sent(message, known).is_some_and(|sent| *sent != content) {
                return Err(format!("{path} has {content}"));
            }
        }
        // What a failed write left is swept at the next start; the generation is the folders' own.
        let is_left = |path: &&String| !path.contains(".tmp-") && *path != "generation";
        match files.keys().find(is_left) {
            Some(foreign) => Err(format!("{foreign} is no message's file")),
            None => Ok(()),
        }
    }
}

/// The disk of an office whose bodies are there.
fn disk_of(office: &Office, bodies: Bodies) -> Option<&SimDisk> {
    office.disk.as_ref().filter(|_| office.settings.bodies == bodies)
}

/// What was sent, or replied, under this name; words of the server itself are not known.
fn sent<'a>(message: &Message, known: &'a Known) -> Option<&'a Value> {
    let FileName { from, id, .. } = &message.name;
    match known.device(from) {
        Some(device) => known.sent.get(&(device, id.clone())),
        None => Some(&known.books[Known::database(from)?].replies.get(id)?.1),
    }
}

/// What a device sent stands where its database put it.
fn check_outcome(key: &Key, message: &Message, known: &Known) -> Result<(), String> {
    let Some(books) = Known::database(&message.db).map(|number| &known.books[number]) else {
        return Err(format!("message {key:?} is of {}", message.db));
    };
    let unknown = message.held.as_deref() == Some("UNKNOWN");
    let (processed, wrong) = (books.effects.contains_key(key), books.wrong.contains(key));
    let good = match message.place.as_str() {
        "log" => processed,
        "error" => wrong || unknown,
        "messages" => message.held.is_some() || !(processed || wrong),
        "unknown" => unknown,
        _ => false,
    };
    if good {
        return Ok(());
    }
    let Message { place, held, .. } = message;
    Err(format!("message {key:?} is in {place}, held by {held:?}; processed: {processed}, wrong: {wrong}"))
}

/// A reply that anybody may see is one that its database committed; words of the server have ids of its own.
fn check_reply(message: &Message, known: &Known) -> Result<(), String> {
    let FileName { id, from, .. } = &message.name;
    let committed = Known::database(from).is_some_and(|number| known.books[number].replies.contains_key(id));
    if committed || !id.starts_with("r-") {
        return Ok(());
    }
    Err(format!("reply {id} of {from} goes out, and was not committed"))
}
