-- A namespace to try things in: when it is removed its data is destroyed, not set aside, and its calls may reach this machine.
ALTER TABLE namespace ADD COLUMN temporary {int} NOT NULL DEFAULT 0;
