//! What a key may do it with (KER-32): a JSON object of known fields, each one name or a list of names.
//!
//! A field that a scope does not have does not bind; one that it has binds to exactly its names. Which field applies to
//! what is the service's knowledge: it asks [`Caller::may`].

use base::limits::NAME_MAX;
use base::{OpError, OpResult, codes};
use serde_json::{Map, Value};

use crate::request::{Caller, Role};

/// The fields of a scope. The namespace is not among them: a key lives in one.
pub const FIELDS: [&str; 8] = ["service", "company", "subsystem", "database", "device", "actor", "client", "folder"];
/// Names in one field.
pub const NAMES_MAX: usize = 100;

/// The fields that bind a key of a role. The roles of services have their own; what the others work with is any service's knowledge,
/// also of one that we do not know.
#[must_use]
pub fn fields_of(role: Role) -> &'static [&'static str] {
    match role {
        Role::Admin | Role::Operator | Role::Reader | Role::App => &FIELDS,
        Role::Device => &["service", "company", "subsystem", "device"],
        Role::Database => &["service", "company", "subsystem", "database"],
        Role::Actor => &["service", "actor"],
        Role::Gateway => &["service"],
        Role::Folder => &["service", "folder", "device"],
    }
}

/// Refuses unknown fields, such as nobody looks at for this role, and what is neither a name nor a list of names.
pub(crate) fn check(role: Role, scope: &Map<String, Value>) -> OpResult<()> {
    check_all(scope)?;
    let known = fields_of(role);
    if let Some(field) = scope.keys().find(|field| !known.contains(&field.as_str())) {
        let message = format!(
            "scope field `{field}` is of no use to a key of role `{}`: its fields are {}",
            role.word(),
            known.join(", ")
        );
        return Err(OpError::new(codes::ABODY, message));
    }
    let own = match role {
        Role::Device => "device",
        Role::Database => "database",
        Role::Admin | Role::Operator | Role::Reader | Role::App | Role::Actor | Role::Gateway | Role::Folder => {
            return Ok(());
        }
    };
    if scope.get(own).and_then(Value::as_array).is_some_and(|names| names.len() > 1) {
        let message = format!("scope field `{own}` is one name: a key of role `{own}` speaks for one {own}");
        return Err(OpError::new(codes::ABODY, message));
    }
    Ok(())
}

fn check_all(scope: &Map<String, Value>) -> OpResult<()> {
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
        match scope.get(field)? {
            Value::Array(names) if names.len() == 1 => names[0].as_str().map(str::to_owned),
            other => other.as_str().map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(scope: Value) -> Result<(), &'static str> {
        check_for(Role::App, scope)
    }

    fn check_for(role: Role, scope: Value) -> Result<(), &'static str> {
        check(role, scope.as_object().expect("an object")).map_err(|error| error.code.name)
    }

    #[test]
    fn ker_32_a_scope_that_can_never_be_of_use_to_its_role_is_refused() {
        for (role, scope) in [
            (Role::Device, json!({ "device": "a", "company": "c" })),
            (Role::Device, json!({ "device": ["a"] })),
            (Role::Database, json!({ "service": "exchange", "database": "erp" })),
            (Role::Actor, json!({ "actor": ["a#1", "b#1"] })),
            (Role::Folder, json!({ "folder": ["a", "b"], "device": "laptop" })),
            (Role::App, json!({ "company": "c", "device": ["a", "b"] })),
            (Role::Gateway, json!({ "service": "sensors" })),
        ] {
            assert_eq!(check_for(role, scope.clone()), Ok(()), "{scope}");
        }
        for (role, scope) in [
            (Role::Device, json!({ "device": ["a", "b"] })),
            (Role::Device, json!({ "device": "a", "folder": "b" })),
            (Role::Database, json!({ "database": ["erp", "shop"] })),
            (Role::Database, json!({ "device": "a" })),
            (Role::Actor, json!({ "device": "a" })),
            (Role::Gateway, json!({ "client": "a" })),
            (Role::Folder, json!({ "database": "erp" })),
        ] {
            assert_eq!(check_for(role, scope.clone()), Err("ABODY"), "{scope}");
        }
    }

    /// A list of one binds to one, as forms and programs write it.
    #[test]
    fn ker_32_a_list_of_one_name_binds_to_it() {
        let caller = |scope: &str| Caller { scope: scope.into(), ..Caller::public() };
        assert_eq!(caller(r#"{"device":["a"]}"#).bound_to("device").as_deref(), Some("a"));
        assert_eq!(caller(r#"{"device":"a"}"#).bound_to("device").as_deref(), Some("a"));
        assert_eq!(caller(r#"{"device":["a","b"]}"#).bound_to("device"), None);
        assert_eq!(caller("{}").bound_to("device"), None);
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
