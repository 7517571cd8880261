//! The page of a task that is not there any more: done, or deleted. It is a page and not an error, so that whoever watches a task
//! sees it end.

use axum::response::Response;
use base::Id;
use maud::html;

use super::super::visit::{Console, View};
use super::{history, words};
use crate::error::ApiError;
use crate::ui::Tone;
use crate::ui::parts::{banner, facts, id as id_part};

pub(super) async fn page(console: &Console, id: Id) -> Result<Response, ApiError> {
    let subject = id.to_string();
    let lines = history::lines(console, &subject, None).await?;
    let tasks = console.at("tasks");
    let content = html! {
        div #headline data-live {
            (banner(Tone::Quiet, html! { p { strong { (console.say(&words::GONE)) } } p { (console.say(&words::GONE_HINT)) } }))
        }
        div.stack #task data-live {
            (facts(&[(console.say(&words::ID), id_part(&subject))]))
            (history::shown(console, &subject, &lines))
        }
    };
    let actions = html! { div #task-actions data-live { a.button href=(tasks) { (console.say(&words::TO_TASKS)) } } };
    let above = [(tasks, console.say(&words::TASKS).to_owned())];
    Ok(console.show(View { title: console.say(&words::TASK), above: &above, actions, content }))
}
