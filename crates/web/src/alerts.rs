//! Routes of alerts (KER-27).

use base::codes;
use kernel::Role;
use kernel::alerts::Channel;
use kernel::alerts::acknowledge::{ACKNOWLEDGE_ALERT, Acknowledge, Acknowledged};
use kernel::alerts::list::{AlertInfo, AlertList, AlertPage, AlertState, LIST_ALERTS};
use kernel::alerts::messages::{LIST_MESSAGES, MessageInfo, MessagePage, TryInfo};
use kernel::alerts::set_channels::{CHANNELS, Channels, SET_CHANNELS, SetChannels, Wanted};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::answer::{ApiResult, List};
use crate::api::Api;
use crate::body::{JsonBody, NoBody};
use crate::error::ApiError;
use crate::params::{PageQuery, PathOf, QueryOf};
use crate::route::{Route, Service};
use crate::time::rfc3339;

const TAG: &str = "Alerts";
const READERS: &[Role] = &[Role::Operator, Role::Reader];
/// Messages of one page: each brings its tries along.
const MESSAGES_MAX: u32 = 100;

/// The service with its routes.
pub(crate) const SERVICE: Service = Service::new(&kernel::alerts::SERVICE, routes);

fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/alerts", list)
            .roles(READERS)
            .tag(TAG)
            .summary("List alerts")
            .about(
                "Newest first, one item per opening. `banner` tells what is wrong with the channels that alerts are sent by: \
                 show it wherever people look. With a filter a page may hold fewer items than asked for and still have a \
                 next one: it looks at 2,000 alerts at most.",
            )
            .query::<AlertQuery>()
            .answers::<AlertsView>(200)
            .errors(&[codes::ALIMIT]),
        Route::post("/v1/{ns}/alerts/{id}/acknowledge", acknowledge)
            .roles(&[Role::Operator])
            .tag(TAG)
            .summary("Acknowledge an alert")
            .about("It is not said again until it opens anew. Acknowledging twice, or what is closed, is no error.")
            .param("id", "Id of the alert")
            .answers::<AcknowledgedView>(200)
            .errors(&[codes::NALERT]),
        Route::get("/v1/{ns}/alert-messages", messages)
            .roles(READERS)
            .tag(TAG)
            .summary("History of messages")
            .about(
                "Newest first, 100 at most, each with its last 20 tries. A message goes out at least once under one id; a try \
                 whose outcome nobody knows is called `unknown`.",
            )
            .query::<PageQuery>()
            .answers::<List<MessageView>>(200)
            .errors(&[codes::ALIMIT]),
        Route::get("/v1/{ns}/alert-channels", channels)
            .roles(READERS)
            .tag(TAG)
            .summary("Show the channels of alerts")
            .about("In the order in which they are tried, without secrets; a webhook without the path of its URL.")
            .answers::<ChannelsView>(200),
        Route::put("/v1/{ns}/alert-channels", set_channels)
            .tag(TAG)
            .summary("Set the channels of alerts")
            .about(
                "The next channel is used when the one before fails. An empty list means the channels of the administrators' \
                 namespace, or else those of the configuration. A webhook given without a secret keeps the one that its URL \
                 had, and one that is given by its `label` alone stays as it is. Messages that no channel took are tried again at once.",
            )
            .takes::<NewChannels>()
            .answers_nothing()
            .errors(&[codes::ALIMIT])
            .for_unbound(),
    ]
}

/// Which alerts.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct AlertQuery {
    /// Only in this state: `open`, `acknowledged` or `closed`.
    #[param(nullable = false)]
    state: Option<String>,
    /// Only of this kind.
    #[param(nullable = false)]
    kind: Option<String>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// Only items after this one: `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// A page of alerts.
#[derive(Serialize, ToSchema)]
struct AlertsView {
    /// The alerts, newest first.
    items: Vec<AlertView>,
    /// Give this as `after` to read on; null at the end.
    next: Option<String>,
    /// What is wrong with the channels; empty while all is well.
    banner: Vec<String>,
}

/// An alert.
#[derive(Serialize, ToSchema)]
struct AlertView {
    /// Id of this opening.
    #[schema(example = "01KA2B3C4D5E6F7G8H9JKMNPQR")]
    id: String,
    /// Key of the condition; of one key at most one is not closed.
    #[schema(example = "disk")]
    key: String,
    /// Alerts of one kind share messages.
    #[schema(example = "task.parked")]
    kind: String,
    /// For a person.
    message: String,
    /// `open`, `acknowledged` or `closed`.
    #[schema(example = "open")]
    state: &'static str,
    /// When it opened.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    opened_at: String,
    /// When somebody acknowledged it.
    #[schema(format = DateTime)]
    acknowledged_at: Option<String>,
    /// Who.
    acknowledged_by: Option<String>,
    /// When it closed.
    #[schema(format = DateTime)]
    closed_at: Option<String>,
    /// Id of the message that told of its opening; null while it waits, or where it is only shown.
    opening_message: Option<String>,
    /// Id of the message that told of its end.
    closing_message: Option<String>,
}

impl From<AlertInfo> for AlertView {
    fn from(alert: AlertInfo) -> Self {
        let sent = |message: Option<String>| message.filter(|id| !id.is_empty());
        Self {
            id: alert.id,
            key: alert.key,
            kind: alert.kind,
            message: alert.message,
            state: alert.state.word(),
            opened_at: rfc3339(alert.opened_at),
            acknowledged_at: alert.acknowledged_at.map(rfc3339),
            acknowledged_by: alert.acknowledged_by,
            closed_at: alert.closed_at.map(rfc3339),
            opening_message: sent(alert.opening_message),
            closing_message: sent(alert.closing_message),
        }
    }
}

async fn list(api: Api, QueryOf(query): QueryOf<AlertQuery>) -> ApiResult<AlertsView> {
    let AlertQuery { state, kind, limit, after } = query;
    let page = api.page(&PageQuery { limit, after })?;
    let state = state.as_deref().map(AlertState::from_word).transpose()?;
    let found = api.read(&LIST_ALERTS, AlertPage { after: page.after_text(), limit: page.limit, state, kind }).await?;
    let view = |AlertList { alerts, next, banner }| {
        let items = alerts.into_iter().map(AlertView::from).collect();
        AlertsView { items, next, banner }
    };
    Ok(found.map(view))
}

#[derive(Deserialize)]
struct AlertPath {
    id: String,
}

/// What an alert is now.
#[derive(Serialize, ToSchema)]
struct AcknowledgedView {
    /// `acknowledged`, or `closed` if the condition had ended before.
    #[schema(example = "acknowledged")]
    state: String,
}

async fn acknowledge(
    api: Api,
    PathOf(AlertPath { id }): PathOf<AlertPath>,
    body: NoBody,
) -> ApiResult<AcknowledgedView> {
    let done = api.call(&ACKNOWLEDGE_ALERT, body.with(Acknowledge { id })).await?;
    Ok(done.map(|Acknowledged { state }| AcknowledgedView { state }))
}

/// A message.
#[derive(Serialize, ToSchema)]
struct MessageView {
    /// Its id, the same in every try: `Message-ID` of the mail, `webhook-id` of the webhook.
    #[schema(example = "01KA2B3C4D5E6F7G8H9JKMNPQR")]
    id: String,
    /// Of which kind of alerts it tells.
    kind: String,
    /// Its subject.
    subject: String,
    /// Its text.
    text: String,
    /// When it was written.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    made_at: String,
    /// When a channel took it; null while none did.
    #[schema(format = DateTime)]
    done_at: Option<String>,
    /// `done` if a channel took it; `unknown` if one may have; `refused` if none did; `waiting` before the first try.
    #[schema(example = "done")]
    outcome: &'static str,
    /// Its last tries, oldest first.
    tries: Vec<TryView>,
}

/// A try to send a message.
#[derive(Serialize, ToSchema)]
struct TryView {
    /// Counted from 1.
    number: i64,
    /// By which channel.
    #[schema(example = "mail to ops@example.org")]
    channel: String,
    /// When.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    at: String,
    /// `done`, `refused` or `unknown`.
    #[schema(example = "done")]
    outcome: String,
    /// Why it is not done.
    reason: String,
}

impl From<MessageInfo> for MessageView {
    fn from(message: MessageInfo) -> Self {
        let outcome = outcome(&message);
        Self {
            id: message.id,
            kind: message.kind,
            subject: message.subject,
            text: message.text,
            made_at: rfc3339(message.made_at),
            done_at: message.done_at.map(rfc3339),
            outcome,
            tries: message.tries.into_iter().map(TryView::from).collect(),
        }
    }
}

impl From<TryInfo> for TryView {
    fn from(one: TryInfo) -> Self {
        let TryInfo { number, channel, at, outcome, reason } = one;
        Self { number, channel, at: rfc3339(at), outcome, reason }
    }
}

/// What became of a message, in a word.
pub(crate) fn outcome(message: &MessageInfo) -> &'static str {
    let has = |outcome: &str| message.tries.iter().any(|one| one.outcome == outcome);
    match message.done_at {
        Some(_) => "done",
        None if has("unknown") => "unknown",
        None if has("refused") => "refused",
        None => "waiting",
    }
}

async fn messages(api: Api, QueryOf(query): QueryOf<PageQuery>) -> ApiResult<List<MessageView>> {
    let page = api.page(&query)?;
    let limit = page.limit.min(MESSAGES_MAX);
    let found = api.read(&LIST_MESSAGES, MessagePage { after: page.after_text(), limit: limit + 1 }).await?;
    let views = |found: Vec<MessageInfo>| found.into_iter().map(MessageView::from).collect();
    Ok(found.map(|found| List::cut(views(found), limit, |message| message.id.clone())))
}

/// Channels to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "channels": [
    { "kind": "mail", "to": ["ops@example.org"] }, { "kind": "webhook", "url": "https://sms.example/send" } ] }))]
struct NewChannels {
    /// In the order in which they are tried, at most 8.
    channels: Vec<NewChannel>,
}

/// A channel to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewChannel {
    /// `mail` or `webhook`.
    #[schema(example = "mail")]
    kind: String,
    /// Mail: 1 to 20 addresses.
    #[serde(default)]
    #[schema(required = false)]
    to: Vec<String>,
    /// Webhook: where the JSON is posted to.
    #[serde(default)]
    url: Option<String>,
    /// Webhook: signs the body as Standard Webhooks says; `whsec_` and the base64 of 24 to 64 bytes.
    #[serde(default)]
    secret: Option<String>,
    /// Instead of all else but the kind: keeps the namespace's channel of this label.
    #[serde(default)]
    label: Option<String>,
}

impl NewChannel {
    fn channel(self) -> Result<Wanted, ApiError> {
        let Self { kind, to, url, secret, label } = self;
        match (kind.as_str(), url, secret, label) {
            ("mail" | "webhook", None, None, Some(label)) if to.is_empty() => Ok(Wanted::Kept(label)),
            ("mail", None, None, None) => Ok(Channel::Mail { to }.into()),
            ("webhook", Some(url), secret, None) if to.is_empty() => Ok(Channel::Webhook { url, secret }.into()),
            _ => Err(ApiError::refused(
                codes::ABODY,
                "a channel is {kind: \"mail\", to}, {kind: \"webhook\", url, secret?} or {kind, label}",
            )),
        }
    }
}

/// The channels that are used.
#[derive(Serialize, ToSchema)]
struct ChannelsView {
    /// Whether they are the namespace's own, not those of the server.
    own: bool,
    /// In the order in which they are tried.
    channels: Vec<ChannelView>,
}

/// A channel.
#[derive(Serialize, ToSchema)]
struct ChannelView {
    /// `mail` or `webhook`.
    #[schema(example = "mail")]
    kind: &'static str,
    /// How the history names it.
    #[schema(example = "mail to ops@example.org")]
    label: String,
    /// Mail: the addresses.
    to: Vec<String>,
    /// Webhook: whether it is signed.
    signed: bool,
}

impl From<Channel> for ChannelView {
    fn from(channel: Channel) -> Self {
        let (kind, label) = (channel.word(), channel.label());
        match channel {
            Channel::Mail { to } => Self { kind, label, to, signed: false },
            Channel::Webhook { secret, .. } => Self { kind, label, to: vec![], signed: secret.is_some() },
        }
    }
}

async fn channels(api: Api) -> ApiResult<ChannelsView> {
    let found = api.read(&CHANNELS, ()).await?;
    let views = |channels: Vec<Channel>| channels.into_iter().map(ChannelView::from).collect();
    Ok(found.map(|Channels { channels, own }| ChannelsView { own, channels: views(channels) }))
}

async fn set_channels(api: Api, body: JsonBody<NewChannels>) -> ApiResult<()> {
    let mut wrong = None;
    let body = body.map(|new: NewChannels| {
        let channels: Result<Vec<_>, _> = new.channels.into_iter().map(NewChannel::channel).collect();
        SetChannels { channels: channels.map_err(|error| wrong = Some(error)).unwrap_or_default() }
    });
    match wrong {
        Some(error) => Err(error),
        None => api.call(&SET_CHANNELS, body).await,
    }
}
