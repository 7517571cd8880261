//! How much there is, in a few numbers.

use kernel::tasks::TaskCounts;
use maud::{Markup, html};

use super::{Seen, words};
use crate::console::visit::Console;
use crate::ui::moment::{duration, relative};
use crate::ui::parts::stats;
use crate::ui::{Stat, Tone};

/// A task that waits longer than this for a worker is worth a look.
const LONG_MS: i64 = 60_000;
/// Where counting ends.
const MANY: i64 = 10_000;

pub(super) fn shown(console: &Console, seen: &[Seen]) -> Markup {
    let works: Vec<_> = seen.iter().filter_map(|seen| seen.work.as_ref()).collect();
    let sum = |of: fn(&TaskCounts) -> i64| works.iter().map(|work| of(&work.tasks)).sum::<i64>();
    let parked = sum(|tasks| tasks.parked);
    let alerts: i64 = works.iter().map(|work| work.alerts.open).sum();
    let known: i64 = works.iter().map(|work| work.alerts.acknowledged).sum();
    let stuck: usize = works.iter().map(|work| work.stuck.unwanted()).sum();
    let tile = |label, value: i64, hint: &str, tone, page: &str| Stat {
        label: console.say(label).to_owned(),
        value: at_most(console, value),
        hint: html! { (hint) },
        tone,
        href: Some(console.at(page)),
    };
    let bad = |is_bad: bool| if is_bad { Tone::Bad } else { Tone::Good };
    stats(&[
        tile(
            &words::DUE,
            sum(|tasks| tasks.due),
            console.say(&words::DUE_HINT),
            Tone::Info,
            "tasks?whose=all&state=waiting",
        ),
        oldest(console, seen),
        tile(
            &words::RUNNING,
            sum(|tasks| tasks.running),
            console.say(&words::RUNNING_HINT),
            Tone::Info,
            "tasks?whose=all&state=running",
        ),
        tile(&words::LATER, sum(|tasks| tasks.later), &next(console, seen), Tone::Quiet, "queues"),
        tile(&words::PARKED, parked, console.say(&words::PARKED_HINT), bad(parked > 0), "tasks?state=parked"),
        tile(
            &words::ALERTS,
            alerts,
            &console.fill(&words::ACKNOWLEDGED, &[("count", &known)]),
            bad(alerts > 0),
            "alerts",
        ),
        tile(
            &words::STUCK,
            i64::try_from(stuck).unwrap_or(i64::MAX),
            console.say(&words::STUCK_HINT),
            bad(stuck > 0),
            "stuck",
        ),
    ])
}

/// Counts end somewhere, and say so.
fn at_most(console: &Console, value: i64) -> String {
    let more = if value >= MANY { "+" } else { "" };
    format!("{}{more}", console.language().number(value))
}

fn oldest(console: &Console, seen: &[Seen]) -> Stat {
    let waiting = seen.iter().filter_map(|seen| Some((seen, seen.work.as_ref()?.tasks.oldest.as_ref()?)));
    let oldest = waiting.min_by_key(|(_, oldest)| oldest.since);
    let label = console.say(&words::OLDEST).to_owned();
    let Some((seen, oldest)) = oldest else {
        let hint = html! { (console.say(&words::NOTHING_WAITS)) };
        return Stat { label, value: "–".into(), hint, tone: Tone::Good, href: None };
    };
    let age = console.now().0.saturating_sub(oldest.since.0);
    Stat {
        label,
        value: duration(console.language(), age),
        hint: html! { (oldest.op) },
        tone: if age > LONG_MS { Tone::Warn } else { Tone::Info },
        href: Some(format!("/console/{}/tasks/{}", seen.ns.name, oldest.id)),
    }
}

fn next(console: &Console, seen: &[Seen]) -> String {
    let next = seen.iter().filter_map(|seen| seen.work.as_ref()?.tasks.next_at).min();
    let said = |at| console.fill(&words::NEXT_START, &[("time", &relative(console.language(), console.now(), at))]);
    next.map(said).unwrap_or_default()
}
