//! The command line on its own files and against a real server (CON-9, KER-22, KER-36): every verb as a table and as JSON, what is refused, wrong use,
//! a server that is not there, and data that wants to be obeyed by the terminal.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test starts processes, looks at their files and sets the times of files"
)]

mod actions;
mod admin;
mod away;
mod doctor;
mod doctor_partners;
mod documents;
mod engines;
mod exchange;
mod exits;
mod folders;
mod guide;
mod help;
mod kit;
mod login;
mod refusals;
mod sensors;
mod tasks;
mod workflow;
