-- Whoever sees thousands of new files at once may give them one time: only with their names does one question not look at all of them (FLD-10).
DROP INDEX fld_version_try;
CREATE INDEX fld_version_try ON fld_version (client, try_us, name) WHERE try_us IS NOT NULL;
