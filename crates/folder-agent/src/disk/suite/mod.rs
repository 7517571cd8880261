//! What every disk does: each promise of the trait, held against the real one and the one in memory.

mod changes;
mod looks;
mod rig;
mod stages;

pub(super) use rig::{Real, Rig, both, done, hash, local, stat};
