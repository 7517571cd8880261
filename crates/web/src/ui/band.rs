//! A band: how something is divided, or how a state changed over time. It stretches with the page; words about it stand beside it.
//!
//! Drawn as inline SVG, because pages may not carry styles of their own.

use maud::{Markup, html};

use super::parts::Tone;

const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 10.0;

/// A piece of a band, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Its colour.
    pub tone: Tone,
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// The band. `label` says in words what it shows.
#[must_use]
pub fn band(label: &str, pieces: &[Piece]) -> Markup {
    let view = format!("0 0 {WIDTH} {HEIGHT}");
    html! {
        svg.band viewBox=(view) preserveAspectRatio="none" role="img" aria-label=(label) {
            rect.ground x="0" y="0" width=(WIDTH) height=(HEIGHT) {}
            @for piece in pieces { (drawn(*piece)) }
        }
    }
}

fn drawn(piece: Piece) -> Markup {
    let (from, to) = (piece.from.clamp(0.0, 1.0) * WIDTH, piece.to.clamp(0.0, 1.0) * WIDTH);
    html! {
        @if to > from {
            rect.(piece.tone.class()) x=(format!("{from:.2}")) y="0" width=(format!("{:.2}", to - from)) height=(HEIGHT) {}
        }
    }
}

/// A whole divided by these counts.
#[must_use]
pub fn shares(counts: &[(Tone, i64)]) -> Vec<Piece> {
    let number = |count: i64| f64::from(i32::try_from(count.max(0)).unwrap_or(i32::MAX));
    let whole: f64 = counts.iter().map(|(_, count)| number(*count)).sum();
    let mut done = 0.0;
    let mut piece = |(tone, count): &(Tone, i64)| {
        let from = done;
        done += number(*count) / whole.max(1.0);
        Piece { tone: *tone, from, to: done }
    };
    counts.iter().map(&mut piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_7_shares_fill_the_whole() {
        let pieces = shares(&[(Tone::Good, 3), (Tone::Bad, 1), (Tone::Info, 0)]);
        assert_eq!(pieces[0], Piece { tone: Tone::Good, from: 0.0, to: 0.75 });
        assert_eq!((pieces[1].from, pieces[1].to, pieces[2].to), (0.75, 1.0, 1.0));
        assert!(shares(&[(Tone::Good, 0)]).iter().all(|piece| piece.to == 0.0), "nothing is divided into nothing");
    }

    #[test]
    fn con_9_a_band_escapes_its_words_and_stays_within_its_bounds() {
        let text = band("\"<b>", &[Piece { tone: Tone::Bad, from: -3.0, to: 9.0 }]).into_string();
        assert!(text.contains("aria-label=\"&quot;&lt;b&gt;\"") && text.contains("width=\"1000.00\""), "{text}");
    }
}
