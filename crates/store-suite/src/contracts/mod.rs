//! The contracts, by what they promise. Each says why it matters.

pub(crate) mod budget;
pub(crate) mod claims;
pub(crate) mod closing;
pub(crate) mod errors;
pub(crate) mod full;
pub(crate) mod heard;
pub(crate) mod history;
pub(crate) mod hot;
pub(crate) mod migrations;
pub(crate) mod panics;
pub(crate) mod parameters;
pub(crate) mod refusals;
pub(crate) mod skew;
pub(crate) mod statements;
pub(crate) mod visible;
pub(crate) mod waiting;
