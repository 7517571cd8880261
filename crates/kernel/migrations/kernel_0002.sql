-- Keys are found by the beginning of their label (CON-11). Not for all rows, so that no plan takes it for the primary key.
CREATE INDEX access_key_by_label ON access_key (label, id) WHERE label <> '';
