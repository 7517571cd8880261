-- Directories and files are found by the beginning of their names (CON-11).
CREATE INDEX fld_directory_by_name ON fld_directory (name, id) WHERE gone = 0;
CREATE INDEX fld_file_by_slot ON fld_file (slot, id) WHERE deleted = 0;
