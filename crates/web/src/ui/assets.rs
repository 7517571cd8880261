//! What pages bring along: one style sheet and one script, served by us, named by their content so that browsers keep them.

use std::sync::LazyLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

const STYLE: &str = concat!(
    include_str!("style/tokens.css"),
    include_str!("style/base.css"),
    include_str!("style/parts.css"),
    include_str!("style/frame.css"),
    include_str!("style/docs.css"),
);
const SCRIPT: &str = concat!(
    include_str!("script/parts.js"),
    include_str!("script/forms.js"),
    include_str!("script/live.js"),
    include_str!("script/find.js"),
);

/// Paths with the content's mark: another content has another path.
static STYLE_PATH: LazyLock<String> = LazyLock::new(|| format!("/assets/style.css?v={}", mark(STYLE)));
static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| format!("/assets/console.js?v={}", mark(SCRIPT)));

/// A tower, drawn in eight strokes.
pub(super) const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath \
                               fill='%230f766e' d='M2 1h3v2h2V1h2v2h2V1h3v5l-2 2v7h-3v-4H7v4H4V8L2 6z'/%3E%3C/svg%3E";

fn mark(content: &str) -> String {
    kernel::keys::hex(&Sha256::digest(content)[..6])
}

pub(super) fn style_path() -> &'static str {
    &STYLE_PATH
}

pub(super) fn script_path() -> &'static str {
    &SCRIPT_PATH
}

pub(crate) async fn style() -> Response {
    kept("text/css; charset=utf-8", STYLE)
}

pub(crate) async fn script() -> Response {
    kept("text/javascript; charset=utf-8", SCRIPT)
}

fn kept(media_type: &'static str, content: &'static str) -> Response {
    ([(CONTENT_TYPE, media_type), (CACHE_CONTROL, "public, max-age=31536000, immutable")], content).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::SCRIPT;

    /// Its files are one script: a function that another file has, too, takes the other's place without a word.
    #[test]
    fn con_1_no_function_of_the_script_stands_in_for_another() {
        let starts = |line: &'static str| line.strip_prefix("async ").unwrap_or(line).strip_prefix("function ");
        let name = |line: &'static str| starts(line)?.split('(').next();
        let names: Vec<&str> = SCRIPT.lines().filter_map(name).collect();
        let mut seen = BTreeSet::new();
        let twice: Vec<_> = names.iter().filter(|name| !seen.insert(**name)).collect();
        assert!(names.len() > 20 && twice.is_empty(), "{} functions, twice: {twice:?}", names.len());
    }
}
