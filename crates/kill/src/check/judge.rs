//! Compares histories with the books.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::books::{Backstage, Books, Entry};
use super::violation;
use crate::load::{Known, POOL, Request, Work, Writer, label};

/// Memo of the entry that opened the pool.
const OPENING: &str = "";

/// Judges everything that all clients were ever told by these books.
///
/// # Errors
/// A promise was broken.
pub fn judge(books: &Books, writers: &[&Writer]) -> Result<()> {
    let mut shelf = Shelf::of(books)?;
    for writer in writers {
        judge_writer(&mut shelf, writer)?;
    }
    shelf.nothing_left()?;
    for (account, entries) in &shelf.accounts {
        judge_account(account, entries, books.accounts.get(*account).copied())?;
        if let Some(told) = shelf.told.get(*account) {
            judge_told(account, entries, told)?;
        }
    }
    books.backstage.as_ref().map_or(Ok(()), |backstage| judge_backstage(backstage, &shelf, writers))
}

/// The entries, found by what they say.
struct Shelf<'a> {
    /// By account, in the order of their versions.
    accounts: BTreeMap<&'a str, Vec<&'a Entry>>,
    /// By account, memo and amount.
    found: BTreeMap<(&'a str, String, i64), Vec<&'a Entry>>,
    /// What was done, by the label of its request.
    done: BTreeSet<String>,
    /// By account and version: what was told of it, and when.
    told: BTreeMap<String, BTreeMap<i64, Told>>,
}

#[derive(Clone, Copy)]
struct Told {
    balance: i64,
    invoked: Instant,
    acked: Instant,
}

impl<'a> Shelf<'a> {
    fn of(books: &'a Books) -> Result<Self> {
        let (mut accounts, mut found) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for entry in &books.entries {
            accounts.entry(entry.account.as_str()).or_default().push(entry);
            found.entry((entry.account.as_str(), entry.memo.clone(), entry.amount)).or_default().push(entry);
        }
        accounts.values_mut().for_each(|entries| entries.sort_by_key(|entry| entry.version));
        found.remove(&(POOL, OPENING.to_owned(), 0));
        let ids: BTreeSet<&str> = books.entries.iter().map(|entry| entry.id.as_str()).collect();
        ensure!(ids.len() == books.entries.len(), violation("two entries have one id"));
        Ok(Self { accounts, found, done: BTreeSet::new(), told: BTreeMap::new() })
    }

    /// Takes the entries out that look like this.
    fn take(&mut self, account: &'a str, memo: String, amount: i64) -> Vec<&'a Entry> {
        self.found.remove(&(account, memo, amount)).unwrap_or_default()
    }

    fn tell(&mut self, account: &str, version: i64, told: Told) {
        self.told.entry(account.to_owned()).or_default().insert(version, told);
    }

    fn nothing_left(&self) -> Result<()> {
        let left: Vec<_> = self.found.values().flatten().take(3).collect();
        ensure!(left.is_empty(), violation(format!("nobody asked for {left:?}")));
        Ok(())
    }
}

fn judge_writer<'a>(shelf: &mut Shelf<'a>, writer: &'a Writer) -> Result<()> {
    for (number, request) in writer.requests() {
        let label = label(&writer.name, *number);
        let entries = match writer.plan.work(*number) {
            Work::Entry(amount) => shelf.take(&writer.name, label.clone(), amount),
            Work::Transfer(amount) => transfer(shelf, &writer.name, &label, amount)?,
        };
        let (times, may) = (entries.len(), request.effects());
        ensure!(may.contains(&times), violation(format!("{label} was done {times} times, not {may:?}: {request:?}")));
        if times == 1 {
            shelf.done.insert(label.clone());
        }
        if let (Known::Done(answer), [entry]) = (&request.known, entries.as_slice()) {
            judge_answer(shelf, writer.plan.work(*number), &label, answer, (entry, request))?;
        }
    }
    Ok(())
}

/// Both sides of a transfer; there must be as many of one as of the other.
fn transfer<'a>(shelf: &mut Shelf<'a>, name: &'a str, label: &str, amount: i64) -> Result<Vec<&'a Entry>> {
    let gives = shelf.take(name, format!("to {POOL}"), -amount);
    let takes = shelf.take(POOL, format!("from {name}"), amount);
    let versions = |entries: &[&Entry]| entries.iter().map(|entry| entry.version).collect::<Vec<_>>();
    let (given, taken) = (versions(&gives), versions(&takes));
    ensure!(given == taken, violation(format!("{label}: given under {given:?}, taken under {taken:?}")));
    Ok(gives)
}

/// What was told is what is there.
fn judge_answer(
    shelf: &mut Shelf<'_>,
    work: Work,
    label: &str,
    answer: &Value,
    (entry, request): (&Entry, &Request),
) -> Result<()> {
    let number = |name: &str| answer[name].as_i64().unwrap_or(i64::MIN);
    let same = number("version") == entry.version && (answer["id"].is_null() || answer["id"] == entry.id);
    ensure!(same, violation(format!("{label}: told {answer}, there is {entry:?}")));
    let (invoked, acked) = (request.invoked, request.acked.unwrap_or(request.invoked));
    let told = |name: &str| Told { balance: number(name), invoked, acked };
    match work {
        Work::Entry(_) => shelf.tell(&entry.account, entry.version, told("balance")),
        Work::Transfer(_) => {
            shelf.tell(&entry.account, entry.version, told("from_balance"));
            shelf.tell(POOL, entry.version, told("to_balance"));
        }
    }
    Ok(())
}

/// An account as one serial history.
fn judge_account(account: &str, entries: &[&Entry], shown: Option<(i64, i64)>) -> Result<()> {
    let rising = entries.windows(2).all(|pair| pair[0].version < pair[1].version);
    ensure!(rising, violation(format!("{account}: two entries under one version")));
    let balances = balances(entries);
    let lowest = balances.values().min().copied().unwrap_or(0);
    ensure!(lowest >= 0, violation(format!("{account} went down to {lowest}")));
    let last = balances.last_key_value().map(|(version, balance)| (*balance, *version));
    ensure!(shown == last, violation(format!("{account} shows {shown:?}, its entries say {last:?}")));
    Ok(())
}

fn balances(entries: &[&Entry]) -> BTreeMap<i64, i64> {
    let running = entries.iter().scan(0, |balance, entry| {
        *balance += entry.amount;
        Some((entry.version, *balance))
    });
    running.collect()
}

/// Every balance that was told was true at its version, and versions do not contradict the clock on the wall: what was
/// acknowledged before another was asked comes before it.
fn judge_told(account: &str, entries: &[&Entry], told: &BTreeMap<i64, Told>) -> Result<()> {
    let balances = balances(entries);
    let mut last_invoked: Option<(i64, Instant)> = None;
    for (version, told) in told {
        let (said, there) = (told.balance, balances.get(version));
        ensure!(there == Some(&said), violation(format!("{account} at {version}: told {said}, there is {there:?}")));
        if let Some((earlier, invoked)) = last_invoked {
            let in_order = told.acked >= invoked;
            ensure!(in_order, violation(format!("{account}: {version} was done before {earlier} was asked")));
        }
        if last_invoked.is_none_or(|(_, invoked)| invoked < told.invoked) {
            last_invoked = Some((*version, told.invoked));
        }
    }
    Ok(())
}

fn judge_backstage(backstage: &Backstage, shelf: &Shelf<'_>, writers: &[&Writer]) -> Result<()> {
    for writer in writers {
        for (number, request) in writer.requests() {
            judge_rows(backstage, shelf, writer, *number, request)?;
        }
    }
    Ok(())
}

/// The effects that nobody sees over HTTP happened with their operation, or not at all.
fn judge_rows(backstage: &Backstage, shelf: &Shelf<'_>, writer: &Writer, number: u64, request: &Request) -> Result<()> {
    let label = label(&writer.name, number);
    let done = shelf.done.contains(&label);
    if let Work::Transfer(amount) = writer.plan.work(number) {
        let line = (writer.name.clone(), format!("{amount} to {POOL}"));
        let lines = backstage.journal.get(&line).copied().unwrap_or(0);
        ensure!(lines == usize::from(done), violation(format!("{label}: done {done}, journal lines {lines}")));
    }
    let kept = backstage.requests.contains(&label);
    let wanted = done && writer.plan.is_keyed(number);
    ensure!(kept == wanted, violation(format!("{label}: row of its key {kept}, wanted {wanted}: {request:?}")));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, account: &str, amount: i64, memo: &str, version: i64) -> Entry {
        let (id, account, memo) = (id.to_owned(), account.to_owned(), memo.to_owned());
        Entry { id, account, amount, memo, version }
    }

    #[test]
    fn an_account_shows_the_sum_of_its_entries() {
        let (one, two) = (entry("1", "a", 5, "x", 10), entry("2", "a", -2, "y", 11));
        let entries = [&one, &two];
        judge_account("a", &entries, Some((3, 11))).unwrap();
        assert!(judge_account("a", &entries, Some((5, 11))).is_err());
        assert!(judge_account("a", &[&two], Some((-2, 11))).is_err());
        assert!(judge_account("a", &[&one, &one], Some((10, 10))).is_err());
    }

    #[test]
    fn what_was_told_late_cannot_have_been_first() {
        let (one, two) = (entry("1", "a", 5, "x", 10), entry("2", "a", 2, "y", 11));
        let (begun, later) = (Instant::now(), std::time::Duration::from_secs(1));
        let first = Told { balance: 5, invoked: begun, acked: begun + later };
        let check = |second: Told| judge_told("a", &[&one, &two], &BTreeMap::from([(10, first), (11, second)]));
        check(Told { balance: 7, invoked: begun + 2 * later, acked: begun + 3 * later }).unwrap();
        assert!(check(Told { balance: 6, invoked: begun + 2 * later, acked: begun + 3 * later }).is_err());
        let first = Told { balance: 5, invoked: begun + 2 * later, acked: begun + 3 * later };
        let second = Told { balance: 7, invoked: begun, acked: begun + later };
        assert!(judge_told("a", &[&one, &two], &BTreeMap::from([(10, first), (11, second)])).is_err());
    }
}
