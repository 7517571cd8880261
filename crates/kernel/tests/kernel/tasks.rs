//! The dispatcher on a store in memory, with time and the outside in our hands (KER-14 to KER-23).

mod admin;
mod lanes;
mod list;
mod lost;
mod moody;
mod named;
mod overview;
mod patience;
mod postgres;
mod runs;
mod world;
