-- Tasks (KER-15). One that waits has a start, one that is claimed has an owner and a moment (of listening time) at which it
-- is taken for lost: there is no third state (KER-40).
CREATE TABLE task (
    id {text} PRIMARY KEY,
    op {text} NOT NULL,
    param {text} NOT NULL,
    info {text} NOT NULL,
    queue {int} NOT NULL,
    lane {text},
    -- 1 while an older task of its lane has not ended; its wake-up is that one's end.
    behind {int} NOT NULL,
    -- Its place in the lane. Ids would not do: a calendar that goes back makes a younger task's id the smaller one.
    place {int},
    start_at {int} NOT NULL,
    -- How much later than its inscription it starts; null when somebody chose the moment itself. A calendar that was wrong
    -- and is put right must not leave a pause of a minute a year long.
    pause_ms {int},
    start_time {int},
    owner {text},
    lost_at {int},
    -- Raised by each claim, never lowered: the fence.
    attempt {int} NOT NULL,
    retry {int} NOT NULL,
    -- Attempts that count for nothing when it is decided whether to park: given back, or before somebody ran it again.
    forgiven {int} NOT NULL,
    -- Runs in a row that met contention or a fault that passes by itself.
    faults {int} NOT NULL DEFAULT 0,
    -- At most one task of its kind with this key waits. A run that goes back takes the place of one that came meanwhile, and a
    -- parked task gives its key up.
    unique_key {text},
    cron {text},
    -- Which standing task of the program this is: there is at most one of each.
    standing {text} UNIQUE,
    target {text},
    checkpoint {text},
    exc {text},
    report {text},
    created_at {int} NOT NULL,
    CHECK ((start_time IS NULL) = (owner IS NULL) AND (owner IS NULL) = (lost_at IS NULL)),
    CHECK (behind = 0 OR (lane IS NOT NULL AND owner IS NULL)),
    CHECK (forgiven <= attempt),
    CHECK (unique_key IS NULL OR (lane IS NULL AND cron IS NULL))
) {strict};
CREATE INDEX task_waiting ON task (queue, start_at, id) WHERE owner IS NULL AND behind = 0;
CREATE INDEX task_claimed ON task (owner, lost_at) WHERE owner IS NOT NULL;
CREATE INDEX task_behind ON task (lane, place) WHERE behind = 1;
-- Not for all rows, so that no plan finds a task by its id here: on a table that was vacuumed while it was empty PostgreSQL takes
-- this index for as good as the primary key, keeps that plan, and reads all of the index when many tasks have come.
CREATE INDEX task_by_op ON task (op, id) WHERE op <> '';
CREATE UNIQUE INDEX task_unique ON task (op, unique_key) WHERE owner IS NULL AND unique_key IS NOT NULL;
CREATE INDEX task_by_info ON task (info, id) WHERE info <> '';

-- The task of each lane that is not behind another one. Whoever enters or leaves a lane writes its row, so that two who do
-- so at once are noticed by the engine.
CREATE TABLE task_lane (
    lane {text} PRIMARY KEY,
    head {text} NOT NULL,
    -- The last place that was given.
    last {int} NOT NULL
) {strict};

-- Queues that are suspended (KER-22); -1 stands for all of them.
CREATE TABLE task_queue (
    queue {int} PRIMARY KEY,
    suspended_at {int} NOT NULL
) {strict};

-- Nodes that run tasks (KER-23). A node's name stays over its starts, its id does not.
CREATE TABLE node (
    id {text} PRIMARY KEY,
    name {text} NOT NULL,
    seen_at {int} NOT NULL,
    until {int} NOT NULL
) {strict};
