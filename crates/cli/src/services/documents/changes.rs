//! How people write items, conditions and names of documents.

use serde_json::{Value, json};

/// `Card={"name": "Ada"}` or `Tel:home={"number": "1"}`; `text:` after the sign for an opaque text.
pub(super) fn item(text: &str) -> Result<Value, String> {
    let (name, content) = text.split_once('=').ok_or("an item is CLASS=JSON or CLASS:KEY=JSON")?;
    let mut item = named(name)?;
    match content.strip_prefix("text:") {
        Some(text) => item["s"] = text.into(),
        None => item["j"] = serde_json::from_str(content).map_err(|error| format!("no JSON: {error}"))?,
    }
    Ok(item)
}

/// `Tel:home`, to be deleted.
pub(super) fn removed(text: &str) -> Result<Value, String> {
    let mut item = named(text)?;
    item["delete"] = true.into();
    Ok(item)
}

fn named(text: &str) -> Result<Value, String> {
    let (class, key) = text.split_once(':').unwrap_or((text, ""));
    if class.is_empty() {
        return Err("an item has a class".to_owned());
    }
    Ok(if key.is_empty() { json!({ "c": class }) } else { json!({ "c": class, "k": key }) })
}

/// `new`, `any` or a version.
pub(super) fn expected(text: &str) -> Result<Value, String> {
    match text {
        "new" | "any" => Ok(text.into()),
        number => number.parse::<i64>().map(Value::from).map_err(|_| "`new`, `any` or a version".to_owned()),
    }
}

/// `name SW "A"`, `born GELT 1800 1900`: a field, a condition, one value or two. A value that is no JSON is a text.
pub(super) fn condition(text: &str) -> Result<Value, String> {
    let wrong = || "a condition is FIELD COND VALUE [VALUE], such as `born GELT 1800 1900`".to_owned();
    let (field, rest) = text.trim().split_once(' ').ok_or_else(wrong)?;
    let (cond, rest) = rest.trim().split_once(' ').ok_or_else(wrong)?;
    let is_range = cond.len() == 4;
    let values = values(rest.trim(), is_range).ok_or_else(wrong)?;
    let mut condition = json!({ "field": field, "cond": cond, "v1": values[0] });
    if let Some(upper) = values.get(1) {
        condition["v2"] = upper.clone();
    }
    Ok(condition)
}

fn values(text: &str, two: bool) -> Option<Vec<Value>> {
    let mut found = vec![];
    let mut rest = text;
    while !rest.is_empty() {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let (value, length) = match (stream.next(), two) {
            (Some(Ok(value)), _) if ends(rest, stream.byte_offset()) => (value, stream.byte_offset()),
            (_, true) => word(rest),
            (_, false) => (rest.into(), rest.len()),
        };
        found.push(value);
        rest = rest[length..].trim_start();
    }
    (found.len() == if two { 2 } else { 1 }).then_some(found)
}

/// Whether a value ends here, and is not the beginning of a word such as `2nd`.
fn ends(text: &str, at: usize) -> bool {
    text[at..].chars().next().is_none_or(char::is_whitespace)
}

fn word(text: &str) -> (Value, usize) {
    let length = text.find(char::is_whitespace).unwrap_or(text.len());
    (text[..length].into(), length)
}

/// `Contact/ada`.
pub(super) fn name(text: &str) -> Result<Value, String> {
    match text.split_once('/') {
        Some((class, id)) if !class.is_empty() && !id.is_empty() => Ok(json!({ "c": class, "id": id })),
        _ => Err("a document is CLASS/ID".to_owned()),
    }
}

/// Reads a text as each of these. For the fuzz targets.
pub(crate) fn reads_typed(text: &str) -> Result<(), String> {
    let all = [item(text), removed(text), expected(text), condition(text), name(text)];
    all.into_iter().collect::<Result<Vec<_>, _>>().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_6_items_are_written_in_one_word() {
        assert_eq!(item(r#"Card={"a":1}"#), Ok(json!({"c": "Card", "j": {"a": 1}})));
        assert_eq!(item("Tel:home=\"x=y\""), Ok(json!({"c": "Tel", "k": "home", "j": "x=y"})));
        assert_eq!(item("Note=text:{raw"), Ok(json!({"c": "Note", "s": "{raw"})));
        assert_eq!(removed("Tel:home"), Ok(json!({"c": "Tel", "k": "home", "delete": true})));
        assert!(item("Card").is_err() && item("Card={").is_err() && item("=1").is_err());
        assert_eq!(expected("12"), Ok(json!(12)));
        assert!(expected("old").is_err() && name("Contact").is_err() && name("/x").is_err());
        assert_eq!(name("C/a/b"), Ok(json!({"c": "C", "id": "a/b"})));
    }

    #[test]
    fn doc_13_conditions_are_written_as_they_are_said() {
        assert_eq!(
            condition("born GELT 1800 1900"),
            Ok(json!({"field": "born", "cond": "GELT", "v1": 1800, "v2": 1900}))
        );
        assert_eq!(condition("name SW Ada L"), Ok(json!({"field": "name", "cond": "SW", "v1": "Ada L"})));
        assert_eq!(condition("name EQ \"7\""), Ok(json!({"field": "name", "cond": "EQ", "v1": "7"})));
        assert_eq!(
            condition("day GELE 2nd 3rd"),
            Ok(json!({"field": "day", "cond": "GELE", "v1": "2nd", "v2": "3rd"}))
        );
        for wrong in ["", "name", "name EQ", "born GELT 1", "born GELT 1 2 3"] {
            assert!(condition(wrong).is_err(), "{wrong}");
        }
    }
}
