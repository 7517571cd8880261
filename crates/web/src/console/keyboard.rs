//! What the keyboard does, on every page: `?` shows it. Keys that do something alone can be switched off: whoever speaks to the machine would
//! press them by speaking.

use maud::{Markup, html};

use super::visit::Console;
use super::words as common;
use crate::ui::form::link;
use crate::ui::{Language, Text};

mod words {
    crate::texts! {
        TITLE: "Keyboard", "Клавиатура", "Clavier";
        EVERYTHING: "Search everything", "Искать везде", "Tout rechercher";
        FILTER: "Filter of this list; where there is none, search everything", "Отбор в этом списке; если его нет — поиск везде",
            "Filtre de cette liste\u{a0}; à défaut, tout rechercher";
        FOUND: "From one result to the next", "От одного результата к другому", "D’un résultat à l’autre";
        NEXT: "Next page of a list, first page", "Следующая страница списка, первая страница", "Page suivante d’une liste, première page";
        SINGLE: "Keys without Ctrl", "Клавиши без Ctrl", "Touches sans Ctrl";
        ON: "On", "Включены", "Activées";
        OFF: "Off", "Выключены", "Désactivées";
        HELP: "This help", "Эта справка", "Cette aide";
        ESCAPE: "Close what is open", "Закрыть открытое", "Fermer ce qui est ouvert";
        TAB: "To the next thing; the first Tab of a page leads past the navigation", "К следующему элементу; первый Tab на странице ведёт мимо меню",
            "À l’élément suivant\u{a0}; le premier Tab d’une page mène au-delà du menu";
    }
}

const KEYS: [(&[&str], &Text); 7] = [
    (&["Ctrl K", "⌘ K"], &words::EVERYTHING),
    (&["/"], &words::FILTER),
    (&["↓", "↑"], &words::FOUND),
    (&["n", "p"], &words::NEXT),
    (&["?"], &words::HELP),
    (&["Esc"], &words::ESCAPE),
    (&["Tab"], &words::TAB),
];

/// Those that do something alone.
const SINGLE: [&str; 4] = ["/", "n", "p", "?"];

/// The button that shows it.
pub(super) fn opener(language: Language) -> Markup {
    html! { button.plain type="button" data-keys { (language.say(&words::TITLE)) " " kbd { "?" } } }
}

/// The dialog.
pub(super) fn help(console: &Console) -> Markup {
    let (language, title) = (console.language(), console.say(&words::TITLE));
    html! {
        dialog #keyboard aria-label=(title) {
            header.dialog-head { h2 { (title) } button.close type="button" data-closes aria-label=(language.say(&common::CLOSE)) { "×" } }
            dl.keys {
                @for (keys, text) in KEYS {
                    dt { @for key in keys { kbd { (key) } " " } }
                    dd { (language.say(text)) }
                }
            }
            (switch(console))
        }
    }
}

/// Whether keys do something alone.
fn switch(console: &Console) -> Markup {
    let wish = |word| link("/console/_prefer", &[("single_keys", Some(word)), ("back", Some(&console.here))]);
    let is_on = console.preferences.single_keys;
    html! {
        div.choice {
            span { (console.say(&words::SINGLE)) ": " @for key in SINGLE { kbd { (key) } " " } }
            span.choices { @for (word, text, chosen) in [("on", &words::ON, is_on), ("off", &words::OFF, !is_on)] {
                a href=(wish(word)) aria-current=[chosen.then_some("true")] { (console.say(text)) }
            } }
        }
    }
}
