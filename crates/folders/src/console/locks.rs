//! Who writes or waits in a directory.

use maud::html;
use web::ui::moment::duration;
use web::ui::parts::{badge, empty, id_link, table};
use web::ui::{Column, Holds, Row, Tone};
use web::{Console, PageResult, PathOf, View};

use super::{IdPath, above_in, directory, file_page, views, words};
use crate::care::{LOCKS, LockView, OfDirectory};
use crate::routes::who_in;

pub(super) async fn page(console: Console, PathOf(IdPath { id }): PathOf<IdPath>) -> PageResult {
    let directory = directory(&console, &id).await?;
    let of = OfDirectory { who: who_in(&console, &id)?, directory: id.clone() };
    let locks = console.read(&LOCKS, of).await?.out;
    let columns = [
        Column(console.say(&words::PATH), Holds::Text),
        Column(console.say(&words::WRITES), Holds::Text),
        Column(console.say(&words::KEPT_FOR), Holds::Text),
        Column(console.say(&words::WAITS), Holds::Text),
        Column(console.say(&words::ENDS_IN), Holds::Numbers),
    ];
    let row = |lock: &LockView| {
        let path = html! { @match &lock.file {
            Some(file) => (id_link(&file_page(&console, file), &lock.path)),
            None => { bdi { (lock.path) } " " (badge(Tone::Info, console.say(&words::NEW_HERE))) },
        } };
        let one = |who: &Option<String>| html! { @if let Some(who) = who { bdi { (who) } } };
        let waiting = html! { bdi { (lock.waiting.join(", ")) } };
        let left = html! { (duration(console.language(), lock.left_ms)) };
        Row::of(vec![path, one(&lock.holder), one(&lock.reserved), waiting, left]).key(&lock.path)
    };
    let rows: Vec<Row> = locks.iter().map(row).collect();
    let content = html! {
        (views(&console, &id, "locks"))
        div #locks data-live {
            @if rows.is_empty() {
                (empty(console.say(&words::NO_LOCKS), html! { p { (console.say(&words::NO_LOCKS_HINT)) } }))
            } @else { (table(console.say(&words::LOCKS), &columns, &rows)) }
        }
    };
    let title = console.say(&words::LOCKS);
    Ok(console.show(View { title, above: &above_in(&console, &directory), actions: html! {}, content }))
}
