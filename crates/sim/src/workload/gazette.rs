//! Publishers and readers of the feed: readers stay on a live connection that is cut, resume from the cursor of the last event
//! that they have, and must see every page of every acknowledged issue once, all in one order.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Included};

use base::{Sql, args};
use kernel::SessionEvent;
use kernel::feed::LIVE;
use serde_json::{Value, json};

use super::Workload;
use crate::gazette::{Issue, PUBLISH, TOPIC, page_name};
use crate::run::act;
use crate::sim::{Asker, Event, News, Sim};

/// Whoever hears nothing for so long asks or connects anew; longer than the heartbeat.
const PATIENCE_US: u64 = 20_000_000;

#[derive(Default)]
struct Publisher {
    issues: Vec<(Issue, Outcome)>,
    turn: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Open,
    Acknowledged,
    Refused,
}

#[derive(Default)]
struct Reader {
    connection: Option<u64>,
    /// Id of the last event that it has, as it was sent.
    cursor: String,
    /// What it read since it last started over: numbers and pages.
    read: Vec<(i64, String)>,
    turn: u64,
}

/// Publishers first, then readers.
pub(super) struct GazetteClients {
    workload: usize,
    publishers: Vec<Publisher>,
    readers: Vec<Reader>,
    connections: u64,
    /// All pages by number, as they were seen in the store; kept when the store forgets them.
    pages: BTreeMap<i64, String>,
    unnumbered: bool,
    wrong: Option<String>,
    calm: bool,
}

impl GazetteClients {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let publishers: Vec<_> = (0..sim.rng.below(4)).map(|_| Publisher::default()).collect();
        let readers: Vec<_> = (0..sim.rng.below(4)).map(|_| Reader::default()).collect();
        for client in 0..publishers.len() + readers.len() {
            act(sim, Asker { workload, client, token: 0 }, 300_000);
        }
        let (pages, unnumbered) = (BTreeMap::new(), false);
        Self { workload, publishers, readers, connections: 2_000_000, pages, unnumbered, wrong: None, calm: false }
    }

    fn asker(&self, client: usize, token: u64) -> Asker {
        Asker { workload: self.workload, client, token }
    }

    fn publish(&mut self, client: usize, sim: &mut Sim) {
        let state = &mut self.publishers[client];
        if !state.issues.last().is_some_and(|(_, outcome)| *outcome == Outcome::Open) {
            let name = format!("issue {client} {:06}", state.issues.len());
            let pages = 1 + u32::try_from(sim.rng.below(3)).unwrap_or(0);
            state.issues.push((Issue { name, pages, refused: sim.rng.once_in(4) }, Outcome::Open));
        }
        let number = state.issues.len();
        let issue = state.issues[number - 1].0.clone();
        let key = issue.name.clone();
        sim.ask(self.asker(client, number as u64), &PUBLISH, issue, Some(&key));
        self.next_turn(client, PATIENCE_US, sim);
    }

    fn next_turn(&mut self, client: usize, after_us: u64, sim: &mut Sim) {
        let publishers = self.publishers.len();
        let turn = match client.checked_sub(publishers) {
            None => &mut self.publishers[client].turn,
            Some(reader) => &mut self.readers[reader].turn,
        };
        *turn += 1;
        let token = *turn;
        act(sim, self.asker(client, token), after_us);
    }

    /// Opens a connection, from the last event that the reader has.
    fn connect(&mut self, client: usize, sim: &mut Sim) {
        self.connections += 1;
        let connection = self.connections;
        let asker = self.asker(client, connection);
        let reader = &mut self.readers[client - self.publishers.len()];
        reader.connection = Some(connection);
        let follow = json!({ "topics": [TOPIC], "after": reader.cursor }).to_string().into_bytes();
        sim.after(50_000, Event::Arrive(sim.life(), Box::new(move |sim| sim.connect(asker, &LIVE))));
        let message = Event::Session(sim.life(), connection, SessionEvent::Message(follow));
        let delay_us = sim.rng.within(60_000, 100_000);
        sim.after(delay_us, message);
        if sim.rng.once_in(sim.faults.answer_lost) {
            let cut_us = sim.rng.within(100_000, 30_000_000);
            sim.after(cut_us, Event::Disconnect(sim.life(), connection));
        }
        self.next_turn(client, PATIENCE_US, sim);
    }

    /// Takes what was sent; a reader may end in the middle of it.
    fn take(&mut self, client: usize, text: &str, sim: &mut Sim) {
        let reader = client - self.publishers.len();
        for block in text.split("\n\n") {
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
            if let Some(cursor) = field("id: ") {
                self.readers[reader].cursor = cursor.to_owned();
            }
            match (field("event: "), field("data: ")) {
                (Some("error"), _) => self.readers[reader].start_over(),
                (None, Some(data)) => self.read(reader, data),
                _ => continue,
            }
            if sim.rng.once_in(sim.faults.answer_lost) {
                return self.leave(client, sim);
            }
        }
        self.next_turn(client, PATIENCE_US, sim);
    }

    fn leave(&mut self, client: usize, sim: &mut Sim) {
        self.readers[client - self.publishers.len()].connection = None;
        let away_us = sim.rng.within(100_000, 60_000_000);
        self.next_turn(client, away_us, sim);
    }

    fn read(&mut self, reader: usize, data: &str) {
        let data: Value = serde_json::from_str(data).unwrap_or_default();
        let page = data["subject"].as_str().unwrap_or_default().to_owned();
        let state = &mut self.readers[reader];
        let there = self.pages.iter().find(|(_, name)| **name == page).map(|(number, _)| *number);
        let Some(number) = there else {
            self.wrong = Some(format!("reader {reader} read {page}, which is not there"));
            return;
        };
        let next = match state.read.last() {
            Some((last, _)) => self.pages.range(last + 1..).next().map(|(number, _)| *number),
            None => Some(number),
        };
        if next != Some(number) {
            let last = state.read.last();
            self.wrong = Some(format!("reader {reader} read {number} {page} after {last:?}, not {next:?}"));
        }
        state.read.push((number, page));
    }

    fn last_page(&self) -> i64 {
        self.pages.last_key_value().map_or(0, |(number, _)| *number)
    }

    fn is_open(&self) -> bool {
        self.publishers.iter().any(|state| state.issues.last().is_some_and(|(_, outcome)| *outcome == Outcome::Open))
    }

    /// By its cursor: pages that were forgotten before it came back it will never see.
    fn is_behind(&self, reader: &Reader) -> bool {
        self.last_page() > reader.place()
    }
}

impl Reader {
    /// Number in its cursor.
    fn place(&self) -> i64 {
        self.cursor.rsplit_once('.').and_then(|(_, number)| number.parse().ok()).unwrap_or(0)
    }

    /// Its cursor was refused: it takes everything that is there as new.
    fn start_over(&mut self) {
        self.cursor.clear();
        self.read.clear();
        self.connection = None;
    }
}

impl Workload for GazetteClients {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        match asker.client.checked_sub(self.publishers.len()) {
            None => {
                let state = &self.publishers[asker.client];
                let open = state.issues.last().is_some_and(|(_, outcome)| *outcome == Outcome::Open);
                if asker.token == state.turn && (open || !self.calm) {
                    self.publish(asker.client, sim);
                }
            }
            // Nothing was heard for long: whatever became of the connection, a new one.
            Some(reader) if asker.token == self.readers[reader].turn => self.connect(asker.client, sim),
            Some(_) => {}
        }
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        match asker.client.checked_sub(self.publishers.len()) {
            None => {
                let state = &mut self.publishers[asker.client];
                let count = state.issues.len() as u64;
                let Some((issue, outcome)) = state.issues.last_mut().filter(|_| asker.token == count) else { return };
                match news {
                    News::Answer(Ok(_)) => *outcome = Outcome::Acknowledged,
                    News::Answer(Err(error)) if error.code.name == "ALIMIT" && issue.refused => {
                        *outcome = Outcome::Refused;
                    }
                    News::Answer(Err(_)) | News::Cut | News::Message(_) => {}
                }
                let pause_us = sim.rng.within(10_000, 4_000_000);
                self.next_turn(asker.client, pause_us, sim);
            }
            Some(reader) if self.readers[reader].connection == Some(asker.token) => match news {
                News::Message(bytes) => self.take(asker.client, &String::from_utf8_lossy(&bytes), sim),
                News::Cut => self.leave(asker.client, sim),
                News::Answer(_) => {}
            },
            Some(_) => {}
        }
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        let rows = sim.look(|tx| tx.query(&PAGES, args![TOPIC], 4000)).ok_or("the server is down")?;
        let rows = rows.map_err(|error| error.to_string())?;
        self.unnumbered = rows.iter().any(|row| row.opt_int(0).is_none());
        let newest = self.last_page();
        for (number, page) in rows.iter().filter_map(|row| Some((row.opt_int(0)?, row.text(1)))) {
            match self.pages.get(&number) {
                Some(before) if before == page => {}
                Some(before) => return Err(format!("event {number} was {before} and is {page}")),
                None if number < newest => return Err(format!("event {number} {page} came after {newest}")),
                None => drop(self.pages.insert(number, page.to_owned())),
            }
        }
        self.wrong.take().map_or(Ok(()), Err)?;
        self.check_published()
    }

    fn is_settled(&self) -> bool {
        !self.is_open() && !self.unnumbered && !self.readers.iter().any(|reader| self.is_behind(reader))
    }

    fn stuck(&self) -> String {
        let behind = self.readers.iter().filter(|reader| self.is_behind(reader)).count();
        let open = if self.is_open() { "an issue is not answered, " } else { "" };
        let unnumbered = if self.unnumbered { "pages have no number, " } else { "" };
        if behind == 0 && open.is_empty() && unnumbered.is_empty() {
            return String::new();
        }
        format!("{open}{unnumbered}{behind} readers have not got the last page")
    }

    fn check_settled(&mut self, _: &Sim) -> Result<(), String> {
        for reader in &self.readers {
            let Some((last, _)) = reader.read.last() else { continue };
            let passed_over = self.pages.range((Excluded(*last), Included(reader.place().max(*last)))).next();
            if let Some(missed) = passed_over {
                return Err(format!("a reader at {} read {last} last and never {missed:?}", reader.cursor));
            }
        }
        Ok(())
    }

    fn acknowledged(&self) -> u64 {
        let issues = self.publishers.iter().flat_map(|state| &state.issues);
        issues.filter(|(_, outcome)| *outcome == Outcome::Acknowledged).count() as u64
    }
}

impl GazetteClients {
    /// Each page of an acknowledged issue is there once, none of a refused one. (What waits for its number comes later.)
    fn check_published(&self) -> Result<(), String> {
        let names: BTreeSet<&String> = self.pages.values().collect();
        if names.len() != self.pages.len() {
            return Err(format!("{} pages under {} numbers", names.len(), self.pages.len()));
        }
        for (issue, outcome) in self.publishers.iter().flat_map(|state| &state.issues) {
            let there = (0..issue.pages).filter(|page| names.contains(&page_name(&issue.name, *page))).count();
            let all = there == issue.pages as usize;
            let fits = match outcome {
                Outcome::Open => !issue.refused || there == 0,
                Outcome::Acknowledged => all || self.unnumbered,
                Outcome::Refused => there == 0,
            };
            if !fits {
                return Err(format!("{} is {outcome:?}, {there} of its {} pages are there", issue.name, issue.pages));
            }
        }
        Ok(())
    }
}

static PAGES: Sql =
    Sql::new("sim.pages", "SELECT number, subject FROM event WHERE topic = ?1 ORDER BY number LIMIT 4000");
