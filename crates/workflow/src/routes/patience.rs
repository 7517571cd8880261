//! Answers that wait until there is something to say (WFL-6).

use axum::http::HeaderMap;
use base::codes;
use kernel::Topic;
use web::{Api, ApiError, Waiting};

use crate::work::{Bells, Waiter};

/// How long an answer may wait.
const WAIT_MS_MAX: u64 = 60_000;
/// How often whoever waits looks by itself.
const LOOK_AGAIN_MS: u64 = 5_000;

/// Somebody who waits to be rung for, and looks by itself now and then.
pub(super) struct Patience {
    waiter: Waiter,
    end_us: u64,
    waiting: Option<Waiting>,
}

impl Patience {
    /// From before the first look on, so that nothing that comes between is missed.
    pub(super) fn new(api: &Api, topic: Topic, wait_ms: u64) -> Result<Self, ApiError> {
        if wait_ms > WAIT_MS_MAX {
            let text = format!("wait_ms is {wait_ms}, it must be 0 to {WAIT_MS_MAX}");
            return Err(ApiError::refused(codes::ALIMIT, text));
        }
        let end_us = api.kernel().env().clock.monotonic_us() + wait_ms * 1_000;
        Ok(Self { waiter: Bells::wait(api.namespace(), topic), end_us, waiting: None })
    }

    /// Its time is over.
    pub(super) fn is_over(&self, api: &Api) -> bool {
        self.left_ms(api) == 0
    }

    fn left_ms(&self, api: &Api) -> u64 {
        self.end_us.saturating_sub(api.kernel().env().clock.monotonic_us()).div_ceil(1_000)
    }

    /// Waits for a reason to look again, which comes in so many milliseconds at the latest; `false`: the answer is to be given as it is.
    pub(super) async fn wait(
        &mut self,
        api: &Api,
        headers: &HeaderMap,
        next_ms: Option<u64>,
    ) -> Result<bool, ApiError> {
        let pause_ms = self.left_ms(api).min(LOOK_AGAIN_MS).min(next_ms.unwrap_or(u64::MAX).max(1));
        let waiting = match self.waiting.take() {
            Some(waiting) => waiting,
            None => api.wait(headers)?,
        };
        let waiting = self.waiting.insert(waiting);
        let timer = self.waiter.bell.clone();
        api.kernel().env().timers.after(pause_ms, Box::new(move || timer.notify_one()));
        tokio::select! {
            () = self.waiter.bell.notified() => {}
            () = waiting.stopping() => return Ok(false),
        }
        match waiting.may_go_on().await {
            true => Ok(true),
            false => Err(ApiError::refused(codes::SKEY, "the key is not valid any more")),
        }
    }
}
