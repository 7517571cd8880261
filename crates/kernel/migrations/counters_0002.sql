-- What was counted of a kind in each calendar minute: the data of charts (CON-2). Each node has its own row, as counters have.
-- `heard` is the listening time at which the row was made. Retention counts by it, so that a jump of the calendar deletes
-- nothing; it never changes, so that raising a row leaves the index alone.
CREATE TABLE counter_minute (
    kind {text} NOT NULL,
    minute {int} NOT NULL,
    node {text} NOT NULL,
    sent {int} NOT NULL,
    processed {int} NOT NULL,
    errors {int} NOT NULL,
    deadlocks {int} NOT NULL,
    retries {int} NOT NULL,
    heard {int} NOT NULL,
    PRIMARY KEY (kind, minute, node)
) {clustered};
CREATE INDEX counter_minute_by_heard ON counter_minute (heard, kind, minute, node);
