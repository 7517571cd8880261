//! The scale above the bars: whole steps that people count in, each where it lies, all in one unit.

use maud::{Markup, html};
use web::ui::Language;
use web::ui::moment::in_unit_of;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Steps shorter than a day, the shortest first.
const STEPS: [i64; 28] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
];
/// Steps that a scale has at the most.
const TICKS_MAX: i64 = 4;
/// A word that begins behind this part of the width would be cut.
const LAST: f64 = 0.94;

/// The step of a scale this long.
fn step(whole_ms: i64) -> i64 {
    let fits = |step: &i64| whole_ms / step <= TICKS_MAX;
    STEPS.into_iter().find(fits).unwrap_or_else(|| (whole_ms / TICKS_MAX / DAY + 1) * DAY)
}

/// Where the steps lie, as parts of the whole, and what they say.
fn ticks(language: Language, whole_ms: i64) -> Vec<(f64, String)> {
    let step = step(whole_ms);
    #[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
    let part = |ms: i64| ms as f64 / whole_ms.max(1) as f64;
    let moments = (1..=TICKS_MAX).map(|count| count * step).map(|ms| (part(ms), in_unit_of(language, ms, step)));
    moments.take_while(|(at, _)| *at <= LAST).collect()
}

/// The scale as an image as wide as the bars.
pub(super) fn axis(language: Language, whole_ms: i64) -> Markup {
    html! {
        svg.task-axis {
            text x="0" y="1em" { "0" }
            @for (at, words) in ticks(language, whole_ms) {
                @let x = format!("{:.2}%", at * 100.0);
                line x1=(x) x2=(x) y1="1.15em" y2="100%" {}
                text x=(x) y="1em" text-anchor="middle" { (words) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(whole_ms: i64) -> Vec<String> {
        ticks(Language::English, whole_ms).into_iter().map(|(_, words)| words.replace('\u{a0}', " ")).collect()
    }

    #[test]
    fn wfl_23_a_scale_counts_in_whole_steps_of_one_unit() {
        assert_eq!(said(3_832), ["1 s", "2 s", "3 s"]);
        assert_eq!(said(1_900), ["500 ms", "1,000 ms", "1,500 ms"]);
        assert_eq!(said(3 * MINUTE), ["1 min", "2 min"], "the last one would be cut");
        assert_eq!(said(50 * HOUR), ["12 h", "24 h", "36 h"]);
        assert_eq!(said(1), Vec::<String>::new());
    }

    #[test]
    fn wfl_23_each_step_lies_where_its_time_is() {
        for whole_ms in [1, 7, 999, 1_000, 61_000, 5 * HOUR, 40 * DAY, 4_000 * DAY, i64::MAX / 8] {
            let step = step(whole_ms);
            let ticks = ticks(Language::English, whole_ms);
            assert!(ticks.len() <= 4, "{whole_ms}: {ticks:?}");
            for (count, (at, _)) in (1i64..).zip(&ticks) {
                #[expect(clippy::cast_precision_loss, reason = "as drawn")]
                let wanted = (count * step) as f64 / whole_ms as f64;
                assert!((at - wanted).abs() < 1e-9 && *at <= LAST, "{whole_ms}: {ticks:?}");
            }
        }
    }
}
