//! How a sensor is, in a word and a colour.

use maud::Markup;
use web::Console;
use web::ui::parts::badge;
use web::ui::{Text, Tone};

use super::words;
use crate::client::ClientState;
use crate::sensor::SensorState;

/// All states, in the order of filters.
pub(super) const ALL: [SensorState; 4] =
    [SensorState::Open, SensorState::Closed, SensorState::Lost, SensorState::Never];

pub(super) fn tone(state: SensorState) -> Tone {
    match state {
        SensorState::Open => Tone::Info,
        SensorState::Closed => Tone::Good,
        SensorState::Lost => Tone::Bad,
        SensorState::Never => Tone::Quiet,
    }
}

pub(super) fn text(state: SensorState) -> &'static Text {
    match state {
        SensorState::Open => &words::OPEN,
        SensorState::Closed => &words::CLOSED,
        SensorState::Lost => &words::IS_LOST,
        SensorState::Never => &words::NEVER_HEARD,
    }
}

/// The word of a query.
pub(super) fn word(state: SensorState) -> &'static str {
    match state {
        SensorState::Open => "open",
        SensorState::Closed => "closed",
        SensorState::Lost => "lost",
        SensorState::Never => "never",
    }
}

pub(super) fn mark(console: &Console, state: SensorState) -> Markup {
    badge(tone(state), console.say(text(state)))
}

/// Open or closed.
pub(super) fn of_data(closed: bool) -> SensorState {
    if closed { SensorState::Closed } else { SensorState::Open }
}

pub(super) fn of_client(console: &Console, state: ClientState) -> Markup {
    let (tone, text) = match state {
        ClientState::Active => (Tone::Good, &words::ACTIVE),
        ClientState::Failing => (Tone::Bad, &words::FAILING),
        ClientState::Disabled => (Tone::Quiet, &words::DISABLED),
    };
    badge(tone, console.say(text))
}
