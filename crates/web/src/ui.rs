//! The look of every page: one frame, one style sheet, no script, nothing from elsewhere.
//!
//! Invariants: text that came from outside is escaped (maud does it; nothing here is marked as safe but our own words);
//! the policy of every page forbids scripts, inline styles, frames and anything that is not served by us.

mod docs;
mod example;
mod schema;
mod status;

use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

pub(crate) use docs::docs_page;
pub(crate) use status::status_page;

const STYLE: &str = include_str!("ui/style.css");
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'";
/// A tower, drawn in eight strokes.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath \
                    fill='%230f766e' d='M2 1h3v2h2V1h2v2h2V1h3v5l-2 2v7h-3v-4H7v4H4V8L2 6z'/%3E%3C/svg%3E";

/// A page to be: what differs between pages.
pub struct Frame<'a> {
    /// Title of the page.
    pub title: &'a str,
    /// The server's name.
    pub server: &'a str,
    /// The server's version.
    pub version: &'a str,
    /// Path of the entry in the top bar that this page is.
    pub here: &'a str,
    /// Seconds after which the browser loads it again.
    pub refresh_s: Option<u32>,
}

impl Frame<'_> {
    /// The whole page around its content.
    pub fn around(&self, content: &Markup) -> String {
        let style = format!("/assets/style.css?v={}", self.version);
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    @if let Some(seconds) = self.refresh_s { meta http-equiv="refresh" content=(seconds); }
                    title { (self.title) " · " (self.server) }
                    link rel="icon" href=(ICON);
                    link rel="stylesheet" href=(style);
                }
                body { (self.bar()) (content) }
            }
        };
        page.into_string()
    }

    fn bar(&self) -> Markup {
        html! {
            header.bar {
                a.brand href="/" { (self.server) }
                nav aria-label="Pages" {
                    @for (path, name) in [("/", "Status"), ("/docs", "API")] {
                        a href=(path) aria-current=[(path == self.here).then_some("page")] { (name) }
                    }
                }
                span.version { (self.version) }
            }
        }
    }
}

/// Sends a page with the headers that every page has.
pub fn page(html: Bytes) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_FRAME_OPTIONS, "DENY"),
    ];
    (headers, html).into_response()
}

/// The style sheet; its address changes with the version, so it may be kept.
pub(crate) async fn style() -> Response {
    ([(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "public, max-age=3600")], STYLE).into_response()
}
