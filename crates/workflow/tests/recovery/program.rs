//! Small programs that processes compute, and workers that do: whatever gets lost on the way, the value is the same.

use serde_json::{Value, json};
use workflow::work::GivenTask;

use crate::kit::{Flow, args};

/// Chance that is the same for the same seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }
}

/// A program of a type of processes: numbers, sums of parts at once, chains of parts, parts that fail once, and those in processes of their
/// own.
pub fn program(dice: &mut Dice, kind: &str, depth: usize) -> Value {
    let pick = if depth == 0 { dice.below(2) } else { dice.below(6) };
    let parts = |dice: &mut Dice| -> Vec<Value> {
        let many = 1 + dice.below(3);
        (0..many).map(|_| program(dice, kind, depth - 1)).collect()
    };
    match pick {
        0 => json!({ "number": dice.below(100) }),
        1 => json!({ "fails_once": dice.below(100) }),
        2 | 3 => json!({ "sum": parts(dice) }),
        4 => json!({ "chain": parts(dice) }),
        _ => json!({ "own": program(dice, kind, depth - 1), "type": kind }),
    }
}

/// What a program computes, in one go.
pub fn serial(program: &Value) -> i64 {
    let number = |key: &str| program[key].as_i64();
    let parts = |key: &str| program[key].as_array().map(|parts| parts.iter().map(serial).collect::<Vec<_>>());
    number("number")
        .or_else(|| number("fails_once"))
        .or_else(|| parts("sum").map(|parts| parts.iter().sum()))
        .or_else(|| parts("chain").map(|parts| parts.iter().fold(0, |sum, part| (sum * 3 + part) % 1_000_003)))
        .unwrap_or_else(|| serial(&program["own"]))
}

pub fn start_of(program: &Value) -> Value {
    json!({ "actor": "eval#1", "args": [{ "value": program }], "retry": { "initial_ms": 500, "max_attempts": 50 } })
}

/// One round of all workers: what is given is done, all but each so-many-th, whose worker says nothing.
pub fn work(flow: &Flow, silent: impl FnMut() -> bool) -> usize {
    let mut silent = silent;
    let mut done = 0;
    for actor in ["eval#1", "sum#1", "step#1"] {
        for task in flow.poll_many(actor, 20) {
            done += 1;
            if !silent() {
                flow.bring(&task, result(actor, &task));
            }
        }
    }
    done
}

fn result(actor: &str, task: &GivenTask) -> Value {
    let given = args(task);
    let numbers = || given.iter().map(|value| value.as_i64().unwrap());
    match actor {
        "sum#1" => json!({ "value": numbers().sum::<i64>() }),
        "step#1" => json!({ "value": numbers().reduce(|sum, part| (sum * 3 + part) % 1_000_003) }),
        _ => evaluate(&given[0], task.attempt),
    }
}

fn evaluate(program: &Value, attempt: i64) -> Value {
    if let Some(number) = program["number"].as_i64() {
        return json!({ "value": number });
    }
    if let Some(number) = program["fails_once"].as_i64() {
        return if attempt == 1 { json!({ "error": { "class": "Once" } }) } else { json!({ "value": number }) };
    }
    if let Some(parts) = program["sum"].as_array() {
        let mut tasks: Vec<Value> = parts.iter().enumerate().map(|(place, part)| child(place, part)).collect();
        let all: Vec<Value> = (0..parts.len()).map(|place| json!({ "promise": format!("p{place}") })).collect();
        tasks.push(json!({ "id": "sum", "actor": "sum#1", "args": all }));
        return json!({ "value": { "promise": "sum" }, "tasks": tasks });
    }
    if let Some(parts) = program["chain"].as_array() {
        let mut tasks: Vec<Value> = parts.iter().enumerate().map(|(place, part)| child(place, part)).collect();
        for place in 0..parts.len() {
            let before =
                if place == 0 { json!({ "value": 0 }) } else { json!({ "promise": format!("s{}", place - 1) }) };
            let args = json!([before, { "promise": format!("p{place}") }]);
            tasks.push(json!({ "id": format!("s{place}"), "actor": "step#1", "args": args }));
        }
        return json!({ "value": { "promise": format!("s{}", parts.len() - 1) }, "tasks": tasks });
    }
    let start = json!({ "start": start_of(&program["own"]) });
    let own = json!([{ "id": "own", "actor": "@process", "method": program["type"], "args": [{ "value": start }] }]);
    json!({ "value": { "promise": "own" }, "tasks": own })
}

fn child(place: usize, part: &Value) -> Value {
    let mut child = start_of(part);
    child["id"] = json!(format!("p{place}"));
    child
}
