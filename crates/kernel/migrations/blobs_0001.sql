-- Blobs (KER-26). A row says that the bytes are durable under this name. It is either referred to (unused_since is null) or
-- has the moment, in listening time, from which its grace counts (KER-40); marked_at is the first pass of the collection.
CREATE TABLE blob (
    sha {text} PRIMARY KEY,
    name {text} NOT NULL UNIQUE,
    size {int} NOT NULL,
    pieces {blob} NOT NULL,
    stored_at {int} NOT NULL,
    unused_since {int},
    marked_at {int},
    damaged_at {int},
    CHECK (size >= 0 AND (marked_at IS NULL OR unused_since IS NOT NULL))
) {strict};
CREATE INDEX blob_unused ON blob (unused_since, sha) WHERE unused_since IS NOT NULL AND marked_at IS NULL;
CREATE INDEX blob_marked ON blob (marked_at, sha) WHERE marked_at IS NOT NULL;

-- Who refers to a blob: one row per reference.
CREATE TABLE blob_ref (
    sha {text} NOT NULL,
    owner_kind {text} NOT NULL,
    owner_id {text} NOT NULL,
    PRIMARY KEY (sha, owner_kind, owner_id)
) {clustered};

-- Names whose bytes go: doomed = 1 for certain, 0 if nothing claims them until a delay since then is over.
CREATE TABLE blob_garbage (
    name {text} PRIMARY KEY,
    since {int} NOT NULL,
    doomed {int} NOT NULL,
    CHECK (doomed IN (0, 1))
) {strict};
CREATE INDEX blob_garbage_due ON blob_garbage (doomed, since, name);

-- How much is stored, in parts so that operations on different blobs do not meet in one row.
CREATE TABLE blob_usage (
    part {int} PRIMARY KEY,
    blobs {int} NOT NULL,
    bytes {int} NOT NULL
) {strict};

-- How long things are kept: one row, once the server has said so.
CREATE TABLE blob_rule (
    id {int} PRIMARY KEY,
    grace_ms {int} NOT NULL,
    delay_ms {int} NOT NULL,
    CHECK (id = 1)
) {strict};
