-- Who takes part (EXC-1): companies, their subsystems, databases (fold: the id in small letters, unique whatever the case) and devices.
CREATE TABLE exc_company (
    id {text} NOT NULL PRIMARY KEY,
    name {text} NOT NULL,
    created_at {int} NOT NULL
) {strict};
CREATE TABLE exc_subsystem (
    company {text} NOT NULL,
    id {text} NOT NULL,
    name {text} NOT NULL,
    created_at {int} NOT NULL,
    PRIMARY KEY (company, id)
) {clustered};
-- The ledger (EXC-21) is counted along: received = queued + in_process + log + error + unknown + removed.
CREATE TABLE exc_database (
    id {text} NOT NULL PRIMARY KEY,
    fold {text} NOT NULL UNIQUE,
    company {text} NOT NULL,
    key_id {text} NOT NULL,
    created_at {int} NOT NULL,
    received {int} NOT NULL DEFAULT 0,
    queued {int} NOT NULL DEFAULT 0,
    in_process {int} NOT NULL DEFAULT 0,
    log {int} NOT NULL DEFAULT 0,
    error {int} NOT NULL DEFAULT 0,
    unknown {int} NOT NULL DEFAULT 0,
    removed {int} NOT NULL DEFAULT 0,
    sent {int} NOT NULL DEFAULT 0,
    processed {int} NOT NULL DEFAULT 0,
    errors {int} NOT NULL DEFAULT 0,
    deadlocks {int} NOT NULL DEFAULT 0,
    bytes {int} NOT NULL DEFAULT 0,
    contact_at {int}
) {strict};
-- A device (EXC-2): code is the hash of its activation code, valid until code_until (listening time of the store). used_code is the one that
-- was used, for whoever did not hear the answer. The last columns of devices and databases are their counters (EXC-23).
CREATE TABLE exc_device (
    id {text} NOT NULL PRIMARY KEY,
    company {text} NOT NULL,
    subsystem {text} NOT NULL,
    name {text} NOT NULL,
    state {text} NOT NULL,
    key_id {text},
    code {blob},
    code_until {int},
    salt {blob} NOT NULL,
    used_code {blob},
    used_until {int},
    created_at {int} NOT NULL,
    sent {int} NOT NULL DEFAULT 0,
    processed {int} NOT NULL DEFAULT 0,
    errors {int} NOT NULL DEFAULT 0,
    deadlocks {int} NOT NULL DEFAULT 0,
    bytes {int} NOT NULL DEFAULT 0,
    contact_at {int},
    CHECK (state IN ('new', 'active', 'blocked'))
) {strict};
CREATE UNIQUE INDEX exc_device_by_code ON exc_device (code) WHERE code IS NOT NULL;
CREATE INDEX exc_device_by_used_code ON exc_device (used_code) WHERE used_code IS NOT NULL;
CREATE INDEX exc_device_of ON exc_device (company, subsystem, id);
CREATE INDEX exc_device_by_company ON exc_device (company, id);
CREATE INDEX exc_database_of ON exc_database (company, id);

-- Messages (EXC-3), by the number of their receipt. at is created_at, or the time of receipt if that lies before it: order is at, ord, number.
-- db: whose folders it belongs in, at place; 'gone': it is to vanish from there, its id is free again and void is its number, else 0 (which
-- is no condition of the index: that would be written anew with every place). process holds it while it is given, prepared, or its outcome
-- is open. draft: a reply that no commit has confirmed yet. result, error_code and error_text are what the database said of it.
-- on_disk is where its file is known to lie; due: from when on (listening time of the store) the clerk of the folders shall look at it.
-- heard: when it came to its place, in listening time of the store. flaw: its file is lost or damaged and its text is nowhere else.
CREATE TABLE exc_message (
    number {int} NOT NULL PRIMARY KEY,
    id {text} NOT NULL,
    db {text} NOT NULL,
    company {text} NOT NULL,
    subsystem {text} NOT NULL,
    sender {text} NOT NULL,
    receiver {text} NOT NULL,
    at {int} NOT NULL,
    ord {int} NOT NULL,
    size {int} NOT NULL,
    digest {blob} NOT NULL,
    place {text} NOT NULL,
    void {int} NOT NULL DEFAULT 0,
    process {text},
    draft {int} NOT NULL DEFAULT 0,
    skipped {int} NOT NULL DEFAULT 0,
    result {text},
    error_code {int},
    error_text {text},
    received_at {int} NOT NULL,
    heard {int} NOT NULL,
    on_disk {text},
    due {int},
    flaw {text},
    CHECK (place IN ('messages', 'prepared', 'log', 'unknown', 'error', 'gone')),
    CHECK (void = CASE place WHEN 'gone' THEN number ELSE 0 END),
    CHECK (flaw IS NULL OR flaw IN ('lost', 'damaged'))
) {strict};
CREATE UNIQUE INDEX exc_message_of ON exc_message (sender, id, void);
CREATE INDEX exc_message_for ON exc_message (receiver, id) WHERE sender = db;
CREATE INDEX exc_message_queue ON exc_message (receiver, skipped, at, ord, number) WHERE place = 'messages' AND process IS NULL;
CREATE INDEX exc_message_queue_of ON exc_message (receiver, subsystem, skipped, at, ord, number)
    WHERE place = 'messages' AND process IS NULL;
CREATE INDEX exc_message_queue_from ON exc_message (receiver, sender, skipped, at, ord, number)
    WHERE place = 'messages' AND process IS NULL;
CREATE INDEX exc_message_held ON exc_message (process, number) WHERE process IS NOT NULL;
CREATE INDEX exc_message_in ON exc_message (db, place, at, ord, number);
CREATE INDEX exc_message_old ON exc_message (heard, number) WHERE place IN ('log', 'unknown', 'error') AND process IS NULL;
CREATE INDEX exc_message_due ON exc_message (due, number) WHERE due IS NOT NULL;
CREATE INDEX exc_message_flawed ON exc_message (db, number) WHERE flaw IS NOT NULL;
-- Messages as they came, for as long as they can be given on, and until their files are durable.
CREATE TABLE exc_body (
    number {int} NOT NULL PRIMARY KEY,
    body {text} NOT NULL
) {strict};
CREATE TABLE exc_count (
    name {text} NOT NULL PRIMARY KEY,
    value {int} NOT NULL
) {strict};
INSERT INTO exc_count (name, value) VALUES ('receipt', 0);

-- Processes (EXC-11). At most one of a database is active. ready, and until when it may stand in its state: listening time of the store.
-- prepared is the digest of what was prepared: a repeat says the same.
CREATE TABLE exc_process (
    id {text} NOT NULL PRIMARY KEY,
    db {text} NOT NULL,
    state {text} NOT NULL,
    started_at {int} NOT NULL,
    until {int},
    ready_at {int},
    ready {int},
    prepared {blob},
    outcome {text} NOT NULL,
    message {text} NOT NULL,
    ended_at {int},
    ended {int},
    CHECK (state IN ('STARTED', 'READY_TO_COMMIT', 'CLEANUP', 'FAILED', 'UNKNOWN', 'ENDED')),
    CHECK ((state = 'ENDED') = (ended IS NOT NULL)),
    CHECK ((state IN ('STARTED', 'READY_TO_COMMIT')) = (until IS NOT NULL))
) {strict};
CREATE UNIQUE INDEX exc_process_active ON exc_process (db) WHERE state IN ('STARTED', 'READY_TO_COMMIT', 'CLEANUP');
CREATE INDEX exc_process_of ON exc_process (db, state, id);
CREATE INDEX exc_process_by_db ON exc_process (db, id);
CREATE INDEX exc_process_in ON exc_process (state, id);
CREATE INDEX exc_process_until ON exc_process (until, id) WHERE until IS NOT NULL;
CREATE INDEX exc_process_old ON exc_process (ended, id) WHERE state = 'ENDED';

-- What a process was given, with what the database said of each, and what it replied.
CREATE TABLE exc_given (
    process {text} NOT NULL,
    number {int} NOT NULL,
    id {text} NOT NULL,
    reply {int} NOT NULL DEFAULT 0,
    result {text},
    error_code {int},
    error_text {text},
    PRIMARY KEY (process, number)
) {clustered};

-- Which task of the clerk of the folders is at work, and until when nobody else is; number: of its turn, as its work outside
-- knows it; again: somebody wants it to look again.
CREATE TABLE exc_clerk (
    one {int} NOT NULL PRIMARY KEY,
    task {text} NOT NULL,
    number {int} NOT NULL,
    until {int} NOT NULL,
    again {int} NOT NULL
) {strict};
