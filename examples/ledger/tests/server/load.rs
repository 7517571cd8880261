//! Clients that write and remember what they were told, and the comparison with what is there.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::Sender;

use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::process::{KEY, Server};

/// What a client knows of one request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Known {
    /// It was acknowledged with this body.
    Done(Value),
    /// The connection was cut, or the server said that it does not know: it may have been done.
    Unknown,
    /// The server said that it was not done.
    Refused,
}

/// One client's memory: idempotency key → what is known. Keys sort in the order of asking.
pub(crate) type History = BTreeMap<String, Known>;

/// One client with its own account, and a pool that all pay into.
pub(crate) struct Writer {
    pub(crate) name: String,
    pub(crate) history: History,
    asked: u64,
}

impl Writer {
    pub(crate) fn new(name: String) -> Self {
        Self { name, history: History::new(), asked: 0 }
    }

    /// The next request: two deposits, then a transfer of one to the pool, and so on.
    pub(crate) fn ask(&mut self, client: &mut Client) -> io::Result<Answer> {
        self.asked += 1;
        let key = format!("{}-{:08}", self.name, self.asked);
        self.repeat(client, &key)
    }

    /// Asks with the given key; the same key is always the same request.
    pub(crate) fn repeat(&mut self, client: &mut Client, key: &str) -> io::Result<Answer> {
        let (path, body) = request(&self.name, key);
        let answer = client.post(path, &body, key);
        let known = match &answer {
            Ok(answer) if answer.status == 200 => Known::Done(answer.body.clone()),
            Ok(answer) if answer.body["outcome"] != "unknown" => Known::Refused,
            Ok(_) | Err(_) => Known::Unknown,
        };
        self.history.insert(key.to_owned(), known);
        answer
    }

    /// Writes until the connection breaks, telling of every acknowledgement.
    pub(crate) fn write_until_cut(&mut self, address: SocketAddr, acknowledged: &Sender<()>) {
        let mut client = Client::new(address, KEY);
        while let Ok(answer) = self.ask(&mut client) {
            assert!(answer.status == 200 || answer.status == 503, "{answer:?}");
            let _ = acknowledged.send(());
        }
    }

    /// Asks everything again. What was acknowledged gives the first answer; what was not is done now, once.
    pub(crate) fn settle(&mut self, server: &Server) {
        let mut client = server.client();
        for (key, known) in self.history.clone() {
            let answer = self.repeat(&mut client, &key).expect("a healthy server answers");
            assert_eq!(answer.status, 200, "{key}: {answer:?}");
            if let Known::Done(first) = known {
                assert_eq!(answer.body, first, "{key}: the repeat gives the first answer");
                assert!(answer.is_replayed(), "{key}: an acknowledged request was lost and done again");
            }
        }
    }

    /// Forgets what is settled, so that the next round only asks for its own.
    pub(crate) fn forget(&mut self) {
        self.history.clear();
    }

    /// Transfers among the first `asked` requests.
    fn transfers(&self) -> u64 {
        self.asked / 3
    }
}

fn request(name: &str, key: &str) -> (&'static str, Value) {
    let number: u64 = key.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a numbered key");
    if number % 3 == 0 {
        ("/v1/main/ledger/transfers", json!({ "from": name, "to": "pool", "amount": 1 }))
    } else {
        ("/v1/main/ledger/entries", json!({ "account": name, "amount": 1, "memo": key }))
    }
}

/// Opens the pool, so that there is an account to transfer to.
pub(crate) fn open_pool(server: &Server) {
    let body = json!({ "account": "pool", "amount": 0 });
    let answer = server.client().post("/v1/main/ledger/entries", &body, "open-pool").expect("an answer");
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Every writer's requests are settled: each was done exactly once, in balances and in entries.
pub(crate) fn check_totals(server: &Server, writers: &[Writer]) {
    let mut client = server.client();
    let mut expected_entries = 1;
    for writer in writers {
        let (transfers, deposits) = (writer.transfers(), writer.asked - writer.transfers());
        expected_entries += deposits + 2 * transfers;
        assert_eq!(balance(&mut client, &writer.name), deposits - transfers, "{}", writer.name);
    }
    assert_eq!(balance(&mut client, "pool"), writers.iter().map(Writer::transfers).sum::<u64>());
    assert_eq!(entries(&mut client), expected_entries, "entries of deposits and of both sides of transfers");
}

fn balance(client: &mut Client, account: &str) -> u64 {
    let answer = client.get(&format!("/v1/main/ledger/accounts/{account}")).expect("an answer");
    answer.body["balance"].as_u64().unwrap_or_else(|| panic!("{account}: {answer:?}"))
}

fn entries(client: &mut Client) -> u64 {
    let (mut count, mut after) = (0, String::new());
    loop {
        let page = client.get(&format!("/v1/main/ledger/entries?limit=1000{after}")).expect("a page").body;
        count += page["items"].as_array().expect("items").len() as u64;
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return count,
        }
    }
}
