-- Journal (KER-28): what an operator would want to read later.
CREATE TABLE journal (
    id {text} PRIMARY KEY,
    at {int} NOT NULL,
    kind {text} NOT NULL,
    subject {text} NOT NULL,
    caller {text} NOT NULL,
    text {text} NOT NULL
) {clustered};
