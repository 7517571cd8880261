//! Senders and receivers as people know them: a device by its name, a database by its id.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use web::ui::parts::id_link;
use web::{ApiError, Console};

use super::reads::NAMES;
use super::{database_page, device_page};
use crate::message::name::FileName;

/// The parties of a page.
pub(super) struct Parties(BTreeMap<String, String>);

impl Parties {
    /// Looks up who sent and who gets these messages.
    pub(super) async fn of(console: &Console, messages: &[&FileName]) -> Result<Self, ApiError> {
        let ends: BTreeSet<&String> = messages.iter().flat_map(|name| [&name.from, &name.to]).collect();
        let wanted = ends.into_iter().cloned().collect();
        Ok(Self(console.read(&NAMES, wanted).await?.out))
    }

    /// The way to one of them.
    pub(super) fn link(&self, console: &Console, id: &str) -> Markup {
        match self.0.get(id) {
            Some(name) => html! { a href=(device_page(console, id)) title=(id) { bdi { (name) } } },
            None => id_link(&database_page(console, id), id),
        }
    }
}
