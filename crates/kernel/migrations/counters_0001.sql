-- Counters (KER-29), each node its own row, so that nodes never fight for one. Reading sums over nodes.
CREATE TABLE counter (
    kind {text} NOT NULL,
    name {text} NOT NULL,
    node {text} NOT NULL,
    sent {int} NOT NULL,
    processed {int} NOT NULL,
    errors {int} NOT NULL,
    deadlocks {int} NOT NULL,
    retries {int} NOT NULL,
    last_seen {int} NOT NULL,
    heard {int} NOT NULL,
    PRIMARY KEY (kind, name, node)
) {clustered};
CREATE INDEX counter_by_heard ON counter (heard, kind, name, node);

-- The last flush of each node: one that comes again after an unknown commit is known by its number.
CREATE TABLE counter_flush (
    node {text} PRIMARY KEY,
    life {text} NOT NULL,
    number {int} NOT NULL
) {clustered};
