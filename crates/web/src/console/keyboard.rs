//! What the keyboard does, on every page: `?` shows it.

use maud::{Markup, html};

use super::words as common;
use crate::ui::{Language, Text};

mod words {
    crate::texts! {
        TITLE: "Keyboard", "Клавиатура", "Clavier";
        EVERYTHING: "Search everything", "Искать везде", "Tout rechercher";
        FILTER: "Filter of this list; where there is none, search everything", "Отбор в этом списке; если его нет — поиск везде",
            "Filtre de cette liste\u{a0}; à défaut, tout rechercher";
        FOUND: "From one result to the next", "От одного результата к другому", "D’un résultat à l’autre";
        NEXT: "Next page of a list, first page", "Следующая страница списка, первая страница", "Page suivante d’une liste, première page";
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

/// The button that shows it.
pub(super) fn opener(language: Language) -> Markup {
    html! { button.plain type="button" data-keys { (language.say(&words::TITLE)) " " kbd { "?" } } }
}

/// The dialog.
pub(super) fn help(language: Language) -> Markup {
    let title = language.say(&words::TITLE);
    html! {
        dialog #keyboard aria-label=(title) {
            header.dialog-head { h2 { (title) } button.close type="button" data-closes aria-label=(language.say(&common::CLOSE)) { "×" } }
            dl.keys {
                @for (keys, text) in KEYS {
                    dt { @for key in keys { kbd { (key) } " " } }
                    dd { (language.say(text)) }
                }
            }
        }
    }
}
