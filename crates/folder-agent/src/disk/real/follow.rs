//! A large stage is hashed while it is still being copied, and the disk begins to write it: what one thread did one after the other takes no longer
//! than the slowest of it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use sha2::{Digest as _, Sha256};

use crate::model::Hash;

/// So much is read at once.
const PIECE_BYTES: usize = 1 << 20;
/// After so much the disk has to write it.
const WRITTEN_BYTES: u64 = 64 << 20;

/// Reads behind whoever writes.
#[derive(Debug)]
pub(super) struct Follower {
    ends: Sender<u64>,
    thread: JoinHandle<io::Result<(Hash, u64)>>,
    upto: u64,
}

impl Follower {
    #[expect(
        clippy::disallowed_methods,
        reason = "the thread has a name, the disk owns it, and it ends when it is told no more"
    )]
    pub(super) fn of(file: File) -> io::Result<Self> {
        let (ends, told) = mpsc::channel();
        let thread = std::thread::Builder::new().name("follow".to_owned()).spawn(move || follow(&file, &told))?;
        Ok(Self { ends, thread, upto: 0 })
    }

    /// All before `end` is as it will be. `false` if something that was read already is another now: whoever followed has to be dropped.
    pub(super) fn goes_to(&mut self, from: u64, end: u64) -> bool {
        let is_ahead = self.upto <= from;
        self.upto = end;
        is_ahead && self.ends.send(end).is_ok()
    }

    /// The hash, if the stage is so long.
    pub(super) fn end(self, size: u64) -> io::Result<Option<Hash>> {
        // If it does not hear this it has failed, and says so.
        let _ = self.ends.send(size);
        drop(self.ends);
        let (hash, read) = self.thread.join().map_err(|_| io::Error::other("a stage could not be hashed"))??;
        Ok((read == size).then_some(hash))
    }
}

fn follow(file: &File, ends: &Receiver<u64>) -> io::Result<(Hash, u64)> {
    let (mut hasher, mut piece) = (Sha256::new(), vec![0; PIECE_BYTES]);
    let (mut at, mut written) = (0, 0);
    for end in ends {
        while at < end {
            let most = usize::try_from(end - at).unwrap_or(PIECE_BYTES).min(PIECE_BYTES);
            match file.read_at(&mut piece[..most], at) {
                Ok(0) => break,
                Ok(count) => {
                    hasher.update(&piece[..count]);
                    at += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if at - written >= WRITTEN_BYTES {
                file.sync_data()?;
                written = at;
            }
        }
    }
    Ok((hasher.finalize().into(), at))
}
