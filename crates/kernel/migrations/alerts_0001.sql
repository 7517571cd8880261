-- Alerts (KER-27): one row per condition.
CREATE TABLE alert (
    key {text} PRIMARY KEY,
    kind {text} NOT NULL,
    message {text} NOT NULL,
    opened_at {int} NOT NULL,
    closed_at {int}
) {strict};
