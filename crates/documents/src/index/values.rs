//! The values that an item has in an index. Pure.

use base::{OpError, OpResult, Value as Arg, codes};
use serde_json::Value;

use crate::class::{Field, FieldKind};
use crate::codes::AITEM;
use crate::limits::{INDEXED_TEXT_MAX, INDEXED_VALUES_MAX};

/// A value in an index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum IndexValue {
    /// Text.
    Text(String),
    /// Integer.
    Int(i64),
    /// Float.
    Real(f64),
}

impl IndexValue {
    /// As a parameter of a statement.
    pub(crate) fn arg(&self) -> Arg<'_> {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Int(number) => (*number).into(),
            Self::Real(number) => (*number).into(),
        }
    }

    /// A JSON value as one of that kind.
    ///
    /// # Errors
    /// `AITEM` or `ALIMIT`: it is of another type, or too long.
    pub(crate) fn of(kind: FieldKind, value: &Value, name: &str) -> OpResult<Self> {
        let taken = match kind {
            FieldKind::Text => value.as_str().map(|text| Self::Text(text.to_owned())),
            FieldKind::Int => value.as_i64().map(Self::Int),
            FieldKind::Real => value.as_f64().map(Self::Real),
        };
        let wrong = || OpError::new(AITEM, format!("field {name} is indexed as {}, and is {value}", kind.word()));
        let taken = taken.ok_or_else(wrong)?;
        if let Self::Text(text) = &taken {
            if text.len() > INDEXED_TEXT_MAX {
                let text = format!("field {name} has {} bytes, an indexed text at most {INDEXED_TEXT_MAX}", text.len());
                return Err(OpError::new(codes::ALIMIT, text));
            }
            if text.contains('\0') {
                return Err(OpError::new(AITEM, format!("field {name} is indexed and has a NUL in it")));
            }
        }
        Ok(taken)
    }
}

/// The values of a field in an item's JSON: none if it is not there, many if it is a list, each once.
///
/// # Errors
/// `AITEM` or `ALIMIT`: a value does not fit the index.
pub(crate) fn values_of(field: &Field, content: &Value) -> OpResult<Vec<IndexValue>> {
    let name = format!("{}.{}", field.item, field.field);
    let Some(value) = content.get(&field.field) else { return Ok(vec![]) };
    let listed = match value {
        Value::Null => return Ok(vec![]),
        Value::Array(list) if field.list => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    if listed.len() > INDEXED_VALUES_MAX {
        let text = format!("field {name} has {} values, an indexed list at most {INDEXED_VALUES_MAX}", listed.len());
        return Err(OpError::new(codes::ALIMIT, text));
    }
    let mut values: Vec<IndexValue> = vec![];
    for value in listed.iter().filter(|value| !value.is_null()) {
        let value = IndexValue::of(field.kind, value, &name)?;
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn field(kind: FieldKind, list: bool) -> Field {
        Field { number: 1, item: "Adr".into(), field: "x".into(), kind, list, ready: true }
    }

    #[test]
    fn doc_13_values_of_every_type() {
        let of = |kind, list, value| values_of(&field(kind, list), &json!({ "x": value })).unwrap();
        assert_eq!(of(FieldKind::Text, false, json!("a")), [IndexValue::Text("a".into())]);
        assert_eq!(of(FieldKind::Int, false, json!(i64::MAX)), [IndexValue::Int(i64::MAX)]);
        assert_eq!(of(FieldKind::Real, false, json!(3)), [IndexValue::Real(3.0)]);
        assert_eq!(of(FieldKind::Int, true, json!([2, 1, 2, null])), [IndexValue::Int(2), IndexValue::Int(1)]);
        assert_eq!(of(FieldKind::Int, true, json!(7)), [IndexValue::Int(7)]);
        assert!(of(FieldKind::Int, true, json!(null)).is_empty());
        assert!(values_of(&field(FieldKind::Int, false), &json!({})).unwrap().is_empty());
    }

    #[test]
    fn doc_13_a_value_of_another_type_is_refused_by_name() {
        for (kind, value) in [
            (FieldKind::Int, json!("94000")),
            (FieldKind::Int, json!(1.5)),
            (FieldKind::Text, json!(1)),
            (FieldKind::Real, json!("1")),
            (FieldKind::Text, json!(["a"])),
            (FieldKind::Text, json!("a\0b")),
        ] {
            let error = values_of(&field(kind, false), &json!({ "x": value })).unwrap_err();
            assert!(error.code == AITEM && error.message.contains("Adr.x"), "{error}");
        }
        let long = json!({ "x": "x".repeat(INDEXED_TEXT_MAX + 1) });
        assert_eq!(values_of(&field(FieldKind::Text, false), &long).unwrap_err().code, codes::ALIMIT);
    }
}
