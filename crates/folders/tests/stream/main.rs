//! The stream of a client, message by message: what comes in, what goes out, and what is called for it. Pure: no store, no socket.

mod directories;
mod downloads;
mod talk;
mod uploads;
mod waiters;
