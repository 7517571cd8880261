-- Journal (KER-28): what an operator would want to read later. `heard` is the listening time of the entry: retention counts by
-- it, so that a jump of the calendar deletes nothing.
CREATE TABLE journal (
    id {text} PRIMARY KEY,
    at {int} NOT NULL,
    kind {text} NOT NULL,
    subject {text} NOT NULL,
    caller {text} NOT NULL,
    text {text} NOT NULL,
    heard {int} NOT NULL
) {clustered};
CREATE INDEX journal_by_time ON journal (at, id);
