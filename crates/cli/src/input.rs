//! What people type, read into what the API takes. Wrong words are refused here, before anything is sent.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use base::Wall;
use clap::Args;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::local;

/// JSON on the command line, checked by clap.
pub(crate) fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))
}

/// A moment: RFC 3339, a date, `now`, or so long from now: `+10m`, `-2h`. Given as RFC 3339.
pub(crate) fn moment(text: &str) -> Result<String, String> {
    moment_at(text, local::now())
}

fn moment_at(text: &str, now: Wall) -> Result<String, String> {
    let wrong = || "a moment is 2026-11-15T12:00:00Z, 2026-11-15, now, or from now: +10m, -2h, +1d".to_owned();
    if text == "now" {
        return Ok(now.rfc3339());
    }
    if let Some(apart) = text.strip_prefix('+') {
        return Ok(now.plus_ms(apart_ms(apart).ok_or_else(wrong)?).rfc3339());
    }
    if let Some(apart) = text.strip_prefix('-') {
        return Ok(now.plus_ms(-apart_ms(apart).ok_or_else(wrong)?).rfc3339());
    }
    let whole = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
    Wall::parse_rfc3339(&whole).map(Wall::rfc3339).ok_or_else(wrong)
}

/// So long, in milliseconds: `90s`, `10m`, `2h`, `1d`.
pub(crate) fn duration_ms(text: &str) -> Result<i64, String> {
    apart_ms(text).ok_or_else(|| "a time is 90s, 10m, 2h or 1d".to_owned())
}

/// So long, in seconds: `90`, or `90s`, `10m`, `2h`, `1d`.
pub(crate) fn seconds(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let whole = || u64::try_from(apart_ms(text)? / 1000).ok();
        let count = text.parse().ok().or_else(whole).ok_or("a time is 90 (seconds), 90s, 10m, 2h or 1d")?;
        let (least, most) = (range.start(), range.end());
        let wrong = || format!("{count} s is not between {least} s and {most} s");
        range.contains(&count).then_some(count).ok_or_else(wrong)
    }
}

fn apart_ms(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    let count: i64 = text.strip_suffix(unit)?.parse().ok().filter(|count| (0..=1_000_000).contains(count))?;
    Some(count * seconds * 1000)
}

/// JSON from a file.
pub(crate) fn json_file(path: &Path) -> Result<Value, Failure> {
    let wrong = |error: String| Failure::usage(format!("{}: {error}", path.display()));
    let bytes = local::read(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(format!("no JSON: {error}")))
}

/// JSON on the command line or in a file.
#[derive(Debug, Clone, Args)]
pub(crate) struct Param {
    /// Parameter, JSON
    #[arg(long, value_name = "JSON", value_parser = json, conflicts_with = "param_file")]
    param: Option<Value>,
    /// File with the parameter, JSON; `-` for the standard input
    #[arg(long, value_name = "FILE")]
    param_file: Option<PathBuf>,
}

impl Param {
    /// The parameter, if there is one.
    pub(crate) fn read(&self) -> Result<Option<Value>, Failure> {
        match (&self.param, &self.param_file) {
            (Some(value), _) => Ok(Some(value.clone())),
            (None, Some(path)) => json_file(path).map(Some),
            (None, None) => Ok(None),
        }
    }
}

/// A body of those fields that were given.
#[derive(Debug, Default)]
pub(crate) struct Body(Map<String, Value>);

impl Body {
    /// With a field, if it was given.
    pub(crate) fn with(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
        self
    }

    /// The whole.
    pub(crate) fn value(self) -> Value {
        Value::Object(self.0)
    }

    /// Whether nothing was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_10_moments_are_absolute_or_from_now() {
        let now = Wall::parse_rfc3339("2026-11-15T12:00:00Z").unwrap();
        for (text, expected) in [
            ("now", "2026-11-15T12:00:00.000Z"),
            ("+10m", "2026-11-15T12:10:00.000Z"),
            ("-1d", "2026-11-14T12:00:00.000Z"),
            ("2026-01-02", "2026-01-02T00:00:00.000Z"),
            ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000Z"),
        ] {
            assert_eq!(moment_at(text, now).as_deref(), Ok(expected));
        }
        for wrong in ["", "+", "+10", "+1y", "-99999999d", "tomorrow", "2026-02-30", "+é"] {
            assert!(moment_at(wrong, now).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ker_36_seconds_are_a_number_or_a_time_within_their_bounds() {
        let read = seconds(10..=86_400);
        for (text, expected) in [("10", 10), ("90s", 90), ("5m", 300), ("1d", 86_400)] {
            assert_eq!(read(text), Ok(expected));
        }
        for wrong in ["9", "2d", "-5", "5y", "", "m", "é"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
