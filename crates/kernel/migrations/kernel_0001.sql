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

-- Access keys (KER-32).
CREATE TABLE access_key (
    id {text} PRIMARY KEY,
    role {text} NOT NULL,
    scope {text} NOT NULL,
    label {text} NOT NULL,
    created_at {int} NOT NULL,
    revoked_at {int}
) {strict};

-- Secrets of the namespace itself, such as the one that signs its calls to the outside (KER-19).
CREATE TABLE secret (
    name {text} PRIMARY KEY,
    value {blob} NOT NULL
) {strict};

-- Secrets of access keys: only their hashes. A key has one that is valid until it is rotated, and those of earlier rotations
-- until their overlap (listening time) ends.
CREATE TABLE access_secret (
    hash {blob} PRIMARY KEY,
    key_id {text} NOT NULL,
    salt {blob} NOT NULL,
    valid_until {int}
) {strict};
CREATE INDEX access_secret_of_key ON access_secret (key_id);
CREATE UNIQUE INDEX access_secret_current ON access_secret (key_id) WHERE valid_until IS NULL;
