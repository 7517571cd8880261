//! A search by one index, as a form of the class's fields.

use base::OpError;
use maud::{Markup, html};
use serde_json::Value;
use web::console::words as common;
use web::ui::form::{filters, link};
use web::ui::parts::{banner, card, empty, id, id_link, pager, table};
use web::ui::{Column, Field, Holds, Kind, Row, Text, Tone};
use web::{ApiError, Console};

use super::class::reset;
use super::{Asked, PAGE, Place, class_page, value, when, words};
use crate::browse::ItemView;
use crate::class::{ClassDecl, IndexType};
use crate::codes::{ASEARCH, CINDEX};
use crate::search::{Cond, FieldCondition, Found, FoundItem, Search, answer};

/// The conditions, as people read them.
const CONDITIONS: [(Cond, &str); 10] = [
    (Cond::Eq, "="),
    (Cond::Sw, "…"),
    (Cond::Lt, "<"),
    (Cond::Le, "≤"),
    (Cond::Ge, "≥"),
    (Cond::Gt, ">"),
    (Cond::Gele, "≥ ≤"),
    (Cond::Gelt, "≥ <"),
    (Cond::Gtle, "> ≤"),
    (Cond::Gtlt, "> <"),
];

/// The indexed fields: item, field, type.
fn indexed(decl: &ClassDecl) -> impl Iterator<Item = (&str, &str, IndexType)> {
    decl.items.iter().flat_map(|(item, decl)| decl.index.iter().map(move |(field, kind)| (&**item, &**field, *kind)))
}

pub(super) fn form(console: &Console, decl: &ClassDecl, asked: &Asked) -> Markup {
    let fields: Vec<_> = indexed(decl).map(|(item, field, kind)| choice(item, field, kind)).collect();
    let content = if fields.is_empty() {
        html! { p.hint { (console.say(&words::NO_INDEX)) } }
    } else {
        let conditions = CONDITIONS.map(|(cond, sign)| (cond.word().to_owned(), said(console, cond, sign))).to_vec();
        let parts = [
            Field::new("field", console.say(&words::FIELD), Kind::Text).choices(fields).value(&asked.field),
            Field::new("cond", console.say(&words::CONDITION), Kind::Text).choices(conditions).value(&asked.cond),
            Field::new("v1", console.say(&words::VALUE), Kind::Text).value(&asked.v1),
            Field::new("v2", console.say(&words::UP_TO), Kind::Text).value(&asked.v2),
        ];
        filters(&class_page(console, &decl.class), &parts, console.say(&common::SEARCH))
    };
    card(console.say(&words::FIND), reset(console, &decl.class, &asked.field), content)
}

fn choice(item: &str, field: &str, kind: IndexType) -> (String, String) {
    let kind = serde_json::to_value(kind).ok().and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default();
    (format!("{item}.{field}"), format!("{item}.{field} ({kind})"))
}

fn said(console: &Console, cond: Cond, sign: &str) -> String {
    match (cond, sign.split_once(' ')) {
        (Cond::Eq, _) => format!("= {}", console.say(&words::IS)),
        (Cond::Sw, _) => console.say(&words::STARTS_WITH).to_owned(),
        (_, Some((from, to))) => console.fill(&words::BETWEEN, &[("from", &from), ("to", &to)]),
        (_, None) => sign.to_owned(),
    }
}

/// What was found; also what is wrong with the question.
pub(super) async fn find(console: &Console, decl: &ClassDecl, asked: &Asked) -> Result<Markup, ApiError> {
    let search = match question(decl, asked) {
        Ok(search) => search,
        Err(Wrong { text, what }) => return Ok(refused(console, &console.fill(text, &[("text", &what)]))),
    };
    match answer(console, search).await {
        Ok(found) => Ok(shown(console, decl, asked, &found.out)),
        Err(ApiError(error)) if is_of_question(&error) => Ok(refused(console, &error.message)),
        Err(error) => Err(error),
    }
}

/// Whether it says what is wrong with what somebody typed, or that the index is not ready.
fn is_of_question(error: &OpError) -> bool {
    [ASEARCH, CINDEX, base::codes::ALIMIT, base::codes::ABODY].contains(&error.code)
}

pub(super) fn refused(console: &Console, message: &str) -> Markup {
    banner(Tone::Warn, html! { b { (console.say(&words::NOT_SEARCHED)) } ": " (message) })
}

/// What is wrong with what somebody asked for.
#[derive(Debug, PartialEq)]
struct Wrong<'a> {
    /// What is said of it.
    text: &'static Text,
    /// What was asked for.
    what: &'a str,
}

/// What is looked for; what is wrong with it.
fn question<'a>(decl: &ClassDecl, asked: &'a Asked) -> Result<Search, Wrong<'a>> {
    let known = indexed(decl).find(|(item, field, _)| asked.field == format!("{item}.{field}"));
    let (item, field, kind) = known.ok_or(Wrong { text: &words::NOT_INDEXED, what: &asked.field })?;
    let cond = CONDITIONS.iter().find(|(cond, _)| asked.cond == cond.word());
    let (cond, sign) = *cond.ok_or(Wrong { text: &words::NO_CONDITION, what: &asked.cond })?;
    let v1 = typed(kind, &asked.v1)?;
    // What is left in a field that the condition does not have is no mistake.
    let v2 = sign.contains(' ').then(|| typed(kind, &asked.v2)).transpose()?;
    let conditions = vec![FieldCondition { field: field.to_owned(), cond, v1, v2 }];
    let after = Some(asked.after.clone()).filter(|after| !after.is_empty());
    let (c, item, limit) = (decl.class.clone(), item.to_owned(), u32::try_from(PAGE).ok());
    Ok(Search { c, item, conditions, id: None, items: true, limit, after, filter: None })
}

/// A value as its index holds it.
fn typed(kind: IndexType, typed: &str) -> Result<Value, Wrong<'_>> {
    let number = typed.trim();
    match kind {
        IndexType::String | IndexType::Strings => Ok(typed.into()),
        IndexType::Int | IndexType::Ints => {
            number.parse::<i64>().map(Value::from).map_err(|_| Wrong { text: &words::NO_WHOLE_NUMBER, what: typed })
        }
        IndexType::Float | IndexType::Floats => {
            let parsed = number.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
            parsed.map(Value::Number).ok_or(Wrong { text: &words::NO_NUMBER, what: typed })
        }
    }
}

fn shown(console: &Console, decl: &ClassDecl, asked: &Asked, found: &Found) -> Markup {
    let items = found.items.as_deref().unwrap_or_default();
    let at = |after: Option<&str>| {
        let given = [("field", &asked.field), ("cond", &asked.cond), ("v1", &asked.v1), ("v2", &asked.v2)];
        let mut query: Vec<_> = given.map(|(name, value)| (name, Some(value.as_str()))).to_vec();
        query.push(("after", after));
        link(&class_page(console, &decl.class), &query)
    };
    let (first, next) = ((!asked.after.is_empty()).then(|| at(None)), found.next.as_deref().map(|next| at(Some(next))));
    let hint = if next.is_some() { &words::MORE_BEHIND } else { &words::NOTHING_FOUND_HINT };
    html! {
        @if items.is_empty() {
            (empty(console.say(&words::NOTHING_FOUND), html! { p { (console.say(hint)) } }))
        } @else { (rows(console, decl, items)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    }
}

fn rows(console: &Console, decl: &ClassDecl, items: &[FoundItem]) -> Markup {
    let columns = [
        Column(console.say(&words::DOCUMENT), Holds::Text),
        Column(console.say(&words::KEY), Holds::Text),
        Column(console.say(&words::VALUE), Holds::Text),
        Column(console.say(&words::CHANGED), Holds::Text),
        Column(console.say(&common::VERSION), Holds::Numbers),
    ];
    let row = |found: &FoundItem| {
        let place = Place { console, class: &decl.class, id: &found.id };
        let item = viewed(&found.item);
        let whole = place.item(&item.c, &item.k);
        Row::of(vec![
            id_link(&place.page(), &found.id),
            html! { @if !item.k.is_empty() { (id(&item.k)) } },
            value::short(console, &item, &whole),
            when(console, item.v),
            id(item.v),
        ])
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    table(console.say(&words::FOUND), &columns, &rows)
}

fn viewed(item: &replica::Item) -> ItemView {
    let replica::Item { key, v, vop, j, s } = item.clone();
    let bytes = j.as_ref().map(|json| json.to_string().len()).or(s.as_ref().map(String::len)).unwrap_or(0);
    let (who, op, changed_at) = (String::new(), String::new(), String::new());
    ItemView { c: key.c, k: key.k, v, vop, changed_at, who, op, bytes: i64::try_from(bytes).unwrap_or(i64::MAX), j, s }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(field: &str, cond: &str, v1: &str, v2: &str) -> Asked {
        let text = str::to_owned;
        Asked { field: text(field), cond: text(cond), v1: text(v1), v2: text(v2), ..Asked::default() }
    }

    fn questioned(asked: &Asked) -> Result<Search, Wrong<'_>> {
        let decl = serde_json::json!({ "class": "C", "items": {
            "Card": { "index": { "name": "string", "a.b": "float[]" } }, "Tel": { "index": { "n": "int" } } } });
        let decl: ClassDecl = serde_json::from_value(decl).unwrap();
        question(&decl, asked)
    }

    #[test]
    fn con_5_a_question_has_values_of_the_indexs_type() {
        let condition = |field, cond, v1, v2| {
            questioned(&asked(field, cond, v1, v2)).map(|found| found.conditions[0].clone()).unwrap()
        };
        let found = asked("Tel.n", "GELT", " 7 ", "9");
        assert_eq!(questioned(&found).unwrap().item, "Tel");
        let found = condition("Tel.n", "GELT", " 7 ", "9");
        assert_eq!((found.v1, found.v2), (Value::from(7), Some(Value::from(9))));
        assert_eq!(condition("Card.a.b", "EQ", "1.5", "x").v2, None, "it has one value only");
        assert_eq!(condition("Card.name", "SW", " a", "").v1, Value::from(" a"));
    }

    #[test]
    fn con_5_what_is_wrong_with_a_question_is_said() {
        for (field, cond, v1, text, what) in [
            ("Tel.n", "EQ", "seven", &words::NO_WHOLE_NUMBER, "seven"),
            ("Tel.n", "GELE", "1", &words::NO_WHOLE_NUMBER, ""),
            ("Card.a.b", "EQ", "NaN", &words::NO_NUMBER, "NaN"),
            ("Tel.x", "EQ", "1", &words::NOT_INDEXED, "Tel.x"),
            ("Tel.n", "LIKE", "1", &words::NO_CONDITION, "LIKE"),
        ] {
            let asked = asked(field, cond, v1, "");
            assert_eq!(questioned(&asked).unwrap_err(), Wrong { text, what });
        }
    }
}
