//! When each line waited and was worked on, as parts of the whole time. Pure.

use std::collections::BTreeMap;

use base::Wall;

use super::layout::{Line, Shown};
use crate::console::reads::{Stands, TaskLine};

/// The least width of a bar, as a part of the whole: what is shorter could not be seen.
const LEAST: f64 = 0.006;
/// Marks of one line.
const MARKS_MAX: usize = 40;

/// Moments at which attempts of tasks failed, by number.
pub(in super::super) type Marks = BTreeMap<i64, Vec<Wall>>;

/// The time that a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Whole {
    pub(super) from: Wall,
    pub(super) to: Wall,
}

/// What is drawn on a line, each from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Bars {
    /// From when it was ready to when it was taken.
    pub(super) waited: Option<(f64, f64)>,
    /// From when it was taken to its end.
    pub(super) worked: Option<(f64, f64)>,
    /// Failed attempts.
    pub(super) marks: Vec<f64>,
}

impl Whole {
    /// From the start of a process to its end, or to now as long as something in it goes on.
    pub(super) fn of(tasks: &[TaskLine], started: Wall, ended: Option<Wall>, now: Wall) -> Self {
        let first = tasks.iter().filter_map(|task| task.ready_at).min().map_or(started, |ready| ready.min(started));
        let goes_on = tasks.iter().any(|task| task.ready_at.is_some() && !task.stands.is_over());
        let last = tasks.iter().flat_map(|task| [task.ready_at, task.taken_at, task.finished_at]).flatten().max();
        let to = match (ended, goes_on, last) {
            (Some(ended), ..) => ended.max(last.unwrap_or(ended)),
            (None, false, Some(last)) => last,
            (None, ..) => now,
        };
        Self { from: first, to: to.max(first.plus_ms(1)) }
    }

    pub(super) fn ms(self) -> i64 {
        self.to.0.saturating_sub(self.from.0)
    }

    /// Where a moment is.
    #[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
    fn part(self, at: Wall) -> f64 {
        (at.0.saturating_sub(self.from.0) as f64 / self.ms().max(1) as f64).clamp(0.0, 1.0)
    }

    /// A bar that can be seen.
    fn bar(self, from: Wall, to: Wall) -> (f64, f64) {
        let (from, to) = (self.part(from), self.part(to.max(from)));
        let from = from.min(1.0 - LEAST);
        (from, to.max(from + LEAST))
    }

    pub(super) fn bars(self, line: &Line, tasks: &[TaskLine], marks: &Marks) -> Bars {
        match &line.shown {
            Shown::Task(at) => self.of_task(&tasks[*at], marks),
            Shown::Alike(all) => {
                let bar = line.span(tasks, self.to).map(|(from, to)| self.bar(from, to));
                let waits = all.iter().all(|at| matches!(tasks[*at].stands, Stands::Waiting | Stands::Queued));
                if waits { Bars { waited: bar, ..Bars::default() } } else { Bars { worked: bar, ..Bars::default() } }
            }
        }
    }

    fn of_task(self, task: &TaskLine, marks: &Marks) -> Bars {
        let end = task.finished_at.unwrap_or(self.to);
        // Once it is queued again, the taking that is known is of an earlier attempt.
        let taken = task.taken_at.filter(|_| task.stands != Stands::Queued);
        let waited = task.ready_at.map(|ready| (ready, taken.unwrap_or(end)));
        let failed = marks.get(&task.number).into_iter().flatten();
        Bars {
            waited: waited.map(|(from, to)| self.bar(from, to)),
            worked: taken.map(|taken| self.bar(taken, end)),
            marks: failed.take(MARKS_MAX).map(|at| self.part(*at)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::tests::task;
    use super::*;
    use crate::console::picture::Layout;

    #[test]
    fn wfl_23_bars_lie_where_their_time_is() {
        let tasks = [task(1, 0, "a#1"), task(5, 1, "b#1")];
        let whole = Whole::of(&tasks, Wall(0), Some(Wall(100)), Wall(999));
        assert_eq!((whole.from, whole.to), (Wall(0), Wall(100)));
        let layout = Layout::of(&tasks, None);
        let marks = Marks::from([(5, vec![Wall(60)])]);
        let bars = whole.bars(&layout.lines[1], &tasks, &marks);
        assert_eq!(bars, Bars { waited: Some((0.5, 0.55)), worked: Some((0.55, 0.7)), marks: vec![0.6] });
    }

    #[test]
    fn wfl_23_what_is_short_can_be_seen_and_nothing_leaves_the_picture() {
        let mut tasks = [task(1, 0, "a#1")];
        tasks[0].finished_at = Some(Wall(86_400_000));
        tasks[0].taken_at = Some(Wall(86_400_000));
        let whole = Whole::of(&tasks, Wall(0), None, Wall(1));
        assert_eq!(whole.to, Wall(86_400_000), "all of it is over: the clock does not matter");
        let (from, to) = whole.bars(&Layout::of(&tasks, None).lines[0], &tasks, &Marks::new()).worked.unwrap();
        assert!(to - from >= LEAST - 1e-9 && to <= 1.0, "{from} {to}");
        assert_eq!(Whole::of(&[], Wall(7), None, Wall(3)).to, Wall(8), "a calendar that was put back");
    }
}
