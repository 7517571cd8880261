-- What people have in their hands is the name of a device, the name of a company or the id of a message (CON-11).
CREATE INDEX exc_company_by_name ON exc_company (name, id);
CREATE INDEX exc_device_by_name ON exc_device (name, id);
CREATE INDEX exc_message_by_id ON exc_message (id, number);
