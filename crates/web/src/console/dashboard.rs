//! The overview of a namespace (CON-2).

use kernel::Role;
use maud::html;

use super::nav::{Group, Nav};
use super::page::{Page, PageResult};
use super::visit::{Console, View};

mod words {
    crate::texts! {
        OVERVIEW: "Overview", "Обзор", "Vue d’ensemble";
    }
}

const ICON: &str = "M1 9h4v6H1zM6 4h4v11H6zM11 1h4v14h-4z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Overview, place: 0, text: &words::OVERVIEW, icon: ICON };
    vec![Page::new("/console/{ns}/", overview).roles(&[Role::Operator, Role::Reader]).nav(nav)]
}

async fn overview(console: Console) -> PageResult {
    let content = html! { p { "…" } };
    Ok(console.show(View { title: console.say(&words::OVERVIEW), above: &[], actions: html! {}, content }))
}
