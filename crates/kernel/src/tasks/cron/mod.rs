//! Cron texts (KER-21), in UTC: short ones (`H25`, `D0425`, `W30425`, `M100425`, `Y11100425`), and standard ones of five fields
//! (`*/15 6-18 * * 1-5`). Pure.
//!
//! The next due moment lies strictly after now; today counts as long as it is not past. A text that is never due is none.

mod short;
mod standard;

use std::fmt;
use std::str::FromStr;

use base::Wall;
use serde::{Deserialize, Serialize};

use short::Short;
use standard::Standard;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// When something runs again and again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cron(Form);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    Short(Short),
    /// Boxed: it is many times as large, and rare.
    Standard(Box<Standard>),
}

/// A text that is no cron text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no cron text (H25, D0425, W30425, M100425 or Y11100425, or five fields that are ever due such as 30 2 * * 1-5, in UTC)"
)]
pub struct InvalidCron(String);

impl Cron {
    /// The next due moment, strictly after `now`.
    #[must_use]
    pub fn next_after(&self, now: Wall) -> Wall {
        match &self.0 {
            Form::Short(short) => short.next_after(now),
            Form::Standard(standard) => standard.next_after(now),
        }
    }

    /// The last `most` due moments from `first` (due itself) up to `now`, in order.
    #[must_use]
    pub fn due(&self, first: Wall, now: Wall, most: usize) -> Vec<Wall> {
        if first > now || most == 0 {
            return vec![];
        }
        // Backwards in growing strides, so that years of minutes cost no more than what is asked for.
        let mut stride_ms = HOUR_MS;
        loop {
            let from = now.plus_ms(-stride_ms).max(first.plus_ms(-1));
            let mut due = self.between(from, now);
            if due.len() >= most || from <= first.plus_ms(-1) {
                return due.split_off(due.len().saturating_sub(most));
            }
            stride_ms *= 2;
        }
    }

    fn between(&self, from: Wall, to: Wall) -> Vec<Wall> {
        let next = |at: &Wall| Some(self.next_after(*at)).filter(|next| *next <= to);
        std::iter::successors(next(&from), next).collect()
    }
}

impl FromStr for Cron {
    type Err = InvalidCron;

    fn from_str(text: &str) -> Result<Self, InvalidCron> {
        let standard = || standard::parse(text).map(|standard| Form::Standard(Box::new(standard)));
        let form = short::parse(text).map(Form::Short).or_else(standard);
        form.map(Self).ok_or_else(|| InvalidCron(text.chars().take(40).collect()))
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Short(short) => short.fmt(f),
            Form::Standard(standard) => standard.fmt(f),
        }
    }
}

impl From<Cron> for String {
    fn from(cron: Cron) -> Self {
        cron.to_string()
    }
}

impl TryFrom<String> for Cron {
    type Error = InvalidCron;

    fn try_from(text: String) -> Result<Self, InvalidCron> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Wall {
        Wall::parse_rfc3339(text).unwrap()
    }

    #[test]
    fn wfl_29_the_last_moments_that_were_missed() {
        let minutely: Cron = "* * * * *".parse().unwrap();
        let (first, now) = (at("2016-11-16T00:00:00Z"), at("2026-11-16T00:00:30Z"));
        let due = minutely.due(first, now, 3);
        let expected = ["2026-11-15T23:58:00Z", "2026-11-15T23:59:00Z", "2026-11-16T00:00:00Z"].map(at);
        assert_eq!(due, expected, "of ten years of minutes");
        let yearly: Cron = "Y11160000".parse().unwrap();
        assert_eq!(yearly.due(first, now, 100).len(), 11, "the first itself is due");
        assert_eq!(yearly.due(now.plus_ms(1), now, 100), [], "nothing is due yet");
    }

    #[test]
    fn ker_21_a_cron_text_comes_back_as_it_was_written_but_for_its_blanks() {
        for (text, shown) in [("D0425", "D0425"), (" 30  2 *\t* 1-5 ", "30 2 * * 1-5"), ("05 2 * * 07", "05 2 * * 07")]
        {
            let cron: Cron = text.parse().unwrap();
            assert_eq!(cron.to_string(), shown);
            let json = serde_json::to_string(&cron).unwrap();
            assert_eq!(json, format!("\"{shown}\""));
            assert_eq!(serde_json::from_str::<Cron>(&json).unwrap(), cron);
        }
        let refused = "every night".parse::<Cron>().unwrap_err().to_string();
        assert!(refused.starts_with("`every night` is no cron text (H25, D0425,"), "{refused}");
    }
}
