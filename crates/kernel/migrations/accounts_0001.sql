-- Accounts of people (KER-32).
CREATE TABLE console_account (
    name {text} PRIMARY KEY,
    role {text} NOT NULL,
    -- argon2id, in the PHC text form.
    password {text} NOT NULL,
    must_change {int} NOT NULL,
    created_at {int} NOT NULL,
    blocked_at {int},
    CHECK (role IN ('admin', 'operator', 'reader'))
) {strict};

-- Console sessions (KER-33): a hash of the token, and two ends in listening time.
CREATE TABLE console_session (
    hash {blob} PRIMARY KEY,
    account {text} NOT NULL,
    created_at {int} NOT NULL,
    idle_at {int} NOT NULL,
    ends_at {int} NOT NULL
) {strict};
CREATE INDEX console_session_of_account ON console_session (account, ends_at);
CREATE INDEX console_session_by_end ON console_session (ends_at);

-- Tries to log in that did not succeed, by (account, address), by account and by address; times in listening time.
CREATE TABLE login_failure (
    subject {text} PRIMARY KEY,
    failures {int} NOT NULL,
    last_at {int} NOT NULL
) {strict};
CREATE INDEX login_failure_by_age ON login_failure (last_at, subject);
