//! Signals per second, of the last ten minutes or longer.

use kernel::counters::rates::{Point, Rates};
use maud::{Markup, html};
use web::Console;
use web::ui::Tone;
use web::ui::chart::{Chart, Line};
use web::ui::moment::relative;
use web::ui::parts::card;

use super::words;
use crate::judging::SIGNALS;

pub(super) fn shown(console: &Console) -> Markup {
    let rates = console.namespace().watched.counters.rates(SIGNALS, console.now());
    card(console.say(&words::RATE), html! {}, html! { div #signal-rates data-live { (drawn(console, &rates)) } })
}

fn drawn(console: &Console, rates: &Rates) -> Markup {
    // The last step is not over: its rate would always look low.
    let steps = &rates.points[..rates.points.len().saturating_sub(1)];
    let line =
        |of: fn(&Point) -> i64| -> Vec<f64> { steps.iter().map(|point| rate(of(point), rates.unit_s)).collect() };
    let (taken, refused) = (line(|point| point.processed), line(|point| point.errors));
    let from = relative(console.language(), console.now(), rates.from.plus_ms(-rates.unit_s * 1_000));
    let chart = Chart {
        title: console.say(&words::SIGNALS),
        unit: console.say(&words::PER_SECOND),
        from_to: (from, console.say(&words::NOW).to_owned()),
        lines: vec![
            Line { name: console.say(&words::ACCEPTED), tone: Tone::Info, values: &taken },
            Line { name: console.say(&words::UNKNOWN_OR_REJECTED), tone: Tone::Bad, values: &refused },
        ],
    };
    chart.draw(console.language())
}

fn rate(count: i64, unit_s: i64) -> f64 {
    f64::from(i32::try_from(count).unwrap_or(i32::MAX)) / f64::from(i32::try_from(unit_s.max(1)).unwrap_or(1))
}
