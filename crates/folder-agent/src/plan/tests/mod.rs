//! Rule by rule, and at random against a model of the server and of disks.

mod cases;
mod device;
mod disk;
mod names;
mod random;
mod script;
mod server;
