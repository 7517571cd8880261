//! The bytes of one namespace's blobs: staged, placed durably under a name that is used once, read, removed, listed.
//!
//! A place knows no rows, no references and no hashes: whoever uploads hashes, whoever reads compares. It promises that what
//! [`StagedBlob::finish`] reported is whole and survives a power cut, that a name holds what was put there or nothing, and
//! that an upload which was dropped or broke off leaves nothing that is ever listed.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::Arc;

use crate::id::Id;

/// SHA-256 of some bytes, written as 64 digits of lower-case hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha(pub [u8; 32]);

/// A text that is not a SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a SHA-256 is written as 64 digits of 0-9 and a-f")]
pub struct InvalidSha;

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha({self})")
    }
}

impl FromStr for Sha {
    type Err = InvalidSha;

    fn from_str(text: &str) -> Result<Self, InvalidSha> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(InvalidSha),
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(InvalidSha);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

/// Where the bytes of one upload lie: `ab/cd/<sha256>.<upload>`. Two uploads of the same bytes have two names, and a name
/// whose bytes were removed is never used again: so a removal that comes late can never hit what came after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobName {
    /// Of the bytes.
    pub sha: Sha,
    /// Of the upload.
    pub upload: Id,
}

impl BlobName {
    /// The two directories and the name in them: `("ab", "cd", "<sha256>.<upload>")`.
    #[must_use]
    pub fn steps(&self) -> (String, String, String) {
        let hex = self.sha.to_string();
        (hex[..2].to_owned(), hex[2..4].to_owned(), format!("{hex}.{}", self.upload))
    }

    /// The name of a file in those directories; `None` if it is not one of ours.
    #[must_use]
    pub fn of_file(name: &str) -> Option<Self> {
        let (sha, upload) = name.split_once('.')?;
        Some(Self { sha: sha.parse().ok()?, upload: upload.parse().ok()? })
    }
}

impl fmt::Display for BlobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second, name) = self.steps();
        write!(f, "{first}/{second}/{name}")
    }
}

/// A text that is not the name of a blob's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a blob's bytes: ab/cd/<sha256>.<upload>")]
pub struct InvalidBlobName;

impl FromStr for BlobName {
    type Err = InvalidBlobName;

    fn from_str(text: &str) -> Result<Self, InvalidBlobName> {
        let name = text.rsplit('/').next().and_then(Self::of_file).ok_or(InvalidBlobName)?;
        if name.to_string() == text { Ok(name) } else { Err(InvalidBlobName) }
    }
}

/// The place of one namespace's bytes. Every call may take as long as a disk or a network does: never within a transaction.
pub trait Blobs: fmt::Debug + Send + Sync {
    /// Begins an upload: the name that it will be finished under, and its length, if they are known. Nothing is listed
    /// before it is finished.
    ///
    /// # Errors
    /// There is not so much room ([`io::ErrorKind::StorageFull`]), or the place refused.
    fn stage(&self, expected: Option<&BlobName>, length: Option<u64>) -> io::Result<Box<dyn StagedBlob>>;

    /// Bytes of memory that an upload takes, whatever its size.
    fn upload_memory(&self) -> usize {
        0
    }

    /// Puts small ones under their names, each whole and durable when this returns, and tells of each. Whoever can makes many durable at
    /// once.
    fn put_all(&self, blobs: &[(BlobName, Vec<u8>)]) -> Vec<io::Result<()>> {
        blobs.iter().map(|(name, bytes)| put(self, name, bytes)).collect()
    }

    /// Fills `bytes` from `offset` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`]: nothing of that name; [`io::ErrorKind::UnexpectedEof`]: it is shorter; or the place
    /// refused.
    fn read(&self, name: &BlobName, offset: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// The size of what lies under a name; `None` if nothing does.
    ///
    /// # Errors
    /// The place refused.
    fn size(&self, name: &BlobName) -> io::Result<Option<u64>>;

    /// Removes durably; a missing one is no error, so that a repeat is harmless.
    ///
    /// # Errors
    /// The place refused; it may have been done all the same.
    fn remove(&self, name: &BlobName) -> io::Result<()>;

    /// Names in order, at most `limit`, all after `after`.
    ///
    /// # Errors
    /// The place refused.
    fn list(&self, after: Option<&BlobName>, limit: usize) -> io::Result<Vec<BlobName>>;
}

fn put<B: Blobs + ?Sized>(place: &B, name: &BlobName, bytes: &[u8]) -> io::Result<()> {
    let mut staged = place.stage(Some(name), Some(bytes.len() as u64))?;
    staged.write(bytes)?;
    staged.finish(name)
}

/// An upload on its way. Dropped, it leaves nothing.
pub trait StagedBlob: Send {
    /// Adds bytes.
    ///
    /// # Errors
    /// The place refused; the upload is worth nothing any more.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Puts the bytes under their name, whole and durable when it returns.
    ///
    /// # Errors
    /// The place refused. The bytes may be under the name all the same, to be found by [`Blobs::list`].
    fn finish(self: Box<Self>, name: &BlobName) -> io::Result<()>;
}

/// The places of all namespaces.
pub trait BlobPlaces: fmt::Debug + Send + Sync {
    /// The place of a namespace, opened where needed.
    ///
    /// # Errors
    /// It cannot be opened.
    fn place(&self, namespace: &str) -> io::Result<Arc<dyn Blobs>>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Wall;

    #[test]
    fn ker_26_a_hash_is_read_in_one_form_only() {
        let sha = Sha(std::array::from_fn(|at| u8::try_from(at * 8).unwrap()));
        assert_eq!(sha.to_string().parse(), Ok(sha));
        let good = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(good.parse::<Sha>().unwrap().to_string(), good);
        for bad in ["", "e3", &good[1..], &good.to_uppercase(), &format!("{good}0"), &good.replace('e', "g")] {
            assert_eq!(bad.parse::<Sha>(), Err(InvalidSha), "{bad}");
        }
    }

    #[test]
    fn ker_26_a_name_is_read_in_one_form_only() {
        let name = BlobName { sha: Sha([0xab; 32]), upload: Id::new(Wall(7), [1; 10]) };
        assert!(name.to_string().starts_with("ab/ab/abab"), "{name}");
        assert_eq!(name.to_string().parse(), Ok(name));
        for bad in ["", "x", &name.to_string()[3..], &format!("ab/cd/{}", name.steps().2), &format!("{name}x")] {
            assert_eq!(bad.parse::<BlobName>(), Err(InvalidBlobName), "{bad}");
        }
    }
}
