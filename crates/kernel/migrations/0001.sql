-- Idempotent requests (KER-10). Found by their scope; the caller's keys grow with time, so rows are added at the end.
CREATE TABLE request (
    caller {text} NOT NULL,
    route {text} NOT NULL,
    key {text} NOT NULL,
    body_hash {blob} NOT NULL,
    request_id {text} NOT NULL,
    expires_at {int} NOT NULL,
    complete {int} NOT NULL DEFAULT 0,
    answer {text},
    version {int},
    PRIMARY KEY (caller, route, key)
) {clustered};
CREATE INDEX request_by_expiry ON request (expires_at);

-- Access keys (KER-32): only a hash of the secret is kept.
CREATE TABLE access_key (
    id {text} PRIMARY KEY,
    hash {blob} NOT NULL UNIQUE,
    salt {blob} NOT NULL,
    role {text} NOT NULL,
    scope {text} NOT NULL,
    label {text} NOT NULL,
    created_at {int} NOT NULL,
    revoked_at {int}
) {strict};

-- Tasks (KER-15). One that waits has a start, one that is claimed has an owner and a moment (of listening time) at which it
-- is taken for lost: there is no third state (KER-40).
CREATE TABLE task (
    id {text} PRIMARY KEY,
    op {text} NOT NULL,
    param {text} NOT NULL,
    info {text} NOT NULL,
    queue {int} NOT NULL,
    lane {text},
    start_at {int} NOT NULL,
    start_time {int},
    owner {text},
    lost_at {int},
    attempt {int} NOT NULL,
    retry {int} NOT NULL,
    cron {text},
    checkpoint {text},
    exc {text},
    report {text},
    created_at {int} NOT NULL,
    CHECK ((start_time IS NULL) = (owner IS NULL) AND (owner IS NULL) = (lost_at IS NULL))
) {strict};
CREATE INDEX task_waiting ON task (queue, start_at, id) WHERE owner IS NULL;
CREATE INDEX task_claimed ON task (owner, lost_at) WHERE owner IS NOT NULL;
CREATE INDEX task_of_lane ON task (lane, start_at, id) WHERE lane IS NOT NULL;
CREATE INDEX task_by_info ON task (info);

-- Events of the change feed (KER-25); numbered after commit, seen by readers once numbered.
CREATE TABLE event (
    id {text} PRIMARY KEY,
    number {int} UNIQUE,
    topic {text} NOT NULL,
    subject {text} NOT NULL,
    version {int} NOT NULL,
    data {text} NOT NULL
) {clustered};

-- Alerts (KER-27): one row per condition.
CREATE TABLE alert (
    key {text} PRIMARY KEY,
    kind {text} NOT NULL,
    message {text} NOT NULL,
    opened_at {int} NOT NULL,
    closed_at {int}
) {strict};

-- Journal (KER-28): what an operator would want to read later.
CREATE TABLE journal (
    id {text} PRIMARY KEY,
    at {int} NOT NULL,
    kind {text} NOT NULL,
    subject {text} NOT NULL,
    caller {text} NOT NULL,
    text {text} NOT NULL
) {clustered};
