//! Which bytes are asked for: one range of `Range`, as RFC 9110 has it.

use std::ops::Range;

/// What a `Range` header asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All; also where the header says something that we need not understand.
    Whole,
    /// These bytes, at least one.
    Part(Range<u64>),
    /// None that are there.
    Nothing,
}

/// Reads the header's value for bytes of this size.
pub(super) fn wanted(header: Option<&str>, size: u64) -> Wanted {
    let spec = header.and_then(|value| value.strip_prefix("bytes=")).map(str::trim);
    let Some((first, last)) = spec.filter(|spec| !spec.contains(',')).and_then(|spec| spec.split_once('-')) else {
        return Wanted::Whole;
    };
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first > last => Wanted::Whole,
        (Some(first), last) if last.is_some() || is_absent(spec) => part(first, last, size),
        (None, Some(count)) if first.is_empty() => {
            part(size.saturating_sub(count), None, if count == 0 { 0 } else { size })
        }
        _ => Wanted::Whole,
    }
}

fn part(first: u64, last: Option<u64>, size: u64) -> Wanted {
    let end = last.map_or(size, |last| last.saturating_add(1)).min(size);
    if first < end { Wanted::Part(first..end) } else { Wanted::Nothing }
}

/// Whether the last byte is left open.
fn is_absent(spec: Option<&str>) -> bool {
    spec.is_some_and(|spec| spec.ends_with('-'))
}

/// Digits only: `parse` would also take a sign. Numbers too large for us are as good as the largest.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_26_one_range_is_understood_and_everything_else_is_the_whole() {
        for (header, part) in [
            ("bytes=0-0", 0..1),
            ("bytes=2-4", 2..5),
            ("bytes=2-", 2..10),
            ("bytes=9-99", 9..10),
            ("bytes=-3", 7..10),
            ("bytes=-99", 0..10),
            ("bytes=3-99999999999999999999999", 3..10),
        ] {
            assert_eq!(wanted(Some(header), 10), Wanted::Part(part), "{header}");
        }
        for nothing in ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(wanted(Some(nothing), 10), Wanted::Nothing, "{nothing}");
        }
        for whole in
            ["", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=+1-2", "bytes=1-2,4-5", "items=1-2"]
        {
            assert_eq!(wanted(Some(whole), 10), Wanted::Whole, "{whole}");
        }
        assert_eq!(wanted(None, 10), Wanted::Whole);
        assert_eq!(wanted(Some("bytes=0-"), 0), Wanted::Nothing);
    }
}
