//! `bench all`: every scenario in a process of its own, and one report of them: Markdown with a plot for each figure.
//!
//! A scenario tells its figures by [`Figure::tell`], beside what it prints for people. What a scenario prints stays in a file of its own; what it could not
//! run, and why, is part of the report, and so is a scenario that failed. The report judges nothing: it holds medians, their spread, goals, and
//! the disk's own sync time of each scenario.

mod all;
mod figure;
mod machine;
mod page;
mod plot;

pub use all::run;
pub use figure::{Figure, Unit};
