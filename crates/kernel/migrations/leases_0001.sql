-- Leases (KER-24). A row stays for ever once its name was taken, so that its epoch never goes back; `until` is listening time.
CREATE TABLE lease (
    name {text} PRIMARY KEY,
    holder {text} NOT NULL,
    epoch {int} NOT NULL CHECK (epoch > 0),
    until {int} NOT NULL
) {strict};
