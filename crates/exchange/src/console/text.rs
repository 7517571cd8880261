//! The text of a message, set in lines so that people can read it. Pure.
//!
//! The letters themselves are never changed: numbers keep their digits, strings their escapes, and a text that was cut, or is no JSON at
//! all, is still shown as it is.

/// Steps by which lines are moved in; deeper ones are not moved further, so that no text grows without bound.
const DEEPEST: usize = 12;

/// Sets a text in lines.
pub(super) fn in_lines(text: &str) -> String {
    let mut lines = Lines { out: String::with_capacity(text.len() * 2), depth: 0 };
    let (mut in_string, mut escaped) = (false, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if in_string {
            lines.out.push(letter);
            (in_string, escaped) = (escaped || letter != '"', !escaped && letter == '\\');
            continue;
        }
        match letter {
            '"' => {
                in_string = true;
                lines.out.push(letter);
            }
            '{' | '[' => lines.open(letter, &mut letters),
            '}' | ']' => lines.close(letter),
            ',' => lines.after(letter),
            ':' => lines.out.push_str(": "),
            ' ' | '\t' | '\r' | '\n' => {}
            other => lines.out.push(other),
        }
    }
    lines.out
}

struct Lines {
    out: String,
    depth: usize,
}

impl Lines {
    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.depth.min(DEEPEST)));
    }

    fn after(&mut self, letter: char) {
        self.out.push(letter);
        self.line();
    }

    /// What is empty stays on its line.
    fn open(&mut self, letter: char, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        self.out.push(letter);
        while rest.next_if(|next| next.is_ascii_whitespace()).is_some() {}
        if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
            self.out.push(end);
            return;
        }
        self.depth += 1;
        self.line();
    }

    fn close(&mut self, letter: char) {
        self.depth = self.depth.saturating_sub(1);
        self.line();
        self.out.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_3_a_text_is_set_in_lines_and_keeps_its_letters() {
        let text = r#"{"a":1.50,"b":["x, {y}\"",{}],"c":[ ]}"#;
        let shown = "{\n  \"a\": 1.50,\n  \"b\": [\n    \"x, {y}\\\"\",\n    {}\n  ],\n  \"c\": []\n}";
        assert_eq!(in_lines(text), shown);
    }

    #[test]
    fn con_9_a_text_that_was_cut_or_nests_deeply_stays_small() {
        assert_eq!(in_lines(r#"{"a":"cut he"#), "{\n  \"a\": \"cut he");
        let deep = format!("{}{}", "[".repeat(1_000), "1,".repeat(1_000));
        assert!(in_lines(&deep).len() < deep.len() * 30);
    }
}
