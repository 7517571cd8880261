-- Tasks (KER-15). One that waits has a start, one that is claimed has an owner and a moment (of listening time) at which it
-- is taken for lost: there is no third state (KER-40).
CREATE TABLE task (
    id {text} PRIMARY KEY,
    op {text} NOT NULL,
    param {text} NOT NULL,
    info {text} NOT NULL,
    queue {int} NOT NULL,
    lane {text},
    start_at {int} NOT NULL,
    start_time {int},
    owner {text},
    lost_at {int},
    attempt {int} NOT NULL,
    retry {int} NOT NULL,
    cron {text},
    checkpoint {text},
    exc {text},
    report {text},
    created_at {int} NOT NULL,
    CHECK ((start_time IS NULL) = (owner IS NULL) AND (owner IS NULL) = (lost_at IS NULL))
) {strict};
CREATE INDEX task_waiting ON task (queue, start_at, id) WHERE owner IS NULL;
CREATE INDEX task_claimed ON task (owner, lost_at) WHERE owner IS NOT NULL;
CREATE INDEX task_of_lane ON task (lane, start_at, id) WHERE lane IS NOT NULL;
CREATE INDEX task_by_info ON task (info);
