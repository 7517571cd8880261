//! Sizes and durations as people write them: a whole number and a unit.
//!
//! Only units that mean one thing: no `MB` (a million or 2^20?), no `d` (a day of 23 hours?), no fractions.

/// Units by falling size, with what one of them holds.
pub(super) type Units = [(&'static str, u64)];

pub(super) const SIZES: &Units = &[("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
/// In milliseconds.
pub(super) const DURATIONS: &Units = &[("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// `None` if the text is not a number with a unit. Beyond `u64` it is the largest: the key's own limit then refuses it.
pub(super) fn read(text: &str, units: &Units) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start_matches(' '))?;
    (!number.is_empty()).then(|| number.parse().unwrap_or(u64::MAX).saturating_mul(*factor))
}

/// In the largest unit that divides it, with `gap` before the unit.
pub(super) fn write(amount: u64, units: &Units, gap: &str) -> String {
    let fitting = units.iter().find(|(_, factor)| amount != 0 && amount.is_multiple_of(*factor));
    let (unit, factor) = fitting.or(units.last()).copied().unwrap_or(("", 1));
    format!("{}{gap}{unit}", amount / factor)
}

/// The units for a message: `ms, s, m or h`, smallest first.
pub(super) fn names(units: &Units) -> String {
    let names: Vec<&str> = units.iter().rev().map(|(name, _)| *name).collect();
    one_of(&names)
}

/// `a, b or c`.
pub(super) fn one_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Digits in groups of three from five digits on, as TOML also reads them: `4096`, `1_000_000`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let before = |at: usize| if at > 0 && (digits.len() - at).is_multiple_of(3) { "_" } else { "" };
    digits.char_indices().map(|(at, digit)| format!("{}{digit}", before(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_36_sizes_and_durations_are_read() {
        let size = |text| read(text, SIZES);
        assert_eq!(
            [size("1 MiB"), size("64KiB"), size("0 B"), size("7B")].map(Option::unwrap),
            [1 << 20, 65_536, 0, 7]
        );
        let duration = |text| read(text, DURATIONS);
        assert_eq!(
            [duration("10s"), duration("250 ms"), duration("24h")].map(Option::unwrap),
            [10_000, 250, 86_400_000]
        );
        for wrong in ["", "10", "s", "1.5h", "-1s", "1 MB", "1 mib", "1h30m", "10s ", "1 d", "１s"] {
            assert_eq!((size(wrong), duration(wrong)), (None, None), "{wrong}");
        }
    }

    #[test]
    fn ker_36_too_large_is_a_number_beyond_every_limit() {
        assert_eq!(read("99999999999999999999999 TiB", SIZES), Some(u64::MAX));
        assert_eq!(read("18446744073709551615h", DURATIONS), Some(u64::MAX));
    }

    #[test]
    fn ker_36_what_is_written_is_read_again() {
        let shown = [0, 1, 1_000, 1_500, 60_000, 86_400_000].map(|ms| write(ms, DURATIONS, ""));
        assert_eq!(shown, ["0ms", "1ms", "1s", "1500ms", "1m", "24h"]);
        for amount in [0, 1, 1_023, 1_024, 3 << 20, u64::MAX] {
            assert_eq!(read(&write(amount, SIZES, " "), SIZES), Some(amount));
        }
    }

    #[test]
    fn numbers_and_lists_read_well() {
        assert_eq!([0, 4_096, 10_000, 1_000_000].map(grouped), ["0", "4096", "10_000", "1_000_000"]);
        assert_eq!(
            (names(DURATIONS).as_str(), one_of(&["a"]).as_str(), one_of(&[]).as_str()),
            ("ms, s, m or h", "a", "")
        );
    }
}
