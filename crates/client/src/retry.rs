//! When a call is tried again: decided from what happened alone.
//!
//! Every call may be repeated: reads change nothing, uploads of blobs are named by their content, and changes carry one
//! Idempotency-Key through all tries.

use std::time::Duration;

use crate::error::ApiError;

/// How patient a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Tries in all, the first one counted.
    pub attempts: u32,
    /// Pause after the first try; each further one is twice as long.
    pub first_pause: Duration,
    /// Longest pause. A server that asks for a longer one is not waited for.
    pub pause_max: Duration,
    /// How long one try may take.
    pub patience: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 8,
            first_pause: Duration::from_millis(100),
            pause_max: Duration::from_secs(10),
            patience: Duration::from_secs(60),
        }
    }
}

/// What one try came to, if it was not a result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection broke before or after the request arrived, or nothing came in time.
    Broken {
        /// What broke.
        reason: String,
        /// Whether the request may have arrived before.
        sent: bool,
    },
    /// The server told.
    Told(Box<ApiError>),
    /// Something that is not the server answered, such as a proxy.
    Foreign { status: u16, reason: String },
    /// The request itself cannot be sent.
    Invalid(String),
}

impl Retry {
    /// The pause before the next try; `None` if there is none.
    pub(crate) fn pause(&self, attempt: u32, failure: &Failure) -> Option<Duration> {
        let asked = match failure {
            Failure::Broken { .. } => Duration::ZERO,
            Failure::Told(error) if passes(error) => Duration::from_secs(error.retry_after_s.unwrap_or(0)),
            Failure::Foreign { status: 502..=504, .. } => Duration::ZERO,
            Failure::Told(_) | Failure::Foreign { .. } | Failure::Invalid(_) => return None,
        };
        let own = self.first_pause.saturating_mul(1 << attempt.saturating_sub(1).min(20)).min(self.pause_max);
        (attempt < self.attempts && asked <= self.pause_max).then(|| asked.max(own))
    }
}

impl Failure {
    /// Whether the work may be done although this came of the try.
    pub(crate) fn may_be_done(&self) -> bool {
        match self {
            Self::Broken { sent, .. } => *sent,
            Self::Told(error) => error.is_unknown(),
            Self::Foreign { status, .. } => *status < 400 || *status >= 500,
            Self::Invalid(_) => false,
        }
    }

    /// What it is after an earlier try that may have done the work: a server that has no room says nothing about that one.
    pub(crate) fn after_a_try_that_may_be_done(self) -> Self {
        match self {
            Self::Broken { reason, .. } => Self::Broken { reason, sent: true },
            Self::Told(error) if passes(&error) => {
                Self::Told(Box::new(ApiError { outcome: Some("unknown".into()), ..*error }))
            }
            other => other,
        }
    }
}

/// Whether it passes by itself: no room or no store now, others in the way, or an outcome that the same key will tell.
fn passes(error: &ApiError) -> bool {
    matches!(error.status, 429 | 503) || error.code == base::codes::CSERIAL.name || error.is_unknown()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRY: Retry = Retry {
        attempts: 5,
        first_pause: Duration::from_millis(100),
        pause_max: Duration::from_millis(1_500),
        patience: Duration::from_secs(1),
    };

    fn told(code: &str, status: u16, retry_after_s: Option<u64>) -> Failure {
        let json = serde_json::json!({"code": code, "major": 1, "phase": 0, "message": "m"});
        Failure::Told(Box::new(ApiError { status, retry_after_s, ..serde_json::from_value(json).unwrap() }))
    }

    fn pause_ms(attempt: u32, failure: &Failure) -> Option<u128> {
        RETRY.pause(attempt, failure).map(|pause| pause.as_millis())
    }

    #[test]
    fn ker_10_pauses_grow_and_end() {
        let broken = Failure::Broken { reason: "cut".into(), sent: true };
        let pauses: Vec<_> = (1..=5).map(|attempt| pause_ms(attempt, &broken)).collect();
        assert_eq!(pauses, [Some(100), Some(200), Some(400), Some(800), None]);
        let patient = Retry { attempts: u32::MAX, ..RETRY };
        assert_eq!(patient.pause(4_000_000, &broken), Some(RETRY.pause_max));
    }

    #[test]
    fn ker_10_a_busy_server_does_not_tell_what_became_of_the_try_before() {
        let unknown = |failure: Failure| failure.after_a_try_that_may_be_done().may_be_done();
        assert!(unknown(told("XBUSY", 503, None)) && unknown(Failure::Broken { reason: "no".into(), sent: false }));
        assert!(!unknown(told("NTASK", 404, None)), "the same key was looked up: nothing was done");
        assert!(!told("XBUSY", 503, None).may_be_done());
    }

    #[test]
    fn ker_9_only_what_passes_is_tried_again() {
        assert_eq!(pause_ms(1, &told("XBUSY", 503, Some(1))), Some(1_000));
        assert_eq!(pause_ms(1, &told("OCLOSED", 503, Some(30))), None, "longer than it waits");
        assert_eq!(pause_ms(1, &told("CSERIAL", 409, None)), Some(100));
        assert_eq!(pause_ms(1, &told("CVERSION", 409, None)), None, "the caller has to look again");
        assert_eq!(pause_ms(1, &told("ABODY", 400, None)), None);
        assert_eq!(pause_ms(1, &told("TTIME", 504, None)), None);
        let Failure::Told(error) = told("XUNEXPECTED", 500, None) else { unreachable!() };
        let unknown = Failure::Told(Box::new(ApiError { outcome: Some("unknown".into()), ..*error.clone() }));
        assert_eq!(pause_ms(1, &unknown), Some(100), "the same key tells");
        assert_eq!(pause_ms(1, &Failure::Told(error)), None);
        assert_eq!(pause_ms(1, &Failure::Foreign { status: 502, reason: String::new() }), Some(100));
        assert_eq!(pause_ms(1, &Failure::Foreign { status: 404, reason: String::new() }), None);
        assert_eq!(pause_ms(1, &Failure::Invalid(String::new())), None);
    }
}
