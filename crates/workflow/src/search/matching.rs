//! Whether a process is one that is looked for: by what was seen in passing, then by what has to be read.

use base::{Heard, OpResult, Sql, Tx, Wall, args};
use serde_json::Value;

use super::form::Wanted;
use super::walk::Seen;
use crate::task::{ErrorForm, TaskForm};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&HAS_ACTOR, &ERROR, &START];

static HAS_ACTOR: Sql =
    Sql::new("wfl_task.has_actor", "SELECT 1 FROM wfl_task WHERE process = ?1 AND actor = ?2 ORDER BY number LIMIT 1");
static ERROR: Sql = Sql::new("wfl_process.error", "SELECT error FROM wfl_process WHERE id = ?1");
static START: Sql = Sql::new("wfl_process.start", "SELECT start FROM wfl_process WHERE id = ?1");

/// Whether a process is looked for.
pub(crate) fn matches(tx: &mut dyn Tx, wanted: &Wanted, seen: &Seen, now: (Heard, Wall)) -> OpResult<bool> {
    if !fits(wanted, seen, now) {
        return Ok(false);
    }
    let search = &wanted.search;
    if let Some(actor) = search.actor.as_ref().filter(|actor| **actor != seen.starter)
        && tx.query_one(&HAS_ACTOR, args![&seen.id, actor])?.is_none()
    {
        return Ok(false);
    }
    if let Some(text) = &wanted.error
        && !error_of(tx, &seen.id)?.is_some_and(|error| has_text(&error, text))
    {
        return Ok(false);
    }
    if let Some(broken) = &wanted.broken
        && !broken.matches(tx, seen)?
    {
        return Ok(false);
    }
    match &search.argument {
        Some(argument) => started_with(tx, &seen.id, argument),
        None => Ok(true),
    }
}

/// By what is known already. Pure.
fn fits(wanted: &Wanted, seen: &Seen, (heard, wall): (Heard, Wall)) -> bool {
    let search = &wanted.search;
    let is = |wish: &Option<String>, text: &str| wish.as_ref().is_none_or(|wish| wish == text);
    let within = |(from, to): (Option<Wall>, Option<Wall>), at: Option<Wall>| match at {
        Some(at) => from.is_none_or(|from| at >= from) && to.is_none_or(|to| at < to),
        None => from.is_none() && to.is_none(),
    };
    let between = |least: Option<i64>, most: Option<i64>, ms: i64| {
        least.is_none_or(|least| ms >= least) && most.is_none_or(|most| ms <= most)
    };
    let duration_ms = seen.ended_at.unwrap_or(wall).0.saturating_sub(seen.started_at.0);
    let unchanged_ms = heard.0.saturating_sub(seen.changed.0);
    is(&search.id, &seen.id)
        && search.custom_id.as_ref().is_none_or(|wish| seen.custom_id.as_ref() == Some(wish))
        && is(&search.kind, &seen.kind)
        && wanted.state.is_none_or(|state| state == seen.state)
        && search.error_class.as_ref().is_none_or(|class| seen.error_class.as_ref() == Some(class))
        && within(wanted.started, Some(seen.started_at))
        && within(wanted.ended, seen.ended_at)
        && between(search.duration_min_ms, search.duration_max_ms, duration_ms)
        && between(search.unchanged_min_ms, search.unchanged_max_ms, unchanged_ms)
}

/// The error of a process.
pub(super) fn error_of(tx: &mut dyn Tx, process: &str) -> OpResult<Option<ErrorForm>> {
    let row = tx.query_one(&ERROR, args![process])?;
    Ok(row.and_then(|row| row.opt_text(0).map(|text| serde_json::from_str(text).unwrap_or_default())))
}

fn has_text(error: &ErrorForm, text: &str) -> bool {
    let has = |field: &str| field.to_lowercase().contains(text);
    has(&error.message) || error.trace.as_deref().is_some_and(has)
}

fn started_with(tx: &mut dyn Tx, process: &str, argument: &Value) -> OpResult<bool> {
    let Some(row) = tx.query_one(&START, args![process])? else { return Ok(false) };
    let Ok(start) = serde_json::from_str::<TaskForm>(row.text(0)) else { return Ok(false) };
    let values = start.args.iter().filter_map(|argument| argument.value.as_ref());
    let mut read = values.filter_map(|value| serde_json::from_str::<Value>(value.get()).ok());
    Ok(read.any(|value| occurs(argument, &value)))
}

/// Whether a value occurs in another: a text within any text, any other value as it is. Pure.
fn occurs(wanted: &Value, inside: &Value) -> bool {
    let here = match (wanted, inside) {
        (Value::String(wanted), Value::String(text)) => text.contains(wanted.as_str()),
        _ => wanted == inside,
    };
    here || match inside {
        Value::Array(items) => items.iter().any(|item| occurs(wanted, item)),
        Value::Object(fields) => fields.values().any(|field| occurs(wanted, field)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn wfl_18_values_are_found_wherever_they_are() {
        let inside = json!({ "order": { "number": 17, "lines": ["blue chair", { "paid": true, "x": null }] } });
        for there in [json!(17), json!("chair"), json!(true), json!(null), json!({ "paid": true, "x": null })] {
            assert!(occurs(&there, &inside), "{there}");
        }
        for absent in [json!(18), json!("17"), json!("order"), json!(false), json!([])] {
            assert!(!occurs(&absent, &inside), "{absent}");
        }
    }
}
