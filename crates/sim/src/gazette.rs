//! A small service that does nothing but publish: operations that leave events and are committed or refused.

use base::{OpError, OpResult, Stamp, Tx, codes};
use kernel::{Event, Op, OpCx, ServiceDef, TaskRow, feed};
use serde::{Deserialize, Serialize};

/// The service; its rows are the feed's.
pub static GAZETTE: ServiceDef =
    ServiceDef { name: "gazette", operations: &[&PUBLISH, &FORGET_EVENTS], ..ServiceDef::EMPTY };

/// The topic that readers follow.
pub const TOPIC: &str = "gazette.page";
/// One that they do not.
const OTHER: &str = "gazette.note";

/// Publishes an issue: a few pages, a note between them.
pub static PUBLISH: Op<Issue, u32> = Op::new("gazette.publish", publish);

/// What the standing task does, without waiting for its hour.
pub static FORGET_EVENTS: Op<(), ()> = Op::new("gazette.forget", |tx, cx, ()| {
    let row = TaskRow::first_attempt(cx.id(), feed::FORGET.op, "null", cx.wall);
    (feed::FORGET.plan)(tx, cx, &row).map(drop)
});

/// An issue.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Issue {
    /// Its name.
    pub name: String,
    /// How many pages it has.
    pub pages: u32,
    /// Whether it is refused after everything was written.
    pub refused: bool,
}

fn publish(_: &mut dyn Tx, cx: &mut OpCx<'_>, issue: &Issue) -> OpResult<u32> {
    for page in 0..issue.pages {
        let event = |topic: &str| Event {
            topic: topic.to_owned(),
            subject: page_name(&issue.name, page),
            version: Stamp::MIN,
            data: "{}".into(),
        };
        cx.fx.event(event(TOPIC));
        cx.fx.event(event(OTHER));
    }
    if issue.refused { Err(OpError::new(codes::ALIMIT, "refused on purpose")) } else { Ok(issue.pages) }
}

/// Subject of a page's event.
pub fn page_name(issue: &str, page: u32) -> String {
    format!("{issue}/{page}")
}
