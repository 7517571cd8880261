//! Lists that are read on by themselves, page by page.

use client::Request;
use serde_json::Value;

use crate::failure::{Done, Failure};
use crate::flags::Paging;
use crate::output::{Column, Output, Table};
use crate::session::Session;

/// Items of one page at most.
const PAGE_MAX: u64 = 1000;

/// A list and how it is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List<'a> {
    /// What it is a list of, for when it is empty.
    pub(crate) what: &'a str,
    /// JSON pointer to what names an item.
    pub(crate) id: &'static str,
    /// For people.
    pub(crate) columns: &'a [Column],
}

/// Writes items as they come.
struct Writer<'a> {
    list: &'a List<'a>,
    out: &'a Output,
    table: Table<'a>,
    count: u64,
    /// Namespaces that could not be looked at.
    unseen: Vec<Value>,
}

impl<'a> Writer<'a> {
    fn new(list: &'a List<'a>, out: &'a Output) -> Self {
        Self { list, out, table: Table::new(out, list.columns), count: 0, unseen: vec![] }
    }

    fn page(&mut self, items: &[Value]) -> Done {
        let text = match (self.out.json, self.out.quiet) {
            (true, _) => self.json(items),
            (_, true) => items.iter().map(|item| format!("{}\n", crate::output::id_of(item, self.list.id))).collect(),
            _ if items.is_empty() => String::new(),
            _ => self.table.page(items),
        };
        self.count += items.len() as u64;
        self.out.print(&text)
    }

    /// One document, though it comes in pages.
    fn json(&self, items: &[Value]) -> String {
        let begin = if self.count == 0 { "{\"items\":[" } else { "" };
        let line = |(at, item): (usize, &Value)| {
            let comma = if self.count == 0 && at == 0 { "" } else { "," };
            format!("{comma}\n{}", Output::json_text(item))
        };
        items.iter().enumerate().map(line).fold(begin.to_owned(), |text, line| text + &line)
    }

    /// Notes what a page of all namespaces is without; each is told once, though every page names it.
    fn note_unseen(&mut self, page: &Value) {
        for unseen in unseen_in(page) {
            if self.unseen.iter().all(|known| known["namespace"] != unseen["namespace"]) {
                self.unseen.push(unseen.clone());
            }
        }
    }

    fn end(&self, next: &Value) -> Done {
        if self.out.json {
            self.end_json(next)?;
        }
        match (self.count, next.as_str()) {
            (_, Some(_)) => self.out.remark("there are more: --limit N or --all shows them"),
            // Of what was not looked at nobody knows that it holds none.
            (0, None) if self.unseen.is_empty() => self.out.remark(&format!("no {}", self.list.what)),
            _ => {}
        }
        whole_without(&self.unseen)
    }

    fn end_json(&self, next: &Value) -> Done {
        let begin = if self.count == 0 { "" } else { "\n" };
        let unseen = match self.unseen.as_slice() {
            [] => String::new(),
            unseen => format!(",\"unseen\":{}", Output::json_text(&unseen.into())),
        };
        self.out.print(&format!("{begin}],\"next\":{}{unseen}}}\n", Output::json_text(next)))
    }
}

impl List<'_> {
    /// Reads and shows a list in pages until there is enough.
    pub(crate) async fn paged(&self, session: &Session, request: Request, paging: &Paging) -> Done {
        self.paged_by(session, request, paging, PAGE_MAX).await
    }

    /// The same where the server gives no more than so many at once.
    pub(crate) async fn paged_by(&self, session: &Session, request: Request, paging: &Paging, most: u64) -> Done {
        let page = |size: u64, after: Option<&str>| {
            let page = request.clone().query("limit", size.min(most).to_string());
            match after {
                Some(after) => page.query("after", after),
                None => page,
            }
        };
        self.asked(session, paging, "", page).await
    }

    /// The same where a page is asked for in another way, and lies in the answer at a JSON pointer.
    pub(crate) async fn asked(
        &self,
        session: &Session,
        paging: &Paging,
        at: &str,
        ask: impl Fn(u64, Option<&str>) -> Request,
    ) -> Done {
        let mut writer = Writer::new(self, &session.out);
        let (mut left, mut after) = (paging.wanted(), paging.after.clone());
        loop {
            let size = left.map_or(PAGE_MAX, |left| left.min(PAGE_MAX));
            let given = session.get(ask(size, after.as_deref())).await?;
            let page = given.pointer(at).unwrap_or(&Value::Null);
            let items = items_of(page)?;
            // More than was asked for would be the server's mistake; it must not become an endless list.
            let items = &items[..items.len().min(usize::try_from(size).unwrap_or(usize::MAX))];
            writer.note_unseen(page);
            writer.page(items)?;
            left = left.map(|left| left - items.len() as u64);
            after = page["next"].as_str().map(str::to_owned);
            if after.is_none() || left == Some(0) {
                return writer.end(&after.map_or(Value::Null, Value::from));
            }
        }
    }

    /// Reads and shows a list that comes whole.
    pub(crate) async fn whole(&self, session: &Session, request: Request) -> Done {
        self.show_page(session, &session.get(request).await?)
    }

    /// Shows the one page of a list.
    pub(crate) fn show_page(&self, session: &Session, page: &Value) -> Done {
        let mut writer = Writer::new(self, &session.out);
        writer.note_unseen(page);
        writer.page(items_of(page)?)?;
        writer.end(&Value::Null)
    }

    /// Shows items that are there.
    pub(crate) fn show(&self, session: &Session, items: &[Value]) -> Done {
        let mut writer = Writer::new(self, &session.out);
        writer.page(items)?;
        writer.end(&Value::Null)
    }
}

/// Lists of all namespaces leave out those that are away, and say which.
pub(crate) fn unseen_in(page: &Value) -> &[Value] {
    page["unseen"].as_array().map_or(&[], Vec::as_slice)
}

/// A list that lacks what some namespaces hold is shown, and then a failure: whoever looks at the exit code only must not take it for all.
pub(crate) fn whole_without(unseen: &[Value]) -> Done {
    if unseen.is_empty() {
        return Ok(());
    }
    let word = |unseen: &Value, name: &str| unseen[name].as_str().unwrap_or_default().to_owned();
    let named = unseen.iter().map(|one| format!("{} ({})", word(one, "namespace"), word(one, "code")));
    Err(Failure::partial(&named.collect::<Vec<_>>()))
}

/// The items of a page.
pub(crate) fn items_of(given: &Value) -> Result<&Vec<Value>, Failure> {
    given["items"].as_array().ok_or_else(|| Failure::here("the answer is no list: another version of the server?"))
}
