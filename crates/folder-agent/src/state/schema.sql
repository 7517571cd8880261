-- What the daemon remembers of one linked folder. Losing it loses no file: everything is compared by hashes again.

-- Single values: the directory's epoch and last commit, the last moment given to a change, the next stage.
CREATE TABLE IF NOT EXISTS value (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The newest version of each file that the server told; tombstones too.
CREATE TABLE IF NOT EXISTS remote (
    id BLOB PRIMARY KEY,
    parent BLOB NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    content_version INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    content TEXT NOT NULL,
    mtime_us INTEGER
) STRICT, WITHOUT ROWID;

-- Each file as it was when server and disk had the same.
CREATE TABLE IF NOT EXISTS synced (
    id BLOB PRIMARY KEY,
    parent BLOB NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    content_version INTEGER NOT NULL,
    content TEXT NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Changes that were set aside: what is sent is this, never the living file.
CREATE TABLE IF NOT EXISTS aside (
    path TEXT PRIMARY KEY,
    stage INTEGER NOT NULL,
    hash BLOB NOT NULL,
    size INTEGER NOT NULL,
    executable INTEGER NOT NULL,
    mtime_us INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- When a change was first seen (FIRST_TRY_TIME): the same in every repeat of the same change. `ask`: what is asked for.
CREATE TABLE IF NOT EXISTS try (
    subject TEXT PRIMARY KEY,
    sign BLOB NOT NULL,
    try_us INTEGER NOT NULL,
    ask TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What is about to be done to this disk; what is left over after a crash is looked at again.
CREATE TABLE IF NOT EXISTS intent (
    number INTEGER PRIMARY KEY,
    step TEXT NOT NULL
) STRICT;

-- Downloads that were begun: what came of them need not come again.
CREATE TABLE IF NOT EXISTS download (
    id BLOB PRIMARY KEY,
    content_version INTEGER NOT NULL,
    stage INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Chunks of large contents that both sides have, or that were set aside: what an edit left as it was is found by them. Only to save work:
-- without a row the content is cut again.
CREATE TABLE IF NOT EXISTS chunks (
    hash BLOB PRIMARY KEY,
    list BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What cannot be kept in step, and why.
CREATE TABLE IF NOT EXISTS other (
    path TEXT PRIMARY KEY,
    why TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What was done here, for people.
CREATE TABLE IF NOT EXISTS log (
    number INTEGER PRIMARY KEY,
    at_us INTEGER NOT NULL,
    what TEXT NOT NULL,
    path TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS log_path ON log (path, number);

-- What people ask of the daemon while it runs.
CREATE TABLE IF NOT EXISTS wish (
    number INTEGER PRIMARY KEY,
    wish TEXT NOT NULL
) STRICT;
