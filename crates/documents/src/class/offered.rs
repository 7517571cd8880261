//! Classes that a program brings along: typed items, indexes, copies and a filter, as constants (DOC-7, DOC-10).
//!
//! ```
//! use documents::{DocClass, IndexType, Keyed, Singleton};
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Card { name: String }
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Phone { number: String }
//!
//! static CARD: Singleton<Card> = Singleton::new("Card").indexed(&[("name", IndexType::String)]);
//! static PHONE: Keyed<Phone> = Keyed::new("Phone");
//! static CONTACT: DocClass = DocClass::new("Contact", &[CARD.def, PHONE.def]);
//! ```
//! Such a class is put into `ServiceDef.offers`; every namespace declares it when it is first used there. A program that changes
//! it raises its `revision`.

use std::marker::PhantomData;

use kernel::{Caller, Properties};
use replica::{Content, ItemKey};
use serde_json::Value;

use super::decl::{ClassDecl, IndexType, ItemDecl};

/// A class of documents that a program brings along.
#[derive(Clone, Copy)]
pub struct DocClass {
    /// Its name.
    pub name: &'static str,
    /// Its items.
    pub items: &'static [ItemClass],
    /// Higher than that of every declaration that it replaces.
    pub revision: u32,
    /// How many days traces of deleted items are kept.
    pub keep_days: Option<u32>,
    /// Whether the last changes of each document are written down.
    pub history: bool,
    /// What callers may see of it.
    pub filter: Option<SyncFilter>,
    /// Whether its documents change by the program's own operations only, never by `doc.commit`.
    pub own_operations_only: bool,
}

/// A class of items that a program brings along.
#[derive(Debug, Clone, Copy)]
pub struct ItemClass {
    /// Its name.
    pub name: &'static str,
    /// At most one in a document, without a key.
    pub singleton: bool,
    /// An opaque text, not JSON.
    pub raw: bool,
    /// Fields that can be searched.
    pub index: &'static [(&'static str, IndexType)],
    /// Classes whose documents hold copies of it.
    pub copy_to: &'static [&'static str],
}

/// An item that is in a document at most once.
pub struct Singleton<T> {
    /// What is declared of it.
    pub def: ItemClass,
    of: PhantomData<fn() -> T>,
}

/// An item that is in a document many times, by key.
pub struct Keyed<T> {
    /// What is declared of it.
    pub def: ItemClass,
    of: PhantomData<fn() -> T>,
}

impl DocClass {
    /// A class of these items.
    #[must_use]
    pub const fn new(name: &'static str, items: &'static [ItemClass]) -> Self {
        Self { name, items, revision: 1, keep_days: None, history: false, filter: None, own_operations_only: false }
    }

    /// A changed declaration has a higher revision.
    #[must_use]
    pub const fn revision(self, revision: u32) -> Self {
        Self { revision, ..self }
    }

    /// What callers may see of it.
    #[must_use]
    pub const fn filtered(self, filter: SyncFilter) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// Its documents change by the program's own operations only.
    #[must_use]
    pub const fn own_operations_only(self) -> Self {
        Self { own_operations_only: true, ..self }
    }

    /// Keeps traces of deleted items for so many days.
    #[must_use]
    pub const fn keep_days(self, days: u32) -> Self {
        Self { keep_days: Some(days), ..self }
    }

    /// Writes the last changes of each document down: who, when, which items.
    #[must_use]
    pub const fn with_history(self) -> Self {
        Self { history: true, ..self }
    }

    /// The same as a declaration over HTTP.
    #[must_use]
    pub fn decl(&self) -> ClassDecl {
        let items = self.items.iter().map(|item| (item.name.to_owned(), item.decl())).collect();
        let (class, keep_days) = (self.name.to_owned(), self.keep_days);
        ClassDecl { class, items, keep_days, history: self.history, revision: self.revision }
    }
}

impl ItemClass {
    const fn new(name: &'static str, singleton: bool) -> Self {
        Self { name, singleton, raw: false, index: &[], copy_to: &[] }
    }

    fn decl(&self) -> ItemDecl {
        ItemDecl {
            singleton: self.singleton,
            raw: self.raw,
            index: self.index.iter().map(|(field, kind)| ((*field).to_owned(), *kind)).collect(),
            copy_to: self.copy_to.iter().map(|class| (*class).to_owned()).collect(),
            separator: None,
        }
    }
}

macro_rules! builders {
    ($type:ident, $singleton:literal) => {
        impl<T> $type<T> {
            /// An item class of that name.
            #[must_use]
            pub const fn new(name: &'static str) -> Self {
                Self { def: ItemClass::new(name, $singleton), of: PhantomData }
            }

            /// With fields that can be searched.
            #[must_use]
            pub const fn indexed(self, index: &'static [(&'static str, IndexType)]) -> Self {
                Self { def: ItemClass { index, ..self.def }, of: PhantomData }
            }

            /// Copied to documents of these classes, where its copies follow by themselves.
            #[must_use]
            pub const fn copied_to(self, classes: &'static [&'static str]) -> Self {
                Self { def: ItemClass { copy_to: classes, ..self.def }, of: PhantomData }
            }
        }
    };
}
builders!(Singleton, true);
builders!(Keyed, false);

/// What callers may see of a class's documents, at three levels (DOC-10). Each is asked in turn.
#[derive(Clone, Copy)]
pub struct SyncFilter {
    /// Whether the document is there at all for this caller.
    pub document: fn(&Asking<'_>) -> bool,
    /// Whether an item is, judged by its class and key.
    pub item: fn(&Asking<'_>, &ItemKey) -> bool,
    /// Whether its content may be seen, or what instead of it.
    pub content: fn(&Asking<'_>, &ItemKey, &Content) -> Verdict,
}

impl SyncFilter {
    /// Hides nothing: `SyncFilter { item: …, ..SyncFilter::NONE }`.
    pub const NONE: Self = Self { document: |_| true, item: |_, _| true, content: |_, _, _| Verdict::Accept };
}

/// Who asks for a document, and which.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The caller.
    pub caller: &'a Caller,
    /// What the application says of itself.
    pub properties: &'a Properties,
    /// The caller's argument to the filter.
    pub argument: Option<&'a Value>,
    /// Id of the document.
    pub id: &'a str,
}

/// What a filter says of an item's content.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// As it is.
    Accept,
    /// As if it were not there.
    Exclude,
    /// This in its place.
    Alter(Content),
}
