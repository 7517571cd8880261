//! The server's pages in a real browser (CON-10): `cargo xtask services run -- cargo nextest run -p fastness --test browser`.
//!
//! Each test has a server and a browser of its own. A test is what a person does, step by step.

mod console_administration;
mod console_away;
mod console_documents;
mod console_exchange;
mod console_find;
mod console_folders;
mod console_frame;
mod console_overview;
mod console_script;
mod console_sensors;
mod console_start;
mod console_suggest;
mod console_tasks;
mod console_transfers;
mod console_watch;
mod console_workflow;
mod elsewhere;
mod forgery;
mod public;
mod site;
mod steps;
mod sweep;
mod sweep_plain;
