//! Reading a body within its limits.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use base::codes;
use http_body_util::BodyExt;
use kernel::Kernel;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::BodyLimits;
use crate::error::ApiError;
use crate::route::RouteLimits;
use crate::wait::now;

/// The unit in which memory is taken.
const KIB: usize = 1024;

/// What holds for one body.
pub(super) struct Limits {
    max: usize,
    idle_timeout: Duration,
    timeout: Duration,
}

impl Limits {
    pub(super) fn of(kernel: &Kernel, general: &BodyLimits, own: RouteLimits) -> Self {
        let set = own.body_max_set.map(|of| of(kernel));
        Self {
            max: set.or(own.body_max).unwrap_or(general.max),
            idle_timeout: general.idle_timeout,
            timeout: own.body_timeout.unwrap_or(general.timeout),
        }
    }
}

/// Reads all of a body; the memory that it takes is given back when the permit is dropped.
pub(super) async fn all(
    mut body: Body,
    limits: &Limits,
    memory: &Arc<Semaphore>,
) -> Result<(Vec<u8>, Option<OwnedSemaphorePermit>), ApiError> {
    if body.size_hint().lower() > limits.max as u64 {
        return Err(too_big(limits.max));
    }
    let (mut bytes, mut held) = (Vec::new(), None);
    let end = now() + limits.timeout;
    while let Some(frame) = next_frame(&mut body, end, limits.idle_timeout).await? {
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > limits.max {
            return Err(too_big(limits.max));
        }
        hold(&mut held, bytes.len() + data.len(), memory)?;
        bytes.extend_from_slice(&data);
    }
    Ok((bytes, held))
}

pub(super) async fn next_frame(
    body: &mut Body,
    end: Instant,
    idle_timeout: Duration,
) -> Result<Option<hyper::body::Frame<axum::body::Bytes>>, ApiError> {
    let until = end.min(now() + idle_timeout);
    match timeout_at(until, body.frame()).await {
        Err(_) => Err(ApiError::refused(codes::ASLOW, "the body did not arrive in time")),
        Ok(None) => Ok(None),
        Ok(Some(Ok(frame))) => Ok(Some(frame)),
        Ok(Some(Err(_))) => Err(ApiError::refused(codes::ABODY, "the body broke off or is not well framed")),
    }
}

/// Raises what is held to cover `bytes`.
pub(crate) fn hold(
    held: &mut Option<OwnedSemaphorePermit>,
    bytes: usize,
    memory: &Arc<Semaphore>,
) -> Result<(), ApiError> {
    let missing = bytes.div_ceil(KIB) - held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
    let busy = |_| ApiError::refused(codes::XBUSY, "too many bodies are being read");
    let more = memory.clone().try_acquire_many_owned(u32::try_from(missing).unwrap_or(u32::MAX)).map_err(busy)?;
    match held {
        Some(held) => held.merge(more),
        None => *held = Some(more),
    }
    Ok(())
}

/// A semaphore for `bytes` of memory.
pub(crate) fn memory(bytes: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new((bytes / KIB).clamp(1, Semaphore::MAX_PERMITS)))
}

fn too_big(max: usize) -> ApiError {
    ApiError::refused(codes::ATOOBIG, format!("the body is larger than {max} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(size: usize, max: usize, memory: &Arc<Semaphore>) -> Result<Option<OwnedSemaphorePermit>, base::Code> {
        let limits = Limits { max, idle_timeout: Duration::from_secs(1), timeout: Duration::from_secs(1) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let body = Body::from(vec![b' '; size]);
        runtime.block_on(all(body, &limits, memory)).map(|(_, held)| held).map_err(|refusal| refusal.0.code)
    }

    #[test]
    fn ker_34_all_bodies_together_stay_below_one_bound() {
        let memory = memory(10 * KIB);
        let first = read(6 * KIB + 1, 8 * KIB, &memory).unwrap();
        assert_eq!(read(4 * KIB, 8 * KIB, &memory).unwrap_err(), codes::XBUSY);
        assert!(read(3 * KIB, 8 * KIB, &memory).is_ok());
        drop(first);
        assert!(read(4 * KIB, 8 * KIB, &memory).is_ok());
    }

    #[test]
    fn ker_34_the_limit_itself_is_allowed() {
        let memory = memory(1 << 20);
        assert!(read(100, 100, &memory).is_ok());
        assert_eq!(read(101, 100, &memory).unwrap_err(), codes::ATOOBIG);
    }
}
