-- Alerts (KER-27): one row per opening of a condition; of one key at most one is not closed. `opening_message` and
-- `closing_message` name the message that told of it; NULL while nobody was told, empty where nobody will be.
-- `heard` is the listening time of the last change: what a jump of the calendar must not make old.
CREATE TABLE alert (
    id {text} PRIMARY KEY,
    key {text} NOT NULL,
    kind {text} NOT NULL,
    message {text} NOT NULL,
    opened_at {int} NOT NULL,
    acknowledged_at {int},
    acknowledged_by {text},
    closed_at {int},
    opening_message {text},
    closing_message {text},
    heard {int} NOT NULL
) {clustered};
CREATE UNIQUE INDEX alert_of_key ON alert (key) WHERE closed_at IS NULL;
CREATE INDEX alert_live ON alert (id) WHERE closed_at IS NULL;
CREATE INDEX alert_live_of_kind ON alert (kind, id) WHERE closed_at IS NULL;
CREATE INDEX alert_untold ON alert (kind, id)
    WHERE opening_message IS NULL OR (closed_at IS NOT NULL AND closing_message IS NULL);
CREATE INDEX alert_ended ON alert (heard, id) WHERE closed_at IS NOT NULL;

-- What is to be sent of one kind, and when. Whatever is not told, or in a message that is not out, has a task and a moment (of
-- listening time) at which it goes on (KER-40).
CREATE TABLE alert_kind (
    kind {text} PRIMARY KEY,
    untold_since {int},
    sent_at {int},
    repeats {int} NOT NULL,
    message_id {text},
    task_id {text},
    wake_at {int},
    CHECK ((task_id IS NULL) = (wake_at IS NULL)),
    CHECK (task_id IS NOT NULL OR (untold_since IS NULL AND message_id IS NULL))
) {clustered};
CREATE INDEX alert_kind_by_wake ON alert_kind (wake_at, kind) WHERE wake_at IS NOT NULL;

-- Messages, kept as history of what was sent. `place` is the channel that is tried now, `place_tries` how often without hearing
-- what came of it, `rounds` how often all channels failed.
CREATE TABLE alert_message (
    id {text} PRIMARY KEY,
    kind {text} NOT NULL,
    subject {text} NOT NULL,
    text {text} NOT NULL,
    made_at {int} NOT NULL,
    done_at {int},
    place {int} NOT NULL,
    place_tries {int} NOT NULL,
    rounds {int} NOT NULL,
    tries {int} NOT NULL,
    heard {int} NOT NULL
) {clustered};

-- One row per try, written before the call: while nothing came of it, the outcome is unknown.
CREATE TABLE alert_attempt (
    message_id {text} NOT NULL,
    number {int} NOT NULL,
    channel {text} NOT NULL,
    at {int} NOT NULL,
    outcome {text} NOT NULL,
    reason {text} NOT NULL,
    PRIMARY KEY (message_id, number)
) {clustered};

-- Where messages go, in order. Without rows the server's own channels are used.
CREATE TABLE alert_channel (
    place {int} PRIMARY KEY,
    channel {text} NOT NULL
) {clustered};
