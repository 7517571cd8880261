//! Text from elsewhere, made harmless.

use unicode_width::UnicodeWidthChar;

/// With every character that a terminal would obey, or that would reorder what stands around it, written out.
pub(crate) fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut safe, c| {
        match c {
            '\n' => safe.push_str("\\n"),
            '\t' => safe.push_str("\\t"),
            '\r' => safe.push_str("\\r"),
            c if is_obeyed(c) => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
        safe
    })
}

/// JSON may hold some such characters as they are; written as `\u001b` it means the same.
pub(super) fn json_escaped(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut safe, c| {
        match c {
            c if c != '\n' && is_obeyed(c) => safe.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => safe.push(c),
        }
        safe
    })
}

/// Control characters, both sets, and those that turn or hide what follows.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Columns that it takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// As much as fits into so many columns, with `…` where something is missing.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |c: &char| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= left;
        left = left.saturating_sub(wide);
        fits
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_9_nothing_that_a_terminal_obeys_passes() {
        let nasty = "a\u{1b}[31mb\u{9b}2J\u{7}\n\u{202e}c\u{7f}";
        assert_eq!(escaped(nasty), "a\\u{1b}[31mb\\u{9b}2J\\u{7}\\n\\u{202e}c\\u{7f}");
        let json = serde_json::json!({ "x": nasty }).to_string();
        let safe = json_escaped(&json);
        assert!(!safe.chars().any(is_obeyed), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap()["x"], nasty, "it means the same");
        assert_eq!(escaped("Ångström 日本 ✓"), "Ångström 日本 ✓");
    }

    #[test]
    fn con_9_text_is_cut_by_columns() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(width("日本"), 4);
    }
}
