//! The contract on each place, and what only one of them can show.

mod disk;
mod s3;

use std::sync::Arc;

use base::{BlobName, Blobs, Id, Sha, Wall};

/// Runs every contract on a place of its own.
fn check_contract(fresh: impl Fn(usize) -> Arc<dyn Blobs>) {
    for (at, (name, contract)) in store_suite::blobs::ALL.iter().enumerate() {
        println!("{name}");
        contract(fresh(at).as_ref());
    }
}

fn name(first: u8) -> BlobName {
    BlobName { sha: Sha([first; 32]), upload: Id::new(Wall(1), [0; 10]) }
}
