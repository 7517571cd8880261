//! The dialog that creates a task.

use maud::Render;

use super::super::visit::Console;
use super::{queue_name, words};
use crate::ui::{Field, Kind, Text, Tone};

/// Creates a task and goes to its page.
pub(super) fn form(console: &Console) -> impl Render + use<> {
    let field =
        |name, label: &Text, kind, hint: &Text| Field::new(name, console.say(label), kind).hint(console.say(hint));
    let workers = console.kernel().task_config().workers.len();
    let mut queues = vec![(String::new(), console.say(&words::QUEUE_OF_OPERATION).to_owned())];
    let numbers = (0..workers).filter_map(|queue| i64::try_from(queue).ok());
    queues.extend(numbers.map(|queue| (queue.to_string(), queue_name(console, queue))));
    console
        .form("POST /v1/{ns}/tasks", &super::super::words::CREATE)
        .tone(Tone::Good)
        .field(field("op", &words::OPERATION, Kind::Text, &words::NEW_OP_HINT).required())
        .field(field("target", &words::TARGET, Kind::Text, &words::NEW_TARGET_HINT))
        .field(field("param", &words::PARAMETER, Kind::Json, &words::NEW_PARAM_HINT))
        .field(field("info", &words::INFO, Kind::Text, &words::NEW_INFO_HINT))
        .field(field("start_at", &words::STARTS, Kind::Moment, &words::NEW_START_HINT))
        .field(field("cron", &words::CRON, Kind::Text, &words::NEW_CRON_HINT))
        .field(Field::new("queue", console.say(&words::QUEUE), Kind::Number).choices(queues))
        .field(field("lane", &words::LANE, Kind::Text, &words::NEW_LANE_HINT))
        .go(format!("{}/{{answer.id}}", console.at("tasks")))
        .in_dialog(console.say(&words::NEW_TASK))
}
