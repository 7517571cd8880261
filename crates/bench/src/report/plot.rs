//! Figures as bars: SVG of our own, which is legible on light and on dark paper.

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

/// Whether a figure shows more as bars than as a number: there is something to compare ours with.
pub fn is_drawn(figure: &Figure) -> bool {
    figure.sides.len() > 1 || (figure.goal.is_some() && !figure.sides.is_empty())
}

/// The picture of a scenario, its figures one below the other; none where there is nothing to compare.
pub fn svg(title: &str, figures: &[Figure]) -> Option<String> {
    let (mut bars, mut top) = (String::new(), 8.0);
    for figure in figures.iter().filter(|figure| is_drawn(figure)) {
        let _ = writeln!(bars, "<g transform=\"translate(0 {top})\">");
        top += one(&mut bars, figure);
        bars.push_str("</g>\n");
    }
    (!bars.is_empty()).then(|| {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {top}\" width=\"{WIDTH}\" height=\"{top}\" role=\"img\" \
             aria-label=\"{}\">\n<style>{STYLE}</style>\n{bars}</svg>\n",
            escaped(title)
        )
    })
}

/// Draws a figure, and says how high it is.
fn one(text: &mut String, figure: &Figure) -> f64 {
    let scale = LENGTH / largest(figure);
    let better = if figure.unit.is_rate() { "longer is better" } else { "shorter is better" };
    let spread = if figure.sides.iter().any(|side| side.rounds.len() > 1) {
        "; the line is the spread of the rounds"
    } else {
        ""
    };
    // Writing into a text does not fail.
    let _ = writeln!(
        text,
        "<text class=\"what\" x=\"8\" y=\"18\">{}</text>\n<text class=\"quiet\" x=\"8\" y=\"35\">{better}{spread}</text>",
        escaped(&figure.what),
    );
    for (place, side) in figure.sides.iter().enumerate() {
        bar(text, figure, side, place, scale);
    }
    let bottom = TOP + ROW * figure.sides.len() as f64;
    if let Some(goal) = figure.goal {
        mark(text, &figure.unit.text(goal), LEFT + goal * scale, bottom + 4.0);
    }
    bottom + if figure.goal.is_some() { 34.0 } else { 18.0 }
}

/// The line of a goal, with its words below.
fn mark(text: &mut String, goal: &str, x: f64, bottom: f64) {
    let _ = writeln!(text, "<line class=\"goal\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>");
    let (anchor, y) = (if x > WIDTH - 120.0 { "end" } else { "middle" }, bottom + 14.0);
    let _ =
        writeln!(text, "<text class=\"goaltext\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\">goal {goal}</text>");
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
        let lone = Figure::new("nothing to compare with", Unit::PerSecond).side("ours", &[1.0]);
        assert_eq!(svg("lone", std::slice::from_ref(&lone)), None);
        let picture = svg("both", &[lone, figure]).unwrap();
        assert!(!picture.contains("nothing to compare with"), "{picture}");
        assert!(picture.contains("a &lt; b &amp; &quot;c&quot;") && picture.contains("&lt;i&gt;"), "{picture}");
        assert!(picture.contains("class=\"ours\" x=\"285\" y=\"46\" width=\"305.0\""), "{picture}");
        assert!(picture.contains("class=\"theirs\" x=\"285\" y=\"72\" width=\"152.5\""), "{picture}");
        assert!(picture.contains("50.0/s (2.00 ×)") && picture.contains("goal 80.0/s"), "{picture}");
        assert_eq!(picture.matches("class=\"spread\"").count(), 1, "one round has no spread");
    }
}
