//! The picture as lines of a list: each with its part of the tree, its name, and its time.
//!
//! Parts of the tree are drawn longer than any line is high, and cut at its end. So lines may be as high as they need to be: on a phone, where
//! the time stands below the name.

use std::collections::BTreeSet;

use base::Wall;
use maud::{Markup, html};
use web::Console;
use web::ui::moment::duration;

use super::axis::axis;
use super::lanes::{Lane, lanes, waits};
use super::layout::{Layout, Line, Shown};
use super::span::{Bars, Marks, Whole};
use crate::console::reads::{Stands, TaskLine};
use crate::console::{process_page, process_tasks_page, state, words};

/// Pixels between levels, between lanes, and from the top of a line to its middle.
const LEVEL: usize = 16;
const LANE: usize = 9;
const MIDDLE: usize = 17;
/// The least height of a line.
const LINE: usize = 2 * MIDDLE;
/// Lower than any line is high.
const DEEP: usize = 400;
/// The width of all time.
const WIDTH: f64 = 1_000.0;

/// All that a picture is made of.
pub(in super::super) struct Picture<'a> {
    pub(in super::super) process: &'a str,
    pub(in super::super) tasks: &'a [TaskLine],
    pub(in super::super) layout: &'a Layout,
    /// What each that has a line of its own waits for, in their order.
    pub(in super::super) waits: &'a [BTreeSet<i64>],
    pub(in super::super) marks: &'a Marks,
    pub(in super::super) started: Wall,
    pub(in super::super) ended: Option<Wall>,
    pub(in super::super) chosen: Option<i64>,
}

impl Picture<'_> {
    pub(in super::super) fn draw(&self, console: &Console) -> Markup {
        let whole = Whole::of(self.tasks, self.started, self.ended, console.now());
        let lanes = self.lanes();
        let width = self.width(&lanes);
        html! {
            div.task-line.task-head aria-hidden="true" {
                span.task-gutter { svg width=(width) height="1" {} }
                span {}
                (axis(console.language(), whole.ms()))
            }
            ol.task-lines aria-label=(console.say(&words::TREE_AND_TIMELINE)) {
                @for (place, line) in self.layout.lines.iter().enumerate() {
                    li.task-line.chosen[self.is_chosen(line)] data-key=(self.key(line)) {
                        span.task-gutter {
                            svg.task-tree width=(width) height=(LINE) aria-hidden="true" { (self.tree(place)) (self.drawn_lanes(place, &lanes)) (self.sign(line)) }
                        }
                        (self.name(console, line))
                        (bars(&whole.bars(line, self.tasks, self.marks), self.stands(line)))
                        span.task-time { (self.time(console, line, whole.to)) }
                    }
                }
            }
            @if self.layout.left_out > 0 { (self.rest(console)) }
        }
    }

    fn task(&self, line: &Line) -> &TaskLine {
        &self.tasks[line.members()[0]]
    }

    fn stands(&self, line: &Line) -> Stands {
        self.task(line).stands
    }

    fn is_chosen(&self, line: &Line) -> bool {
        matches!(line.shown, Shown::Task(_)) && self.chosen == Some(self.task(line).number)
    }

    fn key(&self, line: &Line) -> String {
        let kind = if matches!(line.shown, Shown::Task(_)) { "task" } else { "alike" };
        format!("{kind} {}", self.task(line).number)
    }

    fn lanes(&self) -> Vec<Lane> {
        let places = self.layout.places(self.tasks);
        let single = self.layout.single(self.tasks);
        let same_as = |number: i64| {
            let place = self.tasks.binary_search_by_key(&number, |task| task.number).ok()?;
            self.tasks[place].same_as
        };
        let of: Vec<_> = single
            .into_iter()
            .zip(self.waits)
            .map(|(number, waits)| (number, waits.clone(), same_as(number)))
            .collect();
        lanes(waits(&places, &of))
    }

    /// Where the tree ends and lanes begin.
    fn tree_width(&self) -> usize {
        node(self.layout.lines.iter().map(|line| line.level).max().unwrap_or(0)) + LEVEL / 2 + 2
    }

    fn width(&self, all: &[Lane]) -> usize {
        self.tree_width() + all.iter().map(|lane| lane.at + 1).max().unwrap_or(0) * LANE + 4
    }

    /// The lines that lead from who laid out to what was laid out, as far as they touch this one.
    fn tree(&self, place: usize) -> Markup {
        let lines = &self.layout.lines;
        let last_of = |parent: usize| lines.iter().rposition(|line| line.parent == Some(parent));
        let passing =
            (0..=place).filter_map(|parent| Some((parent, last_of(parent)?))).filter(|(_, last)| place <= *last);
        let own = &lines[place];
        html! {
            @for (parent, last) in passing {
                @let x = node(lines[parent].level);
                @let (from, to) = (if parent == place { MIDDLE } else { 0 }, if last == place { MIDDLE } else { DEEP });
                @if from < to { line.branch x1=(x) x2=(x) y1=(from) y2=(to) {} }
            }
            @if let Some(parent) = own.parent {
                line.branch x1=(node(lines[parent].level)) x2=(node(own.level)) y1=(MIDDLE) y2=(MIDDLE) {}
            }
        }
    }

    fn drawn_lanes(&self, place: usize, all: &[Lane]) -> Markup {
        let (tree, own) = (self.tree_width(), node(self.layout.lines[place].level));
        html! {
            @for lane in all {
                @let x = tree + lane.at * LANE;
                @let (above, below) = lane.passes(place);
                @if above || below {
                    g.lane.promise[lane.is_promise] {
                        line x1=(x) x2=(x) y1=(if above { 0 } else { MIDDLE }) y2=(if below { DEEP } else { MIDDLE }) {}
                        @if lane.from.contains(&place) {
                            line x1=(own) x2=(x) y1=(MIDDLE) y2=(MIDDLE) {}
                            circle.end cx=(x) cy=(MIDDLE) r="2.5" {}
                        }
                        @if lane.to == place {
                            line x1=(own + 7) x2=(x) y1=(MIDDLE) y2=(MIDDLE) {}
                            path.end d=(format!("M{} {MIDDLE}l7 -4v8z", own + 6)) {}
                        }
                    }
                }
            }
        }
    }

    fn sign(&self, line: &Line) -> Markup {
        shape(self.stands(line), node(line.level), MIDDLE)
    }

    fn name(&self, console: &Console, line: &Line) -> Markup {
        let task = self.task(line);
        let word = console.say(state::word(task.stands));
        match &line.shown {
            Shown::Task(_) => html! {
                a.task-name href=(self.address(console, task.number)) aria-current=[self.is_chosen(line).then_some("true")] {
                    (what(task)) span.task-state.(state::tone(task.stands).class()) { (word) }
                    @if task.attempt > 1 { span.task-attempt { (console.fill(&words::ATTEMPT_N, &[("n", &task.attempt)])) } }
                }
            },
            Shown::Alike(all) => html! {
                a.task-name.alike href=(process_tasks_page(console, self.process, Some(&task.actor), Some(task.stands))) {
                    span { (console.count(&words::MORE_ALIKE, i64::try_from(all.len()).unwrap_or(i64::MAX))) }
                    span.task-state.(state::tone(task.stands).class()) { (word) }
                }
            },
        }
    }

    fn address(&self, console: &Console, number: i64) -> String {
        format!("{}?task={number}#task", process_page(console, self.process))
    }

    /// How long it took, or has taken.
    fn time(&self, console: &Console, line: &Line, end: Wall) -> Markup {
        let span = line.span(self.tasks, end);
        html! { @if let Some((from, to)) = span { (duration(console.language(), to.0 - from.0)) } }
    }

    fn rest(&self, console: &Console) -> Markup {
        let many = i64::try_from(self.layout.left_out).unwrap_or(i64::MAX);
        html! {
            p.hint.task-rest { (console.count(&words::NOT_IN_PICTURE, many)) " " a href=(process_tasks_page(console, self.process, None, None)) { (console.say(&words::ALL_TASKS)) } }
        }
    }
}

fn node(level: usize) -> usize {
    level * LEVEL + 10
}

/// What a task does: who, what, and what it was called.
fn what(task: &TaskLine) -> Markup {
    html! {
        bdi.task-actor { (task.actor) }
        @if !task.method.is_empty() { bdi.task-method { (task.method) } }
        @if let Some(local) = &task.local { bdi.task-local { (local) } }
    }
}

/// The sign of a state, which is told apart without its colour as well.
pub(in super::super) fn shape(stands: Stands, x: usize, y: usize) -> Markup {
    let tone = state::tone(stands).class();
    let (left, top) = (x.saturating_sub(5), y.saturating_sub(5));
    html! {
        g.sign.(tone) {
            @match stands {
                Stands::Waiting => circle.hollow cx=(x) cy=(y) r="4.5" {},
                Stands::Queued => { circle.hollow cx=(x) cy=(y) r="4.5" {} circle cx=(x) cy=(y) r="2" {} }
                Stands::Work => path d=(format!("M{} {}l9 5.500l-9 5.500z", x.saturating_sub(4), y.saturating_sub(5))) {},
                Stands::Done => circle cx=(x) cy=(y) r="5" {},
                Stands::Failed => path d=(format!("M{x} {}l6 6l-6 6l-6 -6z", y.saturating_sub(6))) {},
                Stands::Broken => path.cross d=(format!("M{left} {top}l10 10m0 -10l-10 10")) {},
            }
        }
    }
}

/// What each sign means.
pub(in super::super) fn legend(console: &Console) -> Markup {
    let mark = |text| html! { span.task-key { (text) } };
    html! {
        p.task-legend {
            @for stands in Stands::ALL {
                span.task-key { svg width="16" height="16" aria-hidden="true" { (shape(stands, 8, 8)) } (console.say(state::word(stands))) }
            }
            span.task-key { svg width="22" height="16" aria-hidden="true" { g.lane { line x1="1" x2="21" y1="8" y2="8" {} } } (console.say(&words::NEEDS_RESULT)) }
            span.task-key { svg width="22" height="16" aria-hidden="true" { g.lane.promise { line x1="1" x2="21" y1="8" y2="8" {} } } (console.say(&words::SAME_RESULT)) }
            (mark(html! { svg width="16" height="16" aria-hidden="true" { line.mark x1="8" x2="8" y1="1" y2="15" {} } (console.say(&words::FAILED_ATTEMPT)) }))
        }
    }
}

fn bars(drawn: &Bars, stands: Stands) -> Markup {
    let bar = |(from, to): (f64, f64), class: &str, y: u8, height: u8| {
        html! { rect.(class) x=(format!("{:.1}", from * WIDTH)) y=(y) width=(format!("{:.1}", (to - from) * WIDTH)) height=(height) {} }
    };
    html! {
        svg.task-bars viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true" {
            @if let Some(waited) = drawn.waited { (bar(waited, "waited", 6, 4)) }
            @if let Some(worked) = drawn.worked { (bar(worked, state::tone(stands).class(), 2, 12)) }
            @for mark in &drawn.marks {
                line.mark x1=(format!("{:.1}", mark * WIDTH)) x2=(format!("{:.1}", mark * WIDTH)) y1="0" y2="16" {}
            }
        }
    }
}
