-- An account's balance is always the sum of its entries: both are written in one operation.
CREATE TABLE ledger_account (
    id {text} PRIMARY KEY,
    balance {int} NOT NULL CHECK (balance >= 0),
    version {int} NOT NULL
) {strict};

CREATE TABLE ledger_entry (
    id {text} PRIMARY KEY,
    account {text} NOT NULL,
    amount {int} NOT NULL,
    memo {text} NOT NULL,
    version {int} NOT NULL
) {clustered};
CREATE INDEX ledger_entry_by_account ON ledger_entry (account, id);
