//! The page of components: what pages are made of, each in every state (`/console/_components`).

use maud::html;

use super::page::{Page, PageResult};
use super::visit::{Console, View};

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/_components", components)]
}

async fn components(console: Console) -> PageResult {
    Ok(console.show(View { title: "Components", above: &[], actions: html! {}, content: html! {} }))
}
