//! Charts as inline SVG: the drawing stretches with the page, the words around it do not.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::parts::Tone;
use super::text::Language;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 120.0;

/// One line of a chart.
pub struct Line<'a> {
    /// What it is.
    pub name: &'a str,
    /// Its colour.
    pub tone: Tone,
    /// Its values, oldest first, one for each step of time.
    pub values: &'a [f64],
    /// What stands beside its name: all of it together, or how much it is now.
    pub told: String,
}

/// A chart of values over time.
pub struct Chart<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The unit of its values, e.g. `per second`.
    pub unit: &'a str,
    /// Words below its left and right end.
    pub from_to: (String, String),
    /// Its lines, the most important first.
    pub lines: Vec<Line<'a>>,
}

impl Chart<'_> {
    /// The drawing with its axes.
    #[must_use]
    pub fn draw(&self, language: Language) -> Markup {
        let highest = self.lines.iter().flat_map(|line| line.values).copied().fold(0.0, f64::max);
        let top = round_above(highest);
        html! {
            figure.chart {
                figcaption {
                    span.chart-title { (self.title) }
                    span.legend { @for line in &self.lines { (legend(line)) } }
                }
                div.plot {
                    div.y-axis aria-hidden="true" {
                        span { (short(language, top)) } span { (short(language, top / 2.0)) } span { "0" }
                    }
                    (self.drawing(top, language))
                }
                div.x-axis aria-hidden="true" { span { (self.from_to.0) } span.unit { (self.unit) } span { (self.from_to.1) } }
            }
        }
    }

    fn drawing(&self, top: f64, language: Language) -> Markup {
        let view = format!("0 0 {WIDTH} {HEIGHT}");
        html! {
            svg viewBox=(view) preserveAspectRatio="none" role="img" aria-label=(self.summary(language)) {
                @for part in [0.0, 0.5, 1.0] {
                    line.grid x1="0" x2=(WIDTH) y1=(HEIGHT * part) y2=(HEIGHT * part) {}
                }
                @for line in self.lines.iter().rev() { (drawn(line, top)) }
            }
        }
    }

    /// The chart in words, for those who do not see it.
    fn summary(&self, language: Language) -> String {
        let mut text = format!("{}, {}", self.title, self.unit);
        for line in &self.lines {
            let highest = line.values.iter().copied().fold(0.0, f64::max);
            let _ = write!(text, "; {}: {}, max {}", line.name, line.told, short(language, highest));
        }
        text
    }
}

fn legend(line: &Line<'_>) -> Markup {
    html! { span.key.(line.tone.class()) { i aria-hidden="true" {} (line.name) " " b { (line.told) } } }
}

/// An area under a line. The numbers are ours, so the path needs no escaping.
fn drawn(line: &Line<'_>, top: f64) -> Markup {
    let step = WIDTH / f64::from(u32::try_from(line.values.len().max(2) - 1).unwrap_or(u32::MAX));
    let mut path = String::new();
    for (place, value) in line.values.iter().enumerate() {
        let x = step * f64::from(u32::try_from(place).unwrap_or(u32::MAX));
        let y = HEIGHT - (value.max(0.0) / top).min(1.0) * HEIGHT;
        let _ = write!(path, "{}{x:.1} {y:.1}", if place == 0 { "M" } else { "L" });
    }
    if path.is_empty() {
        return html! {};
    }
    let area = format!("{path}L{WIDTH} {HEIGHT}L0 {HEIGHT}Z");
    html! {
        g.(line.tone.class()) {
            path.area d=(PreEscaped(area)) {}
            path.line d=(PreEscaped(path)) vector-effect="non-scaling-stroke" {}
        }
    }
}

/// The next of 1, 2, 5, 10, 20 … that is not below.
fn round_above(value: f64) -> f64 {
    let value = value.min(1e300);
    let mut unit = 1.0;
    loop {
        for step in [1.0, 2.0, 5.0] {
            if value <= step * unit {
                return step * unit;
            }
        }
        unit *= 10.0;
    }
}

/// A value for an axis: `0.5`, `12`, `3.4k`.
#[must_use]
pub fn short(language: Language, value: f64) -> String {
    let whole = |value: f64| value >= 100.0 || (value - value.round()).abs() < 0.05;
    let plain = |value: f64| if whole(value) { format!("{value:.0}") } else { language.decimal(value) };
    match value {
        _ if value >= 999_500_000.0 => format!("{}G", plain(value / 1e9)),
        _ if value >= 999_500.0 => format!("{}M", plain(value / 1e6)),
        _ if value >= 9_995.0 => format!("{}k", plain(value / 1e3)),
        _ => plain(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_2_the_top_of_an_axis_is_a_round_number() {
        for (value, top) in [(0.0, 1.0), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (101.0, 200.0), (4e9, 5e9)] {
            assert!((round_above(value) - top).abs() < 1e-9, "{value}");
        }
        assert!(round_above(f64::INFINITY).is_finite());
    }

    #[test]
    fn con_2_values_are_short() {
        let said = |value| short(Language::English, value);
        assert_eq!([said(0.0), said(0.5), said(12.0), said(999.6)], ["0", "0.5", "12", "1000"]);
        assert_eq!([said(12_345.0), said(2.5e6), said(7e10)], ["12.3k", "2.5M", "70G"]);
    }

    #[test]
    fn con_2_a_chart_has_axes_units_and_words() {
        let values = [0.0, 2.0, 4.0];
        let chart = Chart {
            title: "Operations <b>",
            unit: "per second",
            from_to: ("10 min ago".into(), "now".into()),
            lines: vec![Line { name: "done", tone: Tone::Good, values: &values, told: "6 in all".into() }],
        };
        let text = chart.draw(Language::English).into_string();
        assert!(text.contains("M0.0 120.0L300.0 72.0L600.0 24.0"), "{text}");
        assert!(text.contains("aria-label=\"Operations &lt;b&gt;, per second; done: 6 in all, max 4\""), "{text}");
        assert!(text.contains("done <b>6 in all</b>"), "{text}");
        assert!(text.contains("<span>5</span>") && text.contains("10 min ago"), "{text}");
    }

    #[test]
    fn con_2_a_chart_of_nothing_is_drawn_too() {
        let chart = Chart {
            title: "t",
            unit: "u",
            from_to: (String::new(), String::new()),
            lines: vec![Line { name: "n", tone: Tone::Bad, values: &[], told: String::new() }],
        };
        assert!(chart.draw(Language::French).into_string().contains("<svg"));
    }
}
