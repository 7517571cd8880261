//! Rule by rule, and at random against a model of the server and of disks.

mod cases;
mod names;
mod script;
