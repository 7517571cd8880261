//! The documents of one operation: at most 32 (KER-8), each one object (DOC-1).

use std::collections::BTreeMap;

use base::limits::OP_DOCUMENTS_MAX;
use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Phase, Stamp, Tx, args, codes};
use kernel::OpCx;

use super::check_key;
use super::document::{Doc, Life};
use super::head::{GET_HEAD, head_of};
use super::save::save;
use crate::class;
use crate::codes::{AEXISTS, CVERSION, NDOC};
use crate::forget::see_forgotten;

/// The version that a caller expects of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Whatever it is.
    Any,
    /// It is not there.
    New,
    /// This one.
    Version(i64),
}

/// The documents that an operation works on.
#[derive(Debug, Default)]
pub struct DocSet {
    pub(super) docs: BTreeMap<(String, String), Doc>,
}

impl DocSet {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A document, there or not, locked: nobody else changes it before this operation ends.
    ///
    /// # Errors
    /// `NCLASS`, `ALIMIT` for the 33rd document, or the store failed.
    pub fn at(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: &str, id: &str) -> OpResult<&mut Doc> {
        let key = (class.to_owned(), id.to_owned());
        if !self.docs.contains_key(&key) {
            let doc = self.open(tx, cx, class, id)?;
            self.docs.insert(key.clone(), doc);
        }
        self.docs.get_mut(&key).ok_or_else(|| OpError::new(codes::BDETECTED, "a document that was opened is not there"))
    }

    fn open(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: &str, id: &str) -> OpResult<Doc> {
        if self.docs.len() >= OP_DOCUMENTS_MAX {
            let text = format!("an operation holds at most {OP_DOCUMENTS_MAX} documents writable");
            return Err(OpError::new(codes::ALIMIT, text));
        }
        check_key("the document's id", id)?;
        let class = class::load(tx, cx, class)?;
        let found = tx.query_one(&GET_HEAD, args![&class.decl.class, id])?.map(|row| head_of(&row, 0));
        match &found {
            Some(head) => cx.saw(head.version),
            None => see_forgotten(tx, cx)?,
        }
        Ok(Doc::new(class, id, found))
    }

    /// A document that must be there.
    ///
    /// # Errors
    /// `NDOC`, and as [`Self::at`].
    pub fn get(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: &str, id: &str) -> OpResult<&mut Doc> {
        let doc = self.at(tx, cx, class, id)?;
        if doc.exists() { Ok(doc) } else { Err(OpError::new(NDOC, format!("no document {class}/{id}"))) }
    }

    /// A document, which is created if it is not there.
    ///
    /// # Errors
    /// As [`Self::at`].
    pub fn get_or_new(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: &str, id: &str) -> OpResult<&mut Doc> {
        let doc = self.at(tx, cx, class, id)?;
        if !doc.exists() {
            doc.life = Life::New;
        }
        Ok(doc)
    }

    /// A new document.
    ///
    /// # Errors
    /// `AEXISTS`, and as [`Self::at`].
    pub fn create(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: &str, id: &str) -> OpResult<&mut Doc> {
        let doc = self.at(tx, cx, class, id)?;
        if doc.exists() {
            return Err(OpError::new(AEXISTS, format!("document {class}/{id} exists already")));
        }
        doc.life = Life::New;
        Ok(doc)
    }

    /// A new document in the place of what was there.
    ///
    /// # Errors
    /// As [`Self::at`].
    pub fn recreate(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: &str, id: &str) -> OpResult<&mut Doc> {
        let doc = self.at(tx, cx, class, id)?;
        doc.life = Life::New;
        doc.slots.clear();
        Ok(doc)
    }

    /// Deletes a document; one that is not there is no error.
    ///
    /// # Errors
    /// As [`Self::at`].
    pub fn delete(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: &str, id: &str) -> OpResult<()> {
        let doc = self.at(tx, cx, class, id)?;
        doc.life = Life::Deleted;
        doc.slots.clear();
        Ok(())
    }

    /// Writes all that was changed, under one stamp; `None` if nothing was. Call it last.
    ///
    /// # Errors
    /// What was changed does not fit (`AITEM`, `ALIMIT`, `NBLOB`), or the store failed.
    pub fn save(self, tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<Option<Stamp>> {
        save(tx, cx, self.docs.into_values().collect())
    }
}

impl Doc {
    /// Whether the document is what the caller expected.
    ///
    /// # Errors
    /// `CVERSION`, which tells both versions and who made the newer one.
    pub fn expect(&self, expected: Expect) -> OpResult<()> {
        let found = self.found.as_ref().filter(|head| head.exists());
        let version = found.map_or(0, |head| head.version.number());
        let holds = match expected {
            Expect::Any => true,
            Expect::New => version == 0,
            Expect::Version(expected) => version == expected,
        };
        if holds || mutants::on(Mutant::ExpectIgnored) {
            return Ok(());
        }
        let (class, id) = (self.class(), &self.id);
        let is = if version == 0 { "is not there".to_owned() } else { format!("has version {version}") };
        let wanted = match expected {
            Expect::Version(expected) => format!("version {expected} was expected"),
            Expect::New | Expect::Any => "none was expected".to_owned(),
        };
        let error = OpError::new(CVERSION, format!("document {class}/{id} {is}, {wanted}")).at(Phase::Validation);
        let error = error.with(format!("document {class}/{id}")).with(wanted).with(format!("found {version}"));
        let won = self.found.as_ref().map(|head| format!("won by {} of {}", head.op, head.who));
        // Its own attempts would find the same: the caller must look at the newer version first.
        Err(won.into_iter().fold(error, OpError::with).finally())
    }
}
