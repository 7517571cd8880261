//! When a task that failed is tried again (WFL-8). Pure.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::codes::AWORKFLOW;

/// The longest pause.
const PAUSE_MS_MAX: i64 = 366 * 86_400_000;
/// Classes of errors that a policy names.
const CLASSES_MAX: usize = 100;

/// How pauses grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = WorkflowGrowth)]
pub enum Growth {
    /// Each is `factor` times the one before.
    #[default]
    Exponential,
    /// Each is longer than the one before by `initial_ms` times `factor`.
    Linear,
}

/// A retry policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = WorkflowRetry)]
pub struct Retry {
    /// How pauses grow.
    pub kind: Growth,
    /// The first pause.
    pub initial_ms: i64,
    /// By how much pauses grow.
    pub factor: f64,
    /// No pause is longer.
    pub max_interval_ms: i64,
    /// Tries in all, the first included; not given: without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<i64>,
    /// No try begins later than so long after the task was first queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<i64>,
    /// Only errors of these classes are tried again; empty: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
    /// Errors of these classes are not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_on: Vec<String>,
}

impl Default for Retry {
    fn default() -> Self {
        let (kind, factor) = (Growth::Exponential, 2.0);
        Self {
            kind,
            initial_ms: 1_000,
            factor,
            max_interval_ms: 3_600_000,
            max_attempts: None,
            expires_ms: None,
            on: vec![],
            not_on: vec![],
        }
    }
}

impl Retry {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// `AWORKFLOW`.
    pub fn check(&self) -> OpResult<()> {
        let wrong = |text: &str| Err(OpError::new(AWORKFLOW, format!("retry: {text}")));
        if !(0..=PAUSE_MS_MAX).contains(&self.initial_ms) || !(0..=PAUSE_MS_MAX).contains(&self.max_interval_ms) {
            return wrong("pauses are 0 ms to 366 days");
        }
        if !(0.0..=1_000.0).contains(&self.factor) {
            return wrong("factor is 0 to 1000");
        }
        if self.max_attempts.is_some_and(|tries| tries < 1) || self.expires_ms.is_some_and(|ms| ms < 0) {
            return wrong("max_attempts is 1 or more, expires_ms 0 or more");
        }
        if self.on.len() + self.not_on.len() > CLASSES_MAX {
            return wrong("at most 100 classes of errors");
        }
        Ok(())
    }

    /// The pause after so many failures, the last of this class, so long after the task was first queued; `None`: that was it.
    #[must_use]
    pub fn pause_ms(&self, failures: i64, class: &str, age_ms: i64) -> Option<i64> {
        let is_named = |classes: &[String]| classes.iter().any(|named| named == class);
        if is_named(&self.not_on) || (!self.on.is_empty() && !is_named(&self.on)) {
            return None;
        }
        if self.max_attempts.is_some_and(|tries| failures >= tries) && !mutants::on(Mutant::WorkflowRetryWithoutEnd) {
            return None;
        }
        let pause = self.grown(failures).min(self.max_interval_ms);
        self.expires_ms.is_none_or(|ms| age_ms.saturating_add(pause) <= ms).then_some(pause)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a pause; what is too long is cut to the longest"
    )]
    fn grown(&self, failures: i64) -> i64 {
        let (initial, before) = (self.initial_ms as f64, failures.saturating_sub(1).clamp(0, 1_000));
        let pause = match self.kind {
            Growth::Exponential => initial * self.factor.powi(before as i32),
            Growth::Linear => initial + initial * self.factor * before as f64,
        };
        pause.clamp(0.0, PAUSE_MS_MAX as f64) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(retry: &Retry) -> Vec<Option<i64>> {
        (1..=5).map(|failures| retry.pause_ms(failures, "Oops", 0)).collect()
    }

    #[test]
    fn wfl_8_pauses_grow_as_the_policy_says() {
        let retry = Retry { initial_ms: 100, max_interval_ms: 500, max_attempts: Some(5), ..Retry::default() };
        assert_eq!(pauses(&retry), [Some(100), Some(200), Some(400), Some(500), None]);
        let linear = Retry { kind: Growth::Linear, factor: 1.0, max_attempts: None, ..retry };
        assert_eq!(pauses(&linear), [Some(100), Some(200), Some(300), Some(400), Some(500)]);
        let huge = Retry { factor: 1_000.0, max_interval_ms: PAUSE_MS_MAX, ..Retry::default() };
        assert_eq!(huge.pause_ms(i64::MAX, "Oops", 0), Some(PAUSE_MS_MAX));
    }

    #[test]
    fn wfl_8_only_errors_of_the_named_classes_and_within_its_time() {
        let only = Retry { on: vec!["Net".into()], ..Retry::default() };
        assert_eq!((only.pause_ms(1, "Oops", 0), only.pause_ms(1, "Net", 0)), (None, Some(1_000)));
        let not = Retry { not_on: vec!["Oops".into()], ..Retry::default() };
        assert_eq!((not.pause_ms(1, "Oops", 0), not.pause_ms(1, "Net", 0)), (None, Some(1_000)));
        let soon = Retry { expires_ms: Some(5_000), ..Retry::default() };
        assert_eq!((soon.pause_ms(1, "Oops", 4_000), soon.pause_ms(1, "Oops", 4_001)), (Some(1_000), None));
    }

    #[test]
    fn wfl_8_what_cannot_be_is_refused() {
        let bad = [
            Retry { initial_ms: -1, ..Retry::default() },
            Retry { factor: f64::NAN, ..Retry::default() },
            Retry { factor: -1.0, ..Retry::default() },
            Retry { max_attempts: Some(0), ..Retry::default() },
            Retry { max_interval_ms: i64::MAX, ..Retry::default() },
        ];
        for retry in bad {
            assert_eq!(retry.check().unwrap_err().code, AWORKFLOW, "{retry:?}");
        }
    }
}
