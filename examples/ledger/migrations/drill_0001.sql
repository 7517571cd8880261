-- What tasks of the drill did. No key on purpose: an effect that happened twice must show as two rows.
CREATE TABLE drill_mark (
    id {text} PRIMARY KEY,
    name {text} NOT NULL,
    cycle {int} NOT NULL,
    task {text} NOT NULL,
    attempt {int} NOT NULL
) {clustered};
