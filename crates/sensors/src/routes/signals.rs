//! Signals over HTTP (SEN-2): one, an array, or one in each line.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use base::{OpError, OpResult, Wall, codes};
use kernel::Role;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use utoipa::ToSchema;
use web::{Api, ApiError, ApiResult, Route, RouteLimits, StreamedBody};

use super::{TAG, check_unbound};
use crate::ahead;
use crate::desk;
use crate::id::SensorId;
use crate::judging::{Item, Outcome};
use crate::limits::{SIGNALS_BYTES_MAX, SIGNALS_MAX};

/// Who sends signals.
const SENDERS: &[Role] = &[Role::Operator, Role::Gateway, Role::App];

/// The way on which these signals come.
const SOURCE: &str = "http";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/signals", take)
            .tag(TAG)
            .summary("Send signals of sensors")
            .about(
                "One signal `{sensor_id, data, at?, id?, version?}`, an array of them, or one in each line \
                 (`application/x-ndjson`). `data` is 1 for closed and 0 for open. What is answered as accepted is durable; those \
                 rejected are listed with their place and the reason, and can be read at `/signals/rejected`. A repeat is \
                 known by `id`, or by `at` together with `data`, and changes nothing. An `at` that is more than 5 minutes ahead of \
                 the server's clock counts as not given.",
            )
            .roles(SENDERS)
            .takes_bytes()
            .limits(RouteLimits { body_max: Some(SIGNALS_BYTES_MAX), ..RouteLimits::default() })
            .answers::<Taken>(200)
            .errors(&[codes::ABODY, codes::ALIMIT, codes::XBUSY]),
    ]
}

/// What became of signals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Taken {
    /// So many are accepted, changed or not.
    pub accepted: usize,
    /// So many of those changed the state of their sensor.
    pub changed: usize,
    /// Those that are not accepted.
    pub rejected: Vec<RejectedSignal>,
}

/// A signal that is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RejectedSignal {
    /// Which, counted from 0.
    pub index: usize,
    /// Why.
    pub reason: String,
}

async fn take(api: Api, headers: HeaderMap, body: StreamedBody) -> ApiResult<Taken> {
    check_unbound(&api)?;
    api.kernel().check_change(api.namespace(), api.caller())?;
    let body = whole(body).await.inspect_err(|refusal| note_refusal(&api, refusal))?;
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let now = api.kernel().env().clock.wall();
    let (items, are_ahead): (Vec<Item>, Vec<bool>) = items(&body, media_type, now)?.into_iter().unzip();
    ahead::count(api.kernel(), api.namespace(), SOURCE, &are_ahead);
    let reasons: Vec<Reason> = items.iter().map(Reason::of).collect();
    let (tell, told) = oneshot::channel();
    let done = move |outcomes: Vec<OpResult<Outcome>>| drop(tell.send(outcomes));
    desk::take(api.kernel(), api.namespace(), items, Box::new(done));
    let gone = |_| OpError::new(codes::BDETECTED, "nobody answered for the signals");
    Ok(api.answer(summed(told.await.map_err(gone)?, reasons)?))
}

/// Whoever finds no room for what it says is not silent.
fn note_refusal(api: &Api, ApiError(refusal): &ApiError) {
    if refusal.code == codes::XBUSY {
        let desk = api.namespace().home.memory::<desk::Desk>();
        desk.refuse(api.kernel().env().clock.ran_ms());
    }
}

/// All of the body; the edge bounds it.
async fn whole(mut body: StreamedBody) -> Result<Vec<u8>, ApiError> {
    let mut bytes = vec![];
    while let Some(portion) = body.portion().await? {
        bytes.extend(portion);
    }
    Ok(bytes)
}

/// The signals of a body, and what should have been some; of each, whether its time is too far ahead to count.
fn items(body: &[u8], media_type: &str, now: Wall) -> Result<Vec<(Item, bool)>, OpError> {
    let wrong = |why: String| OpError::before_start(codes::ABODY, why);
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    let parts: Vec<&[u8]> = if media_type.starts_with("application/x-ndjson") {
        body.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect()
    } else if first == Some(&b'[') {
        let array: Vec<&RawValue> =
            serde_json::from_slice(body).map_err(|error| wrong(format!("not an array of signals: {error}")))?;
        array.into_iter().map(|part| part.get().as_bytes()).collect()
    } else {
        let _: &RawValue = serde_json::from_slice(body).map_err(|error| wrong(format!("not JSON: {error}")))?;
        vec![body]
    };
    match parts.len() {
        0 => Err(wrong("no signals".into())),
        many if many > SIGNALS_MAX => {
            Err(OpError::before_start(codes::ALIMIT, format!("{many} signals in one request, at most {SIGNALS_MAX}")))
        }
        _ => Ok(parts.into_iter().map(|part| Item::read(part, SOURCE, now, None)).collect()),
    }
}

/// Why a signal is not accepted, if it is not; few are not, so the words are made when they are needed.
enum Reason {
    /// There is no such sensor.
    Unknown(SensorId),
    /// It is no signal.
    Wrong(String),
}

impl Reason {
    fn of(item: &Item) -> Self {
        match item {
            Item::Signal { signal, .. } => Self::Unknown(signal.sensor),
            Item::Rejected { reason, .. } => Self::Wrong(reason.clone()),
        }
    }

    fn words(self) -> String {
        match self {
            Self::Unknown(sensor) => format!("sensor {sensor} is not registered"),
            Self::Wrong(reason) => reason,
        }
    }
}

/// One failure fails all: whoever sent them sends them again. What was done already changes nothing then, if it has an id or a time.
fn summed(outcomes: Vec<OpResult<Outcome>>, reasons: Vec<Reason>) -> Result<Taken, OpError> {
    let mut taken = Taken { accepted: 0, changed: 0, rejected: vec![] };
    for (index, (outcome, reason)) in outcomes.into_iter().zip(reasons).enumerate() {
        match outcome? {
            Outcome::Unknown | Outcome::Rejected => {
                taken.rejected.push(RejectedSignal { index, reason: reason.words() });
            }
            outcome => {
                taken.accepted += 1;
                taken.changed += usize::from(outcome == Outcome::Changed);
            }
        }
    }
    Ok(taken)
}
