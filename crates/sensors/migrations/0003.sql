-- Room in each page for the next state of its sensors: PostgreSQL then changes a row in its place and touches no index, so that nodes that judge
-- signals of different sensors do not fight over pages of them.
/*pg ALTER TABLE sensor_0 SET (fillfactor = 60) */;
/*pg ALTER TABLE sensor_1 SET (fillfactor = 60) */;
/*pg ALTER TABLE sensor_2 SET (fillfactor = 60) */;
/*pg ALTER TABLE sensor_3 SET (fillfactor = 60) */;
/*pg ALTER TABLE sensor_4 SET (fillfactor = 60) */;
/*pg ALTER TABLE sensor_5 SET (fillfactor = 60) */;
/*pg ALTER TABLE sensor_6 SET (fillfactor = 60) */;
/*pg ALTER TABLE sensor_7 SET (fillfactor = 60) */;
