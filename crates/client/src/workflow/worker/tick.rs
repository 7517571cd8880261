//! Calls on their way, and moments.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::chance::{now_ms, pause};

/// A call on its way.
pub(super) type OnItsWay<T> = Option<Pin<Box<dyn Future<Output = T> + Send>>>;

/// Waits for a call, if there is one; else for ever. What is not waited for to the end goes on when it is waited for again.
pub(super) async fn ended<T>(call: &mut OnItsWay<T>) -> T {
    match call {
        Some(running) => {
            let out = running.await;
            *call = None;
            out
        }
        None => std::future::pending().await,
    }
}

/// Waits for a moment, if there is one; else for ever.
pub(super) async fn at(moment_ms: Option<u64>) {
    match moment_ms {
        Some(moment_ms) => pause(Duration::from_millis(moment_ms.saturating_sub(now_ms()))).await,
        None => std::future::pending().await,
    }
}
