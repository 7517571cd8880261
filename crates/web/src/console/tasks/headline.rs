//! The answer to "why does this task not go on": one sentence for each state, with what to do about it. Pure.

use base::Wall;
use kernel::tasks::{Around, State};

use super::super::visit::Console;
use super::{address, failure, words};
use crate::ui::moment::{duration, plain, relative};
use crate::ui::{Language, Tone};

/// What is said first of a task.
pub(super) struct Headline {
    pub(super) tone: Tone,
    pub(super) sentence: String,
    /// What to do, or what follows.
    pub(super) hint: Option<String>,
    /// Where to go on: address and name.
    pub(super) link: Option<(String, &'static str)>,
}

/// From where it is looked at.
pub(super) struct Sight<'a> {
    pub(super) language: Language,
    pub(super) now: Wall,
    pub(super) namespace: &'a str,
    /// Queues that have workers.
    pub(super) queues: usize,
}

impl<'a> Sight<'a> {
    pub(super) fn of(console: &'a Console) -> Self {
        let (language, now, namespace) = (console.language(), console.now(), console.namespace().name.as_str());
        Self { language, now, namespace, queues: console.kernel().task_config().workers.len() }
    }
}

impl Headline {
    pub(super) fn of(sight: &Sight<'_>, around: &Around) -> Self {
        match around.task.state() {
            State::Parked => Self::parked(sight, around),
            State::Running => Self::running(sight, around),
            State::Behind => Self::behind(sight, around),
            State::Waiting => Self::waiting(sight, around),
        }
    }

    fn plain(tone: Tone, sentence: String) -> Self {
        Self { tone, sentence, hint: None, link: None }
    }

    fn parked(sight: &Sight<'_>, Around { task, .. }: &Around) -> Self {
        let language = sight.language;
        // Claims are counted before the work runs: a run that ended the process counts though nobody noted its failure.
        let tries = language.count(&words::AFTER_TRIES, task.retry.max(task.attempt - task.forgiven));
        let why = failure::first_line(task).unwrap_or_else(|| language.say(&words::UNKNOWN_WHY));
        let why = why.trim_end_matches('.');
        let sentence = language.fill(&words::IS_PARKED, &[("tries", &tries), ("why", &why)]);
        let hint = Some(language.say(&words::IS_PARKED_HINT).to_owned());
        Self { hint, ..Self::plain(Tone::Bad, sentence) }
    }

    fn running(sight: &Sight<'_>, Around { task, run, .. }: &Around) -> Self {
        let language = sight.language;
        let node = run.as_ref().map(|run| run.node.as_str()).or(task.owner.as_deref()).unwrap_or_default();
        let since = relative(language, sight.now, task.start_time.unwrap_or(task.start_at));
        let places: [(&str, &dyn std::fmt::Display); 3] =
            [("node", &node), ("since", &since), ("attempt", &task.attempt)];
        let hint = run.as_ref().map(|run| {
            let time = duration(language, run.lost_in_ms);
            language.fill(&words::RUNS_HINT, &[("time", &time)])
        });
        Self { hint, ..Self::plain(Tone::Info, language.fill(&words::RUNS, &places)) }
    }

    fn behind(sight: &Sight<'_>, Around { task, head, .. }: &Around) -> Self {
        let lane = task.lane.as_deref().unwrap_or_default();
        let sentence = sight.language.fill(&words::IS_BEHIND, &[("lane", &lane)]);
        let link = head.map(|head| (address(sight.namespace, head), sight.language.say(&words::TO_HEAD)));
        Self { link, ..Self::plain(Tone::Quiet, sentence) }
    }

    fn waiting(sight: &Sight<'_>, around: &Around) -> Self {
        let (language, task) = (sight.language, &around.task);
        let to_queues = Some((format!("/console/{}/queues", sight.namespace), language.say(&words::TO_QUEUES)));
        if around.suspended {
            let sentence = language.say(&words::IS_SUSPENDED).to_owned();
            return Self { link: to_queues, ..Self::plain(Tone::Warn, sentence) };
        }
        if !usize::try_from(task.queue).is_ok_and(|queue| queue < sight.queues) {
            let sentence = language.fill(&words::IS_WITHOUT_WORKERS, &[("queue", &task.queue)]);
            return Self { link: to_queues, ..Self::plain(Tone::Bad, sentence) };
        }
        let (at, seen) = (plain(task.start_at), relative(language, sight.now, task.start_at));
        if task.start_at <= sight.now {
            return Self::plain(Tone::Quiet, language.fill(&words::IS_DUE, &[("since", &seen)]));
        }
        if task.retry > 0 {
            let times = language.count(&words::FAILED_TIMES, task.retry);
            let places: [(&str, &dyn std::fmt::Display); 3] = [("times", &times), ("in", &seen), ("at", &at)];
            return Self::plain(Tone::Warn, language.fill(&words::TRIES_AGAIN, &places));
        }
        Self::plain(Tone::Quiet, language.fill(&words::WAITS_FOR, &[("at", &at), ("in", &seen)]))
    }
}

#[cfg(test)]
mod tests {
    use base::Id;
    use kernel::tasks::{RunBy, Task, parked_at};

    use super::*;

    fn around(change: impl FnOnce(&mut Around)) -> Around {
        let id = Id::new(Wall(0), [0; 10]);
        let task = Task {
            id,
            op: "t".into(),
            param: "null".into(),
            info: String::new(),
            queue: 0,
            lane: None,
            behind: false,
            start_at: Wall(180_000),
            start_time: None,
            owner: None,
            attempt: 0,
            retry: 0,
            forgiven: 0,
            cron: None,
            standing: None,
            target: None,
            checkpoint: None,
            exc: None,
            report: None,
            created_at: Wall(0),
            faults: 0,
            unique_key: None,
        };
        let mut around = Around { task, run: None, head: None, suspended: false };
        change(&mut around);
        around
    }

    fn said(change: impl FnOnce(&mut Around)) -> (Tone, String) {
        let sight = Sight { language: Language::English, now: Wall(0), namespace: "main", queues: 3 };
        let headline = Headline::of(&sight, &around(change));
        let link = headline.link.map(|(href, _)| format!(" -> {href}")).unwrap_or_default();
        (headline.tone, format!("{}{link}", headline.sentence).replace('\u{a0}', " "))
    }

    #[test]
    fn con_8_ker_22_one_sentence_says_why_a_task_does_not_go_on() {
        let parked = said(|around| {
            around.task.start_at = parked_at();
            (around.task.attempt, around.task.retry) = (4, 4);
            around.task.report = Some("the target answered with status 500\nmore".into());
        });
        let words = "Parked after 4 tries: the target answered with status 500. It waits for you.";
        assert_eq!(parked, (Tone::Bad, words.into()));
        assert_eq!(said(|_| ()).1, "Starts at 1970-01-01 00:03:00 UTC, in 3 min.");
        assert_eq!(
            said(|around| around.task.retry = 1),
            (Tone::Warn, "Failed once; tried again in 3 min (1970-01-01 00:03:00 UTC).".into())
        );
        let due = said(|around| around.task.start_at = Wall(-5_000));
        assert_eq!(due.1, "Was due 5 s ago: it starts as soon as a worker of its queue is free.");
        let behind = said(|around| {
            (around.task.behind, around.task.lane) = (true, Some("orders".into()));
            around.head = Some(around.task.id);
        });
        let words =
            "Waits behind an older task of lane “orders”. It starts when that one has ended. -> /console/main/tasks/";
        assert!(behind.1.starts_with(words), "{}", behind.1);
        let running = said(|around| {
            (around.task.owner, around.task.start_time, around.task.attempt) =
                (Some("x".into()), Some(Wall(-60_000)), 2);
            around.run = Some(RunBy { node: "one".into(), seen_at: None, lost_in_ms: 1_000 });
        });
        assert_eq!(running, (Tone::Info, "Runs on node one; it began 1 min ago (attempt 2).".into()));
    }

    #[test]
    fn con_8_ker_22_a_suspended_queue_and_one_without_workers_are_told() {
        let (tone, words) = said(|around| around.suspended = true);
        assert!(tone == Tone::Warn && words.ends_with("-> /console/main/queues"), "{words}");
        let (tone, words) = said(|around| around.task.queue = 7);
        assert!(tone == Tone::Bad && words.starts_with("Queue 7 has no workers"), "{words}");
    }
}
