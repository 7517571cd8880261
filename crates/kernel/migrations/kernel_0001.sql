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

-- Secrets of the namespace itself, such as the one that signs its calls to the outside (KER-19).
CREATE TABLE secret (
    name {text} PRIMARY KEY,
    value {blob} NOT NULL
) {strict};
