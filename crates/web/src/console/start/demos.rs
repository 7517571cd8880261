//! Demos that are there right now: temporary namespaces that `fastness demo` made, with what their services count.

use std::time::Duration;

use base::Wall;
use kernel::namespaces::{NamespaceRow, State};
use kernel::overview::{Figure, Look, OVERVIEW};
use maud::{Markup, html};
use tokio::time::timeout;

use super::words;
use crate::console::visit::Console;
use crate::ui::parts::badge;
use crate::ui::{Text, Tone};

/// How the label of a demo's namespace begins; the command writes it.
const LABEL: &str = "Fastness demo: ";
/// In the label of one that was left on purpose.
const KEPT: &str = " kept ";
/// How long a store is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// A demo.
pub(super) struct Running {
    /// Of which service.
    pub(super) word: String,
    namespace: String,
    is_kept: bool,
    begun_at: Wall,
    figures: Vec<Figure>,
}

/// Those that this caller may look at.
pub(super) async fn running(console: &Console) -> Vec<Running> {
    let mut found = vec![];
    if console.caller().everywhere {
        let known = console.kernel().registry().known();
        for row in known.rows.values().filter(|row| row.temporary && row.state == State::Open) {
            if let Some(label) = row.label.strip_prefix(LABEL) {
                found.push(looked_at(console, row, label).await);
            }
        }
    }
    found
}

async fn looked_at(console: &Console, row: &NamespaceRow, label: &str) -> Running {
    let read = async {
        let ns = console.kernel().namespace(&row.name).ok()?;
        console.within(&ns).read(&OVERVIEW, Look::at(console.kernel())).await.ok().map(|work| work.out.figures)
    };
    let word = label.split(' ').next().unwrap_or_default().to_owned();
    let mut figures = timeout(PATIENCE, read).await.ok().flatten().unwrap_or_default();
    figures.retain(|figure| figure.service == word);
    let is_kept = label.contains(KEPT);
    Running { word, namespace: row.name.clone(), is_kept, begun_at: Wall(row.created_at), figures }
}

/// One that is there: since when, what it counts, and where to look.
pub(super) fn shown(console: &Console, demo: &Running, page: &str) -> Markup {
    let (tone, word): (Tone, &Text) =
        if demo.is_kept { (Tone::Quiet, &words::KEPT) } else { (Tone::Info, &words::RUNNING) };
    let named = |figure: &Figure| {
        let text = console.shared().figure(figure.service, figure.name)?;
        Some((console.language().number(figure.value), console.say(text)))
    };
    let counts: Vec<(String, &str)> = demo.figures.iter().filter_map(named).collect();
    html! {
        div.running {
            p { (badge(tone, console.say(word))) " " (console.moment(demo.begun_at)) " "
                a href=(page.replace("{ns}", &demo.namespace)) { (console.say(&words::LOOK)) } }
            ul.counts { @for (number, name) in &counts { li { b { (number) } " " span.soft { (name) } } } }
        }
    }
}
