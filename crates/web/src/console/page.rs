//! A page of the console: a handler, who may see it, and where it is found.
//!
//! Invariant: pages are for people, whom no scope binds. A key with a scope sees none of them, because a page does not look at scopes.

use std::sync::Arc;

use axum::handler::Handler;
use axum::response::Response;
use axum::routing::MethodRouter;
use kernel::Role;

use super::nav::Nav;
use crate::app::Shared;
use crate::error::ApiError;
use crate::route::{Access, Route, RouteInfo};

/// What a page's handler returns.
pub type PageResult = Result<Response, ApiError>;

/// A page.
pub struct Page {
    route: Route,
    nav: Option<Nav>,
}

impl Page {
    /// A page at a path below `/console/{ns}/`, for administrators unless it says otherwise.
    pub fn new<H: Handler<T, Shared>, T: 'static>(path: &'static str, handler: H) -> Self {
        let route = Route::get(path, handler).tag("Console").summary("A page of the console");
        Self { route: route.for_unbound(), nav: None }
    }

    /// For these roles, beside administrators.
    #[must_use]
    pub fn roles(self, roles: &'static [Role]) -> Self {
        Self { route: self.route.roles(roles), ..self }
    }

    /// For everybody.
    #[must_use]
    pub(crate) fn public(self) -> Self {
        Self { route: self.route.public(), ..self }
    }

    /// On the administrators' namespace only: about the server as a whole.
    #[must_use]
    pub fn at_administration(self) -> Self {
        Self { route: self.route.at_administration(), ..self }
    }

    /// Found in the navigation.
    #[must_use]
    pub fn nav(self, nav: Nav) -> Self {
        Self { nav: Some(nav), ..self }
    }
}

/// An entry of the navigation with its page.
pub(crate) struct Entry {
    pub(crate) nav: Nav,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) at_administration: bool,
}

/// All pages: what the router mounts, and what the navigation shows.
pub(crate) struct Pages {
    pub(crate) infos: Vec<Arc<RouteInfo>>,
    pub(crate) entries: Vec<Entry>,
}

impl Pages {
    /// # Panics
    /// A page lies outside of the console, or needs a key where none is looked at: a bug of the program.
    pub(crate) fn of(pages: Vec<Page>) -> (Self, Vec<MethodRouter<Shared>>) {
        let (mut all, mut handlers) = (Self { infos: vec![], entries: vec![] }, vec![]);
        for Page { route, nav } in pages {
            let RouteInfo { path, access, at_administration, .. } = route.info;
            assert!(super::below(path).is_some(), "{path} is no page of the console");
            all.entries.extend(nav.map(|nav| Entry { nav, path, access, at_administration }));
            all.infos.push(Arc::new(route.info));
            handlers.push(route.handler);
        }
        all.entries.sort_by_key(|entry| (entry.nav.group, entry.nav.place));
        (all, handlers)
    }
}
