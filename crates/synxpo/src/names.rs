//! What a name may be, and when two are the same (FLD-18). Pure, and of no locale: every device says the same.

use unicode_normalization::UnicodeNormalization;

/// The longest name, in bytes: what file systems hold.
pub const NAME_BYTES_MAX: usize = 255;
/// The longest path, in bytes.
pub const PATH_BYTES_MAX: usize = 4_096;
/// The most parts of a path.
pub const PATH_PARTS_MAX: usize = 200;
/// The folder that a device keeps for itself; its temporary files begin with this and a `-`.
pub const OWN_NAME: &str = ".fastness";

/// A longer one is no extension but part of the name.
const EXTENSION_BYTES_MAX: usize = 32;
/// What a conflict name has of a device's name, at most.
const DEVICE_BYTES_MAX: usize = 64;

/// How a directory compares names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// By folded NFC: `A` and `a` are twins.
    Folded,
    /// Byte by byte.
    Exact,
}

/// The slot of a name: what is unique within a folder. It has never a `/` in it, since no name has.
#[must_use]
pub fn slot(policy: Policy, name: &str) -> String {
    match policy {
        Policy::Folded => folded(name),
        Policy::Exact => name.to_owned(),
    }
}

/// Whether two names are one and the same: another case is another name (a rename), another composition of the same letters is not.
#[must_use]
pub fn is_same(policy: Policy, one: &str, other: &str) -> bool {
    one == other || (policy == Policy::Folded && one.nfc().eq(other.nfc()))
}

/// Unicode's canonical caseless match (D145): decomposed before it is folded, since some marks fold only then.
fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let decomposed: String = name.nfd().collect();
    caseless::default_case_fold_str(&decomposed).nfc().collect()
}

/// The parts of a path, if each may be a name; why not, for people.
///
/// # Errors
/// Absolute, `..`, NUL, backslash, drive, a part over 255 bytes, our own temporary names, an empty part, a path that is too long or too deep.
pub fn parts(path: &str) -> Result<Vec<&str>, String> {
    if path.len() > PATH_BYTES_MAX {
        return Err(format!("a path of {} bytes is too long, at most {PATH_BYTES_MAX}", path.len()));
    }
    if path.starts_with('/') {
        return Err(format!("`{path}` is absolute: paths are relative to their directory"));
    }
    if is_drive(path) {
        return Err(format!("`{path}` begins with a drive: paths are relative to their directory"));
    }
    let parts: Vec<&str> = path.split('/').collect();
    if parts.len() > PATH_PARTS_MAX {
        return Err(format!("a path of {} folders is too deep, at most {PATH_PARTS_MAX}", parts.len()));
    }
    parts.iter().try_for_each(|part| may_be_name(part))?;
    Ok(parts)
}

/// Whether a part may be a name.
///
/// # Errors
/// Why not, for people.
pub fn may_be_name(part: &str) -> Result<(), String> {
    match part {
        "" => Err("a name is empty".to_owned()),
        "." | ".." => Err(format!("`{part}` is no name")),
        _ if part.contains('\0') => Err("a name has a NUL in it".to_owned()),
        _ if part.contains('\\') => Err(format!("`{part}` has a backslash in it")),
        _ if part.contains('/') => Err(format!("`{part}` has a slash in it")),
        _ if part.len() > NAME_BYTES_MAX => {
            Err(format!("a name of {} bytes is too long, at most {NAME_BYTES_MAX}", part.len()))
        }
        _ if is_own(part) => Err(format!("`{part}` is a name that devices keep for themselves")),
        _ => Ok(()),
    }
}

/// `C:`, also without anything that follows: on some systems it leads out of the directory.
fn is_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// In whatever case: some file systems do not tell.
fn is_own(name: &str) -> bool {
    let folded = folded(name);
    folded.strip_prefix(OWN_NAME).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The name of a copy that somebody's refused edit becomes (FLD-11): `name (conflict, device, date).ext`, always short enough.
/// `nth`: from 2 on it is part of the name, for when the one before is taken.
#[must_use]
pub fn conflict(name: &str, device: &str, date: &str, nth: u32) -> String {
    let (stem, extension) = split_extension(name);
    let device = cut(&plain(device), DEVICE_BYTES_MAX).to_owned();
    let date = cut(&plain(date), DEVICE_BYTES_MAX).to_owned();
    let nth = if nth > 1 { format!(" {nth}") } else { String::new() };
    let mark = format!(" (conflict, {device}, {date}{nth}){extension}");
    format!("{}{mark}", cut(stem, NAME_BYTES_MAX - mark.len()))
}

/// Whether a name is one that [`conflict`] makes.
#[must_use]
pub fn is_conflict(name: &str) -> bool {
    let (stem, _) = split_extension(name);
    let mark = stem.strip_suffix(')').and_then(|stem| stem.rsplit_once(" (conflict, "));
    mark.is_some_and(|(_, mark)| mark.contains(", "))
}

/// `.bashrc` has no extension, `.tar.gz` only its last.
fn split_extension(name: &str) -> (&str, &str) {
    let dot = name.rfind('.').filter(|dot| *dot > 0 && name.len() - dot <= EXTENSION_BYTES_MAX);
    // What follows the last dot of a sentence is no extension.
    let dot = dot.filter(|dot| !name[*dot..].contains([' ', ')']));
    name.split_at(dot.unwrap_or(name.len()))
}

/// Without what a name may not have, and without what tells the parts of a conflict name apart.
fn plain(text: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':' | '(' | ')' | ',');
    text.chars().map(|c| if is_odd(c) { '-' } else { c }).collect()
}

/// At most so many bytes, whole characters.
fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Letters that trip over case, composition and length, and characters that no name may have.
    fn odd_text() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(vec![
            "a",
            "B",
            "é",
            "e\u{301}",
            "İ",
            "ı",
            "ß",
            "ẞ",
            "ς",
            "Σ",
            "ﬃ",
            "ΐ",
            "\u{345}",
            "ᾳ",
            "가",
            "Ⴀ",
            "ꭰ",
            "Å",
            ".",
            "..",
            "/",
            "\\",
            "\0",
            ":",
            " ",
            "(",
            ")",
            ", ",
            "C:",
            ".fastness",
            "-",
            "🦀",
            " (conflict, x, y)",
        ]);
        prop_oneof![
            prop::collection::vec(odd, 0..12).prop_map(|parts| parts.concat()),
            any::<String>(),
            "[a-zé]{0,300}(\\.[a-z]{0,40})?",
        ]
    }

    fn is_refused(path: &str) -> bool {
        parts(path).is_err()
    }

    #[test]
    fn fld_18_names_that_lead_elsewhere_are_refused() {
        for path in [
            "",
            "/etc/passwd",
            "..",
            "a/../b",
            ".",
            "a/./b",
            "a//b",
            "a/",
            "a\\b",
            "a\0",
            "C:",
            "c:/x",
            "Z:x",
            ".fastness",
            "a/.fastness-1234",
            ".Fastness-x",
        ] {
            assert!(is_refused(path), "{path:?}");
        }
        assert!(is_refused(&"é".repeat(128)) && !is_refused(&"é".repeat(127)), "255 bytes, not characters");
        assert!(is_refused(&"a/".repeat(200)) && is_refused(&["abcdefghijklmnopqrstuvwxyz"; 190].join("/")));
        for path in
            ["a", "a/b.txt", "...", "a..b", ".fastnessignore", "12:30", "ab:c", "a b/ c", "Ünïcode/文件", "a\nb"]
        {
            assert_eq!(parts(path).map(|parts| parts.join("/")), Ok(path.to_owned()));
        }
    }

    #[test]
    fn fld_18_twins_have_one_slot_unless_the_directory_is_exact() {
        let slots = |names: [&str; 2], policy| names.map(|name| slot(policy, name));
        for twins in [["A.txt", "a.TXT"], ["é", "e\u{301}"], ["É", "e\u{301}"], ["straße", "STRASSE"], ["ΣΑΣ", "σας"]]
        {
            let [one, other] = slots(twins, Policy::Folded);
            assert_eq!(one, other, "{twins:?}");
            let [one, other] = slots(twins, Policy::Exact);
            assert_ne!(one, other, "{twins:?}");
        }
        // No locale: a dotless i is a letter of its own.
        let [dotless, dotted] = slots(["ı", "i"], Policy::Folded);
        assert_ne!(dotless, dotted);
    }

    #[test]
    fn fld_18_another_composition_is_the_same_name_and_another_case_is_not() {
        assert!(is_same(Policy::Folded, "é", "e\u{301}") && !is_same(Policy::Folded, "É", "é"));
        assert!(!is_same(Policy::Exact, "é", "e\u{301}") && is_same(Policy::Exact, "é", "é"));
    }

    #[test]
    fn fld_11_a_conflict_name_says_whose_and_when_and_keeps_the_extension() {
        let named = |name| conflict(name, "laptop", "2026-11-16 18.20", 1);
        assert_eq!(named("report.odt"), "report (conflict, laptop, 2026-11-16 18.20).odt");
        assert_eq!(named(".bashrc"), ".bashrc (conflict, laptop, 2026-11-16 18.20)");
        assert_eq!(named("a.tar.gz"), "a.tar (conflict, laptop, 2026-11-16 18.20).gz");
        assert_eq!(conflict("a", "x", "d", 2), "a (conflict, x, d 2)");
        assert!(is_conflict(&named("report.odt")) && is_conflict(&named(".bashrc")) && !is_conflict("report.odt"));
        assert!(!is_conflict("a (conflict).txt") && !is_conflict("about (conflict, of interest"));
    }

    proptest! {
        #[test]
        fn fld_18_a_slot_is_the_same_for_every_spelling_and_its_own_slot(name in odd_text()) {
            let there = slot(Policy::Folded, &name);
            prop_assert_eq!(&slot(Policy::Folded, &there), &there);
            prop_assert_eq!(&slot(Policy::Folded, &name.nfc().collect::<String>()), &there);
            prop_assert_eq!(&slot(Policy::Folded, &name.nfd().collect::<String>()), &there);
            prop_assert!(name.contains('/') || !there.contains('/'));
        }

        #[test]
        fn fld_18_whatever_is_taken_stays_within_its_directory(path in odd_text()) {
            if let Ok(parts) = parts(&path) {
                prop_assert_eq!(parts.join("/"), path.clone());
                prop_assert!(!path.starts_with('/') && !path.contains(['\\', '\0']));
                prop_assert!(parts.iter().all(|part| !matches!(*part, "" | "." | "..") && part.len() <= 255));
            }
        }

        #[test]
        fn fld_11_a_conflict_name_is_a_name_that_fits_and_is_told(
            name in odd_text(), device in odd_text(), date in odd_text(), nth in 1u32..100,
        ) {
            prop_assume!(parts(&name).is_ok_and(|parts| parts.len() == 1));
            let made = conflict(&name, &device, &date, nth);
            prop_assert!(made.len() <= NAME_BYTES_MAX);
            prop_assert_eq!(may_be_name(&made), Ok(()));
            prop_assert!(is_conflict(&made), "{}", made);
            prop_assert_ne!(slot(Policy::Folded, &made), slot(Policy::Folded, &name));
            prop_assert_ne!(&made, &conflict(&name, &device, &date, nth + 1));
        }
    }
}
