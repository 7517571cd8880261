//! Cron texts (KER-21): `H25`, `D0425`, `W30425`, `M100425`, `Y11100425`. Times are UTC.

/// When something runs again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron(String);
