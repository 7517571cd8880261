//! What the one box offers while somebody types (CON-11): the same as the page that it leads to, a few of each kind.

use axum::Json;
use axum::response::IntoResponse;
use kernel::find::{Found, OfKind};
use serde::Serialize;

use super::{Asked, ROLES, nothing_here, own, words};
use crate::console::help;
use crate::console::page::{Page, PageResult};
use crate::console::visit::Console;
use crate::find::{FindDef, everything};
use crate::params::QueryOf;
use crate::ui::Counted;

/// Things of each kind: whoever wants more of them presses Enter.
const EACH: usize = 3;
/// Things that are offered: as many as an eye takes in.
const MOST: usize = 12;

const OFFERED: Counted = Counted {
    en: ["{n} suggestion. Enter shows all that was found.", "{n} suggestions. Enter shows all that was found."],
    ru: [
        "{n} подсказка. Enter покажет всё найденное.",
        "{n} подсказки. Enter покажет всё найденное.",
        "{n} подсказок. Enter покажет всё найденное.",
    ],
    fr: [
        "{n} suggestion. Entrée montre tout ce qui a été trouvé.",
        "{n} suggestions. Entrée montre tout ce qui a été trouvé.",
    ],
};

/// What is offered, group after group.
#[derive(Serialize)]
struct Offer {
    groups: Vec<Group>,
    /// How much that is, in words.
    told: String,
}

#[derive(Serialize)]
struct Group {
    title: String,
    items: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    href: String,
    name: String,
    /// What tells it from others of its name.
    about: String,
}

pub(super) fn page() -> Page {
    Page::new("/console/{ns}/_suggest", suggest).roles(ROLES)
}

async fn suggest(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let text = asked.q.trim();
    let found = everything(&console, text, None, EACH).await?;
    let groups = std::iter::once(pages(&console, text)).chain(found.iter().map(|found| things(&console, found)));
    let groups = at_most(MOST, groups.chain(std::iter::once(guides(&console, text))));
    let many: usize = groups.iter().map(|group| group.items.len()).sum();
    let told = match i64::try_from(many) {
        Ok(0) | Err(_) => nothing_here(&console),
        Ok(many) => console.count(&OFFERED, many),
    };
    Ok(Json(Offer { groups, told }).into_response())
}

/// Pages and actions of the console.
fn pages(console: &Console, text: &str) -> Group {
    let item = |(href, name)| Item { href, name, about: String::new() };
    let items = own(console, text).into_iter().take(EACH).map(item).collect();
    Group { title: console.say(&words::PAGES).to_owned(), items }
}

/// After everything else: whoever types a name means the thing of that name.
fn guides(console: &Console, text: &str) -> Group {
    let item = |(href, name)| Item { href, name, about: String::new() };
    let items = help::titled(console, text).into_iter().take(EACH).map(item).collect();
    Group { title: help::name(console).to_owned(), items }
}

fn things(console: &Console, (def, of_kind): &(&'static FindDef, OfKind)) -> Group {
    let item = |found: &Found| {
        let href = console.at(&(def.page)(found));
        let has_name = !found.name.is_empty() && found.name != found.id;
        let name = if has_name { found.name.clone() } else { found.id.clone() };
        let about = [if has_name { found.id.as_str() } else { "" }, found.about.as_str()];
        let about: Vec<&str> = about.into_iter().filter(|words| !words.is_empty()).collect();
        Item { href, name, about: about.join(" · ") }
    };
    Group { title: console.say(def.title).to_owned(), items: of_kind.found.iter().map(item).collect() }
}

/// The first things, without groups that are empty.
fn at_most(most: usize, groups: impl Iterator<Item = Group>) -> Vec<Group> {
    let mut left = most;
    let cut = groups.map(|mut group| {
        group.items.truncate(left);
        left -= group.items.len();
        group
    });
    cut.filter(|group| !group.items.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_11_no_more_is_offered_than_an_eye_takes_in() {
        let item = |name: &str| Item { href: String::new(), name: name.to_owned(), about: String::new() };
        let group = |title: &str, names: &[&str]| Group {
            title: title.to_owned(),
            items: names.iter().copied().map(item).collect(),
        };
        let groups = [group("a", &["1", "2"]), group("b", &[]), group("c", &["3", "4"]), group("d", &["5"])];
        let kept = at_most(3, groups.into_iter());
        let kept: Vec<_> = kept.iter().map(|group| (group.title.as_str(), group.items.len())).collect();
        assert_eq!(kept, [("a", 2), ("c", 1)]);
    }
}
