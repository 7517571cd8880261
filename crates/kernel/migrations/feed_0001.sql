-- Events of the change feed (KER-25); numbered after commit, seen by readers once numbered.
CREATE TABLE event (
    id {text} PRIMARY KEY,
    number {int} UNIQUE,
    topic {text} NOT NULL,
    subject {text} NOT NULL,
    version {int} NOT NULL,
    data {text} NOT NULL
) {clustered};
