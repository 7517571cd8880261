//! What follows from all declarations of a namespace together: numbers of indexed fields, which items are copies, and whether
//! copies would chase each other. Pure.

use std::collections::{BTreeMap, BTreeSet};

use base::{OpError, OpResult};
use serde::{Deserialize, Serialize};

use super::KEY_FIELD;
use super::decl::{ClassDecl, IndexType};
use crate::codes::ACLASS;

/// A class with all that operations need to know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// As it was declared.
    pub decl: ClassDecl,
    /// Its indexed fields, also those that are still being filled.
    pub fields: Vec<Field>,
    /// Where items come from that are copies, by their name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, Vec<Source>>,
}

/// A class whose items are copied into another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name.
    pub class: String,
    /// Whether the item has no key there: the key of a copy is then the document's id alone.
    pub singleton: bool,
    /// What stands between key and id in the key of a copy.
    pub separator: String,
}

/// An indexed field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its number, used once.
    pub number: i64,
    /// Class of the item.
    pub item: String,
    /// Name of the field; `$key` for the keys of copies.
    pub field: String,
    /// Which table holds its values.
    pub kind: FieldKind,
    /// Whether its value is a list.
    pub list: bool,
    /// Whether everything that is stored is in it.
    pub ready: bool,
}

/// The type of a value in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// Text.
    Text,
    /// Integer.
    Int,
    /// Float.
    Real,
}

impl FieldKind {
    /// Every type.
    pub const ALL: [Self; 3] = [Self::Text, Self::Int, Self::Real];

    /// The word in rows and table names.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Int => "int",
            Self::Real => "real",
        }
    }
}

impl IndexType {
    /// The type of one value, and whether there are many.
    #[must_use]
    pub const fn parts(self) -> (FieldKind, bool) {
        match self {
            Self::String => (FieldKind::Text, false),
            Self::Int => (FieldKind::Int, false),
            Self::Float => (FieldKind::Real, false),
            Self::Strings => (FieldKind::Text, true),
            Self::Ints => (FieldKind::Int, true),
            Self::Floats => (FieldKind::Real, true),
        }
    }
}

impl Compiled {
    /// The indexed fields of an item class.
    pub fn fields_of<'a>(&'a self, item: &'a str) -> impl Iterator<Item = &'a Field> {
        self.fields.iter().filter(move |field| field.item == item)
    }

    /// Whether items of this class are copies of others.
    #[must_use]
    pub fn holds_copies(&self, item: &str) -> bool {
        self.fields_of(item).any(|field| field.field == KEY_FIELD)
    }
}

/// The fields that a class should have: those declared, and the keys of items that are copies.
pub(super) fn wanted(decl: &ClassDecl, all: &BTreeMap<String, ClassDecl>) -> Vec<Field> {
    let of_item = |item: &str, field: &str, index: IndexType| {
        let (kind, list) = index.parts();
        Field { number: 0, item: item.to_owned(), field: field.to_owned(), kind, list, ready: false }
    };
    let declared = decl
        .items
        .iter()
        .flat_map(|(name, item)| item.index.iter().map(move |(field, index)| of_item(name, field, *index)));
    let copied = sources(&decl.class, all);
    let keys = copied.keys().map(|item| of_item(item, KEY_FIELD, IndexType::String));
    declared.chain(keys).collect()
}

/// Items that are copied into documents of `class`, with the classes that they come from.
pub(super) fn sources(class: &str, all: &BTreeMap<String, ClassDecl>) -> BTreeMap<String, Vec<Source>> {
    let mut sources = BTreeMap::<String, Vec<Source>>::new();
    for from in all.values() {
        for (name, item) in from.items.iter().filter(|(_, item)| item.copy_to.iter().any(|to| to == class)) {
            let (singleton, separator) = (item.singleton, item.separator().to_owned());
            let source = Source { class: from.class.clone(), singleton, separator };
            sources.entry(name.clone()).or_default().push(source);
        }
    }
    sources
}

/// Whether declarations fit together: an item that is copied is keyed and of the same kind in the class that holds its copies, and no
/// item comes back to where it was copied from.
///
/// # Errors
/// `ACLASS` with the classes and the item.
pub(super) fn check_together(all: &BTreeMap<String, ClassDecl>) -> OpResult<()> {
    for decl in all.values() {
        for (name, item) in &decl.items {
            for to in &item.copy_to {
                check_target(decl, name, item.raw, all.get(to))?;
                if comes_back(name, to, &decl.class, all) {
                    let text =
                        format!("item {name} of {} is copied to {to}, which copies it back: a circle", decl.class);
                    return Err(OpError::new(ACLASS, text));
                }
            }
        }
    }
    Ok(())
}

fn check_target(from: &ClassDecl, name: &str, raw: bool, to: Option<&ClassDecl>) -> OpResult<()> {
    // A class that is not declared yet is checked when it is.
    let Some(to) = to else { return Ok(()) };
    let fits = to.items.get(name).is_some_and(|item| !item.singleton && item.raw == raw);
    if fits {
        return Ok(());
    }
    let kind = if raw { "raw and keyed" } else { "JSON and keyed" };
    let text = format!("item {name} of {} is copied to {}, where {name} must be {kind} too", from.class, to.class);
    Err(OpError::new(ACLASS, text))
}

fn comes_back(item: &str, from: &str, to: &str, all: &BTreeMap<String, ClassDecl>) -> bool {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(class) = next.pop() {
        if class == to {
            return true;
        }
        if seen.insert(class) {
            let copied = all.get(class).and_then(|decl| decl.items.get(item));
            next.extend(copied.iter().flat_map(|item| item.copy_to.iter().map(String::as_str)));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(decls: &[&str]) -> BTreeMap<String, ClassDecl> {
        let parse = |json: &&str| serde_json::from_str::<ClassDecl>(json).unwrap();
        decls.iter().map(parse).map(|decl| (decl.class.clone(), decl)).collect()
    }

    const ASSO: &str =
        r#"{"class":"Asso","items":{"Sta":{"singleton":true,"copy_to":["GT"]},"Adh":{"copy_to":["GT"]}}}"#;
    const GT: &str = r#"{"class":"GT","items":{"Sta":{},"Adh":{"index":{"name":"string"}}}}"#;

    #[test]
    fn doc_14_the_keys_of_copies_are_indexed() {
        let all = all(&[ASSO, GT]);
        check_together(&all).unwrap();
        let fields = wanted(&all["GT"], &all);
        let names: Vec<_> = fields.iter().map(|field| format!("{}.{}", field.item, field.field)).collect();
        assert_eq!(names, ["Adh.name", "Adh.$key", "Sta.$key"]);
        assert!(wanted(&all["Asso"], &all).is_empty());
    }

    #[test]
    fn doc_14_copies_that_would_chase_each_other_are_refused() {
        let back = r#"{"class":"GT","items":{"Sta":{},"Adh":{"copy_to":["Third"]}}}"#;
        let third = r#"{"class":"Third","items":{"Adh":{"copy_to":["Asso"]}}}"#;
        let error = check_together(&all(&[ASSO, back, third])).unwrap_err();
        assert!(error.code == ACLASS && error.message.contains("circle"), "{error}");
    }

    #[test]
    fn doc_14_a_copy_must_be_keyed_and_of_the_same_kind() {
        for gt in [
            r#"{"class":"GT","items":{"Sta":{"singleton":true},"Adh":{}}}"#,
            r#"{"class":"GT","items":{"Sta":{"raw":true},"Adh":{}}}"#,
            r#"{"class":"GT","items":{"Adh":{}}}"#,
        ] {
            assert!(check_together(&all(&[ASSO, gt])).is_err(), "{gt}");
        }
    }
}
