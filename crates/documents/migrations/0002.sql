-- Who changed it (CON-5): of every item and tombstone, who did it and by which operation; empty for what was written before this
-- step. When it was is the item's version.
ALTER TABLE doc_item ADD COLUMN who {text} NOT NULL DEFAULT '';
ALTER TABLE doc_item ADD COLUMN op {text} NOT NULL DEFAULT '';

-- How many changes of a document were written down so far, in all its lives; the next one goes to place changes % 50.
ALTER TABLE doc ADD COLUMN changes {int} NOT NULL DEFAULT 0;

-- The last changes of documents whose class keeps a history. A document has 50 places and writes round and round over them, so that
-- nothing has to be trimmed. items is a JSON list of the first 20 items; item_count tells how many they were.
CREATE TABLE doc_change (
    class {text} NOT NULL,
    id {text} NOT NULL,
    place {int} NOT NULL,
    version {int} NOT NULL,
    kind {text} NOT NULL,
    who {text} NOT NULL,
    op {text} NOT NULL,
    item_count {int} NOT NULL,
    items {text} NOT NULL,
    PRIMARY KEY (class, id, place),
    CHECK (kind IN ('created', 'changed', 'deleted', 'recreated'))
) {clustered};
CREATE INDEX doc_change_age ON doc_change (version);
