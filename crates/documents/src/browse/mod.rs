//! Looking through documents, for people and programs that show them to people (CON-5): which there are, what is in one and who
//! changed it when, what was done to it lately.
//!
//! Everything is read from the store, because memory does not hold who changed what; nothing is locked. What a class's filter hides
//! from the caller (DOC-10) is not shown here either. The work of one page is bounded, whatever the class holds.

mod changes;
mod count;
mod item;
mod list;
mod show;
mod view;

pub use changes::{CHANGES, ChangeView};
pub(crate) use count::COUNT;
pub use count::{CLASS_COUNTS, ClassCount};
pub(crate) use item::{ITEM, ItemDetail, ItemOf, SHOW_ITEM};
pub(crate) use list::PAGE;
pub use list::{DocLine, DocLines, LIST, ListOf};
pub(crate) use show::WHO;
pub use show::{AttachmentView, DocDetail, ItemView, SHOW, TombstoneView};

use kernel::{Caller, Home, Properties};
use web::Api;

use crate::class::{Asking, DocClass};
use crate::sync::SyncFilterOf;

/// Who looks, and what the class hides from whom.
#[derive(Debug, Clone)]
pub struct Viewer {
    /// Who asks.
    pub caller: Caller,
    /// What the application says of itself.
    pub properties: Properties,
    /// The class's filter, if the program brings one along.
    pub filter: Option<SyncFilterOf>,
}

/// A document that somebody looks at.
#[derive(Debug, Clone)]
pub struct ViewOf {
    /// Class.
    pub class: String,
    /// Id.
    pub id: String,
    /// Who looks.
    pub viewer: Viewer,
}

impl Viewer {
    /// The caller of a request, with the filter of a class.
    pub(crate) fn of(api: &Api, class: &str) -> Self {
        Self::at_home(&api.namespace().home, class, api.caller(), api.properties())
    }

    /// A caller, with the filter of a class.
    pub(crate) fn at_home(home: &Home, class: &str, caller: &Caller, properties: &Properties) -> Self {
        let offered = home.offered::<DocClass>().find(|offered| offered.name == class);
        let filter = offered.and_then(|class| class.filter).map(SyncFilterOf);
        Self { caller: caller.clone(), properties: properties.clone(), filter }
    }

    fn asking<'a>(&'a self, id: &'a str) -> Asking<'a> {
        Asking { caller: &self.caller, properties: &self.properties, argument: None, id }
    }

    /// Whether the document is there at all for this caller.
    pub(crate) fn sees(&self, id: &str) -> bool {
        self.filter.is_none_or(|filter| (filter.0.document)(&self.asking(id)))
    }
}
