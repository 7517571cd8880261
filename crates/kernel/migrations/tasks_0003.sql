-- Tasks with a target are somebody's, whatever they are called: lists that leave out the server's own find them here. It is not for
-- all rows, so that no plan takes it for the primary key.
CREATE INDEX task_targeted ON task (id) WHERE target IS NOT NULL;
