//! The contest: what every server of documents is asked, in turn, round after round.

use std::fmt::Write as _;

use anyhow::Result;

use super::DOCUMENTS;
use super::drive::{Figures, ask_all, drive};
use super::process::Process;
use crate::contest::{Effort, median};
use crate::report::{Figure, Unit};

/// Cities that the documents are spread over; each is found by search with so many of them.
pub const CITIES: usize = 200;
/// Documents of a page of a search.
pub const PAGE: usize = 20;

/// One person of an address book.
pub struct Contact {
    pub number: usize,
    /// Grows with each change.
    pub turn: usize,
}

impl Contact {
    /// 15 letters and digits, as PocketBase wants them.
    pub fn id(&self) -> String {
        format!("contact{:08}", self.number)
    }

    pub fn city(&self) -> String {
        city(self.number % CITIES)
    }

    /// Its properties as JSON.
    pub fn json(&self) -> String {
        let (number, turn, city) = (self.number, self.turn, self.city());
        let age = 18 + number % 60;
        format!(r#"{{"name":"Person {number}","city":"{city}","age":{age},"note":"turn {turn} of {number}"}}"#)
    }
}

pub fn city(number: usize) -> String {
    format!("City{number:03}")
}

/// A server of documents.
pub trait Side {
    fn name(&self) -> String;

    fn process(&self) -> &Process;

    /// The request that makes a document.
    fn create(&self, contact: &Contact) -> Vec<u8>;

    /// The request that changes one that is there.
    fn change(&self, contact: &Contact) -> Vec<u8>;

    /// The request that reads one.
    fn read(&self, contact: &Contact) -> Vec<u8>;

    /// The request for a page of those of a city.
    fn search(&self, city: &str) -> Vec<u8>;

    /// Makes documents one by one.
    fn load(&self, count: usize) -> Result<()> {
        let requests: Vec<_> = (0..count).map(|number| self.create(&Contact { number, turn: 0 })).collect();
        ask_all(self.process().address, &requests).map(drop)
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Changes of one document each, by so many clients.
    Commits(usize),
    /// New documents, by so many clients.
    Creations(usize),
    Reads(usize),
    Searches(usize),
}

impl Line {
    pub const ALL: [Self; 7] = [
        Self::Commits(1),
        Self::Commits(64),
        Self::Commits(256),
        Self::Creations(256),
        Self::Reads(1),
        Self::Reads(64),
        Self::Searches(64),
    ];

    pub fn title(self) -> String {
        match self {
            Self::Commits(clients) => format!("commits that change one document, {clients} clients"),
            Self::Creations(clients) => format!("commits that make a document, {clients} clients"),
            Self::Reads(clients) => format!("reads of one document, {clients} clients"),
            Self::Searches(clients) => {
                format!("searches for {PAGE} of {} documents, {clients} clients", DOCUMENTS / CITIES)
            }
        }
    }

    /// Durable commits a second on two cores, of DOC-17.
    fn goal(self) -> Option<f64> {
        (self == Self::Commits(256)).then_some(20_000.0)
    }

    fn clients(self) -> usize {
        match self {
            Self::Commits(clients) | Self::Creations(clients) | Self::Reads(clients) | Self::Searches(clients) => {
                clients
            }
        }
    }

    fn requests(self, side: &dyn Side, round: usize, most: usize) -> Vec<Vec<u8>> {
        // Another one than in the rounds of other lines.
        let turn = round + self.clients();
        // Spread, so that neighbours in time are no neighbours in the store.
        let spread = |at: usize| Contact { number: at * 7_919 % DOCUMENTS, turn };
        match self {
            Self::Commits(_) => (0..DOCUMENTS).map(|at| side.change(&spread(at))).collect(),
            Self::Creations(_) => {
                let number = |at| 1_000_000 * (round + 1) + at;
                (0..most).map(|at| side.create(&Contact { number: number(at), turn })).collect()
            }
            Self::Reads(_) => (0..DOCUMENTS).map(|at| side.read(&spread(at))).collect(),
            Self::Searches(_) => (0..CITIES).map(|at| side.search(&city(at))).collect(),
        }
    }
}

/// New documents that one client side may make in a second; more would be made twice.
const CREATIONS_MAX: f64 = 60_000.0;

/// All sides in turn.
pub fn contest(effort: &Effort, line: Line, sides: &[Box<dyn Side>]) -> Result<()> {
    if !line.title().contains(&effort.only) {
        return Ok(());
    }
    let mut shown: Vec<Vec<Figures>> = sides.iter().map(|_| vec![]).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundred thousand")]
    let most = (CREATIONS_MAX * effort.side.as_secs_f64()) as usize;
    for round in 0..effort.rounds {
        for (side, shown) in sides.iter().zip(&mut shown) {
            let requests = line.requests(side.as_ref(), round, most);
            let process = side.process();
            shown.push(drive(process.address, &process.processor(), &requests, line.clients(), effort.side)?);
        }
    }
    println!("\n{}; medians of {} rounds [lowest – highest]", line.title(), effort.rounds);
    let ours = of(&shown[0], |figures| figures.rate);
    let rates = figure(&line.title(), Unit::PerSecond, sides, &shown, |figures| figures.rate);
    line.goal().map_or(rates.clone(), |goal| rates.goal(goal)).tell();
    figure(&format!("p99 of {}", line.title()), Unit::Milliseconds, sides, &shown, |figures| figures.p99_ms).tell();
    for (side, shown) in sides.iter().zip(&shown) {
        println!("  {:<28}{}", side.name(), words(shown, ours)?);
    }
    Ok(())
}

fn figure(what: &str, unit: Unit, sides: &[Box<dyn Side>], shown: &[Vec<Figures>], of: fn(&Figures) -> f64) -> Figure {
    sides.iter().zip(shown).fold(Figure::new(what, unit), |figure, (side, shown)| {
        figure.side(side.name(), &shown.iter().map(of).collect::<Vec<_>>())
    })
}

fn of(shown: &[Figures], figure: fn(&Figures) -> f64) -> f64 {
    median(&shown.iter().map(figure).collect::<Vec<_>>())
}

fn words(shown: &[Figures], ours: f64) -> Result<String> {
    let rates = shown.iter().map(|figures| figures.rate);
    let (low, high) = rates.fold((f64::MAX, 0f64), |(low, high), rate| (low.min(rate), high.max(rate)));
    let rate = of(shown, |figures| figures.rate);
    let mut text = format!("{:>28}", format!("{rate:.0}/s [{low:.0} – {high:.0}]"));
    let (p50, p99) = (of(shown, |figures| figures.p50_ms), of(shown, |figures| figures.p99_ms));
    write!(text, "  p50 {p50:>6.2} p99 {p99:>7.2} ms")?;
    let (server, clients) = (of(shown, |figures| figures.server_cores), of(shown, |figures| figures.client_cores));
    write!(text, "  cores {server:.2} + {clients:.2}   ours is {:>6.2} × this", ours / rate)?;
    Ok(text)
}
