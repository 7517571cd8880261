//! What holds with every database.

use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread;

use kill::server::Server;

use crate::books::Books;
use crate::kit::{Kit, Pair, connect, connect_on};
use crate::proxy::{self, FAULTS, Fault, Plan};

/// Steps of the handshake, by the ends of their paths.
const STEPS: [&str; 4] = ["/processes", "/narrow", "/prepare", "/commit"];

/// Every step goes wrong in every way, each with a database, a phone and a connector of its own, all at once.
pub fn every_step_goes_wrong_in_every_way(books: impl Fn() -> Books) {
    let kit = Kit::start();
    let cases: Vec<(&'static str, Fault, Books)> = STEPS
        .iter()
        .flat_map(|step| FAULTS.map(|fault| (*step, fault)))
        .map(|(step, fault)| (step, fault, books()))
        .collect();
    thread::scope(|scope| {
        let mut runs = vec![];
        for (number, (step, fault, books)) in cases.iter().enumerate() {
            let kit = &kit;
            runs.push(scope.spawn(move || one_step_goes_wrong(kit, &format!("c{number}"), step, *fault, books)));
        }
        runs.into_iter().for_each(|run| run.join().unwrap());
    });
    let left = kit.get("processes/unresolved");
    assert_eq!(left["items"].as_array().map(Vec::len), Some(0), "{left}");
}

fn one_step_goes_wrong(kit: &Kit, name: &str, step: &'static str, fault: Fault, books: &Books) {
    let pair = kit.pair(name);
    pair.send("o-1", "order", 1);
    pair.send("x-1", "something-else", 2);
    pair.send("o-2", "order", 3);
    let config = kit.file(&format!("{name}.toml"), &books.config(&pair.database));
    let victim: proxy::Victim = Arc::default();
    let plan = Plan { step, fault, victim: victim.clone(), done: Arc::new(Mutex::new(false)) };
    let done = plan.done.clone();
    let near = proxy::start(kit.server.address, plan);
    let mut connector = victim.lock().unwrap();
    *connector = Some(connect_on(near, &pair.database_key, &config));
    drop(connector);
    let killer = matches!(fault, Fault::KillBefore | Fault::KillAfter);
    let second = killer.then(|| {
        wait_for_kill(&victim);
        Ended(connect_on(kit.server.address, &pair.database_key, &config))
    });
    let said = || std::fs::read_to_string(config.with_extension("log")).unwrap_or_default();
    assert_eq!(pair.answers(2), ["o-1", "o-2"], "{step} {fault:?}: {}", said());
    assert!(*done.lock().unwrap(), "{step} {fault:?} never happened");
    assert_eq!(books.booked(), ["o-1", "o-2"], "{step} {fault:?}: each exactly once; {}", said());
    for id in ["o-1", "o-2"] {
        pair.wait_for(id, "processed");
    }
    // It is offered again and again, and nobody here knows its type.
    let left = pair.status("x-1").0;
    assert!(["queued", "in_process"].contains(&left.as_str()), "{step} {fault:?}: {left}");
    drop(second);
    drop(Ended(victim.lock().unwrap().take().unwrap()));
}

fn wait_for_kill(victim: &proxy::Victim) {
    loop {
        let ended = victim.lock().unwrap().as_mut().is_none_or(|child| child.try_wait().unwrap().is_some());
        if ended {
            return;
        }
        thread::sleep(std::time::Duration::from_millis(20)); // tidy: sleep — a process of its own is ended by another thread
    }
}

/// A process that ends with whoever holds it.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Numbers that a database gives to its errors.
pub struct Codes {
    pub check: i64,
}

/// A lock of others, then an error with its number, each as the phone hears it.
pub fn results_reach_the_phone(books: &Books, codes: &Codes) {
    let kit = Kit::start();
    let pair = kit.pair("results");
    let config = kit.file("results.toml", &books.config(&pair.database));
    let mut other = books.other();
    other.begin().unwrap();
    other.execute(&format!("UPDATE {} SET amount = amount - 10 WHERE id = 1", books.stock), &[]).unwrap();
    pair.send("t-1", "take", 1);
    pair.send("o-1", "order", 2);
    let said = once(&kit.server, &pair, &config, true);
    assert!(said.contains("1 processed, 1 deadlocks, 0 incorrect"), "{said}");
    assert_eq!(pair.status("t-1").0, "deadlock_waiting");
    assert_eq!(pair.answers(1), ["o-1"]);
    other.roll_back().unwrap();
    drop(other);
    pair.send("m-1", "too-much", 3);
    let said = once(&kit.server, &pair, &config, true);
    assert!(said.contains("1 processed, 0 deadlocks, 1 incorrect"), "{said}");
    pair.wait_for("t-1", "processed");
    let (state, code, text) = pair.status("m-1");
    assert_eq!((state.as_str(), code), ("error", Some(codes.check)), "{text:?}");
    assert!(text.unwrap().to_lowercase().contains("check"));
    assert_eq!(books.booked(), ["o-1", "t-1"], "of what failed nothing stays");
    let said = once(&kit.server, &pair, &config, true);
    assert!(said.contains("idle"), "{said}");
}

/// A row that is no reply: of a message that it answers, of somebody else, and of a message that it does not name.
pub fn a_reply_that_is_none_stops_nobody_but_its_message(books: &Books) {
    let kit = Kit::start();
    let pair = kit.pair("torn");
    let config = kit.file("torn.toml", &books.config(&pair.database));
    pair.send("o-1", "order", 1);
    pair.send("t-1", "torn", 2);
    pair.send("o-2", "order", 3);
    let said = once(&kit.server, &pair, &config, true);
    assert!(said.contains("2 processed, 0 deadlocks, 1 incorrect"), "{said}");
    let (state, _, text) = pair.status("t-1");
    assert!(state == "error" && text.as_ref().is_some_and(|text| text.contains("recipient")), "{state}: {text:?}");
    assert_eq!((pair.answers(2), books.booked()), (vec!["o-1".into(), "o-2".into()], vec!["o-1".into(), "o-2".into()]));
    let mut other = books.other();
    other.begin().unwrap();
    other.execute("INSERT INTO outbox (id, recipient, answers) VALUES ('stranger', '', '')", &[]).unwrap();
    other.commit().unwrap();
    pair.send("o-3", "order", 4);
    let said = once(&kit.server, &pair, &config, true);
    assert!(said.contains("1 processed") && said.contains("left alone: reply `stranger`"), "{said}");
    assert_eq!(pair.answers(1), ["o-3"]);
    pair.send("n-1", "nameless", 5);
    pair.send("o-4", "order", 6);
    let connector = Ended(connect_on(kit.server.address, &pair.database_key, &config));
    pair.wait_for("n-1", "error");
    assert_eq!(pair.answers(1), ["o-4"]);
    drop(connector);
    assert_eq!(books.booked(), ["o-1", "o-2", "o-3", "o-4"], "each exactly once, and nothing of what is wrong");
}

/// One process; what the connector said.
pub fn once(server: &Server, pair: &Pair, config: &Path, well: bool) -> String {
    let output = connect(server.address, &pair.database_key, config, &["--once"]).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.success(), well, "{said}");
    said
}
