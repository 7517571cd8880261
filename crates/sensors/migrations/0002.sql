-- With an archive configured, rows of history and tries that ended move on to it in batches (SEN-11): the tables themselves are the
-- outbox. A batch is the rows that bear its name, and they are the same in every try to write it.
ALTER TABLE sensor_history ADD COLUMN batch {text};
ALTER TABLE sensor_attempt ADD COLUMN batch {text};
CREATE INDEX sensor_history_batch ON sensor_history (batch, id);
CREATE INDEX sensor_attempt_batch ON sensor_attempt (batch, client_id, seq, number);

-- The batch that is under way, if one is: rows are gathered for it, it is written, its rows are cleared away. touched is listening time
-- of the store at its last step; failing_since is when the tries to write it began to fail.
CREATE TABLE sensor_outbox (
    one {int} PRIMARY KEY,
    batch {text} NOT NULL,
    phase {text} NOT NULL,
    row_count {int} NOT NULL,
    touched {int} NOT NULL,
    failures {int} NOT NULL,
    failing_since {int},
    CHECK (one = 1),
    CHECK (phase IN ('gather', 'write', 'clear')),
    CHECK ((failures = 0) = (failing_since IS NULL))
) {strict};

-- When signs of life were last kept in Redis, in listening time of sensors: rows may then be a quarter of a silence older than the last
-- sign of life (life/).
CREATE TABLE sensor_life (
    one {int} PRIMARY KEY,
    used {int} NOT NULL,
    CHECK (one = 1)
) {strict};
