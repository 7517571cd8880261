//! `fastness doctor` (KER-37): what is wrong with the set-up, why it matters and how to mend it. Before the first start,
//! beside a running server, or when nothing starts any more.
//!
//! It changes nothing but a small file that measures the disk and is removed again.

mod broker;
mod data;
mod machine;
mod partners;
mod port;
mod postgres;
mod protection;
mod schemas;
mod tls;

use serde::Serialize;

use crate::config::{ConfigErrors, Loaded};
use crate::obstacle::Obstacle;

/// How good something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Ok,
    /// It works, until it does not.
    Warn,
    /// It does not work, or data is in danger.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Line {
    pub(crate) state: State,
    /// What is so.
    pub(crate) what: String,
    /// Why that matters; nothing where all is well.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) why: &'static str,
    /// How to mend it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) mend: String,
}

impl Line {
    fn ok(what: impl Into<String>) -> Self {
        Self { state: State::Ok, what: what.into(), why: "", mend: String::new() }
    }

    fn warn(what: impl Into<String>, why: &'static str, mend: impl Into<String>) -> Self {
        Self { state: State::Warn, what: what.into(), why, mend: mend.into() }
    }

    fn bad(what: impl Into<String>, why: &'static str, mend: impl Into<String>) -> Self {
        Self { state: State::Bad, what: what.into(), why, mend: mend.into() }
    }
}

/// Looks at everything.
pub(crate) fn examine(loaded: &Loaded, services: &[web::Service]) -> Vec<Line> {
    let config = &loaded.config;
    let server = port::server(config);
    let mut lines = vec![Line::ok("the configuration is good")];
    lines.extend(loaded.warnings.iter().map(|warning| {
        let mend = "correct its name, or unset it: `fastness config reference` lists all";
        Line::warn(warning.to_string(), "what it says has no effect", mend)
    }));
    lines.extend(data::lines(config));
    lines.extend(machine::lines(config));
    lines.extend(port::lines(config, &server));
    lines.extend(tls::lines(config));
    lines.extend(postgres::lines(config));
    lines.extend(schemas::lines(config, services));
    lines.extend(broker::lines(config));
    lines.extend(partners::lines(config));
    lines.extend(protection::lines(config));
    lines
}

/// A configuration that cannot be used: nothing else can be looked at.
pub(crate) fn of_mistakes(error: &anyhow::Error) -> Vec<Line> {
    let why = "the server does not start with it";
    if let Some(obstacle) = error.downcast_ref::<Obstacle>() {
        return vec![Line::bad(obstacle.what.as_str(), why, obstacle.mend.as_str())];
    }
    let mend = "correct it; fastness config reference lists all keys";
    match error.downcast_ref::<ConfigErrors>() {
        Some(ConfigErrors(errors)) => errors.iter().map(|error| Line::bad(error.to_string(), why, mend)).collect(),
        None => vec![Line::bad(format!("{error:#}"), why, mend)],
    }
}

/// The worst of all.
pub(crate) fn worst(lines: &[Line]) -> State {
    let has = |state| lines.iter().any(|line| line.state == state);
    if has(State::Bad) {
        State::Bad
    } else if has(State::Warn) {
        State::Warn
    } else {
        State::Ok
    }
}

/// For people.
pub(crate) fn text(lines: &[Line]) -> String {
    let one = |Line { state, what, why, mend }: &Line| {
        let word = match state {
            State::Ok => "ok  ",
            State::Warn => "warn",
            State::Bad => "BAD ",
        };
        let more = if why.is_empty() { String::new() } else { format!("        why: {why}\n        mend: {mend}\n") };
        format!("{word}    {what}\n{more}")
    };
    lines.iter().map(one).collect()
}
