//! Clients of the ledger: deposits and transfers with and without Idempotency-Key, repeated until they are settled.

use std::collections::{BTreeMap, HashMap};

use base::{OpError, Row, Sql, args};
use ledger::ops::add_entry::{ADD_ENTRY, AddEntry};
use ledger::ops::transfer::{TRANSFER, Transfer};
use serde_json::Value;

use super::Workload;
use crate::courier::{self, BUMP_ONE};
use crate::run::act;
use crate::sim::{Asker, News, Sim};

const ACCOUNTS: [&str; 3] = ["a", "b", "c"];
/// A client that hears nothing for so long asks again.
const PATIENCE_US: u64 = 15_000_000;

#[derive(Debug, Clone)]
enum Question {
    Deposit { account: &'static str, amount: i64 },
    Transfer { from: &'static str, to: &'static str, amount: i64 },
    Bump,
}

#[derive(Debug, Clone, PartialEq)]
enum Known {
    Open,
    Done(Value),
    Refused(&'static str),
    /// Asked without a key and not answered, or one copy refused while another was on its way: done once or not at all.
    Unknown,
}

#[derive(Debug, Clone)]
struct Asked {
    question: Question,
    keyed: bool,
    /// Asked without a key, and told that it was not done.
    may_ask_again: bool,
    /// Copies that were sent. A refusal is final only if there was one: refusals are not kept, so a second copy may fare
    /// better.
    sent: u64,
    known: Known,
}

#[derive(Default)]
struct Client {
    asked: Vec<Asked>,
    /// Number of the last try.
    token: u64,
    /// Number of the first try of the last question: answers to earlier ones are to earlier questions.
    first: u64,
}

/// Some clients.
pub(super) struct LedgerClients {
    workload: usize,
    clients: Vec<Client>,
    calm: bool,
}

impl LedgerClients {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let count = usize::try_from(sim.rng.within(1, 6)).unwrap_or(1);
        for client in 0..count {
            let after_us = sim.rng.below(1_000_000);
            act(sim, Asker { workload, client, token: 0 }, after_us);
        }
        Self { workload, clients: (0..count).map(|_| Client::default()).collect(), calm: false }
    }

    fn think(sim: &mut Sim, asker: Asker) {
        let after_us = if sim.rng.once_in(2) { sim.rng.below(1_000) } else { sim.rng.below(4_000_000) };
        act(sim, asker, after_us);
    }

    /// Asks the client's last question, for the first time or again.
    fn ask(&mut self, client: usize, sim: &mut Sim) {
        let state = &mut self.clients[client];
        state.token += 1;
        let asker = Asker { workload: self.workload, client, token: state.token };
        let number = state.asked.len();
        let asked = &mut state.asked[number - 1];
        asked.may_ask_again = false;
        let key = key(client, number);
        let once = asked.keyed.then_some(key.as_str());
        match &asked.question {
            Question::Deposit { account, amount } => {
                let input = AddEntry { account: (*account).to_owned(), amount: *amount, memo: key.clone() };
                asked.sent += sim.ask(asker, &ADD_ENTRY, input, once);
            }
            Question::Transfer { from, to, amount } => {
                let input = Transfer { from: (*from).to_owned(), to: (*to).to_owned(), amount: *amount };
                asked.sent += sim.ask(asker, &TRANSFER, input, once);
            }
            Question::Bump => asked.sent += sim.ask(asker, &BUMP_ONE, key.clone(), once),
        }
        act(sim, asker, PATIENCE_US);
    }

    fn draw(sim: &mut Sim) -> Asked {
        let account = *sim.rng.pick(&ACCOUNTS);
        let amount = i64::try_from(sim.rng.within(1, 20)).unwrap_or(1);
        let question = if sim.rng.once_in(4) {
            Question::Bump
        } else if sim.rng.once_in(3) {
            Question::Transfer { from: account, to: sim.rng.pick::<&'static str>(&ACCOUNTS), amount }
        } else {
            Question::Deposit { account, amount: if sim.rng.once_in(4) { -amount } else { amount } }
        };
        Asked { question, keyed: !sim.rng.once_in(4), may_ask_again: false, sent: 0, known: Known::Open }
    }

    fn all_asked(&self) -> impl Iterator<Item = (String, &Asked)> {
        self.clients.iter().enumerate().flat_map(|(client, state)| {
            state.asked.iter().enumerate().map(move |(at, asked)| (key(client, at + 1), asked))
        })
    }
}

fn key(client: usize, number: usize) -> String {
    format!("{client}-{number:06}")
}

impl Workload for LedgerClients {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        let calm = self.calm;
        let state = &mut self.clients[asker.client];
        let open = state.asked.last().is_some_and(|asked| asked.known == Known::Open);
        if open && asker.token == state.token {
            return if state.asked.last().is_some_and(|asked| asked.keyed || asked.may_ask_again) {
                self.ask(asker.client, sim);
            } else {
                self.hear(asker, News::Cut, sim);
            };
        }
        if !open && !calm && asker.token == state.token {
            state.asked.push(Self::draw(sim));
            state.first = state.token + 1;
            self.ask(asker.client, sim);
        }
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        let state = &mut self.clients[asker.client];
        let Some(asked) = state.asked.last_mut().filter(|asked| asked.known == Known::Open) else { return };
        // A late answer to an earlier try of the same question is as good as any.
        if asker.token < state.first {
            return;
        }
        // Some clients take our word for it: what is not unknown was not done, and they never ask again.
        let trusts = asked.sent == 1 && is_told_not_done(&news) && sim.rng.once_in(3);
        let again = match judge(&news, asked.keyed) {
            None if trusts => {
                asked.known = Known::Refused("a fault");
                false
            }
            Some(Known::Refused(_)) if asked.sent > 1 => {
                asked.known = Known::Unknown;
                false
            }
            Some(known) => {
                asked.known = known;
                false
            }
            None => {
                asked.may_ask_again = true;
                true
            }
        };
        let line = format!("client {} hears {}", asker.client, news.in_short());
        sim.say(&line);
        let last = asker.token == state.token;
        if again && last {
            let pause_us = sim.rng.within(10_000, 2_000_000);
            act(sim, asker, pause_us);
        } else if !again {
            let token = state.token;
            Self::think(sim, Asker { token, ..asker });
        }
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        let book = Book::read(sim)?;
        book.check_versions()?;
        self.all_asked().try_for_each(|(key, asked)| book.check(&key, asked))
    }

    fn is_settled(&self) -> bool {
        self.all_asked().all(|(_, asked)| asked.known != Known::Open)
    }

    fn stuck(&self) -> String {
        let open = self.all_asked().filter(|(_, asked)| asked.known == Known::Open);
        open.map(|(key, asked)| format!("{key} {:?}", asked.question)).collect::<Vec<_>>().join(", ")
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        let book = Book::read(sim)?;
        let done = |asked: &Asked| matches!(asked.known, Known::Done(_));
        let transfer = |asked: &Asked| matches!(asked.question, Question::Transfer { .. });
        let expected = self.all_asked().filter(|(_, asked)| done(asked) && transfer(asked)).count();
        let unknown = self.all_asked().filter(|(_, asked)| asked.known == Known::Unknown && transfer(asked)).count();
        let found = book.entries.iter().filter(|entry| entry.memo.starts_with("to ")).count();
        if (expected..=expected + unknown).contains(&found) {
            return Ok(());
        }
        Err(format!("{found} transfers are booked, {expected} were acknowledged and {unknown} are unknown"))
    }

    fn acknowledged(&self) -> u64 {
        self.all_asked().filter(|(_, asked)| matches!(asked.known, Known::Done(_))).count() as u64
    }
}

/// What a client makes of what it heard; nothing if it has to ask again.
fn judge(news: &News, keyed: bool) -> Option<Known> {
    match news {
        News::Answer(Ok(answer)) => Some(Known::Done(answer.out.clone())),
        News::Answer(Err(OpError { code, .. })) if matches!(code.letter(), 'A' | 'N') => {
            Some(Known::Refused(code.name))
        }
        _ if keyed => None,
        // Without a key a client that is told "not done" may ask again; one that does not know may not.
        News::Answer(Err(error)) if !error.outcome_unknown => None,
        News::Answer(Err(_)) | News::Cut | News::Message(_) => Some(Known::Unknown),
    }
}

/// Whether the answer says that it was not done, because something was in the way.
fn is_told_not_done(news: &News) -> bool {
    matches!(news, News::Answer(Err(error)) if !error.outcome_unknown)
}

struct Entry {
    id: String,
    account: String,
    amount: i64,
    memo: String,
    version: i64,
}

/// What is committed.
struct Book {
    entries: Vec<Entry>,
    /// Balance of the account after each entry.
    balances: HashMap<String, i64>,
    by_memo: BTreeMap<String, Vec<usize>>,
    bumped: BTreeMap<String, i64>,
}

static ENTRIES: Sql = Sql::new(
    "sim.entries",
    "SELECT id, account, amount, memo, version FROM ledger_entry ORDER BY version, id LIMIT 4000",
);
static JOURNAL: Sql = Sql::new("sim.journal", "SELECT COUNT(*) FROM journal WHERE kind = 'ledger.transfer'");

impl Book {
    fn read(sim: &Sim) -> Result<Self, String> {
        let seen = sim.look(|tx| Ok((tx.query(&ENTRIES, args![], 4000)?, tx.query_one(&JOURNAL, args![])?)));
        let (rows, journal) = seen.ok_or("the server is down")?.map_err(|error| error.to_string())?;
        let bumped = sim.look(courier::bumped).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        let book = Self { bumped, ..Self::of(rows.iter().map(entry).collect()) };
        let (lines, transfers) = (journal.map_or(0, |row| row.int(0)), book.transfers());
        if lines != transfers {
            return Err(format!(
                "{transfers} transfers left {lines} journal lines: effects are not one with their operation"
            ));
        }
        Ok(book)
    }

    fn of(entries: Vec<Entry>) -> Self {
        let (mut running, mut balances) = (HashMap::<String, i64>::new(), HashMap::new());
        let mut by_memo = BTreeMap::<String, Vec<usize>>::new();
        for (at, entry) in entries.iter().enumerate() {
            let balance = running.entry(entry.account.clone()).or_default();
            *balance += entry.amount;
            balances.insert(entry.id.clone(), *balance);
            by_memo.entry(entry.memo.clone()).or_default().push(at);
        }
        Self { entries, balances, by_memo, bumped: BTreeMap::new() }
    }

    fn transfers(&self) -> i64 {
        i64::try_from(self.entries.iter().filter(|entry| entry.memo.starts_with("to ")).count()).unwrap_or(0)
    }

    /// Versions rise strictly per account (KER-5): no two entries of one account have the same.
    fn check_versions(&self) -> Result<(), String> {
        let mut last = HashMap::new();
        for entry in &self.entries {
            if last.insert(&entry.account, entry.version) == Some(entry.version) {
                return Err(format!("account {} has two entries of version {}", entry.account, entry.version));
            }
            if self.balances[&entry.id] < 0 {
                return Err(format!("account {} goes below zero in the order of its versions", entry.account));
            }
        }
        Ok(())
    }

    fn check(&self, key: &str, asked: &Asked) -> Result<(), String> {
        let entries = self.by_memo.get(key).map_or(0, Vec::len);
        let bumps = self.bumped.get(key).copied().unwrap_or(0);
        let found = entries + usize::try_from(bumps).unwrap_or(0);
        match &asked.known {
            _ if found > 1 => Err(format!("{key} was done {found} times")),
            Known::Done(out) => match asked.question {
                Question::Deposit { .. } => self.check_deposit(key, asked, out),
                Question::Transfer { .. } => self.check_transfer(key, asked, out),
                Question::Bump if found == 1 => Ok(()),
                Question::Bump => Err(format!("{key} was acknowledged and is not there")),
            },
            Known::Refused(code) if found > 0 => Err(format!("{key} was refused with {code} and done all the same")),
            Known::Open | Known::Unknown | Known::Refused(_) => Ok(()),
        }
    }

    /// What was acknowledged is there, and the balance that was told is the one in the order of versions.
    fn check_deposit(&self, key: &str, asked: &Asked, out: &Value) -> Result<(), String> {
        let entry = self.by_memo.get(key).map(|at| &self.entries[at[0]]);
        let Some(entry) = entry else { return Err(format!("{key} was acknowledged with {out} and is not there")) };
        let Question::Deposit { account, amount } = &asked.question else { return Ok(()) };
        let same =
            out["id"] == entry.id && out["version"] == entry.version && out["balance"] == self.balances[&entry.id];
        if same && entry.account == *account && entry.amount == *amount {
            return Ok(());
        }
        let balance = self.balances[&entry.id];
        Err(format!("{key} was answered {out}, but there is {} version {} balance {balance}", entry.id, entry.version))
    }

    fn check_transfer(&self, key: &str, asked: &Asked, out: &Value) -> Result<(), String> {
        let Question::Transfer { from, to, amount } = &asked.question else { return Ok(()) };
        let booked = |account: &str, amount: i64, told: &Value| {
            let same =
                |entry: &&Entry| entry.account == account && out["version"] == entry.version && entry.amount == amount;
            self.entries.iter().find(same).is_some_and(|entry| *told == self.balances[&entry.id])
        };
        if booked(from, -amount, &out["from_balance"]) && booked(to, *amount, &out["to_balance"]) {
            return Ok(());
        }
        let version = &out["version"];
        let there: Vec<String> = self
            .entries
            .iter()
            .filter(|entry| *version == entry.version)
            .map(|entry| format!("{} {} {} → {}", entry.account, entry.amount, entry.memo, self.balances[&entry.id]))
            .collect();
        Err(format!("{key} {:?} was acknowledged with {out}; of this version there is {there:?}", asked.question))
    }
}

fn entry(row: &Row) -> Entry {
    Entry {
        id: row.text(0).to_owned(),
        account: row.text(1).to_owned(),
        amount: row.int(2),
        memo: row.text(3).to_owned(),
        version: row.int(4),
    }
}
