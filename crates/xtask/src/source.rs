//! A simple reading of Rust source: which bytes are code, comment or literal, and where functions lie.
//!
//! It is a scanner that counts braces, not a parser: it knows nested comments, raw strings, and lifetimes
//! from characters. What a macro makes of its input it cannot see. That is enough for tidy and trace, and
//! needs no dependency.

use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Code,
    Comment,
    Literal,
}

pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    kinds: Vec<Kind>,
}

/// A function with a body, from `fn` to its closing brace.
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Range<usize>,
}

impl<'a> Source<'a> {
    pub(crate) fn read(text: &'a str) -> Source<'a> {
        let bytes = text.as_bytes();
        let mut kinds = Vec::with_capacity(bytes.len());
        while kinds.len() < bytes.len() {
            let (kind, end) = token(bytes, kinds.len());
            kinds.resize(end.min(bytes.len()), kind);
        }
        Source { text, kinds }
    }

    /// The text with everything but code blanked; offsets and lines stay.
    pub(crate) fn code(&self) -> String {
        self.keep(|kind| kind == Kind::Code)
    }

    /// The text with literals blanked: what people said in code and comments.
    pub(crate) fn without_literals(&self) -> String {
        self.keep(|kind| kind != Kind::Literal)
    }

    fn keep(&self, wanted: impl Fn(Kind) -> bool) -> String {
        let byte = |(byte, kind): (u8, &Kind)| if wanted(*kind) || byte == b'\n' { byte } else { b' ' };
        let bytes: Vec<u8> = self.text.bytes().zip(&self.kinds).map(byte).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The functions of `code`, which is this source's [`code`](Self::code).
    pub(crate) fn functions(&self, code: &str) -> Vec<Function<'a>> {
        words(code, "fn").filter_map(|at| self.function(code, at)).collect()
    }

    fn function(&self, code: &str, at: usize) -> Option<Function<'a>> {
        let rest = &code[at + 2..];
        let name_at = at + 2 + (rest.len() - rest.trim_start().len());
        let length = code[name_at..].bytes().take_while(|&byte| is_word(byte)).count();
        let end = body_end(code, name_at + length)?;
        (length > 0).then(|| Function { name: &self.text[name_at..name_at + length], span: at..end })
    }
}

/// Line number of an offset, from 1.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Offsets of `word` in `text`, only where it stands alone.
pub(crate) fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| stands_alone(text, at, at + word.len()))
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let free = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_none_or(|&byte| !is_word(byte));
    free(start.checked_sub(1)) && free(Some(end))
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// End of the body that starts at the first `{` after `from`; `None` when a `;` outside brackets comes first.
fn body_end(code: &str, from: usize) -> Option<usize> {
    let (mut brackets, mut braces) = (0i32, 0i32);
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets -= 1,
            b';' if brackets == 0 && braces == 0 => return None,
            b'{' => braces += 1,
            b'}' if braces == 1 => return Some(at + 1),
            b'}' => braces -= 1,
            _ => {}
        }
    }
    None
}

/// Kind and end of the token at `at`. Code goes byte by byte.
fn token(bytes: &[u8], at: usize) -> (Kind, usize) {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        return (Kind::Comment, at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()));
    }
    if rest.starts_with(b"/*") {
        return (Kind::Comment, at + block_comment(rest));
    }
    if let Some(length) = raw_string(bytes, at) {
        return (Kind::Literal, at + length);
    }
    match rest[0] {
        b'"' => (Kind::Literal, at + quoted(rest, b'"')),
        b'\'' if is_character(rest) => (Kind::Literal, at + quoted(rest, b'\'')),
        _ => (Kind::Code, at + 1),
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => depth += 1,
            [b'*', b'/', ..] => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Length of `r"…"`, `br#"…"#` and the like, if one starts here.
fn raw_string(bytes: &[u8], at: usize) -> Option<usize> {
    if at > 0 && is_word(bytes[at - 1]) {
        return None;
    }
    let rest = &bytes[at..];
    let letters = [&b"r"[..], b"br", b"cr"].into_iter().find(|letters| rest.starts_with(letters))?.len();
    let hashes = rest[letters..].iter().take_while(|&&byte| byte == b'#').count();
    let open = letters + hashes;
    (rest.get(open) == Some(&b'"')).then_some(())?;
    let close = [&b"\""[..], &rest[letters..open]].concat();
    let end = rest[open + 1..].windows(close.len()).position(|window| window == close);
    Some(end.map_or(rest.len(), |end| open + 1 + end + close.len()))
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// Tells `'x'` and `'\n'` from the lifetime `'x`.
fn is_character(rest: &[u8]) -> bool {
    match rest {
        [_, b'\\', ..] => true,
        [_, first, tail @ ..] => {
            let width = tail.iter().take_while(|&&byte| *first >= 0x80 && byte & 0xC0 == 0x80).count();
            *first != b'\'' && tail.get(width) == Some(&b'\'')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_code(text: &str, expected: &str) {
        assert_eq!(Source::read(text).code(), expected);
    }

    #[test]
    fn comments_and_literals_are_blanked_in_place() {
        check_code("a // { b\nc", "a       \nc");
        check_code("a /* /* { */ } */ b", "a                 b");
        check_code(r#"a("{\"", b)"#, "a(     , b)");
        check_code("r#\"a\"b\"# c", "         c");
        check_code("xr\"{\" y", "xr    y");
        check_code("'{' '\\'' 'é' x", "             x".replace("             ", "              ").as_str());
    }

    #[test]
    fn lifetimes_stay_code() {
        check_code("fn a<'a>(x: &'a str) {}", "fn a<'a>(x: &'a str) {}");
    }

    #[test]
    fn an_unfinished_token_ends_with_the_text() {
        check_code("a \"b", "a   ");
        check_code("a \"b\\", "a    ");
        check_code("/* a", "    ");
        check_code("r#\"a", "    ");
        check_code("'", "'");
    }

    fn names(text: &str) -> Vec<String> {
        let source = Source::read(text);
        let functions = source.functions(&source.code());
        functions.iter().map(|function| format!("{} {}", function.name, &text[function.span.clone()])).collect()
    }

    #[test]
    fn functions_have_names_and_bodies() {
        assert_eq!(
            names("pub fn a(x: [u8; 4]) -> u8 { if x { 1 } else { 2 } } b"),
            ["a fn a(x: [u8; 4]) -> u8 { if x { 1 } else { 2 } }"]
        );
        assert_eq!(names("trait T { fn a(&self); } struct S { f: fn(u8) -> u8 } // fn b() {}"), [] as [&str; 0]);
    }

    #[test]
    fn lines_count_from_one() {
        assert_eq!((line_of("a\nb", 0), line_of("a\nb", 2)), (1, 2));
    }
}
