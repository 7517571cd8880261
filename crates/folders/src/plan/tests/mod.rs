//! Plans against a store in memory that is as strict as the real one, and against a naive model: a disk with full paths.

mod cases;
mod disk;
mod found;
mod random;
mod store;
