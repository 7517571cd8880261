//! Names that a file system cannot hold are kept under others that can be read back (FLD-18). Pure.
//!
//! A character that may not be is `%` and two digits, so that people can still read the name: `12:30` is `12%3A30`. A `%` that would read as such a
//! mark is marked itself; every other stays as it is.

use std::borrow::Cow;

/// What a file system can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalNames {
    /// Every name: names stay as they are.
    Plain,
    /// Only what DOS could: names are marked.
    Marked,
}

/// Names that are devices, whatever follows the first dot.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];

impl LocalNames {
    /// The name on this disk.
    #[must_use]
    pub fn to_local<'a>(&self, name: &'a str) -> Cow<'a, str> {
        match self {
            Self::Plain => Cow::Borrowed(name),
            Self::Marked => marked(name),
        }
    }

    /// The name of the server; `None` if no name of the server is kept under this one.
    #[must_use]
    pub fn from_local<'a>(&self, local: &'a str) -> Option<Cow<'a, str>> {
        match self {
            Self::Plain => Some(Cow::Borrowed(local)),
            Self::Marked => unmarked(local).filter(|name| marked(name) == local),
        }
    }
}

fn marked(name: &str) -> Cow<'_, str> {
    let is_device = is_device(name);
    let mut made = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        let rest = &name[at + c.len_utf8()..];
        let is_odd = match c {
            '<' | '>' | ':' | '"' | '|' | '?' | '*' => true,
            '%' => mark_at(rest).is_some(),
            '.' | ' ' => rest.is_empty(),
            _ => c.is_ascii_control(),
        };
        // Only ASCII is ever marked, so that two digits are enough.
        match u8::try_from(c) {
            Ok(byte) if is_odd || (is_device && at == 0) => made.push_str(&format!("%{byte:02X}")),
            _ => made.push(c),
        }
    }
    if made == name { Cow::Borrowed(name) } else { Cow::Owned(made) }
}

fn unmarked(local: &str) -> Option<Cow<'_, str>> {
    if !local.contains('%') {
        return Some(Cow::Borrowed(local));
    }
    let mut made = String::with_capacity(local.len());
    let mut rest = local;
    while let Some(at) = rest.find('%') {
        made.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match mark_at(rest) {
            Some(byte) if byte.is_ascii() => {
                made.push(char::from(byte));
                rest = &rest[2..];
            }
            Some(_) => return None,
            None => made.push('%'),
        }
    }
    made.push_str(rest);
    Some(Cow::Owned(made))
}

/// The byte that two digits at the beginning mean.
fn mark_at(text: &str) -> Option<u8> {
    let digit = |byte: &u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(byte);
    let digits = text.as_bytes().get(..2).filter(|digits| digits.iter().all(digit))?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ').to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    let is_port = numbered.is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit());
    DEVICES.contains(&stem.as_str()) || is_port
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn odd_name() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(vec![
            "%", "%4", "%41", "%3A", "%25", "3", "A", "a", ":", "*", "?", " ", ".", "CON", "nul", "com1", "lpt0", "é",
            "\n", "🦀", "\u{7f}",
        ]);
        prop_oneof![prop::collection::vec(odd, 0..8).prop_map(|parts| parts.concat()), "[^/\0]{0,20}"]
    }

    #[test]
    fn fld_18_a_name_that_cannot_be_held_is_kept_under_one_that_people_can_read() {
        for (name, local) in [
            ("12:30.txt", "12%3A30.txt"),
            ("what?", "what%3F"),
            ("end.", "end%2E"),
            ("end ", "end%20"),
            ("con.txt", "%63on.txt"),
            ("COM7", "%43OM7"),
            ("100%", "100%"),
            ("100%41", "100%2541"),
            ("console", "console"),
            ("a\nb", "a%0Ab"),
        ] {
            assert_eq!(LocalNames::Marked.to_local(name), local);
            assert_eq!(LocalNames::Plain.to_local(name), name);
        }
        assert_eq!(LocalNames::Marked.from_local("a%41"), None, "nobody would have marked an A");
        assert_eq!(LocalNames::Marked.from_local("a:"), None);
    }

    proptest! {
        #[test]
        fn fld_18_what_is_marked_reads_back(name in odd_name()) {
            let local = LocalNames::Marked.to_local(&name).into_owned();
            let back = LocalNames::Marked.from_local(&local);
            prop_assert_eq!(back.as_deref(), Some(name.as_str()), "{}", local);
        }

        #[test]
        fn fld_18_what_is_marked_can_be_held(name in odd_name()) {
            let local = LocalNames::Marked.to_local(&name).into_owned();
            prop_assert!(!local.contains(['<', '>', ':', '"', '|', '?', '*', '\n']), "{}", local);
            prop_assert!(!local.ends_with(['.', ' ']) && !is_device(&local), "{}", local);
        }

        #[test]
        fn fld_18_what_reads_back_is_where_it_was_read(local in odd_name()) {
            if let Some(name) = LocalNames::Marked.from_local(&local) {
                prop_assert_eq!(LocalNames::Marked.to_local(&name), local.as_str());
            }
        }
    }
}
