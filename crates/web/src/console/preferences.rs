//! How a person wants pages: language, theme and keys, kept in cookies that hold nothing else (CON-1).

use axum::http::header::{ACCEPT_LANGUAGE, COOKIE, HeaderValue, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::page::{Page, PageResult};
use crate::params::QueryOf;
use crate::ui::{Language, Theme};

const LANGUAGE: &str = "fastness_language";
const THEME: &str = "fastness_theme";
const SINGLE_KEYS: &str = "fastness_single_keys";
/// A year.
const KEPT_S: u32 = 31_536_000;

/// How a person wants pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Preferences {
    pub(crate) language: Language,
    pub(crate) theme: Theme,
    /// Whether keys do something without Ctrl.
    pub(crate) single_keys: bool,
}

impl Preferences {
    /// What the person chose, or else what the browser says.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let chosen = cookie(headers, LANGUAGE).and_then(Language::of_code);
        let accepted = || headers.get(ACCEPT_LANGUAGE)?.to_str().ok().and_then(Language::of_accepted);
        let language = chosen.or_else(accepted).unwrap_or(Language::English);
        let theme = cookie(headers, THEME).and_then(Theme::of_word).unwrap_or(Theme::Auto);
        Self { language, theme, single_keys: cookie(headers, SINGLE_KEYS) != Some("off") }
    }
}

/// The value of a cookie.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/_prefer", prefer).public()]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    language: Option<String>,
    theme: Option<String>,
    single_keys: Option<String>,
    back: Option<String>,
}

/// Notes a wish and goes back to the page that it was said on. It changes nothing but the browser's own cookies.
async fn prefer(QueryOf(wish): QueryOf<Wish>) -> PageResult {
    let mut response = going(back(wish.back.as_deref()));
    let language = wish.language.as_deref().and_then(Language::of_code).map(|language| (LANGUAGE, language.code()));
    let theme = wish.theme.as_deref().and_then(Theme::of_word).map(|theme| (THEME, theme.word()));
    let keys = wish.single_keys.as_deref().and_then(|wish| ["on", "off"].into_iter().find(|word| *word == wish));
    for (name, value) in language.into_iter().chain(theme).chain(keys.map(|word| (SINGLE_KEYS, word))) {
        let cookie = format!("{name}={value}; Path=/; Max-Age={KEPT_S}; SameSite=Lax; HttpOnly");
        // Words of ours are always a header's value.
        let _ = HeaderValue::from_str(&cookie).map(|cookie| response.headers_mut().append(SET_COOKIE, cookie));
    }
    Ok(response)
}

/// A page of ours to go back to; anything else would let a link of ours lead elsewhere.
pub(super) fn back(to: Option<&str>) -> &str {
    to.filter(|to| to.starts_with("/console/") && !to.contains(['\\', '\r', '\n']) && to.is_ascii())
        .unwrap_or("/console")
}

/// Leads the browser on.
pub(super) fn going(to: &str) -> Response {
    let to = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/console"));
    (StatusCode::SEE_OTHER, [(LOCATION, to)]).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_1_a_choice_wins_over_the_browser() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("fr, en;q=0.5"));
        let read = |headers: &HeaderMap| Preferences::of(headers);
        let wished = |language, theme, single_keys| Preferences { language, theme, single_keys };
        assert_eq!(read(&headers), wished(Language::French, Theme::Auto, true));
        headers.insert(
            COOKIE,
            HeaderValue::from_static("a=b; fastness_language=ru; fastness_theme=dark; fastness_single_keys=off"),
        );
        assert_eq!(read(&headers), wished(Language::Russian, Theme::Dark, false));
        headers.insert(
            COOKIE,
            HeaderValue::from_static("fastness_language=xx; fastness_theme=<script>; fastness_single_keys=x"),
        );
        assert_eq!(read(&headers), wished(Language::French, Theme::Auto, true));
    }

    #[test]
    fn con_9_a_link_of_ours_leads_to_us() {
        for bad in ["//evil.example", "https://evil.example/console/", "/console", "/v1/main", "/console/\\evil", ""] {
            assert_eq!(back(Some(bad)), "/console", "{bad}");
        }
        assert_eq!(back(Some("/console/main/tasks?state=parked")), "/console/main/tasks?state=parked");
    }
}
