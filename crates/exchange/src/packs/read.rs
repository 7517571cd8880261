//! Reads a text out of its pack: compared with the digests of the blob's pieces, and as a whole with what was received.

use base::{OpResult, Sql, Tx, args};
use kernel::blobs::{self, BlobInfo, Damaged, REPORT_DAMAGE, ReadFault};
use kernel::{Kernel, Namespace};

use super::places::Packs;
use super::sha_of;
use crate::folders::call;
use crate::message::digest;

pub(super) static GET: Sql = Sql::new(
    "exc_packed.get",
    "SELECT p.sha, p.begins, m.size, m.digest FROM exc_packed p JOIN exc_message m ON m.number = p.number WHERE p.number = ?1",
);

/// A text that lies in a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packed {
    pack: BlobInfo,
    begins: u64,
    size: u64,
    /// What the text is known by.
    digest: Vec<u8>,
}

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unread {
    /// The blobs are away, and another time they may not be.
    Away(String),
    /// What lies there is not what was received.
    Damaged(String),
}

/// Where the text of a message lies, if it is in a pack.
pub(crate) fn find(tx: &mut dyn Tx, number: i64) -> OpResult<Option<Packed>> {
    let Some(row) = tx.query_one(&GET, args![number])? else { return Ok(None) };
    let pack = blobs::find(tx, &sha_of(row.text(0))?)?;
    let (begins, size) = (row.int(1).unsigned_abs(), row.int(2).unsigned_abs());
    Ok(Some(Packed { pack, begins, size, digest: row.blob(3).to_vec() }))
}

impl Packed {
    /// The text; blocks. Damage is reported, so that people are told.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read(&self, kernel: &Kernel, ns: &Namespace) -> Result<String, Unread> {
        let bytes = match self.bytes(kernel, ns) {
            Ok(bytes) => bytes,
            Err(ReadFault::Unavailable(error)) => return Err(Unread::Away(error.to_string())),
            Err(ReadFault::Damaged(reason)) => {
                let found = Damaged { name: self.pack.name, reason: reason.clone() };
                call(kernel, ns, &REPORT_DAMAGE, found).map_err(|error| Unread::Away(error.to_string()))?;
                return Err(Unread::Damaged(reason));
            }
        };
        let text = String::from_utf8(bytes).map_err(|error| Unread::Damaged(error.to_string()))?;
        if digest(&text) == self.digest[..] {
            Ok(text)
        } else {
            Err(Unread::Damaged("it is not what was received".into()))
        }
    }

    fn bytes(&self, kernel: &Kernel, ns: &Namespace) -> Result<Vec<u8>, ReadFault> {
        let blobs = kernel.common::<Packs>().of(ns)?;
        let (mut at, end) = (self.begins, self.begins.saturating_add(self.size));
        if end > self.pack.size {
            return Err(ReadFault::Damaged("it ends before the text does".into()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.size).unwrap_or_default());
        while at < end {
            let part = self.pack.read_part(blobs.as_ref(), at..end)?;
            at += part.len() as u64;
            bytes.extend(part);
        }
        Ok(bytes)
    }
}
