//! A figure as bars: SVG of our own, which is legible on light and on dark paper.

use std::fmt::Write as _;

use super::figure::{Figure, Measured};

const WIDTH: f64 = 760.0;
/// Where bars begin, and how long the longest is.
const LEFT: f64 = 285.0;
const LENGTH: f64 = 305.0;
const ROW: f64 = 26.0;
const BAR: f64 = 16.0;
const TOP: f64 = 46.0;

/// Colours for light paper, and for dark where that is wished.
const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#1f2328}.what{font-weight:600}.quiet{fill:#59636e;font-size:12px}\
.ours{fill:#0f766e}.theirs{fill:#9aa4af}.spread{stroke:#1f2328;stroke-width:1.5}.goal{stroke:#b45309;stroke-width:2;stroke-dasharray:4 3}\
.goaltext{fill:#b45309;font-size:12px}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.ours{fill:#2dd4bf}.theirs{fill:#5b6570}.spread{stroke:#e6edf3}\
.goal{stroke:#fbbf24}.goaltext{fill:#fbbf24}}";

/// The picture of a figure.
pub fn svg(figure: &Figure) -> String {
    let height = TOP + ROW * figure.sides.len() as f64 + if figure.goal.is_some() { 24.0 } else { 10.0 };
    let scale = LENGTH / largest(figure);
    let better = if figure.unit.is_rate() { "longer is better" } else { "shorter is better" };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" \
         aria-label=\"{what}\">\n<style>{STYLE}</style>\n<text class=\"what\" x=\"8\" y=\"18\">{what}</text>\n\
         <text class=\"quiet\" x=\"8\" y=\"35\">{better}; the line is the spread of the rounds</text>\n",
        what = escaped(&figure.what),
    );
    for (place, side) in figure.sides.iter().enumerate() {
        bar(&mut text, figure, side, place, scale);
    }
    if let Some(goal) = figure.goal {
        let (x, bottom) = (LEFT + goal * scale, TOP + ROW * figure.sides.len() as f64 + 4.0);
        // Writing into a text does not fail.
        let _ = writeln!(text, "<line class=\"goal\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>");
        let (anchor, y) = (if x > WIDTH - 120.0 { "end" } else { "middle" }, bottom + 14.0);
        let goal = figure.unit.text(goal);
        let _ = writeln!(
            text,
            "<text class=\"goaltext\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\">goal {goal}</text>"
        );
    }
    text + "</svg>\n"
}

fn bar(text: &mut String, figure: &Figure, side: &Measured, place: usize, scale: f64) {
    let (y, median, (low, high)) = (TOP + ROW * place as f64, side.median(), side.spread());
    let (class, middle, length) =
        (if place == 0 { "ours" } else { "theirs" }, y + BAR / 2.0, (median * scale).max(1.0));
    let (x1, x2, told) = (LEFT + low * scale, LEFT + high * scale, figure.unit.text(median));
    let factor =
        figure.factor(side).filter(|_| place > 0).map(|factor| format!(" ({factor:.2} ×)")).unwrap_or_default();
    let name = escaped(&shortened(&side.name));
    let label = LEFT + (median.max(high) * scale) + 8.0;
    let _ = writeln!(text, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>", LEFT - 8.0, y + 13.0);
    let _ = writeln!(
        text,
        "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"{BAR}\" rx=\"2\"/>"
    );
    if side.rounds.len() > 1 {
        let _ =
            writeln!(text, "<line class=\"spread\" x1=\"{x1:.1}\" y1=\"{middle}\" x2=\"{x2:.1}\" y2=\"{middle}\"/>");
    }
    let _ = writeln!(text, "<text x=\"{label:.1}\" y=\"{:.1}\">{told}{factor}</text>", y + 13.0);
}

/// What the longest bar stands for.
fn largest(figure: &Figure) -> f64 {
    let highest = figure.sides.iter().map(|side| side.spread().1).chain(figure.goal);
    highest.fold(f64::MIN_POSITIVE, f64::max)
}

/// Names fit beside their bars.
fn shortened(name: &str) -> String {
    if name.chars().count() <= 34 { name.to_owned() } else { name.chars().take(33).chain(['…']).collect() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::figure::Unit;
    use super::*;

    #[test]
    fn bars_are_as_long_as_what_they_stand_for_and_names_are_no_markup() {
        let figure = Figure::new("a < b & \"c\"", Unit::PerSecond)
            .side("ours", &[100.0])
            .side("<i>", &[50.0, 40.0, 60.0])
            .goal(80.0);
        let picture = svg(&figure);
        assert!(picture.contains("a &lt; b &amp; &quot;c&quot;") && picture.contains("&lt;i&gt;"), "{picture}");
        assert!(picture.contains("class=\"ours\" x=\"285\" y=\"46\" width=\"305.0\""), "{picture}");
        assert!(picture.contains("class=\"theirs\" x=\"285\" y=\"72\" width=\"152.5\""), "{picture}");
        assert!(picture.contains("50.0/s (2.00 ×)") && picture.contains("goal 80.0/s"), "{picture}");
        assert_eq!(picture.matches("class=\"spread\"").count(), 1, "one round has no spread");
    }
}
