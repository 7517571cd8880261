//! A clerk who attaches papers to documents: each is sent to one node, and read at another.

use anyhow::{Result, ensure};
use serde_json::json;

use super::bytes::{content, digest};
use super::caller::{download, told, upload};
use super::crew::{Crew, Trade};
use crate::check::violation;
use crate::machine::Front;

/// Papers of a document, in turn.
const KEYS: [&str; 3] = ["contract", "photo", "plan"];

/// The clerk, and how many papers are attached.
pub(super) struct Clerk<'a> {
    front: &'a dyn Front,
    attached: u64,
}

impl<'a> Clerk<'a> {
    pub(super) fn new(front: &'a dyn Front) -> Self {
        Self { front, attached: 0 }
    }

    pub(super) fn work(mut self, crew: &Crew) -> Result<Self> {
        while !crew.is_over() {
            self.attach()?;
            crew.did(Trade::Attachments);
        }
        Ok(self)
    }

    fn attach(&mut self) -> Result<()> {
        let number = self.attached;
        if number.is_multiple_of(KEYS.len() as u64) {
            let items = json!([{ "c": "Card", "j": { "number": number } }]);
            let change = json!({ "c": "Drill", "id": id(number), "expect": "new", "items": items });
            told(self.front, "POST", "/v1/main/op/doc.commit", &json!({ "param": { "changes": [change] } }))?;
        }
        upload(self.front, &path(number), &content(number))?;
        self.read(number)?;
        self.attached += 1;
        Ok(())
    }

    fn read(&self, number: u64) -> Result<()> {
        let there = download(self.front, &path(number))?;
        let good = digest(&there) == digest(&content(number));
        ensure!(good, violation(format!("paper {number} has {} bytes, and others than were sent", there.len())));
        Ok(())
    }

    /// All are there, byte for byte; how many.
    pub(super) fn judge(&self) -> Result<u64> {
        (0..self.attached).try_for_each(|number| self.read(number))?;
        Ok(self.attached)
    }
}

fn id(number: u64) -> String {
    format!("case-{}", number / KEYS.len() as u64)
}

fn path(number: u64) -> String {
    let key = KEYS[usize::try_from(number).unwrap_or(0) % KEYS.len()];
    format!("/v1/main/docs/Drill/{}/attachments/{key}", id(number))
}
