//! The tasks of a process as a tree: below each task those that it laid out. Pure.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::output::{Output, escaped};

/// Letters of a value or a message.
const LETTERS_MAX: usize = 60;

/// A task, how deep it is, and the lines that lead to it.
struct Place<'a> {
    task: &'a Value,
    lead: String,
    is_last: bool,
    is_root: bool,
}

/// One line for each task, in the order in which they were laid out.
pub(super) fn of(tasks: &[Value]) -> String {
    let mut below: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for task in tasks {
        below.entry(task["parent"].as_str().unwrap_or_default()).or_default().push(task);
    }
    let mut text = String::new();
    // Not by recursion: a chain of coordinators may be thousands of tasks deep.
    let mut open = places(&below, "", "", true);
    while let Some(place) = open.pop() {
        text += &line(&place);
        let lead = match (place.is_root, place.is_last) {
            (true, _) => String::new(),
            (false, true) => format!("{}   ", place.lead),
            (false, false) => format!("{}│  ", place.lead),
        };
        open.extend(places(&below, place.task["task_id"].as_str().unwrap_or("?"), &lead, false));
    }
    text
}

/// Those below a task, the first on top of the pile.
fn places<'a>(below: &BTreeMap<&str, Vec<&'a Value>>, parent: &str, lead: &str, is_root: bool) -> Vec<Place<'a>> {
    let tasks = below.get(parent).map(Vec::as_slice).unwrap_or_default();
    let count = tasks.len();
    let place =
        |(at, task): (usize, &&'a Value)| Place { task, lead: lead.to_owned(), is_last: at + 1 == count, is_root };
    tasks.iter().enumerate().map(place).rev().collect()
}

fn line(place: &Place<'_>) -> String {
    let task = place.task;
    let branch = match (place.is_root, place.is_last) {
        (true, _) => "",
        (false, true) => "└─ ",
        (false, false) => "├─ ",
    };
    let word = |name: &str| escaped(task[name].as_str().unwrap_or_default());
    let name = task["id"].as_str().map(|id| format!(" {}", escaped(id))).unwrap_or_default();
    let method = if word("method").is_empty() { String::new() } else { format!(" {}", word("method")) };
    let head = format!(
        "{}{branch}{}{name}  {}{method}  {}",
        place.lead,
        number(task, "task_id"),
        word("actor"),
        word("state")
    );
    format!("{}{}\n", head, told(task))
}

/// The number of a task within its process.
fn number(task: &Value, name: &str) -> String {
    task[name].as_str().map(|id| format!(".{}", escaped(id.rsplit('.').next().unwrap_or_default()))).unwrap_or_default()
}

/// What is known of it beyond its state.
fn told(task: &Value) -> String {
    let mut told = vec![];
    if let Some(worker) = task["worker"].as_str().filter(|_| task["state"] == "WORK") {
        told.push(format!("by {}", escaped(worker)));
    }
    if task["attempt"].as_i64().is_some_and(|attempt| attempt > 1) {
        told.push(format!("attempt {}", task["attempt"]));
    }
    let waits: Vec<&str> = task["waits_for"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if task["state"] == "WAITING" && !waits.is_empty() {
        let numbers: Vec<String> =
            waits.iter().map(|id| format!(".{}", escaped(id.rsplit('.').next().unwrap_or_default()))).collect();
        told.push(format!("waits for {}", numbers.join(", ")));
    }
    if !task["same_as"].is_null() {
        told.push(format!("= {}", number(task, "same_as")));
    } else if let Some(value) = task.get("value") {
        told.push(short(&Output::json_text(value)));
    }
    if let Some(class) = task["error"]["class"].as_str() {
        let message = task["error"]["message"].as_str().unwrap_or_default();
        told.push(short(&escaped(&format!("{class}: {message}"))));
    }
    told.iter().map(|word| format!("  {word}")).collect()
}

fn short(text: &str) -> String {
    let cut: String = text.chars().take(LETTERS_MAX).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    #[test]
    fn wfl_23_tasks_are_shown_below_those_that_laid_them_out() {
        let tasks = json!([
            {"task_id": "P.1", "actor": "order#1", "method": "begin", "state": "FINISH", "attempt": 1, "same_as": "P.3", "waits_for": []},
            {"task_id": "P.2", "parent": "P.1", "id": "a", "actor": "price#1", "method": "price", "state": "FINISH", "attempt": 2,
             "value": {"sum": 7}, "waits_for": []},
            {"task_id": "P.3", "parent": "P.1", "id": "total", "actor": "sum#1", "method": "", "state": "WORK", "attempt": 1,
             "worker": "w\u{1b}1", "waits_for": ["P.2"]},
            {"task_id": "P.4", "parent": "P.2", "actor": "pay#1", "method": "pay", "state": "BROKEN", "attempt": 3,
             "error": {"class": "Busy", "message": "no"}, "waits_for": []},
            {"task_id": "P.5", "parent": "P.3", "actor": "end#1", "method": "", "state": "WAITING", "attempt": 0, "waits_for": ["P.4", "P.2"]},
        ]);
        expect![[r#"
            .1  order#1 begin  FINISH  = .3
            ├─ .2 a  price#1 price  FINISH  attempt 2  {"sum":7}
            │  └─ .4  pay#1 pay  BROKEN  attempt 3  Busy: no
            └─ .3 total  sum#1  WORK  by w\u{1b}1
               └─ .5  end#1  WAITING  waits for .4, .2
        "#]]
        .assert_eq(&of(tasks.as_array().unwrap()));
    }

    #[test]
    fn wfl_23_a_deep_chain_is_shown_too() {
        let task = |number: i64| json!({"task_id": format!("P.{number}"), "parent": format!("P.{}", number - 1), "state": "FINISH"});
        let mut tasks: Vec<Value> = (2..3_000).map(task).collect();
        tasks.insert(0, json!({"task_id": "P.1", "state": "FINISH"}));
        assert_eq!(of(&tasks).lines().count(), tasks.len());
        assert_eq!(short(&"x".repeat(61)).chars().count(), 61, "cut, with a sign");
    }
}
