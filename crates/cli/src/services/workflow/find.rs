//! What is looked for among processes: the same words for lists, jobs and searches that are kept.

use clap::Args;
use client::Request;
use serde_json::Value;

use crate::input::{Body, duration_ms, moment};
use crate::services::filtered;

/// All that is said must hold.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct Find {
    /// Of this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only in this state
    #[arg(long, value_name = "STATE", value_parser = ["ACTIVE", "FINISHED", "BROKEN", "ABORTED"], ignore_case = true)]
    state: Option<String>,
    /// With this id
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// With this id of whoever started it
    #[arg(long, value_name = "ID")]
    custom_id: Option<String>,
    /// With a task of this actor
    #[arg(long, value_name = "ACTOR")]
    actor: Option<String>,
    /// Started at or after this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    started_from: Option<String>,
    /// Started before this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    started_to: Option<String>,
    /// Ended at or after this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    ended_from: Option<String>,
    /// Ended before this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    ended_to: Option<String>,
    /// With this text in the message or the trace of its error
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
    /// With an error of this class
    #[arg(long, value_name = "CLASS")]
    error_class: Option<String>,
    /// With this text, or JSON value, in the arguments that it was started with
    #[arg(long, value_name = "TEXT")]
    argument: Option<String>,
    /// Took so long at least: 90s, 10m, 2h, 1d
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    duration_min: Option<i64>,
    /// Took so long at most
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    duration_max: Option<i64>,
    /// In its state for so long at least
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    unchanged_min: Option<i64>,
    /// In its state for so long at most
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    unchanged_max: Option<i64>,
}

impl Find {
    fn texts(&self) -> [(&'static str, Option<String>); 11] {
        [
            ("type", self.kind.clone()),
            ("state", self.state.as_ref().map(|state| state.to_uppercase())),
            ("id", self.id.clone()),
            ("custom_id", self.custom_id.clone()),
            ("actor", self.actor.clone()),
            ("started_from", self.started_from.clone()),
            ("started_to", self.started_to.clone()),
            ("ended_from", self.ended_from.clone()),
            ("ended_to", self.ended_to.clone()),
            ("error", self.error.clone()),
            ("error_class", self.error_class.clone()),
        ]
    }

    fn times(&self) -> [(&'static str, Option<i64>); 4] {
        [
            ("duration_min_ms", self.duration_min),
            ("duration_max_ms", self.duration_max),
            ("unchanged_min_ms", self.unchanged_min),
            ("unchanged_max_ms", self.unchanged_max),
        ]
    }

    /// In the query of a request.
    pub(super) fn ask(&self, request: Request) -> Request {
        let times = self.times().map(|(name, ms)| (name, ms.map(|ms| ms.to_string())));
        let request = filtered(filtered(request, self.texts()), times);
        filtered(request, [("argument", self.argument.clone())])
    }

    /// In a body.
    pub(super) fn value(&self) -> Value {
        let texts = self.texts().into_iter().fold(Body::default(), |body, (name, text)| body.with(name, text));
        let body = self.times().into_iter().fold(texts, |body, (name, ms)| body.with(name, ms));
        // A number or an object is meant as such; everything else is a text.
        let value = |text: &String| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()));
        body.with("argument", self.argument.as_ref().map(value)).value()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn wfl_18_what_is_looked_for_is_the_same_in_lists_and_jobs() {
        let find = Find {
            kind: Some("order".into()),
            state: Some("broken".into()),
            duration_min: Some(60_000),
            argument: Some("17".into()),
            ..Find::default()
        };
        assert_eq!(
            find.value(),
            json!({"type": "order", "state": "BROKEN", "duration_min_ms": 60_000, "argument": 17})
        );
        let text = Find { argument: Some("seventeen".into()), ..Find::default() };
        assert_eq!(text.value(), json!({"argument": "seventeen"}));
        assert_eq!(Find::default().value(), json!({}));
    }
}
