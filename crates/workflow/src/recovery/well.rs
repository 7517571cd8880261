//! Whether a process looks well, by counts alone, as words of a statement: what the looks and the analysis of pages begin with. Counts are cheap, and
//! whatever they do not confirm is examined.

/// Whether a decision `d` that is not finished is in somebody's hands: in work, in its queue, or it waits for a signal, for a timer that somebody
/// looks after, or for a process that is open.
macro_rules! in_hands {
    () => {
        "(d.state = 'WORK' AND d.recovery IS NOT NULL OR d.state = 'REGISTERED' AND (d.queue = '@signal' \
         OR d.queue = '@timer' AND d.recovery IS NOT NULL OR d.queue = '@process' AND EXISTS (SELECT 1 FROM wfl_task t \
         JOIN wfl_process c ON c.type = t.method AND c.start_key = '@' || d.process || '.' || CAST(d.number AS TEXT) \
         AND c.start_key IS NOT NULL WHERE t.process = d.process AND t.number = d.number AND c.state IN ('ACTIVE', 'BROKEN')) \
         OR EXISTS (SELECT 1 FROM wfl_queue q WHERE q.queue = d.queue AND q.at = d.queued AND q.process = d.process \
         AND q.number = d.number)))"
    };
}

/// Whether the counts of the graph `g` are those of its decisions and tasks: each ready task is in somebody's hands, each finished one has its
/// decision, each task is there. Where every open task is ready, those that wait for their time to begin are known by it: `$time` is a minute
/// before now.
macro_rules! counts_agree {
    ($time:literal) => {
        concat!(
            "(g.open > 0 AND g.ready = (SELECT COUNT(*) FROM wfl_decision d WHERE d.process = g.process AND ",
            in_hands!(),
            ") + CASE WHEN g.open = g.ready THEN (SELECT COUNT(*) FROM wfl_task t WHERE t.process = g.process AND t.start_at > ",
            $time,
            " AND NOT EXISTS (SELECT 1 FROM wfl_decision d WHERE d.process = t.process AND d.number = t.number)) ELSE 0 END \
             AND g.done = (SELECT COUNT(*) FROM wfl_decision d WHERE d.process = g.process AND d.state = 'FINISH' \
             AND d.broken_at IS NULL) AND g.open + g.done = (SELECT COUNT(*) FROM wfl_task t WHERE t.process = g.process))"
        )
    };
}

/// The same of a process of which no task has a time to begin, nearly all: tasks and decisions are gone through once each, not twice. Where
/// this says yes, [`counts_agree`] does.
macro_rules! counts_agree_at_once {
    ($time:literal) => {
        concat!(
            "(g.open > 0 AND (g.open + g.done, 0) = (SELECT COUNT(*), COUNT(CASE WHEN t.start_at > ",
            $time,
            " THEN 1 END) FROM wfl_task t WHERE t.process = g.process) AND (g.ready, g.done) = (SELECT COUNT(CASE WHEN ",
            in_hands!(),
            " THEN 1 END), COUNT(CASE WHEN d.state = 'FINISH' AND d.broken_at IS NULL THEN 1 END) \
             FROM wfl_decision d WHERE d.process = g.process))"
        )
    };
}

/// Whether a process looks well, by counts alone: 1, or 0.
macro_rules! looks_well {
    ($time:literal) => {
        concat!("CASE WHEN ", counts_agree_at_once!($time), " THEN 1 WHEN ", counts_agree!($time), " THEN 1 ELSE 0 END")
    };
}
