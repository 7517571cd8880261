//! Signals per second, of the last ten minutes or longer.

use maud::{Markup, html};
use web::Console;
use web::console::rates_chart;
use web::ui::parts::card;

use super::words;
use crate::judging::SIGNALS;

pub(super) fn shown(console: &Console) -> Markup {
    let rates = console.namespace().watched.counters.rates(SIGNALS, console.now());
    let chart = rates_chart(console, &words::SIGNALS, &[rates], (&words::ACCEPTED, &words::UNKNOWN_OR_REJECTED));
    card(console.say(&words::RATE), html! {}, html! { div #signal-rates data-live { (chart) } })
}
