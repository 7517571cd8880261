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
        PER_MINUTE: "per minute", "в минуту", "par minute";
        PER_HOUR: "per hour", "в час", "par heure";
        NOW: "now", "сейчас", "maintenant";
        IN_ALL: "{n} in all", "всего {n}", "{n} au total";
    }
}

/// What of a step is counted.
type Of = fn(&Point) -> i64;

/// What was done and what ended badly, of everything that is counted together.
#[must_use]
pub fn rates_chart(console: &Console, title: &Text, all: &[Rates], (done, errors): (&Text, &Text)) -> Markup {
    let Some(first) = all.first() else { return html! {} };
    let from = relative(console.language(), console.now(), first.from.plus_ms(-first.unit_s * 1_000));
    let kinds: [(&Text, Tone, Of); 2] =
        [(done, Tone::Info, |point| point.processed), (errors, Tone::Bad, |point| point.errors)];
    let values = kinds.map(|(_, _, of)| per_second(all, of));
    let (seconds, unit) = unit_of(values.iter().flatten().copied().fold(0.0, f64::max));
    let values = values.map(|line| line.into_iter().map(|value| value * seconds).collect::<Vec<f64>>());
    let lines = kinds.iter().zip(&values).map(|((name, tone, of), values)| Line {
        name: console.say(name),
        tone: *tone,
        values,
        told: console.fill(&words::IN_ALL, &[("n", &console.language().number(in_all(all, *of)))]),
    });
    let chart = Chart {
        title: console.say(title),
        unit: console.say(unit),
        from_to: (from, console.say(&words::NOW).to_owned()),
        lines: lines.collect(),
    };
    chart.draw(console.language())
}

/// The unit in which the highest value is not lost at the ground of the chart, and its seconds.
fn unit_of(highest: f64) -> (f64, &'static Text) {
    match highest {
        // Nothing at all is as well nothing a second.
        0.0 => (1.0, &words::PER_SECOND),
        _ if highest < 0.5 / 60.0 => (3_600.0, &words::PER_HOUR),
        _ if highest < 0.5 => (60.0, &words::PER_MINUTE),
        _ => (1.0, &words::PER_SECOND),
    }
}

/// The last step is not over: its rate would always look low.
fn per_second(all: &[Rates], of: Of) -> Vec<f64> {
    let Some(first) = all.first() else { return vec![] };
    let steps = first.points.len().saturating_sub(1);
    (0..steps).map(|step| rate(all.iter().map(|rates| of(&rates.points[step])).sum(), first.unit_s)).collect()
}

fn in_all(all: &[Rates], of: Of) -> i64 {
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
    fn con_2_what_is_seldom_is_shown_by_the_minute_or_the_hour() {
        let said = |highest| unit_of(highest).1.en;
        // One in five minutes, one in half an hour.
        assert_eq!(
            [said(0.0), said(0.5), said(1.0 / 300.0), said(10.0 / 300.0)],
            ["per second", "per second", "per hour", "per minute"]
        );
        assert_eq!(said(1.0 / 1_800.0), "per hour");
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
