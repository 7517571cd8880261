//! The members of a group as a table for spreadsheets: a result that is bytes with a media type, not JSON (DOC-8).

use base::{OpError, OpResult, Tx};
use documents::codes::NDOC;
use documents::{Keyed, full};
use kernel::{Media, Query};
use replica::{Content, DocCopy};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::READERS;
use crate::classes::{Card, GROUP, MEMBER, MEMBER_CARD, Membership};

/// The members of a group, as CSV.
pub static LIST_MEMBERS: Query<ListMembers, Media> = Query::new("groups.members", list_members).named_for(READERS);

/// Of which group.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListMembers {
    /// Id of the group.
    pub group: String,
}

fn list_members(tx: &mut dyn Tx, input: &ListMembers) -> OpResult<Media> {
    let group = full(tx, GROUP.name, &input.group)?;
    let group = group.ok_or_else(|| OpError::new(NDOC, format!("no group {}", input.group)))?;
    Ok(Media { mime: "text/csv; charset=utf-8".into(), bytes: table(&group.copy).into_bytes() })
}

/// One line per member, by number. Pure: tested without a database.
fn table(group: &DocCopy) -> String {
    let mut members: Vec<(u64, String)> = items(group, &MEMBER)
        .map(|(contact, Membership { number })| {
            let card = items(group, &MEMBER_CARD).find(|(key, _)| *key == contact).map(|(_, card)| card);
            (number, line(number, contact, card.as_ref()))
        })
        .collect();
    members.sort();
    let lines = members.into_iter().map(|(_, line)| line);
    std::iter::once("number,contact,name,email\r\n".to_owned()).chain(lines).collect()
}

fn items<'a, T: DeserializeOwned>(group: &'a DocCopy, item: &Keyed<T>) -> impl Iterator<Item = (&'a str, T)> {
    let name = item.def.name;
    group.items.iter().filter(move |(key, _)| key.c == name).filter_map(|(key, item)| match &item.content {
        Some(Content::Json(value)) => Some((key.k.as_str(), serde_json::from_value(value.clone()).ok()?)),
        Some(Content::Raw(_)) | None => None,
    })
}

fn line(number: u64, contact: &str, card: Option<&Card>) -> String {
    let name = card.map_or("", |card| &card.name);
    let email = card.and_then(|card| card.email.as_deref()).unwrap_or_default();
    format!("{number},{},{},{}\r\n", field(contact), field(name), field(email))
}

/// A field of CSV: quoted where it must be. One that a spreadsheet would take for a formula is made a text.
fn field(text: &str) -> String {
    let text = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_8_fields_are_quoted_and_never_formulas() {
        assert_eq!(field("Ada"), "Ada");
        assert_eq!(field("Lovelace, Ada"), "\"Lovelace, Ada\"");
        assert_eq!(field("the \"Countess\""), "\"the \"\"Countess\"\"\"");
        assert_eq!(field("=1+1"), "'=1+1");
    }

    #[test]
    fn a_member_whose_card_is_gone_is_listed_all_the_same() {
        assert_eq!(line(7, "ada", None), "7,ada,,\r\n");
    }
}
