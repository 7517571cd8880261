//! What a page's handler works with: the kernel for this caller, the person's language, and the frame.

use std::ops::Deref;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::Response;
use base::Wall;
use maud::{Markup, html};

use super::preferences::Preferences;
use super::{frame, terminal};
use crate::api::Api;
use crate::app::Shared;
use crate::error::ApiError;
use crate::ui::form::encoded;
use crate::ui::{Counted, Form, Language, Text, moment};

/// One visit of a page.
pub struct Console {
    pub(super) api: Api,
    pub(super) preferences: Preferences,
    /// Path and query of the page itself.
    pub(super) here: String,
    /// Where the person reaches this server.
    pub(super) server: String,
}

/// What differs between pages.
pub struct View<'a> {
    /// Title and heading.
    pub title: &'a str,
    /// The way to it from the top: address and name of each page above it.
    pub above: &'a [(String, String)],
    /// What can be done with the page's subject as a whole.
    pub actions: Markup,
    /// The page.
    pub content: Markup,
}

impl Console {
    /// The person's language.
    #[must_use]
    pub fn language(&self) -> Language {
        self.preferences.language
    }

    /// A text in the person's language.
    #[must_use]
    pub fn say(&self, text: &Text) -> &'static str {
        self.language().say(text)
    }

    /// A text with its places filled in.
    #[must_use]
    pub fn fill(&self, text: &Text, places: &[(&str, &dyn std::fmt::Display)]) -> String {
        self.language().fill(text, places)
    }

    /// A number of something.
    #[must_use]
    pub fn count(&self, text: &Counted, number: i64) -> String {
        self.language().count(text, number)
    }

    /// The calendar.
    #[must_use]
    pub fn now(&self) -> Wall {
        self.kernel().env().clock.wall()
    }

    /// A moment, seen from now.
    #[must_use]
    pub fn moment(&self, at: Wall) -> Markup {
        moment::moment(self.language(), self.now(), at)
    }

    /// The same with the whole moment below, for pages of one thing: there it can be read without pointing at it.
    #[must_use]
    pub fn whole_moment(&self, at: Wall) -> Markup {
        html! { (self.moment(at)) span.sub { (moment::plain(at)) } }
    }

    /// The address of a page of this namespace: `console.at("tasks")`.
    #[must_use]
    pub fn at(&self, page: &str) -> String {
        format!("/console/{}/{page}", self.namespace().name)
    }

    /// Whether this is the page of an address, whatever its query.
    #[must_use]
    pub fn is_at(&self, address: &str) -> bool {
        self.here.split('?').next() == Some(address)
    }

    /// The address of a page of the console for this caller; `None` where there is none, or not for its role.
    #[must_use]
    pub fn address(&self, pattern: &str, parts: &[(&str, &str)]) -> Option<String> {
        let info = self.shared().pages().infos.iter().find(|info| info.path == pattern)?;
        let seen = info.access.allows(self.caller().role) && (self.at_administration() || !info.at_administration);
        let path = pattern.replace("{ns}", &self.namespace().name);
        let filled = |path: String, (name, value): &(&str, &str)| path.replace(&format!("{{{name}}}"), &encoded(value));
        seen.then(|| parts.iter().fold(path, filled))
    }

    /// Where the person reaches this server, without a slash at the end: for commands.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// A form for a route of the API, by its label; nothing if this caller may not use it.
    ///
    /// # Panics
    /// As [`Api::may`].
    #[must_use]
    pub fn form(&self, label: &str, button: &Text) -> Form {
        self.form_in(&self.namespace().name, label, button)
    }

    /// The same for another namespace: for whoever looks at several from the administrators' own.
    ///
    /// # Panics
    /// As [`Api::may`].
    #[must_use]
    pub fn form_in(&self, namespace: &str, label: &str, button: &Text) -> Form {
        let (method, path) = label.split_once(' ').unwrap_or(("POST", label));
        let reached = namespace == self.namespace().name || self.caller().everywhere;
        Form::new(method, path, self.say(button)).with("ns", namespace).allowed(reached && self.may(label))
    }

    /// The page.
    #[must_use]
    pub fn show(&self, view: View<'_>) -> Response {
        frame::shown(self, &view)
    }
}

impl Deref for Console {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}

impl FromRequestParts<Shared> for Console {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, ApiError> {
        let preferences = Preferences::of(&parts.headers);
        let here = parts.uri.path_and_query().map_or("", |here| here.as_str()).to_owned();
        let server = terminal::server(parts, shared.config());
        let api = Api::from_request_parts(parts, shared).await?;
        Ok(Self { api, preferences, here, server })
    }
}
