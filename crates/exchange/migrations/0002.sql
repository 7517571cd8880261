-- Where the text of a message lies that is done and not in the store any more (EXC-8): in the blob of this hash, from this byte on. The
-- blob is a pack of many, referred to as long as one of them is here.
CREATE TABLE exc_packed (
    number {int} NOT NULL PRIMARY KEY,
    sha {text} NOT NULL,
    begins {int} NOT NULL
) {strict};
CREATE INDEX exc_packed_in ON exc_packed (sha, number);
