//! What only this engine does, on a real server: `FASTNESS_TEST_POSTGRES` is its connection string.
//!
//! Each test has a schema of its own, which it drops. What every engine promises is in
//! [`contract`].

mod aside;
mod batches;
mod cluster;
mod conflicts;
mod contract;
mod health;
mod lost;
mod migrations;
mod proxy;
mod restart;
mod sandbox;
mod values;
mod waiting;
mod words;
mod writes;
