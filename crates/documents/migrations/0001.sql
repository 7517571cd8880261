-- Classes: what their owner declared, and what follows from it (numbers of indexed fields, copies), as one JSON text so that an
-- operation learns all of a class with one row.
CREATE TABLE doc_class (
    class {text} PRIMARY KEY,
    compiled {text} NOT NULL,
    version {int} NOT NULL
) {strict};

-- Indexed fields by number. A number is used once: a field that is dropped keeps its row until its entries are gone, and the newest
-- row stays even then. looked_at counts the items that its filling has looked at.
CREATE TABLE doc_field (
    number {int} PRIMARY KEY,
    class {text} NOT NULL,
    item {text} NOT NULL,
    field {text} NOT NULL,
    kind {text} NOT NULL,
    state {text} NOT NULL,
    looked_at {int} NOT NULL,
    CHECK (state IN ('filling', 'ready', 'dropping', 'dropped'))
) {strict};

-- Documents (DOC-1). A deleted one keeps its row for a while with ctime 0, so that its next life gets a higher version.
-- live and gone count its items and tombstones; v1 and v2 are their bytes and those of attachments; op and who tell the last
-- change.
CREATE TABLE doc (
    class {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    ctime {int} NOT NULL,
    dtime {int} NOT NULL,
    v1 {int} NOT NULL,
    v2 {int} NOT NULL,
    live {int} NOT NULL,
    gone {int} NOT NULL,
    op {text} NOT NULL,
    who {text} NOT NULL,
    PRIMARY KEY (class, id)
) {clustered};
CREATE INDEX doc_deleted ON doc (version) WHERE ctime = 0;

-- The highest version of the deleted documents that were forgotten; none before the first.
CREATE TABLE doc_forgotten (
    one {int} PRIMARY KEY,
    version {int} NOT NULL,
    CHECK (one = 1)
) {strict};

-- Items (DOC-2); content is null in a tombstone. key is empty for a singleton. ord is the stamp of the operation that updated the
-- item, also for tombstones: it decides which of two deferred copies is newer (DOC-14).
CREATE TABLE doc_item (
    class {text} NOT NULL,
    id {text} NOT NULL,
    item {text} NOT NULL,
    key {text} NOT NULL,
    version {int} NOT NULL,
    ord {int} NOT NULL,
    raw {int} NOT NULL,
    content {text},
    PRIMARY KEY (class, id, item, key)
) {clustered};
CREATE INDEX doc_item_gone ON doc_item (class, id, version) WHERE content IS NULL;

-- Indexed values, one table per type (DOC-13).
CREATE TABLE doc_text (
    field {int} NOT NULL, value {text} NOT NULL, id {text} NOT NULL, key {text} NOT NULL,
    PRIMARY KEY (field, value, id, key)
) {clustered};
CREATE INDEX doc_text_of ON doc_text (field, id, key);
CREATE TABLE doc_int (
    field {int} NOT NULL, value {int} NOT NULL, id {text} NOT NULL, key {text} NOT NULL,
    PRIMARY KEY (field, value, id, key)
) {clustered};
CREATE INDEX doc_int_of ON doc_int (field, id, key);
CREATE TABLE doc_real (
    field {int} NOT NULL, value {real} NOT NULL, id {text} NOT NULL, key {text} NOT NULL,
    PRIMARY KEY (field, value, id, key)
) {clustered};
CREATE INDEX doc_real_of ON doc_real (field, id, key);
