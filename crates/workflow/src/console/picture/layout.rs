//! Which tasks have a line of their own, and in which order. Pure.

use std::collections::{BTreeMap, BTreeSet};

use base::Wall;

use crate::console::reads::{Stands, TaskLine};

/// Lines of a picture.
pub(super) const LINES_MAX: usize = 120;
/// Of tasks that are alike, so many have a line of their own.
const ALIKE_SHOWN: usize = 3;
/// Levels that are told apart; deeper ones are drawn like the last.
const LEVEL_MAX: usize = 7;

/// A line of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Shown {
    /// A task, by its place among all.
    Task(usize),
    /// Tasks that are like the one before, by their places.
    Alike(Vec<usize>),
}

/// A line with its place in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Line {
    pub(in super::super) shown: Shown,
    pub(super) level: usize,
    /// The line of the task that laid it out.
    pub(super) parent: Option<usize>,
}

/// The lines of a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Layout {
    pub(in super::super) lines: Vec<Line>,
    /// Tasks that have no line because there are too many that differ.
    pub(in super::super) left_out: usize,
}

/// What is alike: who does what, how it stands.
type Kind<'a> = (&'a str, &'a str, Stands);

impl Layout {
    /// The lines of these tasks; the chosen one has a line of its own.
    pub(in super::super) fn of(tasks: &[TaskLine], chosen: Option<i64>) -> Self {
        let children = children(tasks);
        let mut layout = Self::default();
        let mut next: Vec<Line> = vec![];
        let roots = lines_of(tasks, children.get(&0), &children, chosen, 0, None);
        next.extend(roots.into_iter().rev());
        while let Some(line) = next.pop() {
            if layout.lines.len() == LINES_MAX {
                break;
            }
            let place = layout.lines.len();
            if let Shown::Task(at) = line.shown {
                let below = children.get(&tasks[at].number);
                let level = (line.level + 1).min(LEVEL_MAX);
                next.extend(lines_of(tasks, below, &children, chosen, level, Some(place)).into_iter().rev());
            }
            layout.lines.push(line);
        }
        layout.left_out = tasks.len() - layout.lines.iter().map(Line::many).sum::<usize>();
        layout
    }

    /// The line on which each task is, by its number.
    pub(super) fn places(&self, tasks: &[TaskLine]) -> BTreeMap<i64, usize> {
        let mut places = BTreeMap::new();
        for (place, line) in self.lines.iter().enumerate() {
            places.extend(line.members().iter().map(|at| (tasks[*at].number, place)));
        }
        places
    }

    /// The tasks that have a line of their own, by number.
    pub(in super::super) fn single(&self, tasks: &[TaskLine]) -> Vec<i64> {
        let single = self.lines.iter().filter_map(|line| match line.shown {
            Shown::Task(at) => Some(tasks[at].number),
            Shown::Alike(_) => None,
        });
        single.collect()
    }
}

impl Line {
    fn many(&self) -> usize {
        self.members().len()
    }

    pub(super) fn members(&self) -> &[usize] {
        match &self.shown {
            Shown::Task(at) => std::slice::from_ref(at),
            Shown::Alike(all) => all,
        }
    }

    /// From the first that became ready to the last that ended, or to now.
    pub(super) fn span(&self, tasks: &[TaskLine], now: Wall) -> Option<(Wall, Wall)> {
        let all = || self.members().iter().map(|at| &tasks[*at]);
        let from = all().filter_map(|task| task.ready_at).min()?;
        let end = |task: &TaskLine| task.ready_at.map(|_| task.finished_at.unwrap_or(now));
        all().filter_map(end).max().map(|to| (from, to.max(from)))
    }
}

/// The tasks that each laid out. What was laid out by one that is not there stands at the top.
fn children(tasks: &[TaskLine]) -> BTreeMap<i64, Vec<usize>> {
    let known: BTreeSet<i64> = tasks.iter().map(|task| task.number).collect();
    let mut children: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (at, task) in tasks.iter().enumerate() {
        let parent = if known.contains(&task.parent) && task.parent < task.number { task.parent } else { 0 };
        children.entry(parent).or_default().push(at);
    }
    children
}

/// The lines of those that one task laid out: those that laid out others each have one, of those that are alike the first few.
fn lines_of(
    tasks: &[TaskLine],
    below: Option<&Vec<usize>>,
    children: &BTreeMap<i64, Vec<usize>>,
    chosen: Option<i64>,
    level: usize,
    parent: Option<usize>,
) -> Vec<Line> {
    let Some(below) = below else { return vec![] };
    let is_single = |task: &TaskLine| children.contains_key(&task.number);
    let is_chosen = |at: usize| chosen == Some(tasks[at].number);
    let mut alike: BTreeMap<Kind<'_>, Vec<usize>> = BTreeMap::new();
    for at in below.iter().filter(|at| !is_single(&tasks[**at])) {
        let task = &tasks[*at];
        alike.entry((&task.actor, &task.method, task.stands)).or_default().push(*at);
    }
    let line = |shown: Shown| Line { shown, level, parent };
    let mut lines = vec![];
    for at in below {
        let task = &tasks[*at];
        let kind = alike.get(&(task.actor.as_str(), task.method.as_str(), task.stands));
        match kind.filter(|kind| !is_single(task) && kind.len() > ALIKE_SHOWN + 1) {
            None => lines.push(line(Shown::Task(*at))),
            Some(kind) if kind[..ALIKE_SHOWN].contains(at) => {
                lines.push(line(Shown::Task(*at)));
                if kind[ALIKE_SHOWN - 1] == *at {
                    let rest = kind[ALIKE_SHOWN..].iter().copied().filter(|at| !is_chosen(*at));
                    lines.push(line(Shown::Alike(rest.collect())));
                }
            }
            Some(_) if is_chosen(*at) => lines.push(line(Shown::Task(*at))),
            Some(_) => {}
        }
    }
    lines
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn task(number: i64, parent: i64, actor: &str) -> TaskLine {
        TaskLine {
            number,
            parent,
            local: None,
            actor: actor.into(),
            method: String::new(),
            attempt: 1,
            stands: Stands::Done,
            error_class: None,
            same_as: None,
            ready_at: Some(Wall(number * 10)),
            taken_at: Some(Wall(number * 10 + 5)),
            finished_at: Some(Wall(number * 10 + 20)),
        }
    }

    fn numbers(layout: &Layout, tasks: &[TaskLine]) -> Vec<Vec<i64>> {
        layout.lines.iter().map(|line| line.members().iter().map(|at| tasks[*at].number).collect()).collect()
    }

    #[test]
    fn wfl_23_a_tree_is_drawn_from_who_laid_out_whom() {
        let tasks = [task(1, 0, "a#1"), task(2, 1, "b#1"), task(3, 1, "c#1"), task(4, 2, "d#1")];
        let layout = Layout::of(&tasks, None);
        assert_eq!(numbers(&layout, &tasks), [vec![1], vec![2], vec![4], vec![3]]);
        let levels: Vec<_> = layout.lines.iter().map(|line| (line.level, line.parent)).collect();
        assert_eq!(levels, [(0, None), (1, Some(0)), (2, Some(1)), (1, Some(0))]);
        assert_eq!(layout.left_out, 0);
    }

    #[test]
    fn wfl_23_a_large_fan_out_is_a_few_lines_and_the_chosen_has_its_own() {
        let mut tasks = vec![task(1, 0, "a#1")];
        tasks.extend((2..1_002).map(|number| task(number, 1, "b#1")));
        tasks.push(task(1_002, 1, "sum#1"));
        tasks[500].stands = Stands::Broken;
        let layout = Layout::of(&tasks, Some(700));
        let shown: Vec<usize> = layout.lines.iter().map(Line::many).collect();
        assert_eq!(
            shown,
            [1, 1, 1, 1, 995, 1, 1, 1],
            "first three, the others, the broken one, the chosen one, the sum"
        );
        assert_eq!(layout.left_out, 0);
        assert_eq!(layout.places(&tasks)[&900], 4);
    }

    #[test]
    fn wfl_23_a_picture_ends_somewhere_and_says_how_much_is_left_out() {
        // Each laid out the next, as a coordinator that goes on and on does; and nothing of it is alike.
        let tasks: Vec<TaskLine> = (1..=10_000).map(|number| task(number, number - 1, "a#1")).collect();
        let layout = Layout::of(&tasks, None);
        assert_eq!((layout.lines.len(), layout.left_out), (LINES_MAX, 10_000 - LINES_MAX));
        assert!(layout.lines.iter().all(|line| line.level <= LEVEL_MAX));
        let wide: Vec<TaskLine> = (1..=500).map(|number| task(number, 0, &format!("a#{number}"))).collect();
        assert_eq!(Layout::of(&wide, None).left_out, 500 - LINES_MAX);
    }

    #[test]
    fn wfl_23_rows_that_do_not_fit_together_are_drawn_all_the_same() {
        // Laid out by one that is lost, and by itself.
        let tasks = [task(5, 4, "a#1"), task(6, 6, "b#1")];
        assert_eq!(numbers(&Layout::of(&tasks, None), &tasks), [vec![5], vec![6]]);
        assert_eq!(Layout::of(&[], None), Layout::default());
    }
}
