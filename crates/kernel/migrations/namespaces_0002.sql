-- Transfers (KER-3): a namespace on its way to another engine, or out of an archive into being. At most one of a name; one that has ended stays to
-- be looked at until the next. Whoever is `node` works on it, looks every 2 seconds, and counts an attempt before it begins (KER-40). `resume`: the
-- namespace's state to go back to; `cancelled`: somebody wants it back; `archive`: the digest of the archive. `row_count` and `digest`: what both sides held.
CREATE TABLE namespace_transfer (
    name {text} PRIMARY KEY,
    id {text} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('move', 'import')),
    state {text} NOT NULL,
    place {text} NOT NULL,
    from_engine {text},
    to_engine {text} NOT NULL,
    to_url {text},
    node {text} NOT NULL,
    resume {text},
    cancelled {int} NOT NULL CHECK (cancelled IN (0, 1)),
    attempts {int} NOT NULL,
    note {text} NOT NULL,
    archive {text},
    row_count {int},
    digest {text},
    started_at {int} NOT NULL,
    ended_at {int},
    version {int} NOT NULL,
    CHECK ((ended_at IS NULL) = (state NOT IN ('done', 'failed', 'cancelled')))
) {strict};
