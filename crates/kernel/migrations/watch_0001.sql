-- What the server's configuration says to tasks, which see nothing but rows; written by the server, never by hand.
CREATE TABLE setting (
    name {text} PRIMARY KEY,
    value {text} NOT NULL
) {clustered};
