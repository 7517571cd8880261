//! A chart of what was counted over time (CON-2): how many a second, and beside it how many in all.

use kernel::counters::rates::{Point, Rates};
use maud::{Markup, html};

use super::visit::Console;
use crate::ui::chart::{Chart, Line};
use crate::ui::moment::relative;
use crate::ui::{Text, Tone};

mod words {
    crate::texts! {
        PER_SECOND: "per second", "в секунду", "par seconde";
        NOW: "now", "сейчас", "maintenant";
        IN_ALL: "{n} in all", "всего {n}", "{n} au total";
    }
}

/// What was done and what ended badly, of everything that is counted together.
#[must_use]
pub fn rates_chart(console: &Console, title: &Text, all: &[Rates], (done, errors): (&Text, &Text)) -> Markup {
    let Some(first) = all.first() else { return html! {} };
    let from = relative(console.language(), console.now(), first.from.plus_ms(-first.unit_s * 1_000));
    let kinds: [(&Text, Tone, fn(&Point) -> i64); 2] =
        [(done, Tone::Info, |point| point.processed), (errors, Tone::Bad, |point| point.errors)];
    let values = kinds.map(|(_, _, of)| per_second(all, of));
    let lines = kinds.iter().zip(&values).map(|((name, tone, of), values)| Line {
        name: console.say(name),
        tone: *tone,
        values,
        told: console.fill(&words::IN_ALL, &[("n", &console.language().number(in_all(all, *of)))]),
    });
    let chart = Chart {
        title: console.say(title),
        unit: console.say(&words::PER_SECOND),
        from_to: (from, console.say(&words::NOW).to_owned()),
        lines: lines.collect(),
    };
    chart.draw(console.language())
}

/// The last step is not over: its rate would always look low.
fn per_second(all: &[Rates], of: fn(&Point) -> i64) -> Vec<f64> {
    let Some(first) = all.first() else { return vec![] };
    let steps = first.points.len().saturating_sub(1);
    (0..steps).map(|step| rate(all.iter().map(|rates| of(&rates.points[step])).sum(), first.unit_s)).collect()
}

fn in_all(all: &[Rates], of: fn(&Point) -> i64) -> i64 {
    all.iter().flat_map(|rates| &rates.points).map(of).sum()
}

fn rate(count: i64, unit_s: i64) -> f64 {
    f64::from(i32::try_from(count).unwrap_or(i32::MAX)) / f64::from(i32::try_from(unit_s.max(1)).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use base::Wall;

    use super::*;

    fn point(processed: i64, partial: bool) -> Point {
        Point { at: Wall(0), sent: 0, processed, errors: 0, deadlocks: 0, retries: 0, partial }
    }

    #[test]
    fn con_2_a_spike_that_is_over_is_in_what_is_told_beside_the_chart() {
        let points = vec![point(0, false), point(12, false), point(0, false), point(3, true)];
        let counted = Rates { kind: "workflow".into(), unit_s: 2, from: Wall(0), points };
        let all = [counted.clone(), counted];
        assert_eq!(per_second(&all, |point| point.processed), [0.0, 12.0, 0.0]);
        assert_eq!(in_all(&all, |point| point.processed), 30, "with the step that is not over");
        assert_eq!((per_second(&[], |point| point.errors).len(), in_all(&[], |point| point.errors)), (0, 0));
    }
}
