//! Cuts bytes into lines, portion by portion. Pure.

/// Bytes of one line.
pub(super) const LINE_MAX: usize = 4_096;

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Its bytes, without the line break.
    Bytes(&'a [u8]),
    /// It has more than [`LINE_MAX`] bytes.
    TooLong,
}

/// The lines of a portion.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Portion<'a> {
    pub(super) lines: Vec<Line<'a>>,
    /// Bytes that are done with these lines.
    pub(super) taken: usize,
    /// Whether the bytes that follow are the rest of a line that is too long.
    pub(super) skipping: bool,
}

/// At most `most` whole lines of these bytes, which are the last ones if `at_end`. The portion that is given is longer than a line
/// may be, unless it is the last.
pub(super) fn cut(bytes: &[u8], at_end: bool, skipping: bool, most: usize) -> Portion<'_> {
    let mut portion = Portion { lines: vec![], taken: 0, skipping };
    while portion.lines.len() < most && portion.taken < bytes.len() {
        let rest = &bytes[portion.taken..];
        let ended = rest.iter().position(|byte| *byte == b'\n');
        let length = ended.unwrap_or(rest.len());
        if ended.is_none() && !at_end && length <= LINE_MAX {
            // The line goes on where these bytes end.
            break;
        }
        portion.taken += length + usize::from(ended.is_some());
        if !portion.skipping {
            portion.lines.push(line(&rest[..length]));
        }
        portion.skipping = ended.is_none() && !at_end;
    }
    portion
}

fn line(bytes: &[u8]) -> Line<'_> {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if bytes.len() > LINE_MAX { Line::TooLong } else { Line::Bytes(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(portion: &Portion<'_>) -> Vec<String> {
        let text = |line: &Line<'_>| match line {
            Line::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Line::TooLong => "<too long>".into(),
        };
        portion.lines.iter().map(text).collect()
    }

    #[test]
    fn sen_1_lines_end_at_line_breaks_and_at_the_end() {
        let whole = cut(b"a\r\n\nb", true, false, 10);
        assert_eq!((texts(&whole), whole.taken), (vec!["a".into(), String::new(), "b".into()], 5));
        let begun = cut(b"a\nb", false, false, 10);
        assert_eq!((texts(&begun), begun.taken), (vec!["a".into()], 2), "b may go on");
        assert_eq!(cut(b"a\nb\n", false, false, 1).taken, 2);
    }

    /// Lines of a file, cut by portions of any size that is large enough.
    fn all(bytes: &[u8], chunk: usize, most: usize) -> Vec<String> {
        let (mut place, mut skipping, mut lines) = (0, false, vec![]);
        while place < bytes.len() {
            let end = bytes.len().min(place + chunk);
            let portion = cut(&bytes[place..end], end == bytes.len(), skipping, most);
            assert!(portion.taken > 0, "it goes on");
            lines.extend(texts(&portion));
            (place, skipping) = (place + portion.taken, portion.skipping);
        }
        lines
    }

    proptest! {
        #[test]
        fn sen_1_lines_are_the_same_however_they_are_portioned(
            lengths in proptest::collection::vec(prop_oneof![0_usize..40, 4_000_usize..4_200, 9_000_usize..20_000], 0..12),
            chunk in 4_097_usize..12_000, most in 1_usize..5, ends in any::<bool>(),
        ) {
            let mut bytes = lengths.iter().map(|length| "x".repeat(*length)).collect::<Vec<_>>().join("\n").into_bytes();
            if ends { bytes.push(b'\n'); }
            prop_assert_eq!(all(&bytes, chunk, most), all(&bytes, usize::MAX >> 1, usize::MAX));
        }
    }
}
