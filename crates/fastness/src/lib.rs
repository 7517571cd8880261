//! (in the making)

pub mod config;
