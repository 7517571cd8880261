-- Namespaces (KER-1, KER-2). Every store has these tables; only those of the administrators' namespace are used.
-- The place (a folder's or schema's name) belongs to one life of a namespace: it is never used again, so that whoever is
-- late with a removal cannot hit a namespace that was created again under the same name.
CREATE TABLE namespace (
    name {text} PRIMARY KEY,
    label {text} NOT NULL,
    engine {text} NOT NULL,
    place {text} NOT NULL UNIQUE,
    home {text} NOT NULL,
    url {text},
    state {text} NOT NULL,
    message {text} NOT NULL,
    reopens_at {int},
    limits {text} NOT NULL,
    created_at {int} NOT NULL,
    version {int} NOT NULL
) {strict};

-- Read-only grants: `reader` may read the documents of one class of `owner`.
CREATE TABLE namespace_grant (
    owner {text} NOT NULL,
    reader {text} NOT NULL,
    class {text} NOT NULL,
    granted_at {int} NOT NULL,
    PRIMARY KEY (owner, reader, class)
) {strict};
CREATE INDEX namespace_grant_of_reader ON namespace_grant (reader);

-- Resource files that are served to the Web.
CREATE TABLE namespace_resource (
    namespace {text} NOT NULL,
    path {text} NOT NULL,
    media_type {text} NOT NULL,
    sha256 {text} NOT NULL,
    size {int} NOT NULL,
    changed_at {int} NOT NULL,
    bytes {blob} NOT NULL,
    PRIMARY KEY (namespace, path)
) {strict};
