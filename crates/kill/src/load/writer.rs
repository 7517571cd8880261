//! One client: asks, remembers what it was told, and notices when it is told two different things.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::history::{self, Event, Known, Request, Step};
use super::work::{Plan, label};
use crate::check::violation;
use crate::client::{Answer, Client, Cut};
use crate::server::Server;

/// One client with its own account, and a pool that all pay into.
pub struct Writer {
    /// Its account.
    pub name: String,
    /// What it asks.
    pub plan: Plan,
    requests: BTreeMap<u64, Request>,
    asked: u64,
    /// The request that it is going to ask again.
    open: Option<u64>,
    begun: Instant,
    events: Vec<Event>,
}

/// What came of asking once.
#[derive(Debug)]
pub enum Told {
    /// The server said this.
    Answer(Answer),
    /// It said nothing.
    Cut(Cut),
}

impl Told {
    /// The answer, if it was done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Answer(answer) if answer.status == 200)
    }
}

impl Writer {
    /// A client that has asked nothing yet.
    #[must_use]
    pub fn new(name: impl Into<String>, plan: Plan) -> Self {
        let (requests, events) = (BTreeMap::new(), vec![]);
        Self { name: name.into(), plan, requests, asked: 0, open: None, begun: Instant::now(), events }
    }

    /// Several of them, `w0` and so on.
    #[must_use]
    pub fn several(count: usize, plan: Plan) -> Vec<Self> {
        (0..count).map(|number| Self::new(format!("w{number}"), plan)).collect()
    }

    /// Everything it asked, by number.
    #[must_use]
    pub fn requests(&self) -> &BTreeMap<u64, Request> {
        &self.requests
    }

    /// What it was told, as JSON lines.
    #[must_use]
    pub fn history(&self) -> String {
        history::lines(&self.name, self.begun, &self.events)
    }

    /// The next request: the one that was put off, if there is one, else a new one.
    ///
    /// # Errors
    /// The server contradicts itself.
    pub fn ask(&mut self, client: &mut Client) -> Result<Told> {
        let number = self.open.take().unwrap_or_else(|| {
            self.asked += 1;
            self.asked
        });
        let told = self.ask_for(client, number)?;
        let keyed = self.plan.is_keyed(number);
        let certain = match &told {
            Told::Answer(answer) => !is_put_off(answer) || self.plan.gives_up(number) && !answer.is_unknown(),
            Told::Cut(Cut::Unsent(_)) => false,
            Told::Cut(Cut::Sent(_)) => !keyed,
        };
        let never_sent = matches!(told, Told::Cut(Cut::Unsent(_)));
        self.open = (!certain && (keyed || never_sent)).then_some(number);
        Ok(told)
    }

    /// Asks for this one; the same number is always the same request.
    ///
    /// # Errors
    /// The server contradicts itself.
    pub fn ask_for(&mut self, client: &mut Client, number: u64) -> Result<Told> {
        let label = label(&self.name, number);
        let (path, body) = self.plan.work(number).request(&self.name, &label);
        self.requests.entry(number).or_insert_with(Request::new);
        self.note(number, Step::Invoke, path.to_owned());
        let once = if self.plan.is_keyed(number) { label.as_str() } else { "" };
        let told = client.post(path, &body, once).map_or_else(Told::Cut, Told::Answer);
        self.learn(number, &told)?;
        Ok(told)
    }

    /// Asks everything with a key again that was not settled yet, in calm. What was acknowledged gives the first answer;
    /// what was not is done now, once, or refused for good.
    ///
    /// # Errors
    /// The server contradicts itself, or puts off though it is well.
    pub fn settle(&mut self, server: &Server) -> Result<()> {
        let mut client = server.client();
        let open = self.requests.iter().filter(|(_, request)| !request.settled);
        let numbers: Vec<u64> = open.map(|(number, _)| *number).collect();
        for number in numbers {
            if self.is_asked_again(number) {
                self.settle_one(&mut client, number)?;
            }
            if let Some(request) = self.requests.get_mut(&number) {
                request.settled = true;
            }
        }
        self.open = None;
        Ok(())
    }

    /// Asks again what was acknowledged long ago, every so manieth: the first answer is still there.
    ///
    /// # Errors
    /// The server contradicts itself.
    pub fn ask_old(&mut self, server: &Server, every: usize) -> Result<()> {
        let mut client = server.client();
        let done = self.requests.iter().filter(|(_, request)| matches!(request.known, Known::Done(_)));
        let numbers: Vec<u64> = done.map(|(number, _)| *number).step_by(every.max(1)).collect();
        let plan = self.plan;
        for number in numbers.into_iter().filter(|number| plan.is_keyed(*number)) {
            self.settle_one(&mut client, number)?;
        }
        Ok(())
    }

    fn is_asked_again(&self, number: u64) -> bool {
        let given_up = matches!(self.requests[&number].known, Known::Refused) && self.plan.gives_up(number);
        self.plan.is_keyed(number) && !given_up
    }

    fn settle_one(&mut self, client: &mut Client, number: u64) -> Result<()> {
        let label = label(&self.name, number);
        match self.ask_for(client, number)? {
            Told::Answer(answer) => {
                let may = answer.status == 200 || self.plan.refusals && is_refusal(&answer);
                ensure!(may, violation(format!("{label}: asked again in calm: {answer:?}")));
                Ok(())
            }
            Told::Cut(cut) => Err(violation(format!("{label}: asked again in calm: {cut:?}"))),
        }
    }

    /// Takes in what it was told of a request.
    fn learn(&mut self, number: u64, told: &Told) -> Result<()> {
        let (step, note) = judge(told);
        self.note(number, step, note);
        let label = label(&self.name, number);
        let request = self.requests.entry(number).or_insert_with(Request::new);
        let unsent = matches!(told, Told::Cut(Cut::Unsent(_)));
        request.sent += u32::from(!unsent);
        request.lost += u32::from(step == Step::Info);
        match (&request.known, told) {
            (Known::Done(first), Told::Answer(answer)) if step == Step::Ok => {
                ensure!(answer.body == *first, violation(format!("{label}: first {first}, now {}", answer.body)));
                ensure!(answer.is_replayed(), violation(format!("{label}: acknowledged, and done again: {answer:?}")));
            }
            (Known::Done(first), Told::Answer(answer)) => {
                let refused = step == Step::Fail && is_refusal(answer);
                ensure!(!refused, violation(format!("{label}: first {first}, now refused: {answer:?}")));
            }
            (Known::Done(_), Told::Cut(_)) => {}
            (_, Told::Answer(answer)) if step == Step::Ok => {
                // Even the first copy may be told that it is a repetition: the server itself asks again after a commit
                // of which it does not know.
                (request.known, request.acked) = (Known::Done(answer.body.clone()), Some(Instant::now()));
            }
            (_, Told::Answer(_) | Told::Cut(_)) => request.known = known_after(step, unsent, request.sent),
        }
        Ok(())
    }

    fn note(&mut self, number: u64, step: Step, note: String) {
        self.events.push(Event { at: Instant::now(), number, step, note });
    }
}

fn known_after(step: Step, unsent: bool, sent: u32) -> Known {
    match step {
        Step::Fail if unsent && sent == 0 => Known::Unsent,
        Step::Fail if !unsent => Known::Refused,
        Step::Fail | Step::Info | Step::Invoke | Step::Ok => Known::Unknown,
    }
}

fn judge(told: &Told) -> (Step, String) {
    match told {
        Told::Answer(answer) if answer.status == 200 => (Step::Ok, answer.body.to_string()),
        Told::Answer(answer) if answer.is_unknown() => (Step::Info, format!("{} unknown", answer.code())),
        Told::Answer(answer) => (Step::Fail, format!("{} {}", answer.status, answer.code())),
        Told::Cut(Cut::Unsent(error)) => (Step::Fail, format!("not connected: {error}")),
        Told::Cut(Cut::Sent(error)) => (Step::Info, format!("cut: {error}")),
    }
}

/// Whether the operation itself refused: asking again only helps when the books change.
#[must_use]
pub fn is_refusal(answer: &Answer) -> bool {
    matches!(answer.code(), "AFUNDS" | "NACCOUNT")
}

/// Whether the server told to come again.
#[must_use]
pub fn is_put_off(answer: &Answer) -> bool {
    matches!(answer.status, 409 | 503 | 504)
}
