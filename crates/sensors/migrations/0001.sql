-- Sensors (SEN-1) with their state. On PostgreSQL the table is partitioned by the sensor (SEN-12).
-- data is null before the first signal; at is the greatest time that a signal of it brought, and at_bits tells which data came with
-- that time (1: open, 2: closed). recent holds the hashes of the last ids of signals, 8 bytes each. seen and lost_at are listening
-- time of sensors (see ear.rs): the last durable sign of life, and when it counts as lost; one that is lost has no lost_at but since when.
CREATE TABLE sensor (
    id {text} NOT NULL PRIMARY KEY,
    address {text} NOT NULL,
    silence_ms {int} NOT NULL,
    registered_at {int} NOT NULL,
    data {int},
    changed_at {int},
    at {int},
    at_bits {int} NOT NULL DEFAULT 0,
    recent {blob} NOT NULL,
    -- Changes of its state so far.
    changes {int} NOT NULL DEFAULT 0,
    seen {int},
    seen_at {int},
    lost_at {int},
    lost_since {int},
    CHECK (data IN (0, 1)),
    CHECK ((lost_at IS NULL) = (lost_since IS NOT NULL))
) {strict} /*pg PARTITION BY HASH (id) */;
/*pg CREATE TABLE sensor_0 PARTITION OF sensor FOR VALUES WITH (MODULUS 8, REMAINDER 0) */;
/*pg CREATE TABLE sensor_1 PARTITION OF sensor FOR VALUES WITH (MODULUS 8, REMAINDER 1) */;
/*pg CREATE TABLE sensor_2 PARTITION OF sensor FOR VALUES WITH (MODULUS 8, REMAINDER 2) */;
/*pg CREATE TABLE sensor_3 PARTITION OF sensor FOR VALUES WITH (MODULUS 8, REMAINDER 3) */;
/*pg CREATE TABLE sensor_4 PARTITION OF sensor FOR VALUES WITH (MODULUS 8, REMAINDER 4) */;
/*pg CREATE TABLE sensor_5 PARTITION OF sensor FOR VALUES WITH (MODULUS 8, REMAINDER 5) */;
/*pg CREATE TABLE sensor_6 PARTITION OF sensor FOR VALUES WITH (MODULUS 8, REMAINDER 6) */;
/*pg CREATE TABLE sensor_7 PARTITION OF sensor FOR VALUES WITH (MODULUS 8, REMAINDER 7) */;
CREATE INDEX sensor_due ON sensor (lost_at, id) WHERE lost_at IS NOT NULL;
CREATE INDEX sensor_lost ON sensor (lost_since, id) WHERE lost_since IS NOT NULL;
CREATE INDEX sensor_by_address ON sensor (address, id);

-- Clients: who is told. seq numbers what there was to tell each of them (SEN-14). old_secret still signs until old_until
-- (listening time of the store), so that a receiver can change over. group_lost: from so many lost at once on they are told together; 0: never.
CREATE TABLE sensor_client (
    id {text} NOT NULL PRIMARY KEY,
    name {text} NOT NULL UNIQUE,
    url {text} NOT NULL,
    secret {blob} NOT NULL,
    old_secret {blob},
    old_until {int},
    state {text} NOT NULL,
    reason {text} NOT NULL,
    seq {int} NOT NULL,
    group_lost {int} NOT NULL,
    -- When the first try failed after the last one that was heard, in listening time of the store.
    unheard_since {int},
    created_at {int} NOT NULL,
    CHECK (state IN ('active', 'failing', 'disabled'))
) {strict};

-- Who is told of which sensor.
CREATE TABLE sensor_link (
    sensor_id {text} NOT NULL,
    client_id {text} NOT NULL,
    linked_at {int} NOT NULL,
    PRIMARY KEY (sensor_id, client_id)
) {clustered};
CREATE INDEX sensor_link_of ON sensor_link (client_id, sensor_id);

-- What there was to tell a client: never changed but for how it ended. body is what is sent, byte for byte, under id as webhook-id (a replay adds that it is one).
-- sensor_id is empty for what tells of several sensors at once.
CREATE TABLE sensor_event (
    client_id {text} NOT NULL,
    seq {int} NOT NULL,
    id {text} NOT NULL,
    sensor_id {text} NOT NULL,
    kind {text} NOT NULL,
    type {text} NOT NULL,
    body {text} NOT NULL,
    at {int} NOT NULL,
    state {text} NOT NULL,
    tries {int} NOT NULL,
    ended_at {int},
    -- The same in listening time of the store, by which it is forgotten.
    ended {int},
    superseded_by {int},
    PRIMARY KEY (client_id, seq),
    CHECK (kind IN ('state', 'contact', 'group')),
    CHECK (state IN ('waiting', 'sent', 'superseded', 'unlinked', 'failed', 'disabled')),
    CHECK ((state = 'waiting') = (ended_at IS NULL)),
    CHECK ((ended_at IS NULL) = (ended IS NULL))
) {clustered};
CREATE INDEX sensor_event_at ON sensor_event (at, client_id, seq);
CREATE INDEX sensor_event_of ON sensor_event (sensor_id, at, client_id, seq);
CREATE INDEX sensor_event_ended ON sensor_event (ended, client_id, seq) WHERE ended IS NOT NULL;

-- What is still to be told, one row for each sensor, client and kind (SEN-9): the event with the number seq. While one is being sent,
-- sending is its number and holder the task; a newer one waits for that to end. next_at is listening time of the store, written
-- before the try that it follows (SEN-8). On PostgreSQL partitioned by the sensor (SEN-12).
CREATE TABLE sensor_notice (
    sensor_id {text} NOT NULL,
    client_id {text} NOT NULL,
    kind {text} NOT NULL,
    seq {int} NOT NULL,
    tries {int} NOT NULL,
    next_at {int} NOT NULL,
    -- Changes that were superseded before anybody was told of them.
    skipped {int} NOT NULL,
    sending {int},
    holder {text},
    begun {int},
    PRIMARY KEY (sensor_id, client_id, kind),
    CHECK ((sending IS NULL) = (holder IS NULL) AND (sending IS NULL) = (begun IS NULL))
) {strict} /*pg PARTITION BY HASH (sensor_id) */;
/*pg CREATE TABLE sensor_notice_0 PARTITION OF sensor_notice FOR VALUES WITH (MODULUS 8, REMAINDER 0) */;
/*pg CREATE TABLE sensor_notice_1 PARTITION OF sensor_notice FOR VALUES WITH (MODULUS 8, REMAINDER 1) */;
/*pg CREATE TABLE sensor_notice_2 PARTITION OF sensor_notice FOR VALUES WITH (MODULUS 8, REMAINDER 2) */;
/*pg CREATE TABLE sensor_notice_3 PARTITION OF sensor_notice FOR VALUES WITH (MODULUS 8, REMAINDER 3) */;
/*pg CREATE TABLE sensor_notice_4 PARTITION OF sensor_notice FOR VALUES WITH (MODULUS 8, REMAINDER 4) */;
/*pg CREATE TABLE sensor_notice_5 PARTITION OF sensor_notice FOR VALUES WITH (MODULUS 8, REMAINDER 5) */;
/*pg CREATE TABLE sensor_notice_6 PARTITION OF sensor_notice FOR VALUES WITH (MODULUS 8, REMAINDER 6) */;
/*pg CREATE TABLE sensor_notice_7 PARTITION OF sensor_notice FOR VALUES WITH (MODULUS 8, REMAINDER 7) */;
CREATE INDEX sensor_notice_of ON sensor_notice (client_id, sensor_id, kind);
CREATE INDEX sensor_notice_group ON sensor_notice (client_id, seq) WHERE kind = 'group';
CREATE INDEX sensor_notice_next ON sensor_notice (next_at, sensor_id);

-- Each try to tell (SEN-11); status and error are null while it is under way.
CREATE TABLE sensor_attempt (
    client_id {text} NOT NULL,
    seq {int} NOT NULL,
    number {int} NOT NULL,
    at {int} NOT NULL,
    status {int},
    latency_ms {int},
    error {text},
    PRIMARY KEY (client_id, seq, number)
) {clustered};

-- Accepted data (SEN-11); at is the signal's own time, or ours if it had none; heard is when we heard it, in listening time of the store.
CREATE TABLE sensor_history (
    id {text} NOT NULL PRIMARY KEY,
    sensor_id {text} NOT NULL,
    address {text} NOT NULL,
    data {int} NOT NULL,
    previous {int},
    changed {int} NOT NULL,
    at {int} NOT NULL,
    taken_at {int} NOT NULL,
    heard {int} NOT NULL
) {strict};
CREATE INDEX sensor_history_of ON sensor_history (sensor_id, at, id);
CREATE INDEX sensor_history_at ON sensor_history (at, id);
CREATE INDEX sensor_history_heard ON sensor_history (heard, id);

-- Signals of sensors that nobody registered, and signals that were no signals: the last 10,000 of each, by number.
CREATE TABLE sensor_unknown (
    id {text} NOT NULL PRIMARY KEY,
    first_at {int} NOT NULL,
    last_at {int} NOT NULL,
    count {int} NOT NULL,
    data {int} NOT NULL
) {strict};
CREATE INDEX sensor_unknown_last ON sensor_unknown (last_at, id);
CREATE TABLE sensor_rejected (
    slot {int} NOT NULL PRIMARY KEY,
    number {int} NOT NULL,
    at {int} NOT NULL,
    source {text} NOT NULL,
    reason {text} NOT NULL,
    body {text} NOT NULL
) {strict};
CREATE INDEX sensor_rejected_by_number ON sensor_rejected (number);
CREATE TABLE sensor_count (
    name {text} NOT NULL PRIMARY KEY,
    value {int} NOT NULL
) {strict};

-- How long we did not listen to sensors though the store did (ear.rs); level_at is null without a broker.
CREATE TABLE sensor_ear (
    one {int} PRIMARY KEY,
    deaf_ms {int} NOT NULL,
    level_at {int},
    CHECK (one = 1)
) {strict};
-- Those who take signals from the broker, one for each node: when each was last level, and when it last said anything. Both are
-- listening time of the store.
CREATE TABLE sensor_intake (
    name {text} NOT NULL PRIMARY KEY,
    level_at {int} NOT NULL,
    said_at {int} NOT NULL
) {strict};

-- Imports (SEN-1): lines of sensors or links, worked through by a task. The lines are a blob that is kept until the import has ended;
-- place is how many bytes of them are done, and everything that their lines did is in the same commit. skipping: the line that begins
-- before place is too long, and its rest is to be passed over. columns are those of a CSV's first line, JSON.
CREATE TABLE sensor_import (
    id {text} NOT NULL PRIMARY KEY,
    kind {text} NOT NULL,
    format {text} NOT NULL,
    sha {text} NOT NULL,
    size {int} NOT NULL,
    state {text} NOT NULL,
    reason {text} NOT NULL,
    columns {text},
    place {int} NOT NULL,
    skipping {int} NOT NULL,
    lines {int} NOT NULL,
    created {int} NOT NULL,
    changed {int} NOT NULL,
    unchanged {int} NOT NULL,
    rejected {int} NOT NULL,
    begun_at {int} NOT NULL,
    ended_at {int},
    -- The same in listening time of the store, by which it is forgotten.
    ended {int},
    CHECK (kind IN ('sensors', 'links')),
    CHECK (format IN ('ndjson', 'csv')),
    CHECK (state IN ('running', 'done', 'failed', 'cancelled')),
    CHECK ((state = 'running') = (ended_at IS NULL))
) {strict};

-- The first lines of an import that were rejected.
CREATE TABLE sensor_import_line (
    import_id {text} NOT NULL,
    line {int} NOT NULL,
    reason {text} NOT NULL,
    PRIMARY KEY (import_id, line)
) {clustered};

-- Events of a client that are sent again, in order, one in flight: the last one of each client. place is the number of the last
-- event that is done with, until the last that is looked at; next_at is listening time of the store, written before the try that it
-- follows. While one is being sent, sending is its number, attempt that of the try, and begun when it began.
CREATE TABLE sensor_replay (
    client_id {text} NOT NULL PRIMARY KEY,
    task_id {text} NOT NULL,
    from_at {int} NOT NULL,
    to_at {int} NOT NULL,
    place {int} NOT NULL,
    until {int} NOT NULL,
    sent {int} NOT NULL,
    left_out {int} NOT NULL,
    tries {int} NOT NULL,
    next_at {int} NOT NULL,
    sending {int},
    attempt {int},
    begun {int},
    state {text} NOT NULL,
    reason {text} NOT NULL,
    begun_at {int} NOT NULL,
    ended_at {int},
    CHECK (state IN ('running', 'done', 'failed')),
    CHECK ((state = 'running') = (ended_at IS NULL))
) {strict};
