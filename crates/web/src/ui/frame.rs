//! The frame around every page.
//!
//! Invariants: text that came from outside is escaped (maud does it); the policy of every page forbids inline scripts and styles,
//! frames and anything that is not served by us.

use axum::body::Bytes;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, VARY, X_FRAME_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use super::assets::{ICON, script_path, style_path};
use super::text::Language;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Light or dark, as the person wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// As the browser says.
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// All, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// Its word in the cookie and in the page.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of a word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.word() == word)
    }
}

/// What the head of a page says.
pub struct Head<'a> {
    /// Title of the page.
    pub title: &'a str,
    /// The server's name.
    pub server: &'a str,
    /// Its language.
    pub language: Language,
    /// Its theme.
    pub theme: Theme,
    /// Seconds after which the browser loads it again.
    pub refresh_s: Option<u32>,
    /// Whether it has the console's script.
    pub script: bool,
    /// The token that changes of its session carry.
    pub csrf: Option<&'a str>,
    /// Where it hears that something changed.
    pub live: Option<&'a str>,
}

impl Head<'_> {
    /// The whole page around its body.
    #[must_use]
    pub fn around(&self, body: &Markup) -> String {
        let theme = (self.theme != Theme::Auto).then(|| self.theme.word());
        let page = html! {
            (DOCTYPE)
            html lang=(self.language.code()) data-theme=[theme] {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    (self.refresh())
                    @if let Some(token) = self.csrf { meta name="csrf" content=(token); }
                    @if let Some(live) = self.live { meta name="live" content=(live); }
                    title { (self.title) " · " (self.server) }
                    link rel="icon" href=(ICON);
                    link rel="stylesheet" href=(style_path());
                    @if self.script { script src=(script_path()) defer {} }
                }
                (body)
            }
        };
        page.into_string()
    }

    /// A page with our script looks by itself whether it can be shown, and leaves the person alone until then.
    fn refresh(&self) -> Markup {
        let Some(seconds) = self.refresh_s else { return html! {} };
        let tag = html! { meta http-equiv="refresh" content=(seconds); };
        if self.script {
            html! { noscript { (tag) } }
        } else {
            tag
        }
    }
}

/// A page of the server itself, outside of the console: status and API.
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
    #[must_use]
    pub fn around(&self, content: &Markup) -> String {
        let head = Head {
            title: self.title,
            server: self.server,
            language: Language::English,
            theme: Theme::Auto,
            refresh_s: self.refresh_s,
            script: false,
            csrf: None,
            live: None,
        };
        head.around(&html! { body { (self.bar()) (content) } })
    }

    fn bar(&self) -> Markup {
        html! {
            header.bar {
                a.brand href="/" { (self.server) }
                nav aria-label="Pages" {
                    @for (path, name) in [("/", "Status"), ("/console", "Console"), ("/docs", "API")] {
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
        (REFERRER_POLICY, "same-origin"),
        (X_FRAME_OPTIONS, "DENY"),
        (CACHE_CONTROL, "no-store"),
        (VARY, "Cookie, Accept-Language"),
    ];
    (headers, html).into_response()
}
