//! Moments as people say them.

use base::Wall;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// `3m ago`, `in 2h`; a date if it is far away; as it stands if it is no moment.
pub(super) fn relative(text: &str, now: Wall) -> String {
    let Some(at) = Wall::parse_rfc3339(text) else { return text.to_owned() };
    let ahead_s = (at.0 - now.0).div_euclid(1000);
    let apart = match ahead_s.abs() {
        0..2 => return "now".to_owned(),
        seconds @ 2..120 => format!("{seconds}s"),
        seconds @ 120..7200 => format!("{}m", seconds / MINUTE),
        seconds @ 7200..172_800 => format!("{}h", seconds / HOUR),
        seconds if seconds < 30 * DAY => format!("{}d", seconds / DAY),
        _ => return text.get(..10).unwrap_or(text).to_owned(),
    };
    if ahead_s > 0 { format!("in {apart}") } else { format!("{apart} ago") }
}

/// `2026-11-15 12:00:00 UTC (3m ago)`.
pub(super) fn both(text: &str, now: Wall) -> String {
    let absolute = absolute(text);
    let relative = relative(text, now);
    if absolute.starts_with(&relative) { absolute } else { format!("{absolute} ({relative})") }
}

/// `2026-11-15 12:00:00`.
pub(super) fn clock(text: &str) -> String {
    absolute(text).trim_end_matches(" UTC").to_owned()
}

fn absolute(text: &str) -> String {
    match (Wall::parse_rfc3339(text).is_some(), text.get(..10), text.get(11..19)) {
        (true, Some(date), Some(clock)) if text.ends_with('Z') => format!("{date} {clock} UTC"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_9_near_moments_are_relative_and_far_ones_dates() {
        let now = Wall::parse_rfc3339("2026-11-15T12:00:00Z").unwrap();
        for (text, expected) in [
            ("2026-11-15T12:00:01.000Z", "now"),
            ("2026-11-15T11:59:30.000Z", "30s ago"),
            ("2026-11-15T11:50:00.000Z", "10m ago"),
            ("2026-11-15T15:00:00.000Z", "in 3h"),
            ("2026-11-20T12:00:00.000Z", "in 5d"),
            ("2020-01-01T00:00:00.000Z", "2020-01-01"),
            ("soon", "soon"),
        ] {
            assert_eq!(relative(text, now), expected);
        }
        assert_eq!(both("2026-11-15T11:50:00.123Z", now), "2026-11-15 11:50:00 UTC (10m ago)");
        assert_eq!(both("2020-01-01T00:00:00.000Z", now), "2020-01-01 00:00:00 UTC");
    }
}
