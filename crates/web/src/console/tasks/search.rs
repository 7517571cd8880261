//! Which tasks a page of the list shows: its query, read and checked, and what was found.

use std::pin::pin;
use std::sync::Arc;

use base::{Id, codes};
use futures_util::StreamExt;
use kernel::Namespace;
use kernel::tasks::{self, Order, Search, State, Task, Whose};
use serde::Deserialize;

use super::super::visit::Console;
use crate::api::Api;
use crate::error::ApiError;
use crate::seen::{Missed, one_after_the_other, seen_from};
use crate::time::field_moment;
use crate::ui::form::link;

/// Tasks of a page.
const PAGE: u32 = 50;

/// The query as a form sends it: fields that were left empty are there, and empty.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    pub(super) op: String,
    pub(super) info: String,
    pub(super) state: String,
    pub(super) queue: String,
    pub(super) retry: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) order: String,
    pub(super) whose: String,
    pub(super) after: String,
}

/// A page of the list.
#[derive(Default)]
pub(super) struct Found {
    pub(super) tasks: Vec<(Arc<Namespace>, Task)>,
    /// Where the next page begins.
    pub(super) next: Option<String>,
    pub(super) missed: Missed,
}

impl Asked {
    /// Whether anything is filtered but the state, which has tabs.
    pub(super) fn filters(&self) -> bool {
        [&self.op, &self.info, &self.queue, &self.retry, &self.from, &self.to].iter().any(|text| !text.is_empty())
    }

    /// The same list with another state, order or place.
    pub(super) fn link(&self, console: &Console, change: impl FnOnce(&mut Self)) -> String {
        let mut other = self.clone();
        change(&mut other);
        let Self { op, info, state, queue, retry, from, to, order, whose, after } = &other;
        let fields = [
            ("op", op),
            ("info", info),
            ("state", state),
            ("queue", queue),
            ("retry", retry),
            ("from", from),
            ("to", to),
            ("order", order),
            ("whose", whose),
            ("after", after),
        ];
        link(&console.at("tasks"), &fields.map(|(name, value)| (name, Some(value.as_str()))))
    }

    pub(super) fn search(&self) -> Result<Search, ApiError> {
        let given = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Search {
            op: given(&self.op),
            info: given(&self.info),
            state: self.state()?,
            queue: number("queue", &self.queue)?,
            retry_min: number("retry", &self.retry)?.unwrap_or(0),
            from: field_moment("from", &self.from)?,
            to: field_moment("to", &self.to)?,
            order: self.order()?,
            whose: self.whose()?,
            limit: PAGE,
            ..Search::default()
        })
    }

    pub(super) fn state(&self) -> Result<Option<State>, ApiError> {
        match self.state.as_str() {
            "" => Ok(None),
            "waiting" => Ok(Some(State::Waiting)),
            "behind" => Ok(Some(State::Behind)),
            "running" => Ok(Some(State::Running)),
            "parked" => Ok(Some(State::Parked)),
            _ => Err(ApiError::refused(codes::ABODY, "state is none of waiting, behind, running, parked")),
        }
    }

    fn order(&self) -> Result<Order, ApiError> {
        match self.order.as_str() {
            "" | "newest" => Ok(Order::Newest),
            "oldest" => Ok(Order::Oldest),
            _ => Err(ApiError::refused(codes::ABODY, "order is neither newest nor oldest")),
        }
    }

    /// Without a word the server's own are left out: they see to themselves, and are many.
    pub(super) fn whose(&self) -> Result<Whose, ApiError> {
        match self.whose.as_str() {
            "" | "people" => Ok(Whose::People),
            "server" => Ok(Whose::Server),
            "all" => Ok(Whose::All),
            _ => Err(ApiError::refused(codes::ABODY, "whose is none of all, people, server")),
        }
    }

    /// The namespace and the task after which the page begins.
    fn place(&self) -> Result<Option<(String, Id)>, ApiError> {
        if self.after.is_empty() {
            return Ok(None);
        }
        let wrong = || ApiError::refused(codes::ABODY, "after is not the place of a next page");
        let (namespace, id) = self.after.split_once('.').ok_or_else(wrong)?;
        Ok(Some((namespace.to_owned(), id.parse().map_err(|_| wrong())?)))
    }
}

fn number(name: &str, text: &str) -> Result<Option<i64>, ApiError> {
    let wrong = |_| ApiError::refused(codes::ABODY, format!("{name} is no whole number"));
    Some(text.trim()).filter(|text| !text.is_empty()).map(|text| text.parse().map_err(wrong)).transpose()
}

/// The tasks of a page: namespace after namespace, from the one in which the page before ended. Where there is more to look at
/// than one page may, the next one goes on.
pub(super) async fn find(console: &Console, asked: &Asked) -> Result<Found, ApiError> {
    let (search, place) = (asked.search()?, asked.place()?);
    let from = place.as_ref().map(|(namespace, _)| namespace.as_str());
    let read = |there: Api| {
        let after = place.as_ref().filter(|(namespace, _)| *namespace == there.namespace().name).map(|(_, id)| *id);
        let search = Search { after, ..search.clone() };
        async move { there.read(&tasks::PAGE, search).await }
    };
    let there = seen_from(console).into_iter().filter(|ns| from.is_none_or(|from| ns.name.as_str() >= from));
    let mut pages = pin!(one_after_the_other(console, there, read));
    let mut found = Found::default();
    while found.next.is_none()
        && let Some((ns, page)) = pages.next().await
    {
        let Some(page) = found.missed.noted(console, &ns, page)?.map(|page| page.out) else { continue };
        found.add(&ns, page);
    }
    Ok(found)
}

impl Found {
    /// What one namespace adds; what does not fit any more begins the next page.
    fn add(&mut self, ns: &Arc<Namespace>, page: tasks::Page) {
        self.tasks.extend(page.tasks.into_iter().map(|task| (ns.clone(), task)));
        self.next = page.next.map(|next| format!("{}.{next}", ns.name));
        if self.tasks.len() > PAGE as usize {
            self.tasks.truncate(PAGE as usize);
            self.next = self.tasks.last().map(|(ns, task)| format!("{}.{}", ns.name, task.id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_8_empty_fields_filter_nothing() {
        let search = Asked::default().search().unwrap();
        assert_eq!((search.op, search.queue, search.from, search.state), (None, None, None, None));
        assert_eq!((search.retry_min, search.order, search.limit), (0, Order::Newest, PAGE));
        assert_eq!(search.whose, Whose::People);
    }

    #[test]
    fn con_8_fields_are_read_as_forms_send_them() {
        let asked = Asked { from: "1970-01-01T00:01".into(), to: "1970-01-01T00:00:01".into(), ..Asked::default() };
        let search = asked.search().unwrap();
        assert_eq!((search.from, search.to), (Some(base::Wall(60_000)), Some(base::Wall(1_000))));
        let wrong: [fn(&mut Asked); 6] = [
            |asked| asked.queue = "x".into(),
            |asked| asked.retry = "1.5".into(),
            |asked| asked.from = "soon".into(),
            |asked| asked.state = "odd".into(),
            |asked| asked.order = "size".into(),
            |asked| asked.whose = "mine".into(),
        ];
        for change in wrong {
            let mut asked = Asked::default();
            change(&mut asked);
            assert_eq!(asked.search().unwrap_err().0.code, codes::ABODY, "{asked:?}");
        }
        assert!(Asked { after: "main".into(), ..Asked::default() }.place().is_err());
        assert!(Asked { after: "main.x".into(), ..Asked::default() }.place().is_err());
    }
}
