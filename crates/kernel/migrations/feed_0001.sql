-- Events of the change feed (KER-25). Numbers have no gaps and never change; readers see numbered rows only. On SQLite a row
-- gets its number in its own commit, on PostgreSQL from the sequencer after it. `heard_at` is listening time.
CREATE TABLE event (
    id {text} PRIMARY KEY,
    number {int} UNIQUE,
    topic {text} NOT NULL,
    subject {text} NOT NULL,
    version {int} NOT NULL,
    data {text} NOT NULL,
    heard_at {int} NOT NULL
) {clustered};
CREATE INDEX event_unnumbered ON event (id) WHERE number IS NULL;

-- The store's epoch (KER-46): another one after it was put back from a backup. One row.
CREATE TABLE feed (
    one {int} PRIMARY KEY CHECK (one = 1),
    epoch {text} NOT NULL,
    renewals {int} NOT NULL,
    kept_ms {int} NOT NULL
) {strict};
