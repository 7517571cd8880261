//! What a sensor said over time: as a band of open and closed, and line by line.

use base::{OpError, Wall, codes};
use maud::{Markup, html};
use web::ui::band::{Piece, band};
use web::ui::form::{encoded, link};
use web::ui::moment::{duration, relative};
use web::ui::parts::{banner, card, empty, table};
use web::ui::{Column, Holds, Row, Text, Tone};
use web::{ApiError, Console};

use super::{at_most, sensor_page, state, words};
use crate::codes::XHISTORY;
use crate::history::{self, HistoryRow, Question, Which};
use crate::id::SensorId;
use crate::sensor::{SensorState, SensorView};

/// Changes that a band is made of.
const DRAWN_MAX: u32 = 1_000;
/// Lines that are shown.
const LINES_MAX: usize = 50;

/// How far back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Span {
    Hour,
    Day,
    Week,
    Month,
}

impl Span {
    const ALL: [Self; 4] = [Self::Hour, Self::Day, Self::Week, Self::Month];

    /// # Errors
    /// `ABODY`: it is none.
    pub(super) fn of(word: &str) -> Result<Self, ApiError> {
        let wrong = || ApiError(OpError::before_start(codes::ABODY, "span must be 1h, 24h, 7d or 30d"));
        if word.is_empty() {
            Ok(Self::Day)
        } else {
            Self::ALL.into_iter().find(|span| span.word() == word).ok_or_else(wrong)
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Hour => "1h",
            Self::Day => "24h",
            Self::Week => "7d",
            Self::Month => "30d",
        }
    }

    const fn text(self) -> &'static Text {
        match self {
            Self::Hour => &words::SPAN_1H,
            Self::Day => &words::SPAN_24H,
            Self::Week => &words::SPAN_7D,
            Self::Month => &words::SPAN_30D,
        }
    }

    const fn ms(self) -> i64 {
        let day = 86_400_000;
        match self {
            Self::Hour => day / 24,
            Self::Day => day,
            Self::Week => 7 * day,
            Self::Month => 30 * day,
        }
    }
}

/// The choice of how far back.
pub(super) fn spans(console: &Console, sensor: &str, chosen: Span) -> Markup {
    html! {
        nav.choices aria-label=(console.say(&words::SPAN)) {
            @for span in Span::ALL {
                a href=(link(&sensor_page(console, sensor), &[("span", Some(span.word()))])) aria-current=[(span == chosen).then_some("true")] {
                    (console.say(span.text()))
                }
            }
        }
    }
}

/// What was, as far as it can be read.
pub(super) enum Past {
    /// Newest first.
    Rows(Vec<HistoryRow>),
    /// The archive does not answer.
    Away(String),
}

pub(super) async fn read(console: &Console, id: SensorId, span: Span) -> Result<Past, ApiError> {
    let from = Some(console.now().plus_ms(-span.ms()));
    let question = Question { which: Which::Sensor(id), from, ..Question::all(DRAWN_MAX) };
    match history::read(console, question).await {
        Ok(rows) => Ok(Past::Rows(rows)),
        Err(ApiError(error)) if error.code == XHISTORY => Ok(Past::Away(error.message)),
        Err(error) => Err(error),
    }
}

impl Past {
    fn rows(&self) -> &[HistoryRow] {
        match self {
            Self::Rows(rows) => rows,
            Self::Away(_) => &[],
        }
    }
}

/// How a sensor was for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct While {
    state: SensorState,
    from: i64,
    to: i64,
}

/// How a sensor was from `from` to `now`. Rows are newest first and lie within; what was before the first of them it tells itself.
fn whiles(rows: &[HistoryRow], now_data: Option<i64>, lost_since: Option<i64>, (from, now): (i64, i64)) -> Vec<While> {
    let state = |data: Option<i64>| match data {
        None => SensorState::Never,
        Some(0) => SensorState::Open,
        Some(_) => SensorState::Closed,
    };
    let mut at = from;
    let mut before = state(rows.last().map_or(now_data, |row| row.previous));
    let mut all = vec![];
    for row in rows.iter().rev() {
        let moment = row.at.0.clamp(at, now);
        all.push(While { state: before, from: at, to: moment });
        (at, before) = (moment, state(Some(row.data)));
    }
    let end = lost_since.map_or(now, |since| since.clamp(at, now));
    all.push(While { state: before, from: at, to: end });
    all.push(While { state: SensorState::Lost, from: end, to: now });
    all.retain(|one| one.to > one.from);
    all
}

/// The band with its words.
pub(super) fn drawn(console: &Console, sensor: &SensorView, span: Span, past: &Past) -> Markup {
    if let Past::Away(reason) = past {
        return banner(Tone::Warn, html! { p { (console.say(&words::HISTORY_AWAY)) } p.small { (reason) } });
    }
    let now = console.now().0;
    let registered = Wall::parse_rfc3339(&sensor.registered_at).map_or(i64::MIN, |at| at.0);
    let wanted = now - span.ms();
    let lost = sensor.lost_since.as_deref().and_then(Wall::parse_rfc3339).map(|at| at.0);
    // Before it was registered nobody knows; where there is too much to draw, the rest is not known either.
    let known = if past.rows().len() >= DRAWN_MAX as usize {
        past.rows().last().map_or(wanted, |row| row.at.0)
    } else {
        wanted
    };
    let first = past.rows().last().map_or(registered, |row| row.at.0.min(registered));
    let whiles = whiles(past.rows(), sensor.data, lost, (known.max(first).clamp(wanted, now), now));
    let place = |at: i64| share(at - wanted, span.ms());
    let piece = |one: &While| Piece { tone: state::tone(one.state), from: place(one.from), to: place(one.to) };
    let pieces: Vec<_> = whiles.iter().map(piece).collect();
    let sums = sums(console, &whiles);
    let label = sums.iter().map(|(of, time)| format!("{} {time}", console.say(state::text(*of)))).collect::<Vec<_>>();
    html! {
        figure.chart.over-time {
            figcaption { span.legend { @for (of, time) in &sums {
                span.key.(state::tone(*of).class()) { i aria-hidden="true" {} (console.say(state::text(*of))) " " b { (time) } }
            } } }
            (band(&label.join(", "), &pieces))
            div.x-axis aria-hidden="true" {
                span { (relative(console.language(), Wall(now), Wall(wanted))) } span { (console.say(&words::NOW)) }
            }
        }
    }
}

/// How long it was in each state.
fn sums(console: &Console, whiles: &[While]) -> Vec<(SensorState, String)> {
    let sum = |of: SensorState| whiles.iter().filter(|one| one.state == of).map(|one| one.to - one.from).sum::<i64>();
    let known = state::ALL.into_iter().map(|of| (of, sum(of))).filter(|(_, ms)| *ms > 0);
    known.map(|(of, ms)| (of, duration(console.language(), ms))).collect()
}

fn share(ms: i64, of_ms: i64) -> f64 {
    let seconds = |ms: i64| f64::from(i32::try_from(ms / 1_000).unwrap_or(i32::MAX));
    seconds(ms) / seconds(of_ms).max(1.0)
}

/// The same line by line, newest first.
pub(super) fn lines(console: &Console, id: SensorId, past: &Past) -> Markup {
    let columns = [
        Column(console.say(&words::AT), Holds::Text),
        Column(console.say(&words::SAID), Holds::Text),
        Column(console.say(&words::BEFORE), Holds::Text),
        Column(console.say(&words::TAKEN_IN), Holds::Text),
    ];
    let said = |data: i64| state::mark(console, state::of_data(data == 1));
    let row = |row: &HistoryRow| {
        Row::of(vec![
            console.moment(row.at),
            said(row.data),
            html! { @match row.previous { Some(data) => (said(data)), None => span.soft { (console.say(&words::NOTHING_SAID)) } } },
            console.moment(row.taken_at),
        ])
        .key(row.id.to_string())
    };
    let rows: Vec<_> = past.rows().iter().take(LINES_MAX).map(row).collect();
    let content = match rows.is_empty() {
        true => empty(console.say(&words::NO_HISTORY), html! { p { (console.say(&words::NO_HISTORY_HINT)) } }),
        false => table(console.say(&words::HISTORY), &columns, &rows),
    };
    let aside = html! { @if !rows.is_empty() { (as_csv(console, id)) } };
    card(console.say(&words::HISTORY), aside, html! { (content) (cut(console, past.rows().len())) })
}

/// Says that there is more than is shown.
fn cut(console: &Console, known: usize) -> Markup {
    let known = i64::try_from(known).unwrap_or(i64::MAX);
    let of = at_most(console, known, i64::from(DRAWN_MAX));
    html! { @if known > i64::try_from(LINES_MAX).unwrap_or(i64::MAX) {
        p.small { (console.fill(&words::HISTORY_CUT, &[("shown", &LINES_MAX), ("n", &of)])) }
    } }
}

/// The newest thousand, whatever time is looked at.
fn as_csv(console: &Console, id: SensorId) -> Markup {
    let path = format!("/v1/{}/sensor-history", encoded(&console.namespace().name));
    let most = DRAWN_MAX.to_string();
    let href = link(&path, &[("sensor", Some(id.as_str())), ("limit", Some(&most)), ("format", Some("csv"))]);
    html! { a.button href=(href) download={ (id.as_str()) ".csv" } { (console.say(&words::AS_CSV)) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    fn row(at: i64, data: i64, previous: Option<i64>) -> HistoryRow {
        let (sensor_id, address) = ("a".into(), String::new());
        let id = Id::new(Wall(at), [0; 10]);
        HistoryRow { id, sensor_id, address, data, previous, changed: true, at: Wall(at), taken_at: Wall(at) }
    }

    fn of(state: SensorState, from: i64, to: i64) -> While {
        While { state, from, to }
    }

    #[test]
    fn con_7_a_band_shows_what_was_before_between_and_after_the_changes() {
        let rows = [row(70, 0, Some(1)), row(30, 1, Some(0))];
        let expected = [of(SensorState::Open, 0, 30), of(SensorState::Closed, 30, 70), of(SensorState::Open, 70, 100)];
        assert_eq!(whiles(&rows, Some(0), None, (0, 100)), expected);
    }

    #[test]
    fn con_7_silence_is_shown_from_when_it_counted() {
        let rows = [row(30, 1, None)];
        let expected = [of(SensorState::Never, 0, 30), of(SensorState::Closed, 30, 80), of(SensorState::Lost, 80, 100)];
        assert_eq!(whiles(&rows, Some(1), Some(80), (0, 100)), expected);
    }

    #[test]
    fn con_7_a_sensor_that_did_not_change_is_as_it_is() {
        assert_eq!(whiles(&[], Some(1), None, (0, 100)), [of(SensorState::Closed, 0, 100)]);
        assert_eq!(whiles(&[], None, None, (0, 100)), [of(SensorState::Never, 0, 100)]);
        assert_eq!(
            whiles(&[row(500, 1, None)], Some(1), None, (0, 100)),
            [of(SensorState::Never, 0, 100)],
            "ahead of us"
        );
    }
}
