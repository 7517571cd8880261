//! Conditions as ranges in the order of an index. Pure.
//!
//! Every condition becomes one range of one form per type, so that a statement need not know which condition it was: numbers
//! `from <= value <= to`, texts `from <= value < to`. Texts are ordered by bytes, which in UTF-8 is the order of code points. No
//! stored text has a NUL in it, so that nothing lies between a text and the same with `\u{1}` after it.

use std::ops::Bound::{self, Excluded, Included, Unbounded};

use base::{OpError, OpResult, after_prefix, codes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::class::FieldKind;
use crate::codes::{AITEM, ASEARCH};
use crate::index::IndexValue;
use crate::limits::KEY_MAX;

/// What a value must be: the letters on the left are those of the lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Cond {
    /// `v1` itself.
    Eq,
    /// A text that starts with `v1`.
    Sw,
    /// Below `v1`.
    Lt,
    /// At most `v1`.
    Le,
    /// At least `v1`.
    Ge,
    /// Above `v1`.
    Gt,
    /// At least `v1` and at most `v2`.
    #[serde(alias = "LEGE")]
    Gele,
    /// At least `v1` and below `v2`.
    #[serde(alias = "LEGT")]
    Gelt,
    /// Above `v1` and at most `v2`.
    #[serde(alias = "LTGE")]
    Gtle,
    /// Above `v1` and below `v2`.
    #[serde(alias = "LTGT")]
    Gtlt,
}

impl Cond {
    /// As callers write it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Eq => "EQ",
            Self::Sw => "SW",
            Self::Lt => "LT",
            Self::Le => "LE",
            Self::Ge => "GE",
            Self::Gt => "GT",
            Self::Gele => "GELE",
            Self::Gelt => "GELT",
            Self::Gtle => "GTLE",
            Self::Gtlt => "GTLT",
        }
    }

    const fn takes_two(self) -> bool {
        match self {
            Self::Eq | Self::Sw | Self::Lt | Self::Le | Self::Ge | Self::Gt => false,
            Self::Gele | Self::Gelt | Self::Gtle | Self::Gtlt => true,
        }
    }
}

/// A part of an index.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Range {
    /// The first value that is in it, if it is stored.
    pub(super) from: IndexValue,
    /// The last value that is in it; of texts the first one after it.
    pub(super) to: IndexValue,
}

impl Range {
    /// The values of a field that a condition allows.
    ///
    /// # Errors
    /// `ASEARCH` or `ALIMIT`: a value is missing, too much, too long or of another type.
    pub(super) fn of(kind: FieldKind, name: &str, cond: Cond, v1: &Value, v2: Option<&Value>) -> OpResult<Self> {
        check_values(name, cond, v2)?;
        let take = |value: &Value| IndexValue::of(kind, value, name).map_err(as_search_error);
        let (v1, v2) = (take(v1)?, v2.map(take).transpose()?);
        match (v1, v2) {
            (IndexValue::Text(v1), v2) => Ok(Self::of_text(cond, v1, v2.and_then(text))),
            _ if cond == Cond::Sw => Err(refused(format!("{name}: SW is for texts, and {name} is none"))),
            (IndexValue::Int(v1), v2) => Ok(Self::of_int(bounds(cond, v1, v2.and_then(int)))),
            (IndexValue::Real(v1), v2) => Ok(Self::of_real(bounds(cond, v1, v2.and_then(real)))),
        }
    }

    /// The ids of documents that a condition allows.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(super) fn of_id(cond: Cond, v1: &Value, v2: Option<&Value>) -> OpResult<Self> {
        check_values("id", cond, v2)?;
        Ok(Self::of_text(cond, id(v1)?, v2.map(id).transpose()?))
    }

    /// All ids.
    pub(super) fn every_id() -> Self {
        Self { from: IndexValue::Text(String::new()), to: IndexValue::Text(top()) }
    }

    fn of_text(cond: Cond, v1: String, v2: Option<String>) -> Self {
        let (lower, upper) = if cond == Cond::Sw {
            (Included(v1.clone()), after_prefix(&v1).map_or(Unbounded, Excluded))
        } else {
            bounds(cond, v1, v2)
        };
        let next = |text: String| text + "\u{1}";
        let from = match lower {
            Unbounded => String::new(),
            Included(text) => text,
            Excluded(text) => next(text),
        };
        let to = match upper {
            Unbounded => top(),
            Included(text) => next(text),
            Excluded(text) => text,
        };
        Self { from: IndexValue::Text(from), to: IndexValue::Text(to) }
    }

    fn of_int((lower, upper): (Bound<i64>, Bound<i64>)) -> Self {
        let from = match lower {
            Unbounded => Some(i64::MIN),
            Included(number) => Some(number),
            Excluded(number) => number.checked_add(1),
        };
        let to = match upper {
            Unbounded => Some(i64::MAX),
            Included(number) => Some(number),
            Excluded(number) => number.checked_sub(1),
        };
        let (from, to) = from.zip(to).unwrap_or((i64::MAX, i64::MIN));
        Self { from: IndexValue::Int(from), to: IndexValue::Int(to) }
    }

    fn of_real((lower, upper): (Bound<f64>, Bound<f64>)) -> Self {
        let from = match lower {
            Unbounded => f64::NEG_INFINITY,
            Included(number) => number,
            Excluded(number) => number.next_up(),
        };
        let to = match upper {
            Unbounded => f64::INFINITY,
            Included(number) => number,
            Excluded(number) => number.next_down(),
        };
        Self { from: IndexValue::Real(from), to: IndexValue::Real(to) }
    }

    /// Whether nothing can be in it.
    pub(super) fn is_empty(&self) -> bool {
        match (&self.from, &self.to) {
            (IndexValue::Text(from), IndexValue::Text(to)) => from >= to,
            (IndexValue::Int(from), IndexValue::Int(to)) => from > to,
            (IndexValue::Real(from), IndexValue::Real(to)) => from > to,
            (IndexValue::Text(_) | IndexValue::Int(_) | IndexValue::Real(_), _) => true,
        }
    }

    /// Whether a value is in it.
    pub(super) fn holds(&self, value: &IndexValue) -> bool {
        match (&self.from, value, &self.to) {
            (IndexValue::Text(from), IndexValue::Text(value), IndexValue::Text(to)) => from <= value && value < to,
            (IndexValue::Int(from), IndexValue::Int(value), IndexValue::Int(to)) => from <= value && value <= to,
            (IndexValue::Real(from), IndexValue::Real(value), IndexValue::Real(to)) => from <= value && value <= to,
            _ => false,
        }
    }
}

fn bounds<T: Clone>(cond: Cond, v1: T, v2: Option<T>) -> (Bound<T>, Bound<T>) {
    // Both values were counted before.
    let v2 = v2.unwrap_or_else(|| v1.clone());
    match cond {
        Cond::Eq | Cond::Sw => (Included(v1.clone()), Included(v1)),
        Cond::Lt => (Unbounded, Excluded(v1)),
        Cond::Le => (Unbounded, Included(v1)),
        Cond::Ge => (Included(v1), Unbounded),
        Cond::Gt => (Excluded(v1), Unbounded),
        Cond::Gele => (Included(v1), Included(v2)),
        Cond::Gelt => (Included(v1), Excluded(v2)),
        Cond::Gtle => (Excluded(v1), Included(v2)),
        Cond::Gtlt => (Excluded(v1), Excluded(v2)),
    }
}

/// A text above all that are stored, which have at most 255 characters.
pub(crate) fn top() -> String {
    "\u{10ffff}".repeat(KEY_MAX + 1)
}

fn check_values(name: &str, cond: Cond, v2: Option<&Value>) -> OpResult<()> {
    match (cond.takes_two(), v2) {
        (true, None) => Err(refused(format!("{name}: {} needs v2", cond.word()))),
        (false, Some(_)) => Err(refused(format!("{name}: {} takes no v2", cond.word()))),
        (true, Some(_)) | (false, None) => Ok(()),
    }
}

fn id(value: &Value) -> OpResult<String> {
    let text = value.as_str().filter(|text| !text.contains('\0'));
    let text = text.ok_or_else(|| refused(format!("an id is a text, and not {value}")))?;
    let count = text.chars().count();
    if count > KEY_MAX {
        return Err(OpError::new(codes::ALIMIT, format!("an id of {count} characters, at most {KEY_MAX}")));
    }
    Ok(text.to_owned())
}

fn text(value: IndexValue) -> Option<String> {
    if let IndexValue::Text(text) = value { Some(text) } else { None }
}

fn int(value: IndexValue) -> Option<i64> {
    if let IndexValue::Int(number) = value { Some(number) } else { None }
}

fn real(value: IndexValue) -> Option<f64> {
    if let IndexValue::Real(number) = value { Some(number) } else { None }
}

/// What does not fit an index is a fault of the search here, not of an item.
fn as_search_error(error: OpError) -> OpError {
    if error.code == AITEM { OpError { code: ASEARCH, ..error } } else { error }
}

fn refused(message: String) -> OpError {
    OpError::new(ASEARCH, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn range(kind: FieldKind, cond: Cond, v1: &Value, v2: Option<&Value>) -> Range {
        Range::of(kind, "f", cond, v1, v2).unwrap()
    }

    fn in_text(cond: Cond, v1: &str, value: &str) -> bool {
        range(FieldKind::Text, cond, &json!(v1), None).holds(&IndexValue::Text(value.into()))
    }

    #[test]
    fn doc_13_every_condition_on_every_type_means_what_it_says() {
        let all = [Cond::Eq, Cond::Lt, Cond::Le, Cond::Ge, Cond::Gt, Cond::Gele, Cond::Gelt, Cond::Gtle, Cond::Gtlt];
        let numbers = [i64::MIN, -2, -1, 0, 1, 2, i64::MAX];
        let cases = all.iter().flat_map(|cond| numbers.iter().map(move |a| (*cond, *a)));
        let cases: Vec<_> = cases.flat_map(|(cond, a)| numbers.map(|b| (cond, a, b))).collect();
        for (cond, a, b, x) in cases.into_iter().flat_map(|(cond, a, b)| numbers.map(|x| (cond, a, b, x))) {
            let expected = match cond {
                Cond::Eq => x == a,
                Cond::Lt => x < a,
                Cond::Le => x <= a,
                Cond::Ge => x >= a,
                Cond::Gt => x > a,
                Cond::Gele => a <= x && x <= b,
                Cond::Gelt => a <= x && x < b,
                Cond::Gtle => a < x && x <= b,
                Cond::Gtlt => a < x && x < b,
                Cond::Sw => continue,
            };
            let v2 = cond.takes_two().then(|| json!(b));
            let ints = range(FieldKind::Int, cond, &json!(a), v2.as_ref());
            assert_eq!(ints.holds(&IndexValue::Int(x)), expected, "{cond:?} {a} {b} {x}");
            assert!(!(expected && ints.is_empty()));
            // The same order in other types: quarters, and letters.
            let small = |n: i64| n.clamp(-3, 3);
            let (a, b, x) = (small(a), small(b), small(x));
            let quarter = |n: i64| n as f64 / 4.0;
            let v2 = cond.takes_two().then(|| json!(quarter(b)));
            let reals = range(FieldKind::Real, cond, &json!(quarter(a)), v2.as_ref());
            assert_eq!(reals.holds(&IndexValue::Real(quarter(x))), expected, "{cond:?} {a} {b} {x}");
            let letter =
                |n: i64| ["", "a", "a\u{1}", "aa", "b", "\u{e000}", "\u{10ffff}"][usize::try_from(n + 3).unwrap()];
            let v2 = cond.takes_two().then(|| json!(letter(b)));
            let texts = range(FieldKind::Text, cond, &json!(letter(a)), v2.as_ref());
            assert_eq!(texts.holds(&IndexValue::Text(letter(x).into())), expected, "{cond:?} {a} {b} {x}");
        }
    }

    #[test]
    fn doc_13_starts_with_takes_exactly_the_texts_with_that_prefix() {
        let texts =
            ["", "a", "ab", "b", "é", "\u{d7ff}", "\u{d7ff}x", "\u{e000}", "\u{10ffff}", "\u{10ffff}z", "a\u{10ffff}"];
        for (prefix, value) in texts.iter().flat_map(|prefix| texts.iter().map(move |value| (*prefix, *value))) {
            assert_eq!(in_text(Cond::Sw, prefix, value), value.starts_with(prefix), "{prefix:?} {value:?}");
        }
        let highest = "\u{10ffff}".repeat(128);
        assert!(in_text(Cond::Ge, "a", &highest) && in_text(Cond::Sw, "", &highest));
    }

    #[test]
    fn doc_13_values_that_a_condition_cannot_take_are_refused() {
        let refused = |kind, cond, v1: Value, v2: Option<Value>| {
            let error = Range::of(kind, "Tel.number", cond, &v1, v2.as_ref()).unwrap_err();
            assert!(error.code == ASEARCH && error.message.contains("Tel.number"), "{error}");
        };
        refused(FieldKind::Int, Cond::Eq, json!("7"), None);
        refused(FieldKind::Int, Cond::Eq, json!(1.5), None);
        refused(FieldKind::Int, Cond::Eq, Value::Null, None);
        refused(FieldKind::Int, Cond::Sw, json!(7), None);
        refused(FieldKind::Int, Cond::Gele, json!(7), None);
        refused(FieldKind::Int, Cond::Lt, json!(7), Some(json!(8)));
        refused(FieldKind::Int, Cond::Gtlt, json!(7), Some(json!("8")));
        refused(FieldKind::Text, Cond::Eq, json!("a\u{0}"), None);
        assert_eq!(Range::of_id(Cond::Eq, &json!(1), None).unwrap_err().code, ASEARCH);
        assert_eq!(Range::of_id(Cond::Eq, &json!("x".repeat(256)), None).unwrap_err().code, codes::ALIMIT);
    }

    #[test]
    fn doc_13_the_originals_names_mean_the_same() {
        let cond = |word: &str| serde_json::from_value::<Cond>(json!(word)).unwrap();
        let same = [("LEGE", "GELE"), ("LEGT", "GELT"), ("LTGE", "GTLE"), ("LTGT", "GTLT")];
        same.iter().for_each(|(old, new)| assert_eq!(cond(old), cond(new)));
        assert_eq!((cond("GELT"), cond("GTLE")), (Cond::Gelt, Cond::Gtle));
    }
}
