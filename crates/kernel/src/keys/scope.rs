//! What a key may do it with (KER-32): a JSON object of known fields, each one name or a list of names.
//!
//! A field that a scope does not have does not bind; one that it has binds to exactly its names. Which field applies to
//! what is the service's knowledge: it asks [`Caller::may`].

use base::limits::NAME_MAX;
use base::{OpError, OpResult, codes};
use serde_json::{Map, Value};

use crate::request::Caller;

/// The fields of a scope. The namespace is not among them: a key lives in one.
pub const FIELDS: [&str; 8] = ["service", "company", "subsystem", "database", "device", "actor", "client", "folder"];
/// Names in one field.
pub const NAMES_MAX: usize = 100;

/// Refuses unknown fields and what is neither a name nor a list of names.
pub(crate) fn check(scope: &Map<String, Value>) -> OpResult<()> {
    for (field, value) in scope {
        if !FIELDS.contains(&field.as_str()) {
            let message = format!("scope has no field `{field}`, its fields are {}", FIELDS.join(", "));
            return Err(OpError::new(codes::ABODY, message));
        }
        check_names(field, value)?;
    }
    Ok(())
}

fn check_names(field: &str, value: &Value) -> OpResult<()> {
    let wrong = || OpError::new(codes::ABODY, format!("scope field `{field}` is neither a name nor a list of names"));
    let names = match value {
        Value::String(_) => std::slice::from_ref(value),
        Value::Array(names) if !names.is_empty() => names,
        _ => return Err(wrong()),
    };
    if names.len() > NAMES_MAX {
        let message = format!("scope field `{field}` has {} names, at most {NAMES_MAX}", names.len());
        return Err(OpError::new(codes::ALIMIT, message));
    }
    let is_name = |name: &Value| name.as_str().is_some_and(|name| (1..=NAME_MAX).contains(&name.len()));
    if names.iter().all(is_name) { Ok(()) } else { Err(wrong()) }
}

impl Caller {
    /// Whether the caller's scope lets it work with this one: `caller.may("device", id)`.
    #[must_use]
    pub fn may(&self, field: &str, value: &str) -> bool {
        if self.scope.as_ref() == "{}" {
            return true;
        }
        // Only what was checked is stored; what cannot be read all the same lets nobody do anything.
        let Ok(scope) = serde_json::from_str::<Map<String, Value>>(&self.scope) else { return false };
        match scope.get(field) {
            None => true,
            Some(Value::String(name)) => name == value,
            Some(Value::Array(names)) => names.iter().any(|name| name == value),
            Some(_) => false,
        }
    }

    /// The one name to which the caller's scope binds it in this field, if it does.
    #[must_use]
    pub fn bound_to(&self, field: &str) -> Option<String> {
        let scope = serde_json::from_str::<Map<String, Value>>(&self.scope).ok()?;
        scope.get(field)?.as_str().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(scope: Value) -> Result<(), &'static str> {
        check(scope.as_object().expect("an object")).map_err(|error| error.code.name)
    }

    #[test]
    fn ker_32_a_scope_has_known_fields_of_names() {
        assert_eq!(checked(json!({})), Ok(()));
        assert_eq!(checked(json!({ "service": "exchange", "device": ["a", "b"] })), Ok(()));
        for bad in [
            json!({ "devices": "a" }),
            json!({ "namespace": "main" }),
            json!({ "device": 7 }),
            json!({ "device": [] }),
            json!({ "device": ["a", 7] }),
            json!({ "device": "" }),
            json!({ "device": null }),
            json!({ "device": "x".repeat(256) }),
        ] {
            assert_eq!(checked(bad.clone()), Err("ABODY"), "{bad}");
        }
        assert_eq!(checked(json!({ "device": vec!["a"; 101] })), Err("ALIMIT"));
    }

    #[test]
    fn ker_32_a_caller_may_what_its_scope_does_not_bind() {
        let caller = |scope: &str| Caller { scope: scope.into(), ..Caller::public() };
        assert!(caller("{}").may("device", "a"));
        assert!(caller(r#"{"company":"c"}"#).may("device", "a"));
        assert!(caller(r#"{"device":"a"}"#).may("device", "a"));
        assert!(caller(r#"{"device":["a","b"]}"#).may("device", "b"));
        for (scope, value) in
            [(r#"{"device":"a"}"#, "b"), (r#"{"device":["a"]}"#, "b"), (r#"{"device":7}"#, "7"), ("nonsense", "a")]
        {
            assert!(!caller(scope).may("device", value), "{scope}");
        }
    }
}
