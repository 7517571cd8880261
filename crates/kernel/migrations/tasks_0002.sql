-- What people look for among many (KER-22), in the order of creation. None is for all rows, so that no plan takes one for the
-- primary key, and each is small: only what is behind in a lane, only what failed, changes it.
CREATE INDEX task_behind_by_id ON task (id) WHERE behind = 1;
CREATE INDEX task_retried ON task (id) WHERE retry > 0;
