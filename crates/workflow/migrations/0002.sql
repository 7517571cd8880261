-- What a poll with a key handed out (WFL-6): a worker whose answer was lost asks once more with the same key and is given the same tasks,
-- as far as they are still its own, so that they need not wait until their time is over. tasks: task ids with their attempts, JSON.
CREATE TABLE wfl_given (
    caller {text} NOT NULL,
    poll_key {text} NOT NULL,
    queue {text} NOT NULL,
    tasks {text} NOT NULL,
    at {int} NOT NULL,
    PRIMARY KEY (caller, poll_key)
) {clustered};
CREATE INDEX wfl_given_old ON wfl_given (at);
