//! What documents look like: a contact, a group, and the register of memberships; and who sees what of them.

use documents::{Asking, DocClass, IndexType, Keyed, Singleton, SyncFilter, Verdict};
use kernel::{Caller, Role};
use replica::{Content, ItemKey};
use serde::{Deserialize, Serialize};

/// A person. Its documents are open to `doc.commit` too: phones put numbers and pictures there without an operation of ours.
pub static CONTACT: DocClass = DocClass::new("Contact", &[CARD.def, PHONE.def, NOTE.def, CALLS.def, GROUPS.def])
    .filtered(SyncFilter {
        item: |asking, key| key.c != NOTE.def.name || sees_private(asking.caller),
        content: hide_numbers,
        ..SyncFilter::NONE
    });

/// Some persons. Who is in it is decided by our operations alone.
pub static GROUP: DocClass = DocClass::new("Group", &[ABOUT.def, MEMBER.def, MEMBER_CARD.def]).own_operations_only();

/// A lock document (DOC-15), id [`MEMBERS`]: whoever gives a membership number holds it, so they go one after the other.
pub static REGISTER: DocClass = DocClass::new("Register", &[LAST.def]).own_operations_only();

/// Id of the one register.
pub const MEMBERS: &str = "members";

/// Of a contact: who it is. Copied to its groups, where the copies follow by themselves (DOC-14).
pub static CARD: Singleton<Card> =
    Singleton::new("Card").indexed(&[("name", IndexType::String), ("email", IndexType::String)]).copied_to(&["Group"]);
/// Of a contact: its telephone numbers, by what they are for.
pub static PHONE: Keyed<Phone> = Keyed::new("Phone").indexed(&[("number", IndexType::String)]);
/// Of a contact: what is not for everybody.
pub static NOTE: Keyed<Note> = Keyed::new("Note");
/// Of a contact: how often it was called.
pub static CALLS: Singleton<Calls> = Singleton::new("Calls");
/// Of a contact: its groups, by their id.
pub static GROUPS: Keyed<Membership> = Keyed::new("Groups");
/// Of a group: what it is.
pub static ABOUT: Singleton<About> = Singleton::new("About").indexed(&[("title", IndexType::String)]);
/// Of a group: its members, by the contact's id.
pub static MEMBER: Keyed<Membership> = Keyed::new("Member").indexed(&[("number", IndexType::Int)]);
/// Of a group: the cards of its members, by the contact's id. Same name as what it is a copy of.
pub static MEMBER_CARD: Keyed<Card> = Keyed::new("Card");
/// Of the register: the last number that was given.
pub static LAST: Singleton<Last> = Singleton::new("Last");

/// Who a contact is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Name.
    pub name: String,
    /// Where letters reach it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// A telephone number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phone {
    /// The number as it is dialled.
    pub number: String,
}

/// A private note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its text.
    pub text: String,
}

/// How often a contact was called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// So often.
    pub count: u64,
}

/// That a contact is in a group; both documents hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Unique over all groups.
    pub number: u64,
}

/// What a group is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// What it is called.
    pub title: String,
}

/// The last number that was given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Last {
    /// 0 if none was.
    pub number: u64,
}

/// Whether private things are for this caller: not for readers, and not for keys that are bound to services without `private` among them (which is
/// none, but a word that a key is given on purpose).
fn sees_private(caller: &Caller) -> bool {
    caller.role != Role::Reader && caller.may("service", "private")
}

/// Whoever does not see private things sees the end of a telephone number only.
fn hide_numbers(asking: &Asking<'_>, key: &ItemKey, content: &Content) -> Verdict {
    if key.c != PHONE.def.name || sees_private(asking.caller) {
        return Verdict::Accept;
    }
    let Content::Json(value) = content else { return Verdict::Exclude };
    let number = value["number"].as_str().unwrap_or_default();
    Verdict::Alter(Content::Json(serde_json::json!({ "number": masked(number) })))
}

fn masked(number: &str) -> String {
    let end: Vec<char> = number.chars().rev().take(2).collect();
    format!("…{}", end.into_iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(role: Role, scope: &str) -> Caller {
        Caller { role, scope: scope.into(), ..Caller::public() }
    }

    #[test]
    fn doc_10_private_things_are_hidden_by_role_and_by_scope() {
        assert!(sees_private(&caller(Role::App, "{}")));
        assert!(sees_private(&caller(Role::App, r#"{"service":["private","other"]}"#)));
        assert!(!sees_private(&caller(Role::App, r#"{"service":"other"}"#)));
        assert!(!sees_private(&caller(Role::Reader, "{}")));
    }

    #[test]
    fn doc_10_of_a_number_its_end_is_shown() {
        assert_eq!((masked("0207 12"), masked("7"), masked("")), ("…12".into(), "…7".into(), "…".into()));
    }
}
