//! For programs that use the server: copies of documents that keep in step (DOC-9), the calls of the documents' API (DOC-6),
//! and workers and processes of the [`workflow`] (WFL-1).
//!
//! Two halves. A [`Replica`] is a set of documents that a program keeps, in memory or in a file: it says what it holds, takes
//! answers in, and can itself be asked; it knows no network. A [`Client`] makes the calls: it repeats what broke, with the same
//! Idempotency-Key and growing pauses, and tells refusals apart by their code.
//!
//! Invariants: an answer is taken in whole or not at all; a copy never goes back within an epoch; a change that is repeated
//! carries the key and the bytes of the first try.
//!
//! ```no_run
//! use client::{Change, Client, Expect, Replica};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), client::ClientError> {
//! let client = Client::new("https://fastness.example", "main", "the key")?;
//! let mut replica = Replica::open("contacts.replica")?;
//! replica.follow("Contact", "anna", None)?;
//! client.sync(&mut replica).await?;
//! let change = Change::of("Contact", "anna").expecting(Expect::Any).put("Name", "", json!({ "first": "Anna" }));
//! client.commit_synced(&[change], &mut replica).await?;
//! let anna = replica.document("Contact", "anna")?;
//! # drop(anna);
//! # Ok(())
//! # }
//! ```

mod broken;
mod call;
mod chance;
mod client;
mod documents;
mod error;
pub mod exchange;
mod files;
pub mod replica;
mod request;
mod retry;
mod words;
pub mod workflow;

pub use crate::chance::{jittered, new_key, pause};
pub use crate::client::Client;
pub use crate::documents::{OpAnswer, Synced};
pub use crate::error::{ApiError, ClientError};
pub use crate::files::{Downloaded, Sha};
pub use crate::replica::{Answer, Ask, Replica, ReplicaError};
pub use crate::request::{Given, Request};
pub use crate::retry::Retry;
pub use crate::words::{Change, Condition, Document, Expect, ItemChange, Search, SearchPage};
