//! What processes compute: plans whose value a serial run tells, and the tasks that coordinators lay out for them. Pure.

use base::Wall;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rng::Rng;

/// Queues that workers poll: actor and task list.
pub(super) const QUEUES: [(&str, Option<&str>); 10] = [
    ("plan#1", None),
    ("leaf#1", None),
    ("leaf#1", Some("far")),
    ("sum#1", None),
    ("step#1", None),
    ("or#1", None),
    ("fail#1", None),
    (STRICT, None),
    (BRITTLE, None),
    ("hasty#1", None),
];
/// The actor of which only the last pass counts.
pub(super) const STRICT: &str = "strict#1";
/// The actor whose silence is an error.
pub(super) const BRITTLE: &str = "brittle#1";
/// The error of tasks that a person has to try again.
pub(super) const FATAL: &str = "Fatal";

/// How a plain value is made.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Style {
    /// As usual.
    Plain,
    /// By workers in another place.
    Far,
    /// Only the last pass counts.
    Strict,
    /// Silence is an error, which is tried again.
    Brittle,
    /// It has little time in its queue.
    Hasty,
}

/// What a process computes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Plan {
    /// A value.
    Leaf(Style, i64),
    /// A value after so many errors.
    FailsFirst(i64, i64),
    /// Only errors, so many; then this instead.
    FailsAlways(i64, i64),
    /// A value, in every second attempt; the others break the process.
    Breaks(i64),
    /// The sum of parts, all at once.
    Sum(Vec<Plan>),
    /// Parts one after the other, each multiplying what was before.
    Chain(Vec<Plan>),
    /// The sum of so many numbers, all at once.
    Wide(i64),
    /// A plan in a process of its own, of this type.
    Own(String, Box<Plan>),
    /// A plan that begins so many milliseconds later.
    Later(i64, Box<Plan>),
    /// A plan after a timer of so many milliseconds.
    After(i64, Box<Plan>),
    /// The sum of signals of one name.
    Signals(String, Vec<i64>),
}

/// What a plan may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'a> {
    /// The type of its processes.
    pub(super) kind: &'a str,
    /// A name for its signals, if it may wait for some.
    pub(super) signal: Option<&'a str>,
    /// The widest.
    pub(super) wide: u64,
}

impl Plan {
    /// One of so many levels.
    pub(super) fn draw(rng: &mut Rng, wish: Wish<'_>, depth: u64) -> Self {
        let value = number(rng.below(100));
        let inner = |rng: &mut Rng| Box::new(Self::draw(rng, wish, depth.saturating_sub(1)));
        let parts = |rng: &mut Rng| -> Vec<Self> {
            let many = rng.within(1, 4);
            // Those of one name are all in one place, so that each part gets its own sum.
            let wish = Wish { signal: None, ..wish };
            (0..many).map(|_| Self::draw(rng, wish, depth.saturating_sub(1))).collect()
        };
        match rng.below(if depth == 0 { 5 } else { 13 }) {
            0 | 1 => {
                Self::Leaf(*rng.pick(&[Style::Plain, Style::Far, Style::Strict, Style::Brittle, Style::Hasty]), value)
            }
            2 => Self::FailsFirst(number(rng.within(1, 3)), value),
            3 => Self::FailsAlways(number(rng.within(1, 3)), value),
            4 => Self::Breaks(value),
            5 | 6 => Self::Sum(parts(rng)),
            7 => Self::Chain(parts(rng)),
            8 => Self::Wide(number(rng.within(1, wish.wide))),
            9 => Self::Own(wish.kind.to_owned(), Box::new(Self::draw(rng, Wish { signal: None, ..wish }, depth - 1))),
            10 => Self::Later(number(rng.within(1, 20_000)), inner(rng)),
            11 => Self::After(number(rng.within(1, 20_000)), inner(rng)),
            _ => match wish.signal {
                Some(name) => Self::Signals(name.to_owned(), vec![value, number(rng.below(100))]),
                None => Self::Sum(parts(rng)),
            },
        }
    }

    /// Its value, one after the other.
    pub(super) fn value(&self) -> i64 {
        match self {
            Self::Leaf(_, value) | Self::FailsFirst(_, value) | Self::FailsAlways(_, value) | Self::Breaks(value) => {
                *value
            }
            Self::Sum(parts) => parts.iter().map(Self::value).sum(),
            Self::Chain(parts) => parts.iter().map(Self::value).fold(0, step),
            Self::Wide(many) => (0..*many).sum(),
            Self::Own(_, plan) | Self::Later(_, plan) | Self::After(_, plan) => plan.value(),
            Self::Signals(_, values) => values.iter().sum(),
        }
    }

    /// The widest that it is anywhere.
    pub(super) fn width(&self) -> i64 {
        match self {
            Self::Wide(many) => *many,
            Self::Sum(parts) | Self::Chain(parts) => parts.iter().map(Self::width).max().unwrap_or(0),
            Self::Own(_, plan) | Self::Later(_, plan) | Self::After(_, plan) => plan.width(),
            Self::Leaf(..) | Self::FailsFirst(..) | Self::FailsAlways(..) | Self::Breaks(_) | Self::Signals(..) => 1,
        }
    }

    /// The signals that it waits for: name and value.
    pub(super) fn signals(&self) -> Vec<(String, i64)> {
        match self {
            Self::Signals(name, values) => values.iter().map(|value| (name.clone(), *value)).collect(),
            Self::Later(_, plan) | Self::After(_, plan) => plan.signals(),
            Self::Leaf(..) | Self::FailsFirst(..) | Self::FailsAlways(..) | Self::Breaks(_) | Self::Wide(_) => vec![],
            Self::Sum(parts) | Self::Chain(parts) => parts.iter().flat_map(Self::signals).collect(),
            Self::Own(..) => vec![],
        }
    }

    /// The task that it is.
    pub(super) fn task(&self) -> Value {
        let whole = json!([{ "value": self }]);
        let plain = |value: &i64| json!([{ "value": value }]);
        let patient = json!({ "kind": "linear", "initial_ms": 300, "max_interval_ms": 2_000 });
        match self {
            Self::Leaf(Style::Plain, value) => json!({ "actor": "leaf#1", "args": plain(value) }),
            Self::Leaf(Style::Far, value) => json!({ "actor": "leaf#1", "task_list": "far", "args": plain(value) }),
            Self::Leaf(Style::Strict, value) => json!({ "actor": STRICT, "args": plain(value) }),
            Self::Leaf(Style::Brittle, value) => json!({ "actor": BRITTLE, "args": plain(value), "retry": patient }),
            Self::Leaf(Style::Hasty, value) => {
                json!({ "actor": "hasty#1", "args": plain(value), "retry": patient, "timeout_ms": 8_000 })
            }
            Self::FailsFirst(times, _) => {
                let retry = json!({ "initial_ms": 300, "max_attempts": times + 1, "not_on": [FATAL] });
                json!({ "actor": "plan#1", "args": whole, "retry": retry })
            }
            Self::FailsAlways(..)
            | Self::Breaks(_)
            | Self::Sum(_)
            | Self::Chain(_)
            | Self::Wide(_)
            | Self::Own(..)
            | Self::Later(..)
            | Self::After(..)
            | Self::Signals(..) => json!({ "actor": "plan#1", "args": whole }),
        }
    }

    /// What whoever is given it in this attempt says, at this moment of the calendar.
    fn result(&self, attempt: i64, wall: Wall) -> Value {
        match self {
            Self::Leaf(_, value) => json!({ "value": value }),
            Self::FailsFirst(times, _) if attempt <= *times => json!({ "error": { "class": "Again" } }),
            Self::FailsFirst(_, value) => json!({ "value": value }),
            Self::Breaks(_) if attempt % 2 == 1 => json!({ "error": { "class": FATAL } }),
            Self::Breaks(value) => json!({ "value": value }),
            Self::FailsAlways(tries, value) => fails(*tries, *value),
            Self::Sum(parts) => sum(parts.iter().map(Self::task).collect()),
            Self::Chain(parts) => chain(parts),
            Self::Wide(many) => {
                sum((0..*many).map(|value| json!({ "actor": "leaf#1", "args": [{ "value": value }] })).collect())
            }
            Self::Own(kind, plan) => {
                let start = json!({ "custom_id": format!("= {}", plan.value()), "start": plan.task() });
                promise(vec![json!({ "id": "x", "actor": "@process", "method": kind, "args": [{ "value": start }] })])
            }
            Self::Later(ms, plan) => {
                let at = wall.plus_ms(*ms);
                let fields = [("id", json!("x")), ("start_at", json!(at.rfc3339())), ("key", json!(not_before(at)))];
                promise(vec![with(plan.task(), fields)])
            }
            Self::After(ms, plan) => {
                let timer = json!({ "id": "t", "actor": "@timer", "args": [{ "value": ms }] });
                let at = json!(not_before(wall.plus_ms(*ms)));
                let fields = [("id", json!("x")), ("wait_for", json!(["t"])), ("key", at)];
                promise(vec![timer, with(plan.task(), fields)])
            }
            Self::Signals(name, values) => {
                sum(values.iter().map(|_| json!({ "actor": "@signal", "method": name })).collect())
            }
        }
    }
}

fn number(of: u64) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

fn step(before: i64, part: i64) -> i64 {
    (before * 3 + part) % 1_000_003
}

fn with<const N: usize>(mut task: Value, fields: [(&str, Value); N]) -> Value {
    fields.into_iter().for_each(|(name, value)| task[name] = value);
    task
}

/// These tasks; the result is that of `x`.
fn promise(tasks: Vec<Value>) -> Value {
    json!({ "value": { "promise": "x" }, "tasks": tasks })
}

/// These tasks, and their sum.
fn sum(parts: Vec<Value>) -> Value {
    let name = |place: usize| format!("p{place}");
    let args: Vec<Value> = (0..parts.len()).map(|place| json!({ "promise": name(place) })).collect();
    let named = parts.into_iter().enumerate().map(|(place, part)| with(part, [("id", json!(name(place)))]));
    promise(named.chain([json!({ "id": "x", "actor": "sum#1", "args": args })]).collect())
}

fn chain(parts: &[Plan]) -> Value {
    let mut tasks = vec![];
    let mut before = json!({ "value": 0 });
    for (place, part) in parts.iter().enumerate() {
        let (part_id, step_id) = (format!("p{place}"), format!("s{place}"));
        tasks.push(with(part.task(), [("id", json!(part_id))]));
        tasks.push(json!({ "id": step_id, "actor": "step#1", "args": [before, { "promise": part_id }] }));
        before = json!({ "promise": step_id });
    }
    json!({ "value": before, "tasks": tasks })
}

fn fails(tries: i64, instead: i64) -> Value {
    let retry = json!({ "initial_ms": 200, "max_attempts": tries });
    promise(vec![
        json!({ "id": "f", "actor": "fail#1", "retry": retry, "accept_fail": true }),
        json!({ "id": "x", "actor": "or#1", "args": [{ "promise": "f" }, { "value": instead }] }),
    ])
}

/// The key of a task that must not be given out before this moment.
fn not_before(at: Wall) -> String {
    format!("not before {}", at.0)
}

/// The moment before which a task must not be given out, if it has one.
pub(super) fn earliest(key: Option<&str>) -> Option<Wall> {
    key?.strip_prefix("not before ")?.parse().ok().map(Wall)
}

/// What a worker says of what it was given.
///
/// # Errors
/// It was given what cannot be: why.
pub(super) fn work(actor: &str, given: &Value, wall: Wall) -> Result<Value, String> {
    let empty = vec![];
    let args = given["args"].as_array().unwrap_or(&empty);
    let numbers = || args.iter().map(|arg| arg["value"].as_i64().ok_or(format!("{given} has no numbers")));
    let value = |value: i64| json!({ "value": value });
    Ok(match actor {
        "plan#1" => {
            let attempt = given["attempt"].as_i64().unwrap_or_default();
            let plan = args.first().map(|arg| serde_json::from_value::<Plan>(arg["value"].clone()));
            plan.and_then(Result::ok).ok_or(format!("{given} has no plan"))?.result(attempt, wall)
        }
        "sum#1" => value(numbers().sum::<Result<i64, _>>()?),
        "step#1" => value(numbers().collect::<Result<Vec<_>, _>>()?.into_iter().reduce(step).unwrap_or_default()),
        "fail#1" => json!({ "error": { "class": "Always" } }),
        "or#1" if args.first().is_some_and(|arg| arg["error"]["class"] == "Always") => {
            args.get(1).map_or(Value::Null, |arg| json!({ "value": arg["value"] }))
        }
        "or#1" => return Err(format!("{given} has no error")),
        _ => value(numbers().next().ok_or(format!("{given} has no value"))??),
    })
}
