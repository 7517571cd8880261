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

-- What there was to tell a client: never changed but for how it ended. body is what is sent, byte for byte, under id as webhook-id.
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
    superseded_by {int},
    PRIMARY KEY (client_id, seq),
    CHECK (kind IN ('state', 'contact', 'group')),
    CHECK (state IN ('waiting', 'sent', 'superseded', 'unlinked', 'failed', 'disabled')),
    CHECK ((state = 'waiting') = (ended_at IS NULL))
) {clustered};
CREATE INDEX sensor_event_at ON sensor_event (at, client_id, seq);

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

-- Accepted data (SEN-11); at is the signal's own time, or ours if it had none.
CREATE TABLE sensor_history (
    id {text} NOT NULL PRIMARY KEY,
    sensor_id {text} NOT NULL,
    address {text} NOT NULL,
    data {int} NOT NULL,
    previous {int},
    changed {int} NOT NULL,
    at {int} NOT NULL,
    taken_at {int} NOT NULL
) {strict};
CREATE INDEX sensor_history_of ON sensor_history (sensor_id, at, id);
CREATE INDEX sensor_history_at ON sensor_history (at, id);

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
