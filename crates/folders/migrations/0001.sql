-- A directory that devices keep in step (FLD-2). `seq`: its last commit; `names`: folded or exact (FLD-18); `anyone`: what keys of the namespace may
-- do that are no members (FLD-25); `bytes`: of what is there now; `gone`: it is being removed, nobody sees it any more.
CREATE TABLE fld_directory (
    id {text} PRIMARY KEY,
    name {text} NOT NULL,
    seq {int} NOT NULL CHECK (seq >= 0),
    names {text} NOT NULL CHECK (names IN ('folded', 'exact')),
    anyone {text} NOT NULL CHECK (anyone IN ('none', 'read', 'write')),
    quota_bytes {int},
    bytes {int} NOT NULL CHECK (bytes >= 0),
    kept_ms {int},
    gone {int} NOT NULL CHECK (gone IN (0, 1)),
    created_at {int} NOT NULL,
    created_by {text} NOT NULL
) {strict};

-- A file, a folder, a symbolic link or its tombstone. `parent`: a folder's id, '' at the top; `slot`: its name as the directory compares names.
-- `changed_at` is for people, `heard` (listening time) is how old it is.
CREATE TABLE fld_file (
    id {text} PRIMARY KEY,
    directory {text} NOT NULL REFERENCES fld_directory (id),
    parent {text} NOT NULL,
    name {text} NOT NULL,
    slot {text} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('FILE', 'FOLDER', 'SYMLINK')),
    version {int} NOT NULL CHECK (version >= 1),
    content_version {int} NOT NULL CHECK (content_version >= 0 AND content_version <= version),
    deleted {int} NOT NULL CHECK (deleted IN (0, 1)),
    content {text},
    size {int} NOT NULL CHECK (size >= 0),
    mtime_us {int},
    executable {int},
    target {text},
    seq {int} NOT NULL,
    changed_at {int} NOT NULL,
    heard {int} NOT NULL,
    client {text} NOT NULL
) {strict};
CREATE UNIQUE INDEX fld_file_slot ON fld_file (directory, parent, slot) WHERE deleted = 0;
CREATE INDEX fld_file_seq ON fld_file (directory, seq, id);
CREATE INDEX fld_file_gone ON fld_file (directory, heard, id) WHERE deleted = 1;

-- Every version of a file (FLD-24). `client` and `try_us`: who brought it with which try, so that a repeat is answered the same (FLD-10).
CREATE TABLE fld_version (
    file {text} NOT NULL REFERENCES fld_file (id),
    version {int} NOT NULL,
    directory {text} NOT NULL,
    parent {text} NOT NULL,
    name {text} NOT NULL,
    kind {text} NOT NULL,
    content_version {int} NOT NULL,
    deleted {int} NOT NULL,
    content {text},
    size {int} NOT NULL,
    mtime_us {int},
    executable {int},
    target {text},
    seq {int} NOT NULL,
    changed_at {int} NOT NULL,
    heard {int} NOT NULL,
    client {text} NOT NULL,
    device {text} NOT NULL,
    try_us {int},
    PRIMARY KEY (file, version)
) {strict};
CREATE INDEX fld_version_seq ON fld_version (directory, seq, file);
CREATE INDEX fld_version_changed ON fld_version (directory, changed_at, seq);
CREATE INDEX fld_version_device ON fld_version (directory, device, changed_at, file, version);
CREATE INDEX fld_version_try ON fld_version (client, try_us) WHERE try_us IS NOT NULL;
CREATE INDEX fld_version_old ON fld_version (directory, heard, file, version);

-- What a version holds: its segments, found by what they hold. `hash`: SHA-256 of all bytes; `checked`: we computed it ourselves. `refs`: versions.
-- `segments`: 32 bytes of each one's id; `id`: the digest of these, so the same chunks are the same content.
CREATE TABLE fld_content (
    id {text} PRIMARY KEY,
    size {int} NOT NULL,
    hash {text},
    checked {int} NOT NULL CHECK (checked IN (0, 1)),
    segments {blob} NOT NULL,
    refs {int} NOT NULL CHECK (refs >= 0),
    unused_since {int},
    CHECK (refs > 0 OR unused_since IS NOT NULL)
) {strict};
CREATE INDEX fld_content_unused ON fld_content (unused_since, id) WHERE refs = 0;

-- At most 500 chunks: 32 bytes of digest and 4 of size each. It keeps its blobs (owner `folders.segment`). `refs`: contents,
-- each counted once.
CREATE TABLE fld_segment (
    id {text} PRIMARY KEY,
    size {int} NOT NULL,
    chunks {blob} NOT NULL,
    refs {int} NOT NULL CHECK (refs >= 0),
    unused_since {int},
    CHECK (refs > 0 OR unused_since IS NOT NULL)
) {strict};
CREATE INDEX fld_segment_unused ON fld_segment (unused_since, id) WHERE refs = 0;

-- Who writes a file or a path (FLD-6, FLD-14) and who waits for it. `place`: a file's id, or `directory/parent/slot` of one that is new.
-- `until`: the holder's or the reservation's end, in listening time.
CREATE TABLE fld_seat (
    place {text} PRIMARY KEY,
    directory {text} NOT NULL,
    holder {text},
    reserved {text},
    waiting {text} NOT NULL,
    upload {text},
    until {int} NOT NULL
) {strict};
CREATE INDEX fld_seat_until ON fld_seat (until, place);
CREATE INDEX fld_seat_directory ON fld_seat (directory, place);
CREATE INDEX fld_seat_upload ON fld_seat (upload, place) WHERE upload IS NOT NULL;

-- What somebody was allowed to write (VERSION_INCREASE_ALLOW), until it is written or given up.
CREATE TABLE fld_upload (
    id {text} PRIMARY KEY,
    directory {text} NOT NULL,
    client {text} NOT NULL,
    device {text} NOT NULL,
    asked {text} NOT NULL,
    until {int} NOT NULL,
    began_at {int} NOT NULL
) {strict};
CREATE INDEX fld_upload_until ON fld_upload (until, id);
CREATE INDEX fld_upload_directory ON fld_upload (directory, id);

-- Who may do what in a directory (FLD-25): `who` is the id of a key, or the name of a device.
CREATE TABLE fld_member (
    directory {text} NOT NULL,
    who {text} NOT NULL,
    role {text} NOT NULL CHECK (role IN ('none', 'read', 'write', 'admin')),
    PRIMARY KEY (directory, who)
) {strict};

-- Devices that came to a directory. `seq`: all up to here they were told; tombstones stay until every known device passed them (FLD-12).
CREATE TABLE fld_device (
    directory {text} NOT NULL,
    device {text} NOT NULL,
    key {text} NOT NULL,
    seq {int} NOT NULL,
    seen_at {int} NOT NULL,
    PRIMARY KEY (directory, device)
) {strict};
