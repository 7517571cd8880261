//! What one operation did, counted when it is committed.

use kernel::{OpCx, Settled};

/// Something that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    ProcessStarted,
    ProcessFinished,
    ProcessBroken,
    ProcessAborted,
    ProcessRestarted,
    TaskGiven,
    TaskDone,
    TaskFailed,
    TaskRetried,
    TaskLate,
    WorkTimeout,
    TaskTimeout,
    RecoveredByItself,
    RecoveredByOperator,
    PollWithWork,
    PollWithout,
}

/// Something that takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    /// From when a task may be taken to when it is.
    Wait,
    /// From when a task is taken to its result.
    Work,
    /// From the start of a process to its end.
    Process,
}

const COUNTS: usize = Count::PollWithout as usize + 1;

impl Count {
    const ALL: [Self; COUNTS] = [
        Self::ProcessStarted,
        Self::ProcessFinished,
        Self::ProcessBroken,
        Self::ProcessAborted,
        Self::ProcessRestarted,
        Self::TaskGiven,
        Self::TaskDone,
        Self::TaskFailed,
        Self::TaskRetried,
        Self::TaskLate,
        Self::WorkTimeout,
        Self::TaskTimeout,
        Self::RecoveredByItself,
        Self::RecoveredByOperator,
        Self::PollWithWork,
        Self::PollWithout,
    ];

    /// What a line of the history counts as.
    pub(crate) fn of_note(kind: &str) -> Option<Self> {
        Some(match kind {
            "aborted" => Self::ProcessAborted,
            "restarted" => Self::ProcessRestarted,
            "failed" => Self::TaskFailed,
            "late" => Self::TaskLate,
            "work-timeout" => Self::WorkTimeout,
            "task-timeout" => Self::TaskTimeout,
            _ => return None,
        })
    }

    /// The name of the metric, and what tells it apart from others of the name.
    fn metric(self) -> (&'static str, &'static str, &'static str) {
        const PROCESSES: &str = "fastness_workflow_processes_total";
        const TASKS: &str = "fastness_workflow_tasks_total";
        const TIMEOUTS: &str = "fastness_workflow_timeouts_total";
        const RECOVERED: &str = "fastness_workflow_recovered_total";
        const POLLS: &str = "fastness_workflow_polls_total";
        match self {
            Self::ProcessStarted => (PROCESSES, "outcome", "started"),
            Self::ProcessFinished => (PROCESSES, "outcome", "finished"),
            Self::ProcessBroken => (PROCESSES, "outcome", "broken"),
            Self::ProcessAborted => (PROCESSES, "outcome", "aborted"),
            Self::ProcessRestarted => (PROCESSES, "outcome", "restarted"),
            Self::TaskGiven => (TASKS, "outcome", "given"),
            Self::TaskDone => (TASKS, "outcome", "done"),
            Self::TaskFailed => (TASKS, "outcome", "failed"),
            Self::TaskRetried => (TASKS, "outcome", "retried"),
            Self::TaskLate => (TASKS, "outcome", "late"),
            Self::WorkTimeout => (TIMEOUTS, "kind", "work"),
            Self::TaskTimeout => (TIMEOUTS, "kind", "task"),
            Self::RecoveredByItself => (RECOVERED, "source", "automatic"),
            Self::RecoveredByOperator => (RECOVERED, "source", "operator"),
            Self::PollWithWork => (POLLS, "found", "work"),
            Self::PollWithout => (POLLS, "found", "nothing"),
        }
    }
}

impl Time {
    fn metric(self) -> &'static str {
        match self {
            Self::Wait => "fastness_workflow_wait_seconds",
            Self::Work => "fastness_workflow_work_seconds",
            Self::Process => "fastness_workflow_process_seconds",
        }
    }
}

/// What one operation did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    counts: [u64; COUNTS],
    times_ms: Vec<(Time, i64)>,
}

impl Tally {
    pub(crate) fn add(&mut self, what: Count, many: usize) {
        self.counts[what as usize] += many as u64;
    }

    pub(crate) fn one(&mut self, what: Count) {
        self.add(what, 1);
    }

    pub(crate) fn took(&mut self, what: Time, ms: i64) {
        self.times_ms.push((what, ms.max(0)));
    }

    /// Is counted once the operation is committed.
    pub(crate) fn settle(self, cx: &mut OpCx<'_>) {
        if self.counts == [0; COUNTS] && self.times_ms.is_empty() {
            return;
        }
        let namespace = cx.namespace.to_owned();
        cx.fx.when_settled(move |how| {
            if how == Settled::Committed {
                self.publish(&namespace);
            }
        });
    }

    fn publish(&self, namespace: &str) {
        for what in Count::ALL {
            let many = self.counts[what as usize];
            if many > 0 {
                let (name, label, value) = what.metric();
                metrics::counter!(name, "namespace" => namespace.to_owned(), label => value).increment(many);
            }
        }
        for what in [Time::Wait, Time::Work, Time::Process] {
            let mut times = self.times_ms.iter().filter(|(time, _)| *time == what).peekable();
            if times.peek().is_some() {
                let histogram = metrics::histogram!(what.metric(), "namespace" => namespace.to_owned());
                times.for_each(|(_, ms)| histogram.record(seconds(*ms)));
            }
        }
    }
}

/// Milliseconds as seconds.
#[expect(clippy::cast_precision_loss, reason = "a metric is a float")]
pub(super) fn seconds(ms: i64) -> f64 {
    ms as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wfl_22_each_count_has_a_place_and_a_metric_of_its_own() {
        let mut seen = std::collections::BTreeSet::new();
        for (place, what) in Count::ALL.into_iter().enumerate() {
            assert_eq!(what as usize, place);
            assert!(seen.insert(what.metric()), "{what:?}");
        }
    }
}
